import {
  type Awaitable,
  bodiless,
  type Content,
  cachedBy,
  declaredStatuses,
  hasOnlyDefault,
  isJson,
  isXml,
  JSON_TYPE,
  type MemberPath,
  type Operation,
  type ResourceType,
  type ResponseRule,
  responseFor,
  type Schema,
  successStatus,
  valueAt,
} from "../../contract/index.ts";
import type { ServiceResponse } from "../../rules/index.ts";
import {
  complete,
  documentedValue,
  type Item,
  itemText,
  represented,
  schemaAt,
  textWith,
  typedText,
  withPart,
} from "../../state/index.ts";
import type { Call } from "../call/call.ts";
import { stateResponse } from "../call/response.ts";
import type { Engine } from "../engine.ts";
import { contentFor, documentedResponse, textOf } from "./documented.ts";
import { withTag } from "./preconditions.ts";

/* Items in responses, as the operations document them. */

/** Returns whether the operation documents a success. */
const hasSuccess = cachedBy((operation: Operation): boolean => {
  const { responses } = operation;
  const isDeclared = declaredStatuses(operation).some((status) => status >= 200 && status < 400);
  return isDeclared || responses["2XX"] !== undefined || hasOnlyDefault(operation);
});

/** Returns the status of a success. Where only errors are documented, it is 201 for a new item, 204 for a deleted one, or 200. */
export function statusFor(operation: Operation, isNew = false): number {
  if (isNew && operation.responses[201]) return 201;
  if (hasSuccess(operation)) return successStatus(operation);
  return isNew ? 201 : operation.role?.does === "delete" ? 204 : 200;
}

/** Headers that say something about the state, which an example does not know. */
const ofState = /^(link|etag|location|last-modified)$/i;

/** Returns the documented headers of a response whose values do not come from the state. */
const documentedHeaders = cachedBy(({ headerValues = {} }: ResponseRule): Record<string, string> => {
  return Object.fromEntries(Object.entries(headerValues).filter(([name]) => !ofState.test(name)));
});

/** Returns the response with an item in the place where the operation shows it, or what is documented if it shows none. */
export function itemResponse(...given: Parameters<typeof responseWith>): Awaitable<ServiceResponse> {
  const [call, type, item] = given;
  const responding = responseWith(...given);
  return type.draft || responding instanceof Promise ? responding : withTag(call, responding, type, item);
}

function responseWith(
  call: Call,
  type: ResourceType,
  item: Item,
  status: number,
  headers?: Record<string, string>,
): Awaitable<ServiceResponse> {
  const { operation, engine, request } = call;
  const { response: place = [] } = operation.role ?? {};
  if (!hasSuccess(operation)) return { ...stateResponse(status, itemText(item), headers), offContract: true };
  const rule = responseFor(operation, status);
  if (!rule?.schema || bodiless.includes(status)) {
    const isShown = type.isUndocumented && !bodiless.includes(status) && operation.role?.does !== "delete";
    if (!isShown) return stateResponse(status, null, headers);
    return { ...stateResponse(status, itemText(item), headers), offContract: true };
  }
  if (type.draft) return stateResponse(status, itemText(item), headers);
  const content = contentFor(rule, request);
  if (place === null || !isStructured(content)) {
    const documented = Promise.resolve(documentedResponse(call, status));
    return documented.then((response) => ({ ...response, headers: { ...response.headers, ...headers } }));
  }
  const { schema = {} } = content;
  if (place === "id") {
    const id = JSON.stringify(typedText(schema, item.id));
    return contentResponse(status, id, rule, content, headers);
  }
  if (place.length > 0 || (type.schema && schema !== type.schema)) {
    const { value: example } = documentedValue(operation, engine.fixtures, status) ?? {};
    const text = textIn(engine, type, item, schemaAt(schema, place) ?? {}, valueAt(example, place));
    const whole = textAround(schema, withPart({}, place, null), place, text, example);
    return contentResponse(status, whole, rule, content, headers);
  }
  const response = contentResponse(status, itemText(item), rule, content, headers);
  return { ...response, shows: { item, valid: validIn(schema) } };
}

/** The items whose content is known to be valid. */
const validIn = cachedBy((_schema: Schema) => new WeakSet<Item>());

/** Returns whether a media type can show any value. Others, such as CSV, show only what the contract documents. */
export function isStructured({ mediaType = JSON_TYPE }: Content): boolean {
  return isJson(mediaType) || isXml(mediaType);
}

/** Returns a response with JSON from the state in the media type of the content. */
export function contentResponse(
  status: number,
  json: string,
  rule: ResponseRule,
  content: Content,
  headers?: Record<string, string>,
): ServiceResponse {
  const { mediaType = JSON_TYPE } = content;
  const typed = { ...documentedHeaders(rule), ...headers, "Content-Type": mediaType };
  if (isJson(mediaType)) return stateResponse(status, json, typed);
  const { text, isOffContract } = textOf(JSON.parse(json), content);
  return { ...stateResponse(status, text, typed), ...(isOffContract && { offContract: true }) };
}

/** Returns the JSON of a response with these members and a text at a place. `example` has the members that it lacks. */
export function textAround(schema: Schema, members: unknown, at: MemberPath, text: string, example: unknown): string {
  return at.length === 0 ? text : textWith(complete(schema, members, example), at, text);
}

/** Returns the JSON of an item where a response has this schema. `example` has the members that the item lacks. */
export function textIn(engine: Engine, type: ResourceType, item: Item, schema: Schema, example?: unknown): string {
  if (schema === type.schema || !type.schema) return itemText(item);
  const texts = textsIn(schema);
  let text = texts.get(item);
  if (text === undefined) {
    text = JSON.stringify(represented(schema, item.content, engine.samples.template(type), example)) ?? "null";
    texts.set(item, text);
  }
  return text;
}

/** The texts of items where a response has this schema. */
const textsIn = cachedBy((_schema: Schema) => new WeakMap<Item, string>());
