import { sourceKinds } from "../../../contract/index.ts";
import { useContract } from "../live/contract.ts";
import { useSession } from "../live/session.ts";
import { IconButton } from "../parts/action.tsx";
import { CheckField, SearchField, SelectField, TextField, useTyped } from "../parts/fields.tsx";
import { Menu } from "../parts/menu.tsx";
import { navigate, useRoute } from "../route.ts";
import { type Filter, type FilterName, filterOf, isSet, textOf, toggled, valuesOf, withConditions } from "./filter.ts";

const classes = ["2xx", "4xx", "5xx", "broken"];
const failures = ["400", "401/403", "404", "409", "429", "5xx", "broken", "drift", "off-contract", "slow"];

/** The filter of the request list in one row: as a text, by status, and as a form. The URL holds it. */
export function FilterBar() {
  const route = useRoute();
  const { filter } = route;
  const change = (changed: Filter) => navigate({ ...route, filter: changed });
  // The back button skips what was typed before.
  const typed = useTyped(textOf(filter), (text) => {
    const changed = withConditions(filter, filterOf(text));
    navigate({ ...route, filter: changed }, { replace: isSet(filter) });
    return textOf(changed);
  });
  return (
    <search class="bar filters">
      <SearchField
        label="Search requests"
        placeholder="Search, or status:409 header:x-trace=…"
        title="Words in path, query, headers, decisions and bodies, and conditions: status, method, operation, source, rule, failure, header, changed, project, from, to"
        {...typed}
      />
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
      <Menu isForm label="Filter" text="+ Filter">
        {() => <FilterForm filter={filter} onChange={change} />}
      </Menu>
      {isSet(filter) && <IconButton label="Clear filters" onClick={() => change(withConditions(filter, {}))} />}
    </search>
  );
}

/** The conditions that have no button in the row. Each takes effect at once. */
function FilterForm({ filter, onChange }: { readonly filter: Filter; readonly onChange: (filter: Filter) => void }) {
  const { project } = useSession();
  const operations = useContract().value ?? [];
  const field = (label: string, name: FilterName) => ({
    label,
    value: filter[name] ?? "",
    onChange: (value: string) => onChange({ ...filter, [name]: value.trim() }),
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
      onChange={() => onChange(toggled(filter, name, "true"))}
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
