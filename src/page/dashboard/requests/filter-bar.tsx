import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { sourceKinds } from "../../../contract/index.ts";
import type { ApiOperation } from "../api/document.ts";
import { useContract } from "../live/contract.ts";
import { useNarrow } from "../parts/narrow.ts";
import { navigate, type Route } from "../route.ts";
import { type Filter, isSet, toggled, valuesOf, withFilter } from "./filter.ts";

/** The status classes of the filter; `broken` is a connection that broke before the response was complete. */
const classes = ["2xx", "4xx", "5xx", "broken"];
/** The failures of the coverage. */
const failures = ["400", "401/403", "404", "409", "429", "5xx", "broken", "drift", "off-contract", "slow"];
/** The pause of the user after which a search text takes effect, in milliseconds. */
const TYPING_MS = 200;

/** The search field and the filters of the request list. The URL holds their values. */
export function FilterBar({ route }: { route: Route }) {
  const { filter } = route;
  const contract = useContract();
  const operations = contract.value ?? [];
  const isNarrow = useNarrow();
  const [isOpen, setOpen] = useState(false);
  const change = (changed: Filter) => navigate({ ...route, filter: changed });
  return (
    <search class="bar filters">
      <SearchField route={route} />
      {isNarrow && (
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Filters
        </button>
      )}
      {(!isNarrow || isOpen) && <Choices filter={filter} operations={operations} onChange={change} />}
      {isSet(filter) && (
        <button type="button" class="quiet" onClick={() => change({})}>
          Clear filters
        </button>
      )}
    </search>
  );
}

interface ChoicesProps {
  readonly filter: Filter;
  readonly operations: readonly ApiOperation[];
  readonly onChange: (filter: Filter) => void;
}

function Choices({ filter, operations, onChange: change }: ChoicesProps) {
  return (
    <>
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
      <Choice
        label="Operation"
        all="All operations"
        value={filter.operation}
        choices={operations.map(({ id }) => id)}
        onChange={(operation) => change(withFilter(filter, { operation }))}
      />
      <Choice
        label="Method"
        all="All methods"
        value={filter.method}
        choices={[...new Set(operations.map(({ method }) => method))]}
        onChange={(method) => change(withFilter(filter, { method }))}
      />
      <Choice
        label="Source"
        all="All sources"
        value={filter.source}
        choices={sourceKinds}
        onChange={(source) => change(withFilter(filter, { source }))}
      />
      <Choice
        label="Failure"
        all="All failures"
        value={filter.failure}
        choices={failures}
        onChange={(failure) => change(withFilter(filter, { failure }))}
      />
      <fieldset class="group" aria-label="Contract">
        <button
          type="button"
          title="Requests that violate the contract"
          aria-pressed={filter.violations === "true"}
          onClick={() => change(toggled(filter, "violations", "true"))}
        >
          Violations
        </button>
        <button
          type="button"
          title="Responses that the contract does not allow, from the effect raw"
          aria-pressed={filter.offContract === "true"}
          onClick={() => change(toggled(filter, "offContract", "true"))}
        >
          Off contract
        </button>
      </fieldset>
    </>
  );
}

/** The search text. It takes effect when the user pauses; the back button skips what was typed before. */
function SearchField({ route }: { route: Route }) {
  const { q = "" } = route.filter;
  const [text, setText] = useState(q);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  /** The text that this field has put into the URL; another one there comes from a link or the back button. */
  const sent = useRef(q);
  const latest = useRef(route);
  latest.current = route;

  useLayoutEffect(() => {
    if (q !== sent.current) setText(q);
    sent.current = q;
  }, [q]);
  useLayoutEffect(() => () => clearTimeout(timer.current), []);

  const apply = (text: string) => {
    clearTimeout(timer.current);
    const { current } = latest;
    sent.current = text.trim();
    navigate({ ...current, filter: withFilter(current.filter, { q: text.trim() }) }, { replace: q !== "" });
  };
  return (
    <input
      type="search"
      aria-label="Search requests"
      placeholder="Search: 409, my-id, text in bodies"
      title="Words in path, query and bodies; a status such as 409 or 4xx selects by status"
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

interface ChoiceProps {
  readonly label: string;
  /** The text of the choice without a filter. */
  readonly all: string;
  readonly value: string | undefined;
  readonly choices: readonly string[];
  readonly onChange: (value: string) => void;
}

function Choice({ label, all, value = "", choices, onChange }: ChoiceProps) {
  // A link can select a value that is not among the choices, such as `scenario:conflict`.
  const shown = value === "" || choices.includes(value) ? choices : [value, ...choices];
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">{all}</option>
      {shown.map((choice) => (
        <option key={choice}>{choice}</option>
      ))}
    </select>
  );
}
