/* The filter of the request list: in the URL, as a text, as a query of the control API, and as a form. */

import { sourceKinds } from "../../../contract/index.ts";
import type { FilterOfAll } from "../../../control/client/index.ts";
import { useContract, useSession } from "../live/session.ts";
import { IconButton } from "../parts/action.tsx";
import { CheckField, SearchField, SelectField, TextField, useTyped } from "../parts/fields.tsx";
import { Menu } from "../parts/layout.tsx";
import { navigate, type Route, useRoute } from "../route.ts";

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
function withConditions(filter: Filter, conditions: Filter): Filter {
  const others = Object.entries(filter).filter(([name]) => !(names as readonly string[]).includes(name));
  return { ...Object.fromEntries(others), ...conditions };
}

export function valuesOf(filter: Filter, name: FilterName): string[] {
  return (filter[name] ?? "").split(",").filter(Boolean);
}

/** Returns the filter with a value added to those of a name, or removed from them. */
function toggled(filter: Filter, name: FilterName, value: string): Filter {
  const values = valuesOf(filter, name);
  const changed = values.includes(value) ? values.filter((each) => each !== value) : [...values, value];
  return { ...filter, [name]: changed.join(",") };
}

const classes = ["2xx", "4xx", "5xx", "broken"];
const failures = ["400", "401/403", "404", "409", "429", "5xx", "broken", "drift", "off-contract", "slow"];

/** Changes the filter, including what the user has typed and what has no effect yet. */
type ChangeFilter = (changed: (before: Filter) => Filter) => void;

/** The filter of the request list in one row: as a text, by status, and as a form. The URL holds it. */
export function FilterBar() {
  const route = useRoute();
  const { filter } = route;
  // The back button skips what was typed before.
  const { field, take } = useTyped(textOf(filter), (text) => {
    const changed = withConditions(filter, filterOf(text));
    navigate({ ...route, filter: changed }, { replace: isSet(filter) });
    return textOf(changed);
  });
  const change: ChangeFilter = (changed) => {
    const typed = take();
    const before = typed === undefined ? filter : withConditions(filter, filterOf(typed));
    navigate({ ...route, filter: changed(before) });
  };
  return (
    <search class="bar filters">
      <SearchField
        label="Search requests"
        placeholder="Search, or status:409 header:x-trace=…"
        title="Words in path, query, headers, decisions and bodies, and conditions: status, method, operation, source, rule, failure, header, changed, project, from, to"
        {...field}
      />
      <fieldset class="group" aria-label="Status">
        {classes.map((name) => (
          <button
            key={name}
            type="button"
            class="quiet"
            aria-pressed={valuesOf(filter, "status").includes(name)}
            onClick={() => change((before) => toggled(before, "status", name))}
          >
            {name}
          </button>
        ))}
      </fieldset>
      <Menu isForm label="Filter" text="+ Filter">
        {() => <FilterForm filter={filter} onChange={change} />}
      </Menu>
      {isSet(filter) && (
        <IconButton label="Clear filters" onClick={() => change((before) => withConditions(before, {}))} />
      )}
    </search>
  );
}

/** The conditions that have no button in the row. Each takes effect at once. */
function FilterForm({ filter, onChange }: { readonly filter: Filter; readonly onChange: ChangeFilter }) {
  const { project } = useSession();
  const operations = useContract().value ?? [];
  const field = (label: string, name: FilterName) => ({
    label,
    value: filter[name] ?? "",
    onChange: (value: string) => onChange((before) => ({ ...before, [name]: value.trim() })),
  });
  const choice = (label: string, name: FilterName, choices: readonly string[]) => {
    const { [name]: value = "" } = filter;
    // A link can select a value that is not among the choices, such as `scenario:conflict`.
    const all = value === "" || choices.includes(value) ? choices : [value, ...choices];
    return <SelectField {...field(label, name)} options={[["", "Any"], ...all]} />;
  };
  const check = (label: string, name: FilterName) => (
    <CheckField
      label={label}
      value={filter[name] === "true"}
      onChange={() => onChange((before) => toggled(before, name, "true"))}
    />
  );
  const ids = operations.map(({ id }) => id);
  return (
    <>
      {choice("Operation", "operation", ids)}
      {choice("Method", "method", [...new Set(operations.map(({ method }) => method))])}
      {choice("Source", "source", sourceKinds)}
      {choice("Failure", "failure", failures)}
      <TextField {...field("Header", "header")} placeholder="x-trace=t-7" />
      <TextField {...field("Rule or scenario", "rule")} placeholder="r-1" />
      <TextField {...field("Changed resource", "changed")} placeholder="my-id" />
      {project === undefined && <TextField {...field("Project", "project")} placeholder="a part of its key" />}
      {check("Violates the contract", "violations")}
      {check("Off contract", "offContract")}
    </>
  );
}
