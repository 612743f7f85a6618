import { useRef, useState } from "preact/hooks";
import type { ApiOperation } from "../api/document.ts";
import { IconButton } from "../parts/action.tsx";
import { TextField } from "../parts/fields.tsx";
import {
  bodyMembers,
  type Condition,
  conditionsOf,
  type Kind,
  kinds,
  placeOf,
  pointerOf,
  readText,
  textOf,
  withCondition,
  without,
  withValue,
} from "./conditions.ts";

const kindLabels: Readonly<Record<Kind, string>> = {
  parameter: "Path parameter",
  query: "Query parameter",
  header: "Header",
  body: "Body member",
  path: "Path",
  method: "Method",
};

interface ConditionsProps {
  readonly rule: unknown;
  readonly operation: ApiOperation | undefined;
  readonly onChange: (rule: unknown) => void;
}

export function ConditionFields({ rule, operation, onChange }: ConditionsProps) {
  const list = useRef<HTMLUListElement>(null);
  const adding = useRef<HTMLSelectElement>(null);
  const members = operation ? bodyMembers(operation) : new Map<string, readonly string[]>();
  const parametersOf = (place: string) =>
    operation?.parameters.filter(({ name, in: at }) => at === place && name !== "projectKey") ?? [];
  const valuesOf = ({ kind, name }: Condition) => {
    if (kind === "body") return members.get(name) ?? [];
    const parameter = parametersOf(kind === "parameter" ? "path" : kind).find((each) => each.name === name);
    return parameter?.schema?.enum?.map(String) ?? [];
  };
  const names: Partial<Record<Kind, readonly string[]>> = {
    parameter: parametersOf("path").map(({ name }) => name),
    query: parametersOf("query").map(({ name }) => name),
    body: [...members.keys()],
  };
  return (
    <fieldset class="conditions">
      <legend>Conditions</legend>
      <ul class="plain" ref={list} aria-label="Conditions">
        {conditionsOf(rule).map((condition) => (
          <Row
            key={pointerOf(condition.at)}
            condition={condition}
            suggestions={valuesOf(condition)}
            onChange={(value, asPattern) => onChange(withCondition(rule, condition, value, asPattern))}
            onRemove={() => {
              onChange(without(rule, condition.at));
              adding.current?.focus();
            }}
          />
        ))}
      </ul>
      <Adding
        key={operation?.id}
        rule={rule}
        names={names}
        field={adding}
        onAdd={(at, kind) => {
          onChange(withValue(rule, at, kind === "method" ? (operation?.method ?? "GET") : ""));
          // The row exists after the next rendering.
          setTimeout(() =>
            list.current?.querySelector<HTMLElement>(`[data-at="${CSS.escape(pointerOf(at))}"] input`)?.focus(),
          );
        }}
      />
    </fieldset>
  );
}

interface RowProps {
  readonly condition: Condition;
  readonly suggestions: readonly string[];
  readonly onChange: (value: unknown, asPattern: boolean) => void;
  readonly onRemove: () => void;
}

function Row({ condition: { kind, name, at, isPattern, value }, suggestions, onChange, onRemove }: RowProps) {
  const [typed, setTyped] = useState<string>();
  const label = name === "" ? (kind === "body" ? "Whole body" : kindLabels[kind]) : `${kindLabels[kind]} ${name}`;
  const read = (text: string) => (kind === "body" && !isPattern ? readText(text) : text);
  // The text as typed stays while it has the same value, such as 1.0 on the way to 1.05.
  const isTyped = typed !== undefined && textOf(read(typed)) === textOf(value);
  return (
    <li class="condition" data-at={pointerOf(at)}>
      <bdi class="cut" title={label}>
        {name === "" ? label : `${kindLabels[kind].split(" ", 1)[0]} ${name}`}
      </bdi>
      <select
        aria-label={`Comparison of ${label}`}
        value={isPattern ? "matches" : "is"}
        disabled={kind === "method" || at.at(-1) === "matches"}
        onChange={(event) => onChange(value, event.currentTarget.value === "matches")}
      >
        <option value="is">is</option>
        <option value="matches">matches</option>
      </select>
      <TextField
        label={`Value of ${label}`}
        value={isTyped ? typed : kind === "body" && !isPattern ? textOf(value) : String(value)}
        placeholder={isPattern ? "Pattern (RE2)" : undefined}
        suggestions={suggestions}
        onChange={(text) => {
          setTyped(text);
          onChange(read(text), isPattern);
        }}
        isBare
      />
      <IconButton label={`Remove the condition ${label}`} onClick={onRemove} />
    </li>
  );
}

interface AddingProps {
  readonly rule: unknown;
  readonly names: Partial<Record<Kind, readonly string[]>>;
  readonly field: { current: HTMLSelectElement | null };
  readonly onAdd: (at: readonly (string | number)[], kind: Kind) => void;
}

function Adding({ rule, names, field, onAdd }: AddingProps) {
  const [chosen, setKind] = useState<Kind>();
  const kind = chosen ?? (names.parameter?.length ? "parameter" : "query");
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string>();
  const isNamed = kind !== "path" && kind !== "method";
  const known = names[kind] ?? [];
  // The name of the only path parameter needs no typing.
  const only = kind === "parameter" && known.length === 1 ? known[0] : undefined;
  const add = () => {
    const place = placeOf(rule, kind, isNamed ? name.trim() || (only ?? "") : "");
    setProblem("reason" in place ? place.reason : undefined);
    if ("reason" in place) return;
    setName("");
    onAdd(place.at, kind);
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: Enter in the field does the same as the button.
    <div
      class="bar"
      onKeyDown={(event) => {
        if (event.key !== "Enter" || !(event.target instanceof HTMLInputElement)) return;
        event.preventDefault();
        add();
      }}
    >
      <select
        ref={field}
        aria-label="Part of the request"
        value={kind}
        onChange={(event) => setKind(event.currentTarget.value as Kind)}
      >
        {kinds.map((each) => (
          <option key={each} value={each}>
            {kindLabels[each]}
          </option>
        ))}
      </select>
      {isNamed && (
        <TextField
          label="Name of the part"
          value={name}
          placeholder={kind === "body" ? "/path/to/member" : (only ?? "name")}
          suggestions={known}
          onChange={setName}
          isBare
        />
      )}
      <button type="button" onClick={add}>
        Add condition
      </button>
      {problem && (
        <p class="failure" role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
