import type { Route } from "../route.ts";

/** The filter of the request list, as the URL holds it. The names are those of the control API. */
export type Filter = Route["filter"];

/** The names of all filters. */
const names = ["q", "status", "method", "operation", "source", "violations", "offContract", "from", "to"] as const;
export type FilterName = (typeof names)[number];

/** Returns the query of the control API for a filter. Ignores unknown names in the URL. */
export function queryOf(filter: Filter): Partial<Record<FilterName, string>> {
  return Object.fromEntries(names.flatMap((name) => (filter[name] ? [[name, filter[name]]] : [])));
}

/** Returns whether the filter selects only some of the requests. */
export function isSet(filter: Filter): boolean {
  return names.some((name) => filter[name]);
}

/** Returns the filter with another value of one name; an empty value removes it. */
export function withFilter(filter: Filter, name: FilterName, value: string): Filter {
  return { ...filter, [name]: value };
}

/** Returns the values of a filter that can have several. */
export function valuesOf(filter: Filter, name: FilterName): string[] {
  return (filter[name] ?? "").split(",").filter(Boolean);
}

/** Returns the filter with a value added to those of a name, or removed from them. */
export function toggled(filter: Filter, name: FilterName, value: string): Filter {
  const values = valuesOf(filter, name);
  const changed = values.includes(value) ? values.filter((each) => each !== value) : [...values, value];
  return withFilter(filter, name, changed.join(","));
}
