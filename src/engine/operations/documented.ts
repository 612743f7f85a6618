import {
  type Awaitable,
  acceptable,
  type Content,
  type Contract,
  cachedBy,
  type ErrorCode,
  errorCatalogue,
  errorForm,
  errorText,
  isJson,
  isObject,
  isXml,
  JSON_TYPE,
  loadCheck,
  loadedCheck,
  matches,
  type Operation,
  type ResponseRule,
  responseFor,
  type Schema,
  successStatus,
  typeWithin,
  xmlText,
} from "../../contract/index.ts";
import { shortHash } from "../../project/index.ts";
import type { ServiceResponse } from "../../rules/index.ts";
import { corrected, typedText } from "../../state/index.ts";
import type { Call } from "../call/call.ts";
import { header, type ServiceRequest } from "../call/service-request.ts";

/** The content of a response that does not come from the state. */
export interface DocumentedContent {
  readonly status: number;
  readonly value: unknown;
  /** The value as JSON, or the text of another media type; null without a body. */
  readonly text: string | null;
  readonly source: string;
  /** `application/json` by default. */
  readonly mediaType?: string | undefined;
  readonly isOffContract?: boolean;
}

/**
 * Returns the response of an operation without the state: its fixture, an example, a generated value, or nothing, whichever
 * exists first.
 */
export function documentedResponse(call: Call, status = successStatus(call.operation)): Awaitable<ServiceResponse> {
  const content = documentedContent(call, status);
  return content instanceof Promise ? content.then((made) => responseOf(call, made)) : responseOf(call, content);
}

function responseOf({ operation }: Call, content: DocumentedContent): ServiceResponse {
  const { status, text, source, mediaType = jsonTypeOf(operation, status), isOffContract } = content;
  const type = text === null ? undefined : { "Content-Type": mediaType };
  const headers = { ...responseFor(operation, status)?.headerValues, ...type };
  return { status, headers, body: text, source, ...(isOffContract && { offContract: true }) };
}

/** Returns the content of the response for this status: the fixture (`variant` names one of several), or else as above. */
export function documentedContent(call: Call, status: number, variant?: string): Awaitable<DocumentedContent> {
  const { engine, operation, settings } = call;
  const { id } = operation;
  const fixture = engine.fixtures.get(id, status, variant) ?? engine.fixtures.get(id, status);
  if (fixture) return { status, value: fixture.value, text: fixture.text, source: `fixture:${fixture.path}` };
  const rule = responseFor(operation, status);
  const content = rule && contentFor(rule, call.request);
  const { examples = {} } = content ?? {};
  const name = variant !== undefined && Object.hasOwn(examples, variant) ? variant : Object.keys(examples)[0];
  const isExample = name !== undefined && (settings.responses === "example" || name === variant || status >= 400);
  if (content && isExample) return exampleContent(call, status, content, name);
  if (status >= 400) return errorContent(call, status);
  return generatedContent(call, status);
}

export function jsonTypeOf(operation: Operation, status: number): string {
  const { mediaType = JSON_TYPE } = responseFor(operation, status) ?? {};
  return isJson(mediaType) ? mediaType : JSON_TYPE;
}

/** Returns the content of a response that the client accepts (RFC 9110, section 12.5.1); the first one if it accepts none. */
export function contentFor(rule: ResponseRule, request: ServiceRequest): Content {
  const contents = [rule, ...(rule.alternatives ?? [])];
  const types = contents.map(({ mediaType = JSON_TYPE }) => mediaType);
  const accept = header(request, "accept");
  const chosen = types.length > 1 ? types.indexOf(acceptable(types, accept) ?? "") : 0;
  const content = contents[chosen] ?? rule;
  if (!content.mediaType?.includes("*")) return content;
  const { schema = {}, examples = {} } = content;
  const isText = [schema.type ?? typeof Object.values(examples)[0]].flat().includes("string");
  const mediaType = typeWithin(content.mediaType, isText ? "text/plain" : JSON_TYPE, accept);
  return { ...content, schema, examples, mediaType };
}

/** Returns an example, with other values in place of those that violate its schema. */
function exampleContent(call: Call, status: number, content: Content, name: string): Awaitable<DocumentedContent> {
  const { schema = {}, mediaType, examples = {} } = content;
  const source = `example:${name}`;
  const example = examples[name];
  const isText = typeof example === "string" && !isJson(mediaType ?? JSON_TYPE);
  const isValid = isText || loadedCheck(schema)?.(example).length === 0;
  const shown = (value: unknown) => withIdentifier(call, content, status, value, source);
  return isValid ? shown(example) : mended(content)(name, call.engine.contract).then(shown);
}

const mended = cachedBy(({ schema = {}, examples = {} }: Content) => {
  const known = new Map<string, Promise<unknown>>();
  return (name: string, contract: Contract) => {
    const mending = known.get(name) ?? mendedExample(schema, examples[name], contract);
    known.set(name, mending);
    return mending;
  };
});

async function mendedExample(schema: Schema, example: unknown, contract: Contract): Promise<unknown> {
  const check = await loadCheck(schema);
  if (check(example).length === 0) return example;
  const { generateValue } = await import("../../state/generate/index.ts");
  const generated = await generateValue(schema, 0, contract);
  const value = corrected(schema, example, [generated]);
  return check(value).length === 0 ? value : generated;
}

/** Returns the content with the path parameter in the member that it identifies, if the schema allows its value there. */
function withIdentifier(
  { operation, path }: Call,
  content: Content,
  status: number,
  documented: unknown,
  source: string,
): DocumentedContent {
  const { schema: { properties = {} } = {}, mediaType = JSON_TYPE } = content;
  const [, parameter = ""] = /\/\{([^{}]+)\}$/.exec(operation.path) ?? [];
  const member = [parameter, /id$/i.test(parameter) ? "id" : ""].find((name) => Object.hasOwn(properties, name)) ?? "";
  const { [member]: part } = properties;
  const identifier = typedText(part, path[parameter] ?? "");
  const isNamed = status < 300 && !operation.role && part && path[parameter] !== undefined && matches(part, identifier);
  const value = isNamed && isObject(documented) ? { ...documented, [member]: identifier } : documented;
  return { status, value, source, mediaType, ...textOf(value, content) };
}

/** Returns a value as the text of a body. Other media types than JSON and XML contain texts only. */
export function textOf(value: unknown, { schema = {}, mediaType = JSON_TYPE, name }: Content) {
  if (value === undefined) return { text: null };
  if (isJson(mediaType)) return { text: JSON.stringify(value) };
  if (typeof value === "string") return { text: value };
  if (isXml(mediaType)) return { text: xmlText(value, schema, name) };
  return { text: JSON.stringify(value), isOffContract: true };
}

/** Returns the body that the contract has for errors with this status. */
function errorContent({ engine, operation }: Call, status: number): DocumentedContent {
  const codes = Object.keys(errorCatalogue) as ErrorCode[];
  const code = codes.find((each) => errorCatalogue[each].status === status) ?? "General";
  const message = responseFor(operation, status)?.description || errorCatalogue[code].meaning;
  const error = { status, code, message, details: [{ code, message }] };
  const { body, ...form } = errorForm(engine.contract, error, operation);
  return { status, value: body, text: errorText({ body, ...form }), source: "generated", ...form };
}

const someText: Schema = { type: "string", minLength: 1 };

/** Returns a value of the schema. Without `seed`, the contract, the seed of the server and the request decide which one. */
export async function generatedContent(call: Call, status: number, seed?: number): Promise<DocumentedContent> {
  const rule = responseFor(call.operation, status);
  const content = rule && contentFor(rule, call.request);
  if (!content?.schema) return { status, value: undefined, text: null, source: "generated", isOffContract: !rule };
  const { generateBody, generateValue } = await import("../../state/generate/index.ts");
  const { engine, operation, project, settings } = call;
  const { path, query } = call.request;
  const { schema, mediaType = JSON_TYPE } = content;
  // A body that is no JSON is a text, if nothing else is known of it.
  const isOpenText = !isJson(mediaType) && schema.type === undefined;
  const facts = [project.value.origin.seed, operation.id, status, path, query];
  const number = seed ?? Number.parseInt(shortHash(facts.join(" ")), 16);
  const value =
    content === rule && !isOpenText
      ? await generateBody(operation, status, number, settings.collection, engine.contract)
      : await generateValue(isOpenText ? someText : schema, number, engine.contract);
  return withIdentifier(call, content, status, value, "generated");
}
