import {
  cut,
  join,
  MAX_TEXT,
  type MemberPath,
  type ResourceType,
  responseFor,
  ServiceError,
} from "../../contract/index.ts";
import { type ChangeSet, type DecisionNamed, writerOf } from "../../journal/index.ts";
import { shortHash } from "../../project/index.ts";
import type { ServiceResponse } from "../../rules/index.ts";
import { type CollectionName, type Item, itemText, shownVersion } from "../../state/index.ts";
import type { Call } from "../call/call.ts";
import { header } from "../call/service-request.ts";
import type { Found, OnItem } from "./find.ts";
import { isSent, sentPart } from "./sent.ts";

/* The version of an item that a request is for: in the headers (RFC 9110, section 13), in the body or in the query. */

const tags = new WeakMap<Item, string>();

/**
 * Returns the entity tag of an item (RFC 9110, 8.8.3): that in its member `etag`, or else one of its own. All its
 * representations have this one, as they change together.
 */
function tagOf(type: ResourceType, item: Item): string {
  let tag = tags.get(item);
  if (tag === undefined) {
    const shown = String(shownVersion(type, item.version));
    const isTag = /^(W\/)?"/.test(shown);
    const isOwn = isTag || /etag$/i.test(type.version?.at(-1) ?? "");
    tag = !isOwn ? `"${item.version}-${shortHash(itemText(item))}"` : isTag ? shown : `"${shown}"`;
    tags.set(item, tag);
  }
  return tag;
}

/** Returns the tags in a header; undefined if the request does not have it. */
function tagsIn({ request }: Call, name: "if-match" | "if-none-match"): string[] | undefined {
  return header(request, name)
    ?.split(",")
    .map((text) => text.trim());
}

/** Returns whether a header has the tag, by the weak comparison (RFC 9110, 8.8.3.2). Quotes can be missing. */
function isIn(tags: readonly string[], tag: string): boolean {
  return tags.some((each) => each === "*" || unquoted(each) === unquoted(tag));
}

function unquoted(tag: string): string {
  return tag.replace(/^W\//, "").replace(/^"(.*)"$/, "$1");
}

/** Returns the response with the tag of the item; 304 to a read by a client that has this tag (RFC 9110, 13.1.2). */
export function withTag(call: Call, response: ServiceResponse, type: ResourceType, item: Item | string) {
  const { method } = call.operation;
  const { headers: declared = {} } = responseFor(call.operation, response.status) ?? {};
  // A PUT must not have a tag, unless the item is exactly what was sent (RFC 9110, 9.3.4), or the document says so.
  const isDeclared = Object.keys(declared).some((name) => /^etag$/i.test(name));
  const isShown = isDeclared || method === "HEAD" || (response.body !== null && /^(GET|POST|PATCH)$/.test(method));
  if (response.status >= 300 || !isShown) return response;
  const tag = typeof item === "string" ? `"${shortHash(item)}"` : tagOf(type, item);
  const sent = method === "GET" || method === "HEAD" ? tagsIn(call, "if-none-match") : undefined;
  const isKnown = sent && isIn(sent, tag);
  const headers = { ...response.headers, ETag: tag };
  const { "Content-Type": _type, ...others } = headers as Record<string, string>;
  return isKnown ? { ...response, status: 304, headers: others, body: null } : { ...response, headers };
}

/**
 * Throws PreconditionFailed if the headers of a request to change an item are for another version of it, or for none.
 * Throws ConcurrentModification if the version in the body or in the query is another one.
 */
export function requireVersion(call: Call, role: OnItem, found: Omit<Found, "item"> & { item?: Item | undefined }) {
  const { item, type, collection } = found;
  const expected = type.draft ? undefined : tagsIn(call, "if-match");
  const tag = type.draft || !item ? "" : tagOf(type, item);
  const known = item ? [tag, String(shownVersion(type, item.version))] : [];
  if (expected && !(item && known.some((each) => isIn(expected, each)))) {
    const [sent] = expected.map((each) => Number(/^"?(\d{1,15})\b/.exec(each)?.[1] ?? Number.NaN));
    if (item && sent) explainConflict(call, sent, item, collection);
    throw preconditionFailed("If-Match", item ? `the tag of the item, ${tag}` : "an item that exists", expected);
  }
  const unexpected = type.draft || !item ? undefined : tagsIn(call, "if-none-match");
  if (unexpected && isIn(unexpected, tag))
    throw preconditionFailed("If-None-Match", "no item, or another tag than that of the item", unexpected);
  const sent = item && sentVersion(call, role, type);
  const current = item && shownVersion(type, item.version);
  if (!sent || current === undefined || String(sent.version) === String(current)) return;
  const { version, field } = sent;
  if (Number.isSafeInteger(Number(version))) explainConflict(call, Number(version), item, collection);
  throw new ServiceError({
    code: "ConcurrentModification",
    message: `Version mismatch: expected ${version}, actual ${current}. Read the resource again and retry with its version.`,
    field,
    currentVersion: item.version,
  });
}

function preconditionFailed(name: string, expected: string, found: readonly string[]): ServiceError {
  // Tags have quotes themselves.
  const message = `${name}: expected ${expected}, found ${cut(found.join(", "), MAX_TEXT)}`;
  return new ServiceError({ code: "PreconditionFailed", message, field: name });
}

/** Returns the version that a request sends, and where; undefined without one, or if it is empty. */
function sentVersion(call: Call, { does, body = [] }: OnItem, { version: path }: ResourceType) {
  if (!path) return undefined;
  const name = path.at(-1) ?? "";
  const at: MemberPath = does === "update" ? [name] : [...body, ...path];
  const version = sentPart(call.json?.value, at);
  const field = at.reduce<string>(join, "");
  if (version !== undefined && version !== "") return { version, field };
  const { [name]: inQuery } = isSent(call, name) ? call.query : {};
  return inQuery ? { version: inQuery as string | number, field: name } : undefined;
}

/** Adds the decision who wrote the stored version. */
function explainConflict(call: Call, sent: number, item: Item, collection: CollectionName): void {
  const { engine, project } = call;
  const { version: stored } = item;
  const set = sent < stored ? writerOf(project.history, collection, item) : undefined;
  const writer = set && writerIn(set, call, engine.now());
  call.decisions.push({ kind: "conflict", sent, stored, ...(writer && { writer }) });
}

function writerIn({ author, at }: ChangeSet, call: Call, now: number): DecisionNamed<"conflict">["writer"] {
  const earlier = Math.max(0, now - at);
  if (author === call.author) return { by: "effect", earlier };
  const { by, request, method, path, client } = author;
  const facts = Object.entries({ request, method, path, client }).filter(([, value]) => value !== undefined);
  return { by, ...Object.fromEntries(facts), earlier };
}
