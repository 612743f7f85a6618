import { cachedBy } from "./cached.ts";
import type { Contract } from "./contract.ts";
import type { ServiceError } from "./errors.ts";
import { matches } from "./explain.ts";
import type { Schema } from "./json-schema.ts";
import { variantsOf } from "./json-schema.ts";
import { minimalValue } from "./minimal-value.ts";
import { hasOnlyDefault, JSON_TYPE, type Operation, type ResponseRule, responseFor } from "./operation-table.ts";
import { isObject } from "./text/shown.ts";
import { isJson } from "./wire/media-kinds.ts";
import { typeWithin } from "./wire/media-types.ts";
import { isXml, xmlText } from "./wire/xml-text.ts";

/** What a contract says about errors. */
export type ErrorContract = Pick<Contract, "errorBody" | "operations">;

/** What the body of an error says. */
export type ErrorFacts = Pick<ServiceError, "status" | "code" | "message" | "details">;

/** The body of an error in the form of a contract. */
export interface ErrorForm {
  /** Undefined if the contract declares no body for this status; a text, if it is no JSON. */
  readonly body: unknown;
  readonly mediaType: string;
  /** Whether the contract does not describe such a response. */
  readonly isOffContract: boolean;
}

/**
 * Returns the body of an error as the contract describes it: the schema of the operation for the status; else the schema
 * that the operations declare most for errors; else problem details (RFC 9457). Never throws.
 */
export function errorForm(contract: ErrorContract, error: ErrorFacts, operation?: Operation): ErrorForm {
  const { errorBody } = contract;
  if (errorBody) return { body: errorBody(error), mediaType: "application/json", isOffContract: false };
  const { status, message } = error;
  const isSuccess = operation && hasOnlyDefault(operation);
  const own = operation && !isSuccess && responseFor(operation, status);
  if (own) return formOf(own, error);
  const { rule, statuses } = errorsIn(contract);
  const isDeclared = [String(status), `${Math.floor(status / 100)}XX`, "default"].some((key) => statuses.has(key));
  if (rule) return { ...formOf(rule, error), ...((!isDeclared || isSuccess) && { isOffContract: true }) };
  const body = { type: "about:blank", title: error.code, status, detail: message };
  return { body, mediaType: "application/problem+json", isOffContract: true };
}

/** Returns the body of an error as the text that is sent; null without a body. */
export function errorText({ body, mediaType }: Pick<ErrorForm, "body" | "mediaType">): string | null {
  if (body === undefined) return null;
  return isJson(mediaType) ? JSON.stringify(body) : String(body);
}

function formOf({ schema, mediaType: declared = JSON_TYPE, name }: ResponseRule, error: ErrorFacts): ErrorForm {
  const { message } = error;
  const usual = isText(schema?.type) ? "text/plain" : JSON_TYPE;
  const mediaType = declared.includes("*") ? typeWithin(declared, usual) : declared;
  if (!schema) return { body: undefined, mediaType, isOffContract: false };
  if (isJson(mediaType)) return { body: errorValue(schema, error) ?? { message }, mediaType, isOffContract: false };
  if (isXml(mediaType) && !isText(schema.type)) {
    const body = xmlText(errorValue(schema, error) ?? { message }, schema, name);
    return { body, mediaType, isOffContract: false };
  }
  return { body: message, mediaType, isOffContract: schema.type !== undefined && !isText(schema.type) };
}

/** Returns the response with the schema that most errors of a contract have, and the statuses that have it somewhere. */
const errorsIn = cachedBy(({ operations }: ErrorContract) => {
  const declared = operations.filter((operation) => !hasOnlyDefault(operation));
  const errors = declared.flatMap(({ responses }) => {
    return Object.entries(responses).filter(([status]) => /^[45]|^default$/.test(status));
  });
  const all = errors.filter(([, { schema: { properties, oneOf, anyOf } = {} }]) => properties ?? oneOf ?? anyOf);
  const bySchema = Map.groupBy(all, ([, { schema }]) => schema);
  const [most] = [...bySchema.values()].sort((a, b) => b.length - a.length);
  return { rule: most?.[0]?.[1], statuses: new Set(most?.map(([status]) => status)) };
});

/** The members that can have the message of an error, the most likely first. */
const messageNames =
  "message msg *message *msg detail title error_description description error reason text explanation"
    .split(" ")
    .map((name) => new RegExp(`^${name.replace("*", ".*")}$`, "i"));

/** The levels of an error body where its message is looked for: `error.info.message` is on the third. */
const LEVELS = 4;

/** The options of a union that an error is made for, as unions in unions multiply them. */
const TRIED = 3;

/**
 * Returns a value of the schema for an error: with the message in the first member for it, and the status, the code and the
 * current version where the schema has members for them. If nothing else is known, the message is in any member for texts.
 */
export function errorValue(schema: Schema, error: ErrorFacts): unknown {
  const { value } = filled(schema, error, 1);
  if (!isObject(value) || Object.keys(value).length > 0) return value;
  const names = [...Object.keys(schema.properties ?? {}), "message"];
  const bodies = names.map((name) => ({ [name]: error.message }));
  return bodies.find((body) => matches(schema, body)) ?? value;
}

/** Returns the value, and whether it contains the message. */
function filled(schema: Schema, error: ErrorFacts, level: number): { value: unknown; hasMessage: boolean } {
  const { oneOf = schema.anyOf, items } = schema;
  const named = ofReason(schema, error);
  if (named && named !== schema) return filled(named, error, level + 0.5);
  if (level > LEVELS) return { value: minimalValue(schema), hasMessage: false };
  // Half a level, as a union or a list adds no name, and can contain itself.
  if (oneOf && !schema.properties) {
    let first: ReturnType<typeof filled> | undefined;
    const byReason = oneOf.toSorted((a, b) => Number(isNamed(b, error)) - Number(isNamed(a, error)));
    for (const option of byReason.slice(0, TRIED)) {
      const made = filled(option, error, level + 0.5);
      // A value of one option can be that of another too, which a union of exactly one excludes.
      if (matches(schema, made.value)) return made;
      first ??= made;
    }
    return first ?? { value: {}, hasMessage: false };
  }
  if (items) {
    const { value, hasMessage } = filled(items, error, level + 0.5);
    return { value: hasMessage || schema.minItems ? [value] : [], hasMessage };
  }
  if (isFreeText(schema)) return { value: error.message, hasMessage: true };
  if (!schema.properties) return { value: minimalValue(schema), hasMessage: false };
  const value: Record<string, unknown> = { ...(minimalValue(schema) as object) };
  const members = Object.entries(schema.properties);
  const texts = members.filter(([, member]) => isFreeText(member));
  const [name] = messageNames.flatMap((pattern) => texts.find(([each]) => pattern.test(each)) ?? []) as [string?];
  let hasMessage = name !== undefined;
  if (name !== undefined) value[name] = error.message;
  for (const [each, member] of members) {
    const fact = factOf(each, member, error);
    if (fact !== undefined && each !== name) value[each] = fact;
    const isAsked = member.items !== undefined && tellsReason(member.items, error);
    const isOpen =
      level < LEVELS && (!hasMessage || isAsked) && (member.properties ?? member.items ?? member.oneOf ?? member.anyOf);
    const below = isOpen ? filled(member, error, level + 1) : undefined;
    if (!below?.hasMessage) continue;
    value[each] = below.value;
    hasMessage = true;
  }
  return { value, hasMessage };
}

/** Returns the value of a member that has a meaning in errors. */
function factOf(name: string, { type, enum: values }: Schema, error: ErrorFacts): unknown {
  const { status, code, details } = error;
  const isNumber = type === "integer" || type === "number";
  if (isNumber && /^(status|statusCode|code)$/.test(name) && (values?.includes(status) ?? true)) return status;
  if (name === "currentVersion" && isNumber) return details[0]?.currentVersion;
  if (isText(type) && /^(field|pointer)$/i.test(name)) return details[0]?.field;
  if (isText(type) && /^(code|error_?code|title)$/i.test(name) && (values?.includes(code) ?? true)) return code;
}

/** Returns the schema that a discriminator has for errors with this reason. */
function ofReason({ discriminator }: Schema, { code }: ErrorFacts): Schema | undefined {
  const { mapping = {} } = discriminator ?? {};
  return Object.hasOwn(mapping, code) ? mapping[code] : undefined;
}

/** Returns whether the entries of a list say more about an error than its message: its reason or current version. */
function tellsReason(items: Schema, error: ErrorFacts): boolean {
  const { currentVersion } = items.properties ?? {};
  const isVersion = currentVersion !== undefined && error.details[0]?.currentVersion !== undefined;
  return (
    isVersion || ofReason(items, error) !== undefined || variantsOf(items).some((option) => isNamed(option, error))
  );
}

function isNamed({ properties: { code: own = {} } = {} }: Schema, { code }: ErrorFacts): boolean {
  return [own.const, ...(own.enum ?? [])].includes(code);
}

function isFreeText(schema: Schema): boolean {
  return variantsOf(schema).some(({ type, enum: values, format }) => isText(type) && !values && !format);
}

function isText(type: Schema["type"]): boolean {
  return [type].flat().includes("string");
}
