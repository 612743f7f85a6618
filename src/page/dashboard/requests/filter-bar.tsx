import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { sourceKinds } from "../../../contract/index.ts";
import { useContract } from "../live/contract.ts";
import { Field } from "../parts/field.tsx";
import { Menu } from "../parts/menu.tsx";
import { navigate, type Route } from "../route.ts";
import { type Filter, type FilterName, filterOf, isSet, textOf, toggled, valuesOf, withConditions } from "./filter.ts";

/** The status classes of the filter; `broken` is a connection that broke before the response was complete. */
const classes = ["2xx", "4xx", "5xx", "broken"];
/** The failures of the coverage. */
const failures = ["400", "401/403", "404", "409", "429", "5xx", "broken", "drift", "off-contract", "slow"];
/** The pause of the user after which a text takes effect, in milliseconds. */
const TYPING_MS = 200;

/** The filter of the request list in one row: as a text, by status, and as a form. The URL holds it. */
export function FilterBar({ project, route }: { project: string | undefined; route: Route }) {
  const { filter } = route;
  const change = (changed: Filter) => navigate({ ...route, filter: changed });
  return (
    <search class="bar filters">
      <TextField route={route} />
      <fieldset class="group" aria-label="Status">
        {classes.map((name) => (
          <button
            key={name}
            type="button"
            class="quiet"
            aria-pressed={valuesOf(filter, "status").includes(name)}
            onClick={() => change(toggled(filter, "status", name))}
          >
            {name}
          </button>
        ))}
      </fieldset>
      <Menu isForm label="Filter" items={() => <Form project={project} filter={filter} onChange={change} />}>
        + Filter
      </Menu>
      {isSet(filter) && (
        <button
          type="button"
          class="quiet icon"
          aria-label="Clear filters"
          title="Clear filters"
          onClick={() => change(withConditions(filter, {}))}
        >
          ✕
        </button>
      )}
    </search>
  );
}

/** The whole filter as a text. It takes effect when the user pauses; the back button skips what was typed before. */
function TextField({ route }: { route: Route }) {
  const shown = textOf(route.filter);
  const [text, setText] = useState(shown);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** The text of the filter that this field has put into the URL; another one there comes from a link or a button. */
  const sent = useRef(shown);
  const latest = useRef(route);
  latest.current = route;

  useLayoutEffect(() => {
    if (shown !== sent.current) setText(shown);
    sent.current = shown;
  }, [shown]);
  useLayoutEffect(() => () => clearTimeout(timer.current), []);

  const apply = (text: string) => {
    clearTimeout(timer.current);
    const { current } = latest;
    const filter = withConditions(current.filter, filterOf(text));
    sent.current = textOf(filter);
    navigate({ ...current, filter }, { replace: isSet(current.filter) });
  };
  return (
    <input
      type="search"
      aria-label="Search requests"
      placeholder="Search, or status:409 header:x-trace=…"
      title="Words in path, query, headers, decisions and bodies, and conditions: status, method, operation, source, rule, failure, header, changed, project, from, to"
      spellcheck={false}
      value={text}
      onInput={({ currentTarget: { value } }) => {
        setText(value);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => apply(value), TYPING_MS);
      }}
      onKeyDown={({ key, currentTarget }) => key === "Enter" && apply(currentTarget.value)}
    />
  );
}

interface FormProps {
  readonly project: string | undefined;
  readonly filter: Filter;
  readonly onChange: (filter: Filter) => void;
}

/** The conditions that have no button in the row. Each takes effect at once. */
function Form({ project, filter, onChange }: FormProps) {
  const operations = useContract().value ?? [];
  const choice = (label: string, name: FilterName, choices: readonly string[]) => {
    const value = filter[name] ?? "";
    // A link can select a value that is not among the choices, such as `scenario:conflict`.
    const all = value === "" || choices.includes(value) ? choices : [value, ...choices];
    return (
      <Field label={label}>
        {(attributes) => (
          <select
            {...attributes}
            value={value}
            onChange={({ currentTarget }) => onChange({ ...filter, [name]: currentTarget.value })}
          >
            <option value="">Any</option>
            {all.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        )}
      </Field>
    );
  };
  const text = (label: string, name: FilterName, placeholder: string) => (
    <Field label={label}>
      {(attributes) => (
        <input
          {...attributes}
          placeholder={placeholder}
          value={filter[name] ?? ""}
          onChange={({ currentTarget }) => onChange({ ...filter, [name]: currentTarget.value.trim() })}
        />
      )}
    </Field>
  );
  const check = (label: string, name: FilterName) => (
    <label>
      <input
        type="checkbox"
        checked={filter[name] === "true"}
        onChange={() => onChange(toggled(filter, name, "true"))}
      />
      {label}
    </label>
  );
  return (
    <>
      {choice(
        "Operation",
        "operation",
        operations.map(({ id }) => id),
      )}
      {choice("Method", "method", [...new Set(operations.map(({ method }) => method))])}
      {choice("Source", "source", sourceKinds)}
      {choice("Failure", "failure", failures)}
      {text("Header", "header", "x-trace=t-7")}
      {text("Rule or scenario", "rule", "r-1")}
      {text("Changed resource", "changed", "my-id")}
      {project === undefined && text("Project", "project", "a part of its key")}
      {check("Violates the contract", "violations")}
      {check("Off contract", "offContract")}
    </>
  );
}
