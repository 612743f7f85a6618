import { Buffer } from "node:buffer";
import {
  DEFAULT_PAGE_RESULTS,
  invalidParameter,
  type ListForm,
  type ListParameter,
  matches,
  type PageFact,
  type Schema,
  ServiceError,
} from "../../contract/index.ts";
import { shortHash } from "../../project/index.ts";
import {
  type Collection,
  type CollectionName,
  collectionIn,
  type Item,
  type SelectOptions,
  schemaAt,
  selectItems,
  withPart,
} from "../../state/index.ts";
import type { Call } from "../call/call.ts";
import { querySchema, queryValue, type Selected, sentValue } from "./list-query.ts";

/* The page that the query of a list selects, and what a response says about it. */

type Selection = Selected & Pick<SelectOptions, "slice">;

/** Returns which items the page has. Throws InvalidField for a cursor that is not of this list. */
export async function pagingOf(
  call: Call,
  list: ListForm,
  collection: Collection,
  name: CollectionName,
  selection: Selection,
): Promise<Pick<SelectOptions, "limit" | "offset">> {
  const { query = {} } = list;
  const numberOf = (parameter: ListParameter) => {
    const value = Number(sentValue(call, query[parameter]) ?? Number.NaN);
    return Number.isFinite(value) ? Math.max(0, Math.floor(value)) : undefined;
  };
  const isPaged = query.page !== undefined && queryValue(call, query.page) !== undefined;
  const isDefault = query.limit !== undefined && call.engine.contract.typeOf(call.operation.role?.type ?? "")?.draft;
  const limit = numberOf("limit") ?? (isPaged || isDefault ? DEFAULT_PAGE_RESULTS : collection.items.size);
  const cursor = query.cursor === undefined ? undefined : queryValue(call, query.cursor);
  if (query.cursor !== undefined && cursor !== undefined && !["", "0"].includes(String(cursor))) {
    const offset = await offsetAfter(collection, String(cursor), listName(call, name), selection);
    if (offset !== undefined) return { limit, offset };
    const expected = "a cursor of this list, or the id of one of its items";
    throw new ServiceError(invalidParameter(query.cursor, expected, cursor));
  }
  const first = firstPage(call, list);
  const before = Math.max(0, (numberOf("page") ?? first) - first);
  return { limit, offset: numberOf("offset") ?? before * limit };
}

/** Returns the number of the first page: 0 if the parameter says so, else 1. */
function firstPage(call: Call, { query = {}, firstPage: first = 1 }: ListForm): number {
  const { minimum, default: initial } = querySchema(call, query.page);
  return minimum === 0 || initial === 0 ? 0 : first;
}

/** Returns the number of selected items up to the one that a cursor names; undefined for a cursor of another list. */
async function offsetAfter(
  { items, ids }: Collection,
  cursor: string,
  list: string,
  { matches: isMatch, order, slice }: Selection,
): Promise<number | undefined> {
  const [, of, kind, position] = /^(\w+)\.([no])(\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (of === list && kind === "o") return Number(position);
  const number = of === list ? Number(position) : ids.get(cursor);
  if (number === undefined) return undefined;
  if (order) {
    const all = { limit: items.size, offset: 0, withTotal: true, matches: isMatch, order, slice };
    const { selected } = await selectItems(items.values(), all);
    return selected.indexOf(items.get(number) as Item) + 1;
  }
  let count = 0;
  for (const [each, item] of items.entries()) {
    if (each > number) break;
    if (slice?.isOver) await slice.next();
    if (isMatch?.(item) ?? true) count++;
  }
  return count;
}

function listName({ operation }: Call, name: CollectionName): string {
  return shortHash(`${operation.id} ${name}`);
}

/** The values of facts about a page, and of the header `Link`. */
type PageValues = Readonly<Record<PageFact["is"] | "link", () => unknown>>;

/** Where a page is, its size, and the number of all matches, if the response has it. */
interface PageFacts extends Pick<SelectOptions, "limit" | "offset"> {
  readonly count: number;
  readonly total: number | undefined;
}

/** Returns what can be said about a page. */
export function pageValues(
  call: Call,
  list: ListForm,
  name: CollectionName,
  { limit, offset, count, total }: PageFacts,
  last: Item | undefined,
): PageValues {
  const { query = {} } = list;
  const end = offset + count;
  const hasMore = total === undefined ? count > 0 && count === limit : end < total;
  const first = firstPage(call, list);
  const page = limit > 0 ? Math.floor(offset / limit) : 0;
  const pages = total === undefined ? undefined : limit > 0 ? Math.ceil(total / limit) : Math.min(total, 1);
  const cursor = () => {
    // The number of the last item, as items can be deleted meanwhile; in another order, the number of items so far.
    const number = last && collectionIn(call.project.state, name).ids.get(last.id);
    const position = number === undefined ? `o${end}` : `n${number}`;
    return Buffer.from(`${listName(call, name)}.${position}`).toString("base64url");
  };
  /** Returns the URL of the page with another value of a parameter. */
  const urlWith = (parameter: string, value: string | number) => {
    const sent = new URLSearchParams(call.request.query);
    sent.set(parameter, String(value));
    return `${call.request.origin}${call.request.path}?${sent}`;
  };
  const urlOf = (pageNumber: number, start: number, isNext: boolean) => {
    if (query.page !== undefined) return urlWith(query.page, first + pageNumber);
    if (query.offset !== undefined) return urlWith(query.offset, Math.max(0, start));
    return query.cursor !== undefined && isNext ? urlWith(query.cursor, cursor()) : null;
  };
  const values: PageValues = {
    limit: () => limit,
    offset: () => offset,
    count: () => count,
    total: () => total,
    page: () => first + page,
    pages: () => pages,
    more: () => hasMore,
    next: () => (hasMore ? urlOf(page + 1, end, true) : null),
    previous: () => (offset > 0 ? urlOf(page - 1, offset - limit, false) : null),
    nextPage: () => (hasMore ? first + page + 1 : null),
    previousPage: () => (offset > 0 ? first + page - 1 : null),
    cursor: () => (hasMore ? cursor() : null),
    first: () => offset === 0,
    last: () => !hasMore,
    empty: () => count === 0,
    hasPrevious: () => offset > 0,
    from: () => (count > 0 ? offset + 1 : null),
    to: () => (count > 0 ? end : null),
    link: () => {
      if (limit === 0 || (offset === 0 && !hasMore)) return "";
      const last = pages && urlOf(pages - 1, (pages - 1) * limit, false);
      const urls = { next: values.next(), prev: values.previous(), first: urlOf(0, 0, false), last };
      const links = Object.entries(urls).flatMap(([rel, url]) => (url ? [[rel, String(url)] as const] : []));
      return links.map(([rel, url]) => `<${url.replace(/[<>]/g, encodeURIComponent)}>; rel="${rel}"`).join(", ");
    },
  };
  return values;
}

/** Returns the headers that say something about the page (`Link`: RFC 8288). What the page lacks is an empty text. */
export function pageHeaders({ headers = {} }: ListForm, values: PageValues): Record<string, string> {
  const facts = Object.entries(headers).map(([name, is]) => [name, String(values[is]() ?? "")]);
  const link = String(values.link());
  return { ...Object.fromEntries(facts), ...(link !== "" && { Link: link }) };
}

/** Returns the members that say something about the page, where the response has them. */
export function factsOf({ facts = [] }: ListForm, schema: Schema, values: PageValues): unknown {
  return facts.reduce((members: unknown, { at, is }) => {
    const value = values[is]();
    const part = schemaAt(schema, at) ?? {};
    const isRequired = schemaAt(schema, at.slice(0, -1))?.required?.includes(at.at(-1) ?? "");
    // Nothing follows the last page: null if the schema allows it, or else no member, or an empty text.
    const others = value === null ? (isRequired ? [""] : []) : [String(value)];
    const fitting = value === undefined ? undefined : [value, ...others].find((each) => matches(part, each));
    return fitting === undefined ? members : withPart(members, at, fitting);
  }, {});
}
