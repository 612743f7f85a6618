import { Buffer } from "node:buffer";
import { cut, detached, isObject, MAX_KEPT_BODY, type Schema } from "../contract/index.ts";
import type { Decision } from "./decisions.ts";
import { type Exchange, KeptExchange } from "./kept-exchange.ts";

// What an exchange loses before the journal keeps it, the rest of long texts and lists, and the memory that it then uses.

/** Returns the exchange with bodies of at most `most` bytes, and short texts and lists. Cut texts end with `…`. */
export function withinBounds(exchange: Exchange, most = MAX_KEPT_BODY): Exchange {
  const { sizes } = exchange;
  const request = keptBody(exchange.requestBody, most);
  const response = keptBody(exchange.responseBody, most);
  const short = shortTexts(exchange);
  if (!request && !response && short === exchange) return exchange;
  const cut = {
    ...(request?.cutFrom !== undefined && { request: sizes?.request ?? request.cutFrom }),
    ...(response?.cutFrom !== undefined && { response: sizes?.response ?? response.cutFrom }),
    ...(short !== exchange && { texts: true as const }),
    // If the journal has cut the body before, its original size wins.
    ...exchange.cut,
  };
  return {
    ...short,
    ...(request && { requestBody: request.kept }),
    ...(response && { responseBody: response.kept }),
    ...(Object.keys(cut).length > 0 && { cut }),
  };
}

const { requestBody: _request, responseBody: _response, ...otherMembers } = KeptExchange.properties;

/** Returns the exchange with its members other than bodies within their limits; the same exchange if they are. */
const shortTexts = boundOf({ properties: otherMembers }) as (exchange: Exchange) => Exchange;

type BodyContent = string | Uint8Array;

/** A body as the journal keeps it, and its size in bytes if only its start is kept. */
interface KeptBody {
  readonly kept: BodyContent;
  readonly cutFrom?: number;
}

/**
 * Returns at most `most` bytes of a body, copied if they are part of a larger buffer: a view keeps the whole buffer in
 * memory. Returns undefined if the body can stay as it is.
 */
function keptBody(body: BodyContent | null | undefined, most: number): KeptBody | undefined {
  if (!body) return undefined;
  if (typeof body === "string") return cutText(body, most);
  if (body.length > most) return { kept: new Uint8Array(body.subarray(0, most)), cutFrom: body.length };
  return body.buffer.byteLength === body.length ? undefined : { kept: new Uint8Array(body) };
}

/** Does the same for a text, in bytes of UTF-8. */
function cutText(text: string, most: number): KeptBody | undefined {
  // A UTF-16 unit takes at most three bytes in UTF-8.
  if (text.length * 3 <= most) return undefined;
  const bytes = Buffer.byteLength(text);
  if (bytes <= most) return undefined;
  const kept = new Uint8Array(most);
  const { written } = new TextEncoder().encodeInto(text, kept);
  return { kept: new TextDecoder().decode(kept.subarray(0, written)), cutFrom: bytes };
}

/** The memory of an exchange, a decision, a text in a list and a violation, without their characters, in bytes. */
const EXCHANGE_BYTES = 1000;
const DECISION_BYTES = 100;
const TEXT_BYTES = 32;
const VIOLATION_BYTES = 200;

/** Returns an estimate of the memory that an exchange uses, in bytes. Each call returns the same number. */
export function sizeOf(exchange: Exchange): number {
  const { path, query, requestBody, responseBody, decisions, unnamed, violations, upstream } = exchange;
  let size = EXCHANGE_BYTES + path.length + query.length + (requestBody?.length ?? 0) + (responseBody?.length ?? 0);
  size += headersSize(exchange.headers) + headersSize(exchange.responseHeaders);
  if (upstream) size += headersSize(upstream.requestHeaders) + headersSize(upstream.responseHeaders ?? {});
  for (const decision of decisions) {
    size += DECISION_BYTES;
    for (const name in decision) {
      const value: unknown = decision[name as keyof Decision];
      if (typeof value === "string") size += value.length;
    }
  }
  for (const { length } of unnamed) size += TEXT_BYTES + length;
  for (const { message, field = "" } of violations) size += VIOLATION_BYTES + message.length + field.length;
  return size;
}

function headersSize(headers: Exchange["headers"]): number {
  let size = 0;
  for (const name in headers) {
    const value = headers[name] ?? "";
    size += name.length + (typeof value === "string" ? value : value.join()).length;
  }
  return size;
}

/** Returns the value with texts and lists within their limits; the same value if they are. A cut text ends with `…`. */
type Bound = (value: unknown) => unknown;

/** Returns the bound of values of a schema, by its limits of lengths; undefined without limits. Other values are cut too. */
function boundOf(schema: Schema): Bound | undefined {
  const { maxLength, items, maxItems = Number.POSITIVE_INFINITY, properties, additionalProperties } = schema;
  const options = schema.oneOf ?? schema.anyOf;
  if (options) return boundOfOptions(options);
  if (maxLength !== undefined) {
    const isLong = (value: unknown) => typeof value === "string" && value.length > maxLength;
    return (value) => (isLong(value) ? detached(cut(value as string, maxLength - 1)) : value);
  }
  if (items) return boundOfList(boundOf(items), maxItems);
  if (typeof additionalProperties === "object") return boundOfMap(schema, boundOf(additionalProperties));
  const members = Object.entries(properties ?? {}).flatMap(([name, member]) => {
    const bound = boundOf(member);
    return bound ? [[name, bound] as const] : [];
  });
  if (members.length === 0) return undefined;
  return (value) => {
    let short = value as Record<string, unknown>;
    for (const [name, bound] of members) {
      const member = short[name];
      const kept = member === undefined ? member : bound(member);
      if (kept !== member) short = { ...short, [name]: kept };
    }
    return short;
  };
}

/** Of several schemas, the value has that of its `kind`, or of its type. */
function boundOfOptions(options: readonly Schema[]): Bound | undefined {
  const byKind = new Map(options.map((option) => [option.properties?.kind?.const ?? option.type, boundOf(option)]));
  return (value) => {
    const kind = isObject(value) ? (value.kind ?? "object") : Array.isArray(value) ? "array" : typeof value;
    return byKind.get(kind)?.(value) ?? value;
  };
}

function boundOfList(ofItem: Bound | undefined, most: number): Bound {
  return (value) => {
    const list = value as readonly unknown[];
    if (list.length > most) return list.slice(0, most).map((item) => ofItem?.(item) ?? item);
    if (!ofItem) return list;
    for (const item of list) if (ofItem(item) !== item) return list.map(ofItem);
    return list;
  };
}

function boundOfMap({ maxProperties = 0, propertyNames }: Schema, ofMember: Bound | undefined): Bound {
  const { maxLength: longest = 0 } = propertyNames ?? {};
  return (value) => {
    const map = value as Readonly<Record<string, unknown>>;
    let members = 0;
    let isShort = true;
    for (const name in map) {
      const member = map[name];
      members++;
      if (name.length > longest || (member !== undefined && (ofMember?.(member) ?? member) !== member)) isShort = false;
    }
    if (isShort && members <= maxProperties) return map;
    const kept = Object.entries(map).filter(([name, member]) => name.length <= longest && member !== undefined);
    return Object.fromEntries(
      kept.slice(0, maxProperties).map(([name, member]) => [name, ofMember?.(member) ?? member]),
    );
  };
}
