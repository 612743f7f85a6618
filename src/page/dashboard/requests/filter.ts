import type { RequestFilter } from "../../../control/client/index.ts";
import type { Route } from "../route.ts";

/** The filter of the request list, as the URL holds it. The names are those of the control API. */
export type Filter = Route["filter"];

/** The names of all filters. */
const names = [
  "q",
  "status",
  "method",
  "operation",
  "source",
  "violations",
  "offContract",
  "failure",
  "from",
  "to",
] as const;
export type FilterName = (typeof names)[number];

/** A status or a class of statuses. As a text, `409` also occurs in times and ids. */
const statusWord = /^([1-5]\d\d|[1-5]xx|broken)$/i;

/**
 * Returns the filter of the control API. Words of the search text that are a status select by status. Ignores unknown
 * names in the URL. The mock reports invalid values.
 */
export function queryOf(filter: Filter): RequestFilter {
  const words = (filter.q ?? "").split(/\s+/).filter(Boolean);
  const statuses = words.filter((word) => statusWord.test(word)).map((word) => word.toLowerCase());
  const read: Filter = {
    ...filter,
    q: words.filter((word) => !statusWord.test(word)).join(" "),
    status: [...valuesOf(filter, "status"), ...statuses].join(","),
  };
  return Object.fromEntries(names.flatMap((name) => (read[name] ? [[name, read[name]]] : []))) as RequestFilter;
}

/** Returns whether the filter selects only some of the requests. */
export function isSet(filter: Filter): boolean {
  return names.some((name) => filter[name]);
}

/** Returns the filter with other values; an empty value removes a name. */
export function withFilter(filter: Filter, values: Partial<Record<FilterName, string>>): Filter {
  return { ...filter, ...values };
}

/** Returns the values of a filter that can have several. */
export function valuesOf(filter: Filter, name: FilterName): string[] {
  return (filter[name] ?? "").split(",").filter(Boolean);
}

/** Returns the filter with a value added to those of a name, or removed from them. */
export function toggled(filter: Filter, name: FilterName, value: string): Filter {
  const values = valuesOf(filter, name);
  const changed = values.includes(value) ? values.filter((each) => each !== value) : [...values, value];
  return withFilter(filter, { [name]: changed.join(",") });
}
