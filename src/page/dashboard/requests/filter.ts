import type { FilterOfAll } from "../../../control/client/index.ts";
import type { Route } from "../route.ts";

/** The filter of the request list, as the URL holds it. The names are those of the control API. */
export type Filter = Route["filter"];

/** The names of all conditions, in the order of the text; `q` are the words without a name. */
const names = [
  "status",
  "method",
  "operation",
  "source",
  "rule",
  "failure",
  "header",
  "changed",
  "project",
  "violations",
  "offContract",
  "from",
  "to",
  "q",
] as const;
export type FilterName = (typeof names)[number];

/** The conditions with several values, separated by commas. */
const lists: readonly FilterName[] = ["status", "operation", "source", "rule", "failure"];

/** A status or a class of statuses. As a text, `409` also occurs in times and ids. */
const statusWord = /^([1-5]\d\d|[1-5]xx|broken)$/i;

/** A condition, such as `status:409` or `header:"x-trace=a b"`, or a word. */
const token = /(?:([a-z]+):)?((?:"[^"]*"|[^\s"])+)/gi;

/** Returns the filter of a text such as `status:409 header:x-trace=t-7 linen`. Unknown names are words. */
export function filterOf(text: string): Filter {
  const filter: Partial<Record<FilterName, string>> = {};
  const add = (name: FilterName, value: string, separator: string) => {
    const before = filter[name];
    filter[name] = before === undefined || separator === "" ? value : before + separator + value;
  };
  for (const [whole, before, quoted = ""] of text.matchAll(token)) {
    const name = names.find((each) => each !== "q" && each.toLowerCase() === before?.toLowerCase());
    if (name) add(name, quoted.replaceAll('"', ""), lists.includes(name) ? "," : "");
    else add("q", whole, " ");
  }
  return filter;
}

/** Returns the text of a filter, which `filterOf` reads. */
export function textOf(filter: Filter): string {
  return names
    .filter((name) => filter[name])
    .map((name) => {
      const value = filter[name] ?? "";
      if (name === "q") return value;
      return `${name}:${/\s/.test(value) ? `"${value}"` : value}`;
    })
    .join(" ");
}

/**
 * Returns the filter of the control API. Words of the search text that are a status select by status. Ignores unknown
 * names in the URL. The mock reports invalid values.
 */
export function queryOf(filter: Filter): FilterOfAll {
  const words = (filter.q ?? "").split(/\s+/).filter(Boolean);
  const statuses = words.filter((word) => statusWord.test(word)).map((word) => word.toLowerCase());
  const read: Filter = {
    ...filter,
    q: words.filter((word) => !statusWord.test(word)).join(" "),
    status: [...valuesOf(filter, "status"), ...statuses].join(","),
  };
  return Object.fromEntries(names.flatMap((name) => (read[name] ? [[name, read[name]]] : []))) as FilterOfAll;
}

export function isSet(filter: Filter): boolean {
  return names.some((name) => filter[name]);
}

/** Returns the filter of a route with other conditions; what else the URL holds stays. */
export function withConditions(filter: Filter, conditions: Filter): Filter {
  const others = Object.entries(filter).filter(([name]) => !(names as readonly string[]).includes(name));
  return { ...Object.fromEntries(others), ...conditions };
}

export function valuesOf(filter: Filter, name: FilterName): string[] {
  return (filter[name] ?? "").split(",").filter(Boolean);
}

/** Returns the filter with a value added to those of a name, or removed from them. */
export function toggled(filter: Filter, name: FilterName, value: string): Filter {
  const values = valuesOf(filter, name);
  const changed = values.includes(value) ? values.filter((each) => each !== value) : [...values, value];
  return { ...filter, [name]: changed.join(",") };
}
