import type { Identifier, Kept, MemberPath, Role } from "../../contract/index.ts";
import type { Group } from "./groups.ts";
import { listFormOf } from "./lists.ts";
import type { Location } from "./locations.ts";
import type { Documented } from "./paths.ts";
import { ruleFor } from "./rules.ts";
import type { Shapes } from "./shapes.ts";
import { identifying, plain } from "./words.ts";

/** An operation with the role that it has if the items of its group are kept. */
export interface Candidate {
  readonly documented: Documented;
  readonly location: Location;
  readonly group: Group;
  readonly role: RoleOf<Role>;
  readonly because: string;
}

/** A role without the name of its type, which is not known yet. */
type RoleOf<Any> = Any extends Role ? Omit<Any, "type"> : never;

/** Returns the role of an operation and the reason; without a role, the reason why it has none. */
export function candidateFor(
  documented: Documented,
  location: Location,
  group: Group,
  shapes: Shapes,
): Candidate | { readonly because: string; readonly role?: undefined } | undefined {
  const { operation, parameters, returned, body } = documented;
  const { method } = operation;
  const rule = ruleFor({ ...documented, method, location, group, shapes });
  if (!rule) return undefined;
  const writers = [...location.path.operations.keys()].filter((each) => each !== "GET" && each !== "HEAD");
  const because = rule.because
    .replace("{method}", method)
    .replace("{writer}", writers.join(" or "))
    .replace("{}", group.items[0]?.written ?? operation.path);
  const { does } = rule;
  if (!does) return { because };
  const { scope: count, parts } = group;
  const scope = parameters.slice(0, count);
  const rest = parameters.slice(count);
  const base = { ...(scope.length > 0 && { scope }) };
  const shared = { documented, location, group, because };
  if (does === "list") {
    const keeps = keptBy(rest, group, shapes).filter(({ member }) => member);
    const list = listFormOf(documented, location.list?.at ?? [], group.schema, shapes);
    return { ...shared, role: { does, ...base, ...(keeps.length > 0 && { keeps }), list } };
  }
  const found = returned === undefined ? undefined : locationIn(returned, group, shapes);
  const at = found === "id" && does !== "create" ? null : found;
  const sent = body === undefined ? [] : bodyLocation(body, group, shapes);
  const common = {
    ...base,
    ...(sent.length > 0 && { body: sent }),
    ...((at === null || at?.length) && { response: at }),
  };
  if (does === "create") {
    const keeps = keptBy(parameters, group, shapes).filter(({ member }) => member);
    return { ...shared, role: { does, ...common, ...(keeps.length > 0 && { keeps }) } };
  }
  const by: Identifier | undefined = rule.inBody
    ? { parameters: [], member: "id", inBody: true }
    : location.kind === "one"
      ? { parameters: [], member: "id" }
      : identifierOf(group.items.find(({ path }) => path === location.path) ?? location, rest, parts.length);
  if (!by) return { because: `${because}, but its path names no single item` };
  const creates = (method === "PUT" || does === "replace") && operation.responses[201] !== undefined;
  return { ...shared, role: { does, ...common, by, ...(creates && { creates }) } as Candidate["role"] };
}

function identifierOf({ parts, alternate }: Location, rest: readonly string[], all: number) {
  const isWhole = alternate !== undefined || parts === all;
  return isWhole ? { parameters: rest.slice(0, parts), member: alternate ?? "id" } : undefined;
}

/** Returns the parameters with the members of items that have their values, by their names. */
export function keptBy(parameters: readonly string[], { schema, parts }: Group, shapes: Shapes): Kept[] {
  const taken = parts.map(({ member }) => member?.join());
  return parameters.map((parameter) => {
    // `id` alone is that of another item.
    if (identifying.has(plain(parameter))) return { parameter };
    const find = (holder: unknown, above: MemberPath) => {
      for (const [name, member] of shapes.members(holder)) {
        const path = [...above, name];
        const isSame = plain(name) === plain(parameter) && shapes.isScalar(member);
        if (isSame && !taken.includes(path.join())) return path;
      }
      return undefined;
    };
    const member = find(schema, []) ?? find(shapes.members(schema).get("metadata"), ["metadata"]);
    return { parameter, ...(member && { member }) };
  });
}

/** Returns where a response has the item; null if it does not have it. */
function locationIn(returned: unknown, { schema, word, parts }: Group, shapes: Shapes): MemberPath | "id" | null {
  const type = shapes.typeOf(returned);
  if (parts.length === 1 && (type === "string" || type === "integer" || type === "number")) return "id";
  const { at, schema: inner } = shapes.itemIn(returned, word, [schema]);
  const isItem = shapes.areAlike(inner, schema) || (at.length > 0 && shapes.resemble(inner, schema));
  if (shapes.members(schema).size === 0 || isItem) return at;
  const member = [...shapes.members(returned)].find(([, each]) => shapes.of(each) === shapes.of(schema));
  if (member) return [member[0]];
  const [own, members] = [[...shapes.members(inner).keys()], shapes.members(schema)];
  const ids = parts.map(({ member = [] }) => member[0]);
  const isPart = own.length > 0 && own.every((name) => members.has(name)) && own.some((name) => ids.includes(name));
  const isLarger = members.size > 1 && shapes.resemblance(inner, schema) === 1 && own.length > members.size;
  return isPart || isLarger ? at : null;
}

/** Returns where a body has the item. */
function bodyLocation(body: unknown, { schema, word }: Group, shapes: Shapes): MemberPath {
  const { at, schema: inner } = shapes.itemIn(body, word, [schema]);
  return shapes.resemblance(inner, schema) > shapes.resemblance(body, schema) ? at : [];
}
