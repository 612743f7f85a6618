import type { PagedQueryResult, QueryValues, Slice } from "../../contract/index.ts";
import type { ResourceRecord } from "../resource-record.ts";
import { type SortOrder, sortRecords } from "./sort.ts";

export interface SelectOptions {
  /** The maximum number of results. */
  readonly limit: number;
  /** The number of matches to skip before the first result. */
  readonly offset: number;
  /** Whether the page has the number of all matches. */
  readonly withTotal: boolean;
  /** The number of records, if known. Without `matches`, the function then need not count them. */
  readonly total?: number;
  /** Returns whether a record matches. By default, all records match. */
  readonly matches?: (record: ResourceRecord) => boolean;
  /** The order of the results; by default the order of the records. */
  readonly order?: SortOrder;
  /** Lets the server handle other requests in between. */
  readonly slice?: Slice;
}

/** A page in the envelope of the interface, with the records of its results. */
export interface ResourcePage extends Omit<PagedQueryResult, "results"> {
  readonly selected: readonly ResourceRecord[];
}

/**
 * Returns the page of matching records, in its envelope, by the valid query values `limit`, `offset` and `withTotal`. Reads
 * all records only to sort them or to count the matches.
 */
export async function page(
  records: Iterable<ResourceRecord>,
  query: QueryValues,
  options: Omit<SelectOptions, "limit" | "offset" | "withTotal">,
): Promise<ResourcePage> {
  const { limit = 20, offset = 0, withTotal = true } = query as Partial<SelectOptions>;
  const { selected, total } = await selectRecords(records, { ...options, limit, offset, withTotal });
  return { limit, offset, count: selected.length, ...(withTotal && { total }), selected };
}

/** Returns the records of a page, and the number of all matches if `withTotal` is set. */
export async function selectRecords(
  records: Iterable<ResourceRecord>,
  options: SelectOptions,
): Promise<{ readonly selected: readonly ResourceRecord[]; readonly total: number }> {
  const { limit, offset, withTotal, matches, order, slice } = options;
  const known = matches ? undefined : options.total;
  const counting = withTotal && known === undefined;
  const end = limit === 0 ? 0 : offset + limit;

  const kept: ResourceRecord[] = [];
  let count = 0;
  if (counting || end > 0) {
    for (const record of records) {
      if (slice?.isOver) await slice.next();
      if (matches && !matches(record)) continue;
      if (order ? end > 0 : count >= offset && count < end) kept.push(record);
      count++;
      if (count >= end && !counting && !order) break;
    }
  }
  const selected = order ? sortRecords(kept, order).slice(offset, end) : kept;
  return { selected, total: known ?? count };
}
