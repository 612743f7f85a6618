import { isObject } from "../../../contract/index.ts";
import type { Match, RequestEntry } from "../../../control/client/index.ts";

/** What the journal shows instead of a credential. */
const REDACTED = "[redacted]";

/** The members of a match that rules and assertions share. */
export type RequestMatch = Pick<Match, "operation" | "method" | "query" | "body"> & { path?: Match["path"] };

/**
 * Returns the match of this request: operation, path, query and JSON body. Without an operation: method and path. Leaves
 * out what the journal has redacted or cut.
 */
export function matchOf({ operation, request }: RequestEntry): RequestMatch {
  const { method, path, pathParameters, query, body } = request;
  // The project key is left out, so that the match also works in other projects.
  const parameters = Object.entries(pathParameters).filter(([name]) => name !== "projectKey");
  const texts = Object.entries(query).flatMap(([name, [value]]) =>
    value === undefined || value === REDACTED ? [] : [[name, value] as const],
  );
  return {
    ...(operation === undefined ? { method, path } : { operation: operation as Match["operation"] }),
    ...(operation !== undefined && parameters.length > 0 && { path: Object.fromEntries(parameters) }),
    ...(texts.length > 0 && { query: Object.fromEntries(texts) }),
    ...(body?.json !== undefined && operation !== undefined && { body: bodyMatchOf(body.json) }),
  };
}

/** Returns the match of a JSON body. A redacted member matches any value. */
function bodyMatchOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(bodyMatchOf);
  if (!isObject(value)) return value;
  const members = Object.entries(value);
  // An object of this shape would be a pattern. A pattern for its JSON takes its place; {} matches every object.
  if (members.length === 1 && typeof value.matches === "string") {
    const text = JSON.stringify(value);
    return text.length > MAX_TEXT ? {} : { matches: `^${escaped(text)}$` };
  }
  return Object.fromEntries(
    members.flatMap(([name, member]) => (member === REDACTED ? [] : [[name, bodyMatchOf(member)]])),
  );
}

/** The longest text that fits into a pattern if each of its characters is escaped. */
const MAX_TEXT = 249;

/** Returns the text as a pattern (RE2). */
function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
