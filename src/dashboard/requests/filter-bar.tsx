import { useState } from "preact/hooks";
import { navigate, type Route } from "../route.ts";
import { type FilterName, isSet, toggled, valuesOf, withFilter } from "./filter.ts";

/** The status classes of the filter; `broken` is a connection that broke before a response. */
const classes = ["2xx", "4xx", "5xx", "broken"];

/** The search field and the filters of the request list. The URL holds their values. */
export function FilterBar({ route, operations }: { route: Route; operations: readonly string[] }) {
  const { filter } = route;
  const [text, setText] = useState(filter.q ?? "");
  const change = (changed: Route["filter"], options?: { replace: boolean }) =>
    navigate({ ...route, filter: changed }, options);
  const set = (name: FilterName, value: string) => change(withFilter(filter, name, value));
  return (
    <search class="bar filters">
      <input
        type="search"
        aria-label="Search requests"
        placeholder="Search path, query and bodies"
        value={text === filter.q ? filter.q : text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          change(withFilter(filter, "q", event.currentTarget.value.trim()), { replace: true });
        }}
      />
      <fieldset class="group" aria-label="Status">
        {classes.map((name) => (
          <button
            key={name}
            type="button"
            aria-pressed={valuesOf(filter, "status").includes(name)}
            onClick={() => change(toggled(filter, "status", name))}
          >
            {name}
          </button>
        ))}
      </fieldset>
      <select
        aria-label="Operation"
        value={filter.operation ?? ""}
        onChange={(event) => set("operation", event.currentTarget.value)}
      >
        <option value="">All operations</option>
        {operations.map((operation) => (
          <option key={operation}>{operation}</option>
        ))}
      </select>
      <select
        aria-label="Source"
        value={filter.source ?? ""}
        onChange={(event) => set("source", event.currentTarget.value)}
      >
        <option value="">All sources</option>
        {["state", "fixture", "generated", "scenario", "rule", "error"].map((source) => (
          <option key={source}>{source}</option>
        ))}
      </select>
      <button
        type="button"
        aria-pressed={filter.violations === "true"}
        onClick={() => set("violations", filter.violations === "true" ? "" : "true")}
      >
        Violations
      </button>
      <button
        type="button"
        aria-pressed={filter.offContract === "true"}
        onClick={() => set("offContract", filter.offContract === "true" ? "" : "true")}
      >
        Off contract
      </button>
      {isSet(filter) && (
        <button
          type="button"
          class="quiet"
          onClick={() => {
            setText("");
            change({});
          }}
        >
          Clear filters
        </button>
      )}
    </search>
  );
}
