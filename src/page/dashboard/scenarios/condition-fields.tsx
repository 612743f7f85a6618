import { useId, useRef, useState } from "preact/hooks";
import type { ApiOperation } from "../api/document.ts";
import {
  type Condition,
  canBeExact,
  canBePattern,
  conditionsOf,
  type Kind,
  kinds,
  placeOf,
  withoutCondition,
  withPattern,
} from "./conditions.ts";
import { pointerOf, withValue } from "./edit.ts";
import { TextField } from "./fields.tsx";
import { useForm } from "./form.ts";

const kindLabels: Readonly<Record<Kind, string>> = {
  parameter: "Path parameter",
  query: "Query parameter",
  header: "Header",
  body: "Body member",
  path: "Path",
  method: "Method",
};

/** The conditions of a rule: one row each, and a row to add one. */
export function ConditionFields({ operation }: { operation: ApiOperation | undefined }) {
  const { rule } = useForm();
  const list = useRef<HTMLUListElement>(null);
  const conditions = conditionsOf(rule);
  return (
    <>
      <ul class="plain conditions" ref={list} aria-label="Conditions">
        {conditions.map((condition) => (
          <Row key={pointerOf(condition.at)} condition={condition} />
        ))}
      </ul>
      {conditions.length === 0 && <p class="quiet">Every request of the operation matches.</p>}
      <Adding
        operation={operation}
        onAdded={(pointer) =>
          // The row exists after the next rendering.
          setTimeout(() =>
            list.current?.querySelector<HTMLElement>(`[data-at="${CSS.escape(pointer)}"] input`)?.focus(),
          )
        }
      />
    </>
  );
}

function Row({ condition }: { condition: Condition }) {
  const { rule, change } = useForm();
  const { kind, name, at, isPattern } = condition;
  const shown = kind === "body" && name === "" ? "Whole body" : name === "" ? kindLabels[kind] : name;
  const label = name === "" ? shown : `${kindLabels[kind]} ${name}`;
  return (
    <li class="condition" data-at={pointerOf(at)}>
      <span class="condition-name" title={label}>
        {name !== "" && <span class="quiet">{kindLabels[kind].split(" ", 1)[0]} </span>}
        <bdi>{shown}</bdi>
      </span>
      {canBePattern(condition) ? (
        <select
          aria-label={`Comparison of ${label}`}
          value={isPattern ? "matches" : "is"}
          onChange={(event) => change(withPattern(rule, condition, event.currentTarget.value === "matches"), at)}
        >
          <option value="is" disabled={!canBeExact(rule, condition)}>
            is
          </option>
          <option value="matches">matches</option>
        </select>
      ) : (
        <span>is</span>
      )}
      <TextField
        label={`Value of ${label}`}
        at={condition.valueAt}
        isJson={kind === "body" && !isPattern}
        placeholder={isPattern ? "Pattern (RE2)" : undefined}
        isBare
      />
      <button
        type="button"
        class="quiet icon"
        aria-label={`Remove the condition ${label}`}
        onClick={(event) => {
          const next = event.currentTarget.closest("fieldset")?.querySelector<HTMLElement>(".adding select");
          change(withoutCondition(rule, condition), at);
          next?.focus();
        }}
      >
        ✕
      </button>
    </li>
  );
}

interface AddingProps {
  readonly operation: ApiOperation | undefined;
  /** Called with the pointer of the new condition. */
  readonly onAdded: (pointer: string) => void;
}

function Adding({ operation, onAdded }: AddingProps) {
  const { rule, change } = useForm();
  const parameters = parametersOf(operation, "path").filter((name) => name !== "projectKey");
  const [chosen, setKind] = useState<Kind>();
  const kind = chosen ?? (parameters.length > 0 ? "parameter" : "query");
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string>();
  const id = useId();
  const isNamed = kind !== "path" && kind !== "method";
  const known = kind === "parameter" ? parameters : kind === "query" ? parametersOf(operation, "query") : [];
  // The name of the only path parameter needs no typing.
  const wanted = isNamed
    ? name.trim() || (kind === "parameter" && parameters.length === 1 ? (parameters[0] ?? "") : "")
    : "";
  const add = () => {
    const place = placeOf(rule, kind, wanted);
    if ("reason" in place) return setProblem(place.reason);
    change(withValue(rule, place.at, kind === "method" ? (operation?.method ?? "GET") : ""), place.at);
    setProblem(undefined);
    setName("");
    onAdded(pointerOf(place.at));
  };
  return (
    <div class="bar adding">
      <select
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
        <input
          class="mono"
          aria-label="Name of the part"
          list={id}
          value={name}
          placeholder={kind === "body" ? "/path/to/member" : wanted || "name"}
          onInput={(event) => setName(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            add();
          }}
        />
      )}
      <datalist id={id}>
        {known.map((each) => (
          <option key={each} value={each} />
        ))}
      </datalist>
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

function parametersOf(operation: ApiOperation | undefined, place: string): string[] {
  return operation?.parameters.filter((each) => each.in === place).map(({ name }) => name) ?? [];
}
