import type { Parameter } from "../contract/operation.ts";
import { misfit, type QueryValues } from "../contract/parameters.ts";
import type { PagedQueryResult } from "../contract/schemas.ts";
import { ServiceError } from "../contract/service-error.ts";
import { type ResourceRecord, resourceBody } from "../state/record.ts";
import type { Awaitable } from "../state/store.ts";
import { type Order, sortRecords } from "./sort.ts";
import { type Slice, Steps } from "./steps.ts";

export interface Paging {
  /** The most results to answer. */
  limit: number;
  /** How many matches to skip before them. */
  offset: number;
  /** Whether to tell how many match in all. */
  withTotal: boolean;
}

export interface PageOptions extends Paging {
  /** How many records there are, where that is known without counting; spares the count when all of them match. */
  total?: number;
  /** Which records match; without it, all do. */
  matches?: (record: ResourceRecord) => Awaitable<boolean>;
  /** The order of the results; without it, that of the records. */
  order?: Order;
  /** Lets other requests be answered in between. */
  slice?: Slice;
}

const DEFAULT_LIMIT = 20;
const DEFAULT_OFFSET = 0;

/**
 * Reads `limit`, `offset` and `withTotal` from query values as the contract types them, within the bounds of the
 * contract's `parameters`; absent ones have DESIGN's defaults.
 *
 * @throws ServiceError InvalidField that names the parameter: not a whole number (the interface types both as Float, but
 *   half a result makes no page), or out of the contract's bounds.
 */
export function readPaging(values: QueryValues, parameters: readonly Parameter[]): Paging {
  const { limit = DEFAULT_LIMIT, offset = DEFAULT_OFFSET, withTotal = true } = values;
  if (typeof withTotal !== "boolean") throw new ServiceError(misfit("withTotal", "true or false", withTotal));
  const wholeNumber = (name: "limit" | "offset", value: unknown): number => {
    const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = parameters.find((each) => each.name === name) ?? {};
    if (typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum) return value;
    throw new ServiceError(misfit(name, `a whole number from ${minimum} to ${maximum}`, value));
  };
  return { limit: wholeNumber("limit", limit), offset: wholeNumber("offset", offset), withTotal };
}

/**
 * Returns the page of the records that match, in the envelope of DESIGN section 3. It takes no more of the records than it must: all of them only to sort
 * them, or to count those that match.
 */
export async function page(records: Iterable<ResourceRecord>, options: PageOptions): Promise<PagedQueryResult> {
  const { limit, offset, withTotal, matches, order, slice } = options;
  const steps = new Steps(slice);
  const known = matches ? undefined : options.total;
  const counting = withTotal && known === undefined;
  const end = limit === 0 ? 0 : offset + limit;

  const kept: ResourceRecord[] = [];
  let count = 0;
  if (counting || end > 0) {
    for (const record of records) {
      if (steps.isOver()) await steps.pause();
      const isMatch = matches?.(record) ?? true;
      if (isMatch === false || (isMatch !== true && !(await isMatch))) continue;
      if (order ? end > 0 : count >= offset && count < end) kept.push(record);
      count++;
      if (count >= end && !counting && !order) break;
    }
  }
  const shown = order ? (await sortRecords(kept, order, slice)).slice(offset, end) : kept;
  const results = shown.map(resourceBody);
  return { limit, offset, count: results.length, ...(withTotal && { total: known ?? count }), results };
}
