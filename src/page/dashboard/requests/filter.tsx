/* The filter of the request list: in the URL, as a text, as a query of the control API, and as a form. */

import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { sourceKinds } from "../../../contract/index.ts";
import type { FilterOfAll } from "../../../control/client/index.ts";
import { useOperationLines } from "../live/contract.ts";
import { IconButton } from "../parts/action.tsx";
import { SearchField, SelectField, TextField, useTyped } from "../parts/fields.tsx";
import { Icon } from "../parts/icon.tsx";
import { useOneStop } from "../parts/keyboard.tsx";
import { Menu } from "../parts/layout.tsx";
import { OperationPicker } from "../parts/operation-picker.tsx";
import { navigate, type Route, routeOf, useRoute } from "../route.ts";

/** The filter of the request list, as the URL holds it. The names are those of the control API. */
export type Filter = Route["filter"];

/** The names of all conditions, in the order of the text; `q` are the words without a name. */
const names =
  "status method operation source rule failure header changed project violations offContract from to q".split(" ");
/** What separates the values of a condition that can have several. */
const separators: Filter = { status: ",", operation: ",", source: ",", rule: ",", failure: ",", q: " " };
const classes = ["2xx", "4xx", "5xx", "broken"];

/** A status or a class of statuses. As a text, `409` also occurs in times and ids. */
const statusWord = /^([1-5]\d\d|[1-5]xx|broken)$/i;

/** A condition, such as `status:409` or `header:"x-trace=a b"`, or a word. */
const token = /(?:([a-z]+):)?((?:"[^"]*"|[^\s"])+)/gi;

/** Returns the filter of a text such as `409 header:x-trace=t-7 linen`. Unknown names are words. */
export function filterOf(text: string): Filter {
  const filter: Record<string, string> = {};
  for (const [whole, before, quoted = ""] of text.matchAll(token)) {
    const known = names.find((each) => each !== "q" && each.toLowerCase() === before?.toLowerCase());
    const name = known ?? (statusWord.test(whole) ? "status" : "q");
    const value = known ? quoted.replaceAll('"', "") : whole;
    const { [name]: first } = filter;
    filter[name] = first && separators[name] ? first + separators[name] + value : value;
  }
  return filter;
}

/** Returns the text of a filter, which `filterOf` reads. */
export function textOf(filter: Filter): string {
  return Object.entries(queryOf(filter))
    .map(([name, value]) => (name === "q" ? value : `${name}:${/\s/.test(value) ? `"${value}"` : value}`))
    .join(" ");
}

/** Returns the filter of the control API, without unknown names in the URL. The mock reports invalid values. */
export function queryOf(filter: Filter): FilterOfAll & Filter {
  return Object.fromEntries(names.flatMap((name) => (filter[name] ? [[name, filter[name]]] : [])));
}

export function isSet(filter: Filter): boolean {
  return names.some((name) => filter[name]);
}

/** Returns the filter of a route with other conditions; what else the URL holds stays. */
function withConditions({ tab = "", compare = "" }: Filter, conditions: Filter): Filter {
  return { tab, compare, ...conditions };
}

function statusesOf({ status = "" }: Filter): string[] {
  return status.split(",").filter(Boolean);
}

/**
 * The filter of the request list: as a text, by status, and as a form; the URL holds it. `found` is beside the search,
 * `children` are further controls of the toolbar. All buttons of the toolbar are one stop of the Tab key.
 */
export function FilterBar({ found, children }: Readonly<Record<"found" | "children", ComponentChildren>>) {
  const route = useRoute();
  const { filter } = route;
  const tools = useRef<HTMLDivElement>(null);
  useOneStop(tools, "[role=toolbar] > button, [role=toolbar] > .menu > button, .segments > button");
  // The back button skips what was typed before.
  const field = useTyped(textOf(filter), (text) => {
    const changed = withConditions(filter, filterOf(text));
    navigate({ ...route, filter: changed }, { replace: isSet(filter) });
    return textOf(changed);
  });
  // The URL may have a text that was typed since the last rendering.
  const change = (conditions: Filter) =>
    navigate({ ...route, filter: { ...routeOf(location.hash).filter, ...conditions } });
  const toggle = (name: string) => {
    const statuses = statusesOf(routeOf(location.hash).filter);
    const others = statuses.filter((each) => each !== name);
    change({ status: (others.length < statuses.length ? others : [...others, name]).join(",") });
  };
  return (
    <search class="bar filters" onKeyDown={leadToRows}>
      <SearchField
        label="Search requests"
        placeholder="Search, or status:409 header:x-trace=…"
        title={`Words in path, query, headers, decisions and bodies, and conditions: ${names.slice(0, -1).join(", ")}`}
        {...field}
      />
      {found}
      <div class="bar tools" role="toolbar" aria-label="Filter and list" ref={tools}>
        <fieldset class="segments" aria-label="Status">
          {classes.map((name) => (
            <button
              key={name}
              type="button"
              aria-pressed={statusesOf(filter).includes(name)}
              onClick={() => toggle(name)}
            >
              {name}
            </button>
          ))}
        </fieldset>
        <Menu isForm label="Filter" text={<Icon name="filter" />}>
          {() => <FilterForm filter={filter} onChange={(name, value) => change({ [name]: value.trim() })} />}
        </Menu>
        {isSet(filter) && (
          <IconButton
            label="Clear filters"
            onClick={() => navigate({ ...route, filter: withConditions(filter, {}) })}
          />
        )}
        {children}
      </div>
    </search>
  );
}

/** The arrow down in the search leads to the first row. */
function leadToRows(event: KeyboardEvent): void {
  const row = document.querySelector<HTMLElement>(".row-list a");
  if (event.key !== "ArrowDown" || !row || !(event.target as Element).matches("[type=search]")) return;
  event.preventDefault();
  row.focus();
}

interface FormProps {
  readonly filter: Filter;
  readonly onChange: (name: string, value: string) => void;
}

/** Conditions with a choice or a form of their own. Each takes effect at once. */
function FilterForm({ filter, onChange }: FormProps) {
  const methods = new Set(useOperationLines().value?.map(({ method }) => method));
  const field = (label: string, name: string) => ({
    label,
    value: filter[name] ?? "",
    onChange: (value: string) => onChange(name, value),
  });
  // A link can select a value that is not among the choices, such as `scenario:conflict`.
  const choices = (name: string, known: Iterable<string>) =>
    [...new Set([...known, filter[name] ?? ""])].filter(Boolean);
  return (
    <>
      <OperationPicker
        label="Operation"
        current={filter.operation ?? ""}
        others={[{ value: "", text: "Any operation" }]}
        onChoose={(value) => onChange("operation", value)}
      />
      <SelectField {...field("Method", "method")} options={[["", "Any"], ...choices("method", methods)]} />
      <SelectField {...field("Source", "source")} options={[["", "Any"], ...choices("source", sourceKinds)]} />
      <TextField {...field("Header", "header")} placeholder="x-trace=t-7" />
      <TextField {...field("Changed resource", "changed")} placeholder="its id" />
    </>
  );
}
