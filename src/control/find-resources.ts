import type { Project } from "../project/index.ts";
import { compileSort, compileWhere, type ResourceRecord, resourceByKey, selectRecords } from "../state/index.ts";
import { type ControlCall, type FromQuery, PAGE, paging } from "./define-operation.ts";
import { effortOf } from "./journal-search.ts";
import { ResourceFilter } from "./request-selection.ts";

/** The query parameters that select a page of resources. */
export const resourceQuery = { ...ResourceFilter.properties, ...paging } as const;

interface Call {
  readonly project: Project;
  readonly query: FromQuery<typeof resourceQuery>;
  readonly signal: ControlCall["signal"];
}

/** Returns the resources that the query selects, and the number of all matches. Throws InvalidField. */
export async function findResources(call: Call) {
  const { state } = call.project;
  const { key, q, where, sort, limit = PAGE, offset = 0 } = call.query;
  const isWhere = where === undefined ? undefined : compileWhere([where], {});
  const order = sort === undefined ? undefined : compileSort([sort]);
  const text = q?.toLowerCase();
  const hasText = ({ id, key = "" }: ResourceRecord) =>
    text === undefined || id.toLowerCase().includes(text) || key.toLowerCase().includes(text);
  const matches = (record: ResourceRecord) => hasText(record) && (isWhere?.(record) ?? true);

  const byKey = key === undefined ? undefined : resourceByKey(state, key);
  const records = key === undefined ? state.resources.values() : byKey ? [byKey] : [];
  const isFiltered = key !== undefined || text !== undefined || isWhere !== undefined;
  return selectRecords(records, {
    limit,
    offset,
    withTotal: true,
    order,
    slice: effortOf(call),
    ...(isFiltered ? { matches } : { total: state.resources.size }),
  });
}
