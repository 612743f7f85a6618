import { Buffer } from "node:buffer";
import {
  bearerScheme,
  headerOf,
  isObject,
  type ListForm,
  MAX_PACT_PATH,
  typeOf as mediaTypeOf,
  optionFor,
  partsOf,
  percentDecoded,
  type ResourceType,
  redactMember,
  redactText,
  type Schema,
  type SecurityScheme,
  utf8,
} from "../../contract/index.ts";
import { queryOf } from "../../rules/index.ts";
import type { Interaction } from "./pact-file.ts";
import type { ReadExchange } from "./pact-states.ts";

/* The templates of bodies, and the requests and responses of a pact that contain them. */

/** A matcher of the Pact specification 4, such as `{ match: "integer" }`. */
interface PactMatcher {
  readonly match: "type" | "integer" | "number" | "boolean" | "null" | "regex" | "equality";
  readonly min?: number;
  readonly regex?: string;
}

/** The matchers of one location. */
interface PactRule {
  readonly combine: "AND";
  readonly matchers: readonly PactMatcher[];
}

/** The example of a body, its matchers by JSON path, and its shape: names and types, without values. */
interface Template {
  readonly value?: unknown;
  readonly rules: Record<string, PactRule>;
  readonly shape?: unknown;
}

const EXAMPLE_TIME = "2025-01-01T12:00:00.000Z";
const dateTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

/**
 * Returns a JSON value with an example in place of each date-time (RFC 3339), so that the same requests on another day
 * create the same file. Verifiers reject a file with half of a surrogate pair, and so U+FFFD replaces it.
 */
export function exampleOf(value: unknown): unknown {
  if (typeof value === "string") return dateTime.test(value) ? EXAMPLE_TIME : value.toWellFormed();
  if (Array.isArray(value)) return value.map(exampleOf);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name.toWellFormed(), exampleOf(member)]));
}

function rule(...matchers: readonly PactMatcher[]): PactRule {
  return { combine: "AND", matchers };
}

/**
 * Returns the template of a response body. An array keeps one item, with the members that all its items have. Members that
 * no path can name, and values with a long path, are left out. The results of a page keep only the members that the contract
 * requires, as the provider has other resources too. The types of the contract decide the matchers, and the types of the
 * values those of unknown members.
 */
export function responseTemplate(
  body: unknown,
  schema: Schema | undefined,
  pages: ReadonlyMap<Schema, ListForm> = new Map(),
): Template {
  const rules: Record<string, PactRule> = {};
  return { ...partOf([body], schema, { path: "$", rules, keeps: "shared", pages }), rules };
}

/** Returns the template of a request body: the body as sent, as a verifier sends it to the provider. */
export function requestTemplate(body: unknown, schema: Schema | undefined): Template {
  const rules: Record<string, PactRule> = {};
  return { ...partOf([body], schema, { path: "$", rules, keeps: "all", pages: new Map() }), rules };
}

interface Place {
  readonly path: string;
  /** The forms of pages by their schemas. */
  readonly pages: ReadonlyMap<Schema, ListForm>;
  readonly rules: Record<string, PactRule>;
  /** The members and items that are part of the template: all, those that all values have, or of these the required ones. */
  readonly keeps: "all" | "shared" | "required";
}

type Part = Partial<Pick<Template, "value" | "shape">>;

/** Returns what these values have in common; empty if their types differ. Adds the matchers of the result. */
function partOf(values: readonly unknown[], schema: Schema | undefined, place: Place): Part {
  const { path, rules, keeps } = place;
  const [first] = values;
  if (path.length > MAX_PACT_PATH) return keeps === "all" ? { value: first, shape: typeOf(first) } : {};
  const chosen = schema && (optionFor(schema, first) ?? schema);
  if (values.every(Array.isArray)) {
    const items = values.flat();
    const isPage = chosen && keeps === "shared" && place.pages.get(chosen)?.at.length === 0;
    const least = keeps === "all" || values.some(({ length }) => length === 0) ? 0 : 1;
    rules[path] = rule({ match: "type", ...(least > 0 && { min: least }) });
    const parts =
      keeps === "all"
        ? items.map((item, index) => partOf([item], chosen?.items, { ...place, path: `${path}[${index}]` }))
        : items.length > 0
          ? [partOf(items, chosen?.items, { ...place, path: `${path}[*]`, keeps: isPage ? "required" : keeps })]
          : [];
    const found = parts.filter(({ shape }) => shape !== undefined);
    const shapes = sortedObject(found.map(({ shape }) => [JSON.stringify(shape), shape]));
    return { value: found.map(({ value }) => value), shape: [least, ...Object.values(shapes)] };
  }
  if (values.every(isObject)) {
    const results = chosen && place.pages.get(chosen)?.at[0];
    const names = keeps === "required" && chosen?.properties ? (chosen.required ?? []) : Object.keys(first as object);
    const shared = names.filter((name) => values.every((each) => Object.hasOwn(each, name)));
    const members = shared.flatMap((name): [string, Part][] => {
      const held = values.map((each) => each[name]);
      // Quoted names have no escapes: verifiers reject a file with an empty name or one with a quote in a path.
      const hasPath = name !== "" && !name.includes("'");
      if (!hasPath) return keeps === "all" ? [[name, { value: held[0], shape: typeOf(held[0]) }]] : [];
      const memberPath = /^[A-Za-z_][\w-]*$/.test(name) ? `${path}.${name}` : `${path}['${name}']`;
      const kept = keeps === "shared" && name === results ? "required" : keeps;
      const declared = chosen && partsOf(chosen, first, name)[0];
      const part = partOf(held, declared, { ...place, path: memberPath, keeps: kept });
      return part.shape === undefined ? [] : [[name, part]];
    });
    // An example without members would otherwise allow only objects without members.
    if (members.length === 0) rules[path] = rule({ match: "type" });
    return {
      value: Object.fromEntries(members.map(([name, { value }]) => [name, value])),
      shape: sortedObject(members.map(([name, { shape }]) => [name, shape])),
    };
  }
  if (values.some((each) => typeOf(each) !== typeOf(first))) return {};
  // Other items of the provider have other values.
  const { matcher, shape } = scalarMatcher(first, keeps === "required" ? { type: chosen?.type } : chosen);
  const isFixed = matcher.match !== "equality" || values.every((each) => each === first);
  rules[path] = rule(isFixed ? matcher : { match: "type" });
  return { value: first, shape: isFixed ? shape : typeOf(first) };
}

function typeOf(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

/** Returns the matcher of a value without members, and its shape. */
function scalarMatcher(value: unknown, schema?: Schema): { readonly matcher: PactMatcher; readonly shape: unknown } {
  // Fixed values have a meaning: error codes, names of actions.
  if (schema?.const !== undefined || schema?.enum) return { matcher: { match: "equality" }, shape: { is: value } };
  if (typeof value === "string" && dateTime.test(value)) {
    return { matcher: { match: "regex", regex: dateTime.source }, shape: "date-time" };
  }
  if (typeof value === "string") return { matcher: { match: "type" }, shape: "string" };
  const match = typeof value === "number" && schema?.type === "integer" ? "integer" : typeOf(value);
  return { matcher: { match: match as PactMatcher["match"] }, shape: match };
}

function sortedObject(members: readonly (readonly [name: string, value: unknown])[]): object {
  return Object.fromEntries([...members].sort(([a], [b]) => (a < b ? -1 : 1)));
}

type Body = NonNullable<Interaction["request"]["body"]>;

/** The token in the file. The verifier replaces it with the token of the provider state `a token exists`. */
const PLACEHOLDER = "pact-placeholder";
const MALFORMED = "Malformed";

export function queryPart({ credentials, exchange, operation }: ReadExchange) {
  const isCredential = (name: string) => credentials.some((each) => each.in === "query" && each.name === name);
  const values = mapped(queryOf(exchange), (texts, name) =>
    texts.map((text) => (isCredential(name) ? PLACEHOLDER : String(exampleOf(redactMember(name, text))))),
  );
  const parameterOf = (name: string) =>
    operation.parameters.find((each) => each.in === "query" && (each.pattern?.test(name) ?? each.name === name));
  const patternOf = (name: string) => patterns[String(parameterOf(name)?.schema.type)];
  return { query: values, rules: mapped(values ?? {}, (_values, name) => matching(patternOf(name))) };
}

const patterns: Readonly<Record<string, string>> = {
  integer: "^-?\\d+$",
  number: "^-?\\d+(\\.\\d+)?([eE][+-]?\\d+)?$",
  boolean: "^(true|false)$",
};

/** Returns the rule for texts with this pattern; without one, for any text. */
function matching(regex: string | undefined): PactRule {
  return rule(regex ? { match: "regex", regex } : { match: "type" });
}

export function requestPart(
  { contract, credentials, exchange, operation, path }: ReadExchange,
  template: Template | undefined,
  { query, rules: queryRules }: ReturnType<typeof queryPart>,
  hasToken: boolean,
): Interaction["request"] {
  const { method, headers, requestBody } = exchange;
  const contentType = headerOf(headers, "content-type");
  const authorization = authorizationOf(headerOf(headers, "authorization"));
  const accept = headerOf(headers, "accept");
  const declared = operation.parameters.flatMap((each) => (each.in === "header" ? [each.name] : []));
  const secrets = [...(hasToken ? [placeOf(bearerScheme)] : []), ...credentials.map(placeOf)];
  const secretsIn = (part: string) => secrets.filter((each) => each.part === part);
  const expressions = (part: string) => Object.fromEntries(secretsIn(part).map(({ name, text }) => [name, text]));
  const sent = {
    ...Object.fromEntries(declared.map((name) => [name, redactMember(name, headerOf(headers, name))])),
    Accept: accept === "*/*" ? undefined : accept,
    Authorization: authorization,
    "Content-Type": requestBody && contentType,
    ...mapped(expressions("header"), (text) => text.replace(/\$\{.*\}/, PLACEHOLDER)),
  };
  const generatorsOf = (part: string) =>
    mapped(expressions(part), (expression) => ({ type: "ProviderState", expression, dataType: "STRING" }));
  return {
    method,
    path,
    query,
    headers: mapped(sent, (value) => value && [value]),
    body: requestBody ? (template ? jsonBody(template, contentType) : otherBody(requestBody, contentType)) : undefined,
    matchingRules: {
      path: matching(`^${contract.addresses.project ? "" : ".*"}${literalPattern(operation.path)}$`),
      query: queryRules,
      header: authorization && { Authorization: matching(authorization === MALFORMED ? ".+" : "^Bearer .+$") },
      body: template && filled(template.rules),
    },
    generators: filled({ header: generatorsOf("header"), query: generatorsOf("query") }),
  };
}

/** Returns where a request has the credentials of a scheme, with the text there as an expression of Pact. */
function placeOf(scheme: SecurityScheme) {
  const { in: place, name, scheme: prefix = "" } = scheme;
  const value = `\${${scheme === bearerScheme ? "accessToken" : "credentials"}}`;
  const inHeader = `${prefix.charAt(0).toUpperCase()}${prefix.slice(1)} ${value}`.trim();
  if (place === "query") return { part: place, name, text: value };
  if (place === "cookie") return { part: "header", name: "Cookie", text: `${name}=${value}` };
  return { part: "header", name: prefix === "" ? name : "Authorization", text: inHeader };
}

/** Returns the members with other values, without those that are then undefined or empty; undefined if none is left. */
function mapped<Value, Result>(
  members: Readonly<Record<string, Value>>,
  change: (value: Value, name: string) => Result | "" | undefined,
): Record<string, Result> | undefined {
  const changed = Object.entries(members).flatMap(([name, value]): [string, Result][] => {
    const result = change(value, name);
    return result === undefined || result === "" ? [] : [[name, result as Result]];
  });
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}

/** Returns the members without those that are undefined; undefined if no other is left. */
const filled = <Value>(members: Readonly<Record<string, Value>>) => mapped(members, (each) => each);

/** Returns the header with a placeholder for the credential, which archives redact. A malformed header stays malformed. */
function authorizationOf(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  return /^bearer +([A-Za-z0-9\-._~+/]+=*|\[redacted\])$/i.test(value) ? `Bearer ${PLACEHOLDER}` : MALFORMED;
}

function jsonBody({ value }: Template, contentType = "application/json"): Body {
  return { content: value, contentType: mediaTypeOf(contentType), encoded: false };
}

/** Returns a body that is not JSON: an image, or text that a client sent by mistake. */
function otherBody(body: string | Uint8Array, contentType = "application/octet-stream"): Body {
  const text = typeof body === "string" ? body : utf8(body);
  const shown = text === undefined ? body : redactText(text);
  return { content: Buffer.from(shown).toString("base64"), contentType, encoded: "base64" };
}

export function responsePart(
  { contract, exchange, operation, declaredHeaders }: ReadExchange,
  template: Template | undefined,
): Interaction["response"] {
  const { status, responseHeaders } = exchange;
  const mediaType = mediaTypeOf(headerOf(responseHeaders, "content-type") ?? "application/json");
  const headers = { ...(template && { "Content-Type": mediaType }), ...declaredHeaders };
  const type = contract.typeOf(operation.role?.type ?? "") ?? contract.types[0];
  return {
    status,
    headers: mapped(headers, (value) => [value]),
    body: template && jsonBody(template, mediaType),
    matchingRules: filled({
      header: mapped(headers, (value, name) => matching(headerPatterns[name]?.(value, type))),
      body: template && filled(template.rules),
    }),
  };
}

/** The patterns of response headers, which must match the whole value. Other headers may have any value. */
const headerPatterns: { readonly [name: string]: ((value: string, type?: ResourceType) => string) | undefined } = {
  "Content-Type": (mediaType) => `^${literalPattern(mediaType)}(\\s*;.*)?$`,
  Location: (_value, type) => `^.*${literalPattern(type?.path ?? "")}/[^/?#]+$`,
  "Retry-After": () => "^(\\d+|[A-Z][a-z]{2}, .+ GMT)$",
  "WWW-Authenticate": (challenge) => `^${challenge.split(" ", 1)}\\b.*$`,
};

/** Returns the path of a request with this project key in place of its own; by default without a key. */
export function withProject(path: string, key: string, project?: string): string {
  const [root = "", ...segments] = path.split("/");
  const at = segments.findIndex((segment) => percentDecoded(segment) === key);
  // A contract without the project in its paths has the key only before them.
  if (at < 0 || (project === undefined && at > 0)) return path;
  const own = project === undefined ? [] : [encodeURIComponent(project.toWellFormed())];
  return [root, ...segments.toSpliced(at, 1, ...own)].join("/") || "/";
}

function literalPattern(template: string): string {
  const literal = template.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&");
  return literal.replaceAll(/\{[^}]*\}/g, "[^/]+");
}
