import type { Identifier, Kept, MemberPath, Role } from "../../contract/index.ts";
import type { Group } from "./groups.ts";
import { listFormOf } from "./lists.ts";
import type { Location } from "./locations.ts";
import type { Documented } from "./paths.ts";
import { type Rule, ruleFor } from "./rules.ts";
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

/** What the behaviour file says of an operation, in place of a rule. */
interface Wish extends Pick<Rule, "does" | "because" | "creates" | "inBody"> {
  readonly scope?: readonly string[];
  readonly by?: Identifier | undefined;
  readonly set?: Readonly<Record<string, unknown>> | undefined;
}

/** The role of an operation and the reason; without a role, the reason, and what the operation `lacks` for a role. */
export type Decided = Candidate | { readonly because: string; readonly role?: undefined; readonly lacks?: string };

/** Returns the role of an operation by the rules, or as wished; undefined if no rule fits. */
export function candidateFor(
  documented: Documented,
  location: Location,
  group: Group,
  shapes: Shapes,
  wish?: Wish,
): Decided | undefined {
  const { operation, parameters, returned, body } = documented;
  const { method } = operation;
  const rule: Wish | undefined = wish ?? ruleFor({ ...documented, method, location, group, shapes });
  if (!rule) return undefined;
  const writers = [...location.path.operations.keys()].filter((each) => each !== "GET" && each !== "HEAD");
  const because =
    wish?.because ??
    rule.because
      .replace("{method}", method)
      .replace("{writer}", writers.join(" or "))
      .replace("{}", group.items[0]?.written ?? operation.path);
  const { scope: count, parts } = group;
  const { does, scope = parameters.slice(0, count), set } = rule;
  if (!does) return { because };
  const rest = parameters.filter((each) => !scope.includes(each));
  const base = { ...(scope.length > 0 && { scope }) };
  const shared = { documented, location, group, because };
  if (does === "list") {
    const keeps = keptBy(rest, group, shapes).filter(({ member }) => member);
    const found = wish ? shapes.listIn(returned, documented.path.word, [group.schema]) : location.list;
    if (wish && returned !== undefined && !found) return { because, lacks: "an operation that returns a list" };
    const list = listFormOf(documented, found?.at ?? [], group.schema, shapes);
    return { ...shared, role: { does, ...base, ...(keeps.length > 0 && { keeps }), list } };
  }
  const found = returned === undefined ? undefined : locationIn(returned, group, shapes);
  // What says that something is there returns it whole, or something else.
  const isOther = (found === "id" && does !== "create") || (rule.creates && (found?.length ?? 0) > 0);
  const at = isOther ? null : found;
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
  const inBody = parts.map(({ member = [] }) => ({ in: "body", at: [...sent, ...member] }) as const);
  const isBelow = ({ path }: Location) => `${location.path.shape}/`.startsWith(`${path.shape}/`);
  const item = group.items.find(isBelow) ?? { ...location, ...(wish && { parts: rest.length }) };
  const by: Identifier | undefined =
    rule.by ??
    (rule.inBody
      ? { parameters: [], member: "id", from: inBody }
      : (wish ? group.isSingle : location.kind === "one")
        ? { parameters: [], member: "id" }
        : identifierOf(item, rest, parts.length));
  if (!by || (by.from && by.from.length < parts.length))
    return { because: `${because}, but its path names no single item`, lacks: "the path of a single item, or its id" };
  const creates = rule.creates || ((method === "PUT" || does === "replace") && operation.responses[201] !== undefined);
  const more = { ...(creates && { creates }), ...(set && { set }) };
  return { ...shared, role: { does, ...common, by, ...more } as Candidate["role"] };
}

function identifierOf({ parts, alternate }: Location, rest: readonly string[], all: number) {
  const isWhole = rest.length > 0 && (alternate !== undefined || parts === all);
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

function bodyLocation(body: unknown, { schema, word }: Group, shapes: Shapes): MemberPath {
  const { at, schema: inner } = shapes.itemIn(body, word, [schema]);
  return shapes.resemblance(inner, schema) > shapes.resemblance(body, schema) ? at : [];
}
