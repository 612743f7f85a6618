import {
  isObject,
  type ListForm,
  MAX_LISTED,
  MAX_SORT_KEYS,
  type MemberPath,
  type ResourceType,
  type Schema,
  ServiceError,
  variantsOf,
} from "../../contract/index.ts";
import {
  compileSort,
  compileWhere,
  type Item,
  isScalar,
  plainName,
  type SelectOptions,
  schemaAt,
  variablesOf,
} from "../../state/index.ts";
import { type Call, violate } from "../call/call.ts";
import type { RoleOf } from "./find.ts";
import { isSent, unreadBody } from "./sent.ts";

/* The filters and the order that the query of a list selects. Of documents, the mock knows only names. */

/** The items that a query selects, and their order. */
export type Selected = Pick<SelectOptions, "matches" | "order">;

/** Returns which items a query selects, and the names of the sent parameters that have no effect. */
export function selectionOf(call: Call, role: RoleOf<"list">, type: ResourceType): Selected & { ignored: string[] } {
  const { where, sort } = role.list.query ?? {};
  const predicates = textsOf(call, where);
  const report = ({ details }: ServiceError) => violate(call, details);
  const isMatch = predicates && attempt(() => compileWhere(predicates, type, variablesOf(call.query)), report);
  const keys = textsOf(call, sort);
  if (type.draft) {
    return { matches: isMatch, order: keys && attempt(() => compileSort(keys, type), report), ignored: [] };
  }
  const unread = (role.list.ignored ?? []).filter((name) => selecting(call, name)?.length !== 0);
  const ignored = [...unread, ...call.unnamed, ...unreadBody(call)];
  const tests = [...filtersOf(call, role, type, ignored), ...(isMatch ? [isMatch] : [])];
  const matches = tests.length === 0 ? undefined : (item: Item) => tests.every((test) => test(item));
  const order = orderOf(call, role.list, type, keys ?? [], ignored);
  return { matches, order, ignored: [...new Set(ignored)].slice(0, MAX_LISTED) };
}

export function querySchema({ operation }: Call, name = ""): Schema {
  const schemas = operation.parameters.flatMap((each) => (each.in === "query" ? [each] : []));
  const own = schemas.find((each) => each.name === name)?.schema;
  return own ?? schemas.flatMap(({ schema }) => schema.properties?.[name] ?? [])[0] ?? {};
}

/** Returns the sent value of a query parameter, or else its default; undefined without a name or a value. */
export function sentValue(call: Call, name: string | undefined): unknown {
  return name === undefined ? undefined : (queryValue(call, name) ?? querySchema(call, name).default);
}

/** Returns the value of a query parameter, or of a member of one. */
export function queryValue({ query }: Call, name: string): unknown {
  const holder = Object.values(query).find((value) => isObject(value) && Object.hasOwn(value, name));
  return query[name] ?? (isObject(holder) ? holder[name] : undefined);
}

/** Returns the texts of a parameter, which can be repeatable. */
function textsOf(call: Call, name: string | undefined): string[] | undefined {
  const value = sentValue(call, name);
  return value === undefined ? undefined : [value].flat().map(String);
}

/** Returns the result; undefined after a ServiceError, which it reports. */
function attempt<T>(run: () => T, report: (error: ServiceError) => void): T | undefined {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    report(error);
  }
}

/** Texts with which clients select everything. */
const everything = new Set(["", "all", "any", "none", "*"]);

/**
 * Returns the texts of a parameter that selects items; none if it selects all, as a default does that the client has not sent;
 * undefined for objects.
 */
function selecting(call: Call, name: string): string[] | undefined {
  const values = [queryValue(call, name) ?? []].flat();
  if (!values.every(isScalar)) return undefined;
  const texts = values.map(String);
  const isDefault = String([querySchema(call, name).default].flat()) === String(texts);
  return (isDefault && !isSent(call, name)) || texts.some((text) => everything.has(text.toLowerCase())) ? [] : texts;
}

/** Returns the tests of the filters. Adds the filters that have no effect to `ignored`. */
function filtersOf(call: Call, { list, keeps = [] }: RoleOf<"list">, { schema = {} }: ResourceType, ignored: string[]) {
  const tests: ((item: Item) => boolean)[] = [];
  for (const [name, path] of Object.entries(list.filters ?? {})) {
    const texts = selecting(call, name);
    if (texts?.length === 0) continue;
    const [member, wanted] = [schemaAt(schema, path), new Set(texts)];
    if (!texts || !member || isCompound(member)) ignored.push(name);
    else tests.push(({ content }) => heldAt(content, path).some((held) => wanted.has(String(held))));
  }
  for (const { parameter, member } of keeps) {
    const text = call.path[parameter];
    tests.push(({ content, hidden }) => {
      const held = member ? heldAt(content, member) : [];
      return [...held, hidden?.[parameter]].some((each) => each !== undefined && String(each) === text);
    });
  }
  return tests;
}

/** Returns whether the values of a schema are objects, or lists of them. */
function isCompound(schema: Schema): boolean {
  return variantsOf(schema.items ?? schema).some(
    ({ type, properties }) => [type].flat().includes("object") || properties,
  );
}

/** Returns the values at a path, also through lists. */
function heldAt(value: unknown, [name, ...below]: MemberPath): unknown[] {
  if (Array.isArray(value)) return value.flatMap((item) => heldAt(item, name === undefined ? [] : [name, ...below]));
  if (name === undefined) return [value];
  const isHolder = typeof value === "object" && value !== null && Object.hasOwn(value, name);
  return isHolder ? heldAt((value as Readonly<Record<string, unknown>>)[name], below) : [];
}

/**
 * Returns the order of the items by keys such as `name`, `-name`, `name:desc`, `name desc` and `name,desc`; undefined without a known one.
 * Adds the parameter to `ignored` if the items have no such member, or one without an order.
 */
function orderOf(
  call: Call,
  { query: { sort, direction } = {} }: ListForm,
  type: ResourceType,
  texts: readonly string[],
  ignored: string[],
): Selected["order"] {
  const sent = new URLSearchParams(call.request.query);
  // By default, items are in the order of their creation.
  if (![sort, direction].some((name) => name !== undefined && sent.has(name))) return undefined;
  const whole = /^desc/i.test(String(sentValue(call, direction))) ? "desc" : "asc";
  // Spring sends `name,desc`.
  const words = texts
    .flatMap((text) => text.replace(/,\s*(asc|desc)\b/gi, ":$1").split(","))
    .filter((word) => word.trim() !== "");
  const orders = words.slice(0, MAX_SORT_KEYS).map((word) => {
    const [, sign, name = "", own] = /^\s*([-+]?)(.*?)(?:[\s:]+(asc|desc)\w*)?\s*$/is.exec(word) ?? [];
    return orderBy(name, own?.toLowerCase() ?? (sign === "-" ? "desc" : whole), type);
  });
  const isUnknown = orders.includes(undefined) || words.length > MAX_SORT_KEYS;
  // A default that the mock does not know changes nothing that the client can expect.
  if (isUnknown && sort !== undefined && selecting(call, sort)?.length !== 0) ignored.push(sort);
  const known = orders.flatMap((order) => order ?? []);
  return known.length > 0 ? known : undefined;
}

/** Returns the order by a member, whose name can lack its end: `created` for `created_at`. Undefined without such an order. */
function orderBy(name: string, direction: string, type: ResourceType): Selected["order"] {
  const names = Object.keys(type.schema?.properties ?? {});
  const possible = ["", "at", "on"].map((end) => plainName(name) + end);
  const [member] = possible.flatMap((each) => names.find((own) => plainName(own) === each) ?? []);
  const compile = () => compileSort([`\`${member}\` ${direction}`], type);
  return member === undefined ? undefined : attempt(compile, () => {});
}
