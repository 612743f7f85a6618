import {
  closedObject,
  join,
  MAX_HEADER_VALUE,
  MAX_HEADERS,
  type Problem,
  type Schema,
  shown,
} from "../../contract/index.ts";
import { TOKEN } from "../matching/match-schema.ts";

/** The headers of responses: which ones rules and functions can set, and how they come together. */

/** The characters of header values: line breaks would add headers or end the head of the response. */
export const HEADER_VALUE = /^[\t\x20-\x7e]*$/;
const HeaderValue = {
  type: "string",
  pattern: HEADER_VALUE.source,
  maxLength: MAX_HEADER_VALUE,
} as const satisfies Schema;

const HeaderTemplate = {
  ...closedObject(["$from"], {
    $from: { type: "string", description: "A JSON pointer to the value, such as /path/id." },
    default: {
      ...HeaderValue,
      type: ["string", "number", "boolean"],
      description: "The value of the header if the pointer leads to no value.",
    },
  }),
  description: "A value from the request.",
} as const satisfies Schema;

export const HeadersOfRule = {
  type: "object",
  description:
    'Headers to add to the response. They override headers of the same name. { "$from": "/path/id" } is a value from the request. An array has several values, such as two cookies: each is sent as a header of its own.',
  maxProperties: MAX_HEADERS,
  propertyNames: { pattern: TOKEN },
  additionalProperties: {
    description: "A text, a value from the request, or an array of them.",
    anyOf: [
      HeaderValue,
      HeaderTemplate,
      { type: "array", minItems: 1, maxItems: MAX_HEADERS, items: { anyOf: [HeaderValue, HeaderTemplate] } },
    ],
  },
} as const satisfies Schema;

/** Headers by name. Each value of an array is sent as a header of its own. */
export type ResponseHeaders = Readonly<Record<string, string | string[]>>;

/**
 * Returns the headers of all layers. Of two headers with the same name, which is case-insensitive, the later one stays.
 * Every response gets its headers from this function, so that none is sent under two spellings.
 */
export function withHeaders(...layers: readonly (ResponseHeaders | undefined)[]): ResponseHeaders {
  const pairs = layers.flatMap((layer = {}) => Object.entries(layer));
  return Object.fromEntries(new Map(pairs.map((pair) => [pair[0].toLowerCase(), pair])).values());
}

/** Headers that the server sets itself, and headers of the connection. Rules cannot set them. */
const ownHeaders =
  /^((proxy-)?connection|content-length|keep-alive|mock-(off-contract|request-id|source)|preference-applied|trailer|transfer-encoding|upgrade)$/i;

/** Returns whether the server sets this header itself. */
export function isOwnHeader(name: string): boolean {
  return ownHeaders.test(name);
}

/**
 * Returns why a response cannot have headers with these names, numbers of values and contents. `hint` says how to send other
 * content; without it, the response is off-contract, and its content is not validated.
 */
export function headerProblems(headers: Readonly<Record<string, unknown>>, pointer: string, hint?: string): Problem[] {
  const problems: Problem[] = [];
  const spellings = new Map<string, string>();
  for (const [name, value] of Object.entries(headers)) {
    const content = hint && contentProblem(name, value);
    const report = (message: string) => problems.push({ pointer: join(pointer, name), message });
    const other = spellings.get(name.toLowerCase());
    spellings.set(name.toLowerCase(), name);
    if (!new RegExp(TOKEN).test(name)) report("expected the name of a header");
    else if (isOwnHeader(name)) report("expected another header, as resource-mock sets this one");
    else if (other !== undefined) {
      report(`expected one spelling of the name, found ${shown(other)} too. Several values are an array.`);
    } else if (content) report(`${content}. ${hint}`);
  }
  const count = Object.values(headers).flat().length;
  const message = `expected at most ${MAX_HEADERS} values, found ${count}`;
  return problems.length === 0 && count > MAX_HEADERS ? [{ pointer, message }] : problems;
}

/** Returns why a response cannot have this header by the contract, which describes JSON without an encoding. */
function contentProblem(name: string, value: unknown): string | undefined {
  const header = name.toLowerCase();
  if (header === "content-encoding") return `expected no encoding, found ${shown(value)}`;
  if (header !== "content-type") return undefined;
  const types = [value].flat();
  if (types.length === 1 && /^application\/json[\t ]*(;|$)/i.test(String(types[0]))) return undefined;
  return `expected application/json, found ${shown(value)}`;
}
