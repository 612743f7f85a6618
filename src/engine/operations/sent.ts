import {
  type Awaitable,
  identifierOf,
  isObject,
  MAX_LISTED,
  type MemberPath,
  matches,
  type ResourceType,
  type Role,
  valueAt,
} from "../../contract/index.ts";
import type { ServiceResponse } from "../../rules/index.ts";
import { adopt, type Item, isScalar, plainName, schemaAt, typedText, withPart } from "../../state/index.ts";
import type { Call } from "../call/call.ts";
import { isJsonPatch } from "../call/service-request.ts";

/* What a request sends for an item. */

/** Returns the part of the body that has the item; if the operation has no body, the members of the item in the query. */
export function bodyItem(call: Call, path: MemberPath = []): unknown {
  const { json, operation } = call;
  return operation.body ? valueAt(json?.value, path) : adoptedQuery(call).taken;
}

/** Returns whether the query has a parameter. The values of a call have defaults too. */
export function isSent({ request }: Call, name: string): boolean {
  return [...new URLSearchParams(request.query).keys()].some((key) => key === name || key.startsWith(`${name}[`));
}

/** Returns the parameters in the query that are members of the item, and the others. */
function adoptedQuery(call: Call): ReturnType<typeof adopt> {
  const { schema = {} } = call.engine.contract.typeOf(call.operation.role?.type ?? "") ?? {};
  const sent = Object.entries(call.query).filter(([name]) => isSent(call, name));
  return adopt(schema, Object.fromEntries(sent), "client");
}

/**
 * Returns what a request to change an item sends without effect: the parameters of an operation without a body that are no
 * members of the item, or a `body` from which the mock cannot take an item, such as XML.
 */
export function unreadIn(call: Call, role: Role, { schema = {} }: ResourceType): string[] {
  if (role.does === "delete" || ("set" in role && role.set)) return unreadBody(call);
  if (!call.operation.body) {
    const { from = [] } = identifierOf(role) ?? {};
    const isId = (name: string) => from.some((each) => each.in === "query" && each.at[0] === name);
    const names = [...Object.keys(Object(adoptedQuery(call).left)), ...call.unnamed];
    return names.filter((name) => !isId(name)).slice(0, MAX_LISTED);
  }
  const item = bodyItem(call, role.body);
  const isPatched = role.does === "merge" && isPatch(call);
  const isRead =
    isPatched || call.bytes.length === 0 || isObject(item) || (item !== undefined && matches(schema, item));
  return [...(isRead ? [] : ["body"]), ...call.unnamed].slice(0, MAX_LISTED);
}

/** Returns whether the body has the operations of a JSON Patch, which can have the media type of other JSON too. */
export function isPatch({ json, request }: Call): boolean {
  const isOperation = (each: unknown) => isObject(each) && "op" in each;
  return Array.isArray(json?.value) && (isJsonPatch(request) || json.value.some(isOperation));
}

/** Returns `body` if the request has a body, for operations that do not read it. */
export function unreadBody({ bytes }: Call): string[] {
  return bytes.length > 0 ? ["body"] : [];
}

/** Returns the response with the names of what the request has sent without effect, which become a decision. */
export function withIgnored(call: Call, names: readonly string[], responding: Awaitable<ServiceResponse>) {
  if (names.length === 0) return responding;
  call.decisions.push({ kind: "ignored", names: names.slice(0, MAX_LISTED) });
  return Promise.resolve(responding).then((response) => {
    return { ...response, headers: { ...response.headers, ...ignoredHeader(names) } };
  });
}

/** Returns the header that names what a request has sent without effect. */
export function ignoredHeader(names: readonly string[]): Record<string, string> {
  const texts = names.map((each) => encodeURIComponent(each.toWellFormed()));
  return names.length === 0 ? {} : { "Mock-Ignored": texts.join(", ").slice(0, 1000) };
}

/** Returns the text, number or switch at a path of a sent value; the names are equal without case, `_` and `-`. */
export function sentPart(value: unknown, [name, ...below]: MemberPath): string | number | boolean | undefined {
  if (name === undefined) return isScalar(value) ? value : undefined;
  const members = isObject(value) ? value : {};
  const alike = () => Object.keys(members).find((each) => plainName(each) === plainName(name));
  const key = Object.hasOwn(members, name) ? name : alike();
  return key === undefined ? undefined : sentPart(members[key], below);
}

/** The content of an item, and what clients have sent beside it. */
export type SentItem = Pick<Item, "content" | "hidden">;

/** Returns what the body says about an item, as far as its schema takes it, with the values of the path that belong to it. */
export function sentItem(
  call: Call,
  role: Pick<Role, "body" | "keeps">,
  type: ResourceType,
  named: Readonly<Record<string, string>> = {},
): SentItem {
  const { schema = {} } = type;
  const { taken, left } = adopt(schema, bodyItem(call, role.body), "client");
  const members = Object.entries(named).map(([name, text]) => [name, typedText(schemaAt(schema, [name]), text)]);
  const whole = members.length > 0 ? { ...Object(taken), ...Object.fromEntries(members) } : taken;
  return withKept(call, role, type, { taken: whole, left });
}

/** Returns a taken and a left value as an item, with the values of the path that belong to it. */
export function withKept(
  { path }: Call,
  { keeps = [] }: Pick<Role, "keeps">,
  { schema = {} }: ResourceType,
  { taken, left }: ReturnType<typeof adopt>,
): SentItem {
  let content = taken;
  const hidden: Record<string, unknown> = left === undefined || isObject(left) ? { ...left } : { body: left };
  for (const { parameter, member } of keeps) {
    const text = path[parameter] ?? "";
    const part = member && schemaAt(schema, member);
    const value = part && typedText(part, text);
    if (member && part && matches(part, value)) content = withPart(content, member, value);
    else hidden[parameter] = text;
  }
  return { content, ...(Object.keys(hidden).length > 0 && { hidden }) };
}
