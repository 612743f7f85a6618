import {
  type ListForm,
  type ListParameter,
  type MemberPath,
  type PageFact,
  responseFor,
} from "../../contract/index.ts";
import type { Documented } from "./paths.ts";
import type { Shapes } from "./shapes.ts";
import { factHolders, listParameters, pageFacts, plain, singular } from "./words.ts";

/** Returns where the items and the facts of a list are, and what its query parameters mean. */
export function listFormOf(documented: Documented, at: MemberPath, item: unknown, shapes: Shapes): ListForm {
  const { returned, query } = documented;
  const meaning: Partial<Record<ListParameter, string>> = {};
  const filters: Record<string, MemberPath> = {};
  const ignored: string[] = [];
  const members = [...shapes.members(item)];
  // The members of an object are parameters of their own (Spring: `pageable`).
  const parameters = query.flatMap(({ name, schema, style, explode }): [string, unknown][] => {
    const isExploded = shapes.typeOf(schema) === "object" && style !== "deepObject" && explode !== false;
    return isExploded ? [...shapes.members(schema)] : [[String(name), schema]];
  });
  const names = new Set(parameters.map(([name]) => plain(name)));
  for (const [name, schema] of parameters) {
    const own = plain(name);
    const found = listParameters.find(([means, known]) => known.test(own) && isPossible(means, schema, shapes))?.[0];
    const part = found === "sort" && isDirection(own, names) ? "direction" : found;
    const member =
      members.find(([each]) => plain(each) === own) ?? members.find(([each]) => singular(each) === singular(name));
    const isFilter = member && isComparable(member[1], shapes);
    if (part && meaning[part] === undefined && !(isFilter && part === "limit" && /^(first|count|size|top)$/.test(own)))
      meaning[part] = name;
    else if (isFilter) filters[name] = [member[0]];
    else ignored.push(name);
  }
  // `first` is a limit (GraphQL), or an offset beside `max` (Keycloak).
  if (/^first$/i.test(meaning.limit ?? "") && names.has("max")) {
    meaning.offset = meaning.limit;
    meaning.limit = ignored.splice(ignored.indexOf("max"), 1)[0];
  }
  // A text `where` is a predicate only beside `sort`; `order` alone is a sort.
  if (meaning.where !== undefined && meaning.sort === undefined) {
    ignored.push(meaning.where);
    delete meaning.where;
  }
  const facts = factsIn(returned, at, shapes);
  const headers = headersIn(documented);
  // The pages of Spring begin at 0.
  const isFromZero = facts.some((fact) => fact.is === "page" && fact.at.at(-1) === "number");
  return {
    at,
    ...(facts.length > 0 && { facts }),
    ...(headers.length > 0 && { headers: Object.fromEntries(headers) }),
    ...(isFromZero && { firstPage: 0 }),
    ...(Object.keys(meaning).length > 0 && { query: meaning }),
    ...(Object.keys(filters).length > 0 && { filters }),
    ...(ignored.length > 0 && { ignored }),
  };
}

/** Whether `order` or `sort` is the direction, as another parameter names the member. */
function isDirection(name: string, names: ReadonlySet<string>): boolean {
  const isBeside = ["orderby", "sortby", "sortfield"].some((each) => names.has(each));
  return isBeside ? name === "order" || name === "sort" : name === "order" && names.has("sort");
}

const ofNumbers: readonly ListParameter[] = ["limit", "offset", "page"];

/** Returns whether a query parameter can have this meaning by its type. */
function isPossible(means: ListParameter, schema: unknown, shapes: Shapes): boolean {
  const type = shapes.typeOf(schema);
  if (ofNumbers.includes(means)) return type === "integer" || type === "number" || type === undefined;
  if (means === "withTotal") return type === "boolean";
  if (means !== "direction") return type !== "object" && type !== "boolean";
  return [shapes.of(schema).enum ?? []].flat().every((value) => /^(asc|desc)/i.test(String(value)));
}

function isComparable(member: unknown, shapes: Shapes): boolean {
  const value = shapes.typeOf(member) === "array" ? shapes.itemsOf(member) : member;
  return shapes.isScalar(value) && shapes.members(value).size === 0;
}

/** Returns what the members of an envelope, and of the objects in it, say about the page. */
function factsIn(returned: unknown, at: MemberPath, shapes: Shapes): PageFact[] {
  if (at.length === 0) return [];
  const facts: PageFact[] = [];
  const look = (schema: unknown, path: MemberPath): void => {
    for (const [name, member] of shapes.members(schema)) {
      const own = [...path, name];
      if (own.join() === at.join()) continue;
      const isHolder = factHolders.has(plain(name)) || own.join() === at.slice(0, own.length).join();
      if (!shapes.isScalar(member)) {
        if (isHolder && path.length < 2 && shapes.typeOf(member) === "object") look(member, own);
        continue;
      }
      const fits = ([is, names]: (typeof pageFacts)[number]) =>
        names.test(plain(name)) && hasTypeOf(is, member, shapes) && !facts.some((fact) => fact.is === is);
      const is = pageFacts.find(fits)?.[0];
      if (is) facts.push({ at: own, is });
    }
  };
  look(returned, []);
  return facts.map(({ at: own, is }) => ({ at: own, is: among(facts, is) }));
}

/** Returns what the documented headers say about the page, by their names. */
function headersIn({ operation, status }: Documented): [name: string, is: PageFact["is"]][] {
  const facts = Object.keys(responseFor(operation, status)?.headers ?? {}).flatMap((name) => {
    const own = plain(name.replace(/^(x-)?(pagination-)?/i, ""));
    return pageFacts.flatMap(([is, names]) => (names.test(own) ? [{ name, is }] : [])).slice(0, 1);
  });
  return facts.map(({ name, is }) => [name, among(facts, is)]);
}

/** Returns what a fact is among others: a count alone is that of all items. */
function among(facts: readonly Pick<PageFact, "is">[], is: PageFact["is"]): PageFact["is"] {
  return is === "count" && !facts.some((fact) => fact.is === "total") ? "total" : is;
}

function hasTypeOf(is: PageFact["is"], member: unknown, shapes: Shapes): boolean {
  const type = shapes.typeOf(member) ?? "string";
  if (/^(more|first|last|empty|hasPrevious)$/.test(is)) return type === "boolean";
  const isText = is === "next" || is === "previous" || is === "cursor";
  return isText ? type === "string" : type === "integer" || type === "number";
}
