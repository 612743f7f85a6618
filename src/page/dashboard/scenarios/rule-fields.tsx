/* The fields of a rule: its conditions and its effects. */

import { useRef, useState } from "preact/hooks";
import { isObject, MAX_DELAY_MS } from "../../../contract/index.ts";
import type { Rule } from "../../../control/client/index.ts";
import { faults } from "../../../rules/index.ts";
import { type ApiOperation, JSON_TYPE } from "../api/document.ts";
import { Failure, IconButton } from "../parts/action.tsx";
import { NumberField, SelectField, TextField } from "../parts/fields.tsx";
import {
  type At,
  bodyMembers,
  type Condition,
  conditionsOf,
  isNamed,
  type Kind,
  kinds,
  placeOf,
  pointerOf,
  readText,
  textOf,
  valueAt,
  withCondition,
  withValue,
} from "./conditions.ts";
import { effectsInWords, safely } from "./words.ts";

interface ConditionsProps {
  readonly rule: unknown;
  readonly operation: ApiOperation | undefined;
  readonly onChange: (rule: unknown) => void;
}

export function ConditionFields({ rule, operation, onChange }: ConditionsProps) {
  const area = useRef<HTMLFieldSetElement>(null);
  const focusOn = (selector: string) => area.current?.querySelector<HTMLElement>(selector)?.focus();
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
    <fieldset class="conditions" ref={area}>
      <legend>Conditions</legend>
      <ul class="plain" aria-label="Conditions">
        {conditionsOf(rule).map((condition) => (
          <Row
            key={pointerOf(condition.at)}
            condition={condition}
            suggestions={valuesOf(condition)}
            onChange={(value, asPattern) => onChange(withCondition(rule, condition, value, asPattern))}
            onRemove={() => {
              onChange(withValue(rule, condition.at, undefined));
              focusOn(":scope > .bar select");
            }}
          />
        ))}
      </ul>
      <Adding
        key={operation?.id}
        rule={rule}
        names={names}
        onAdd={(at, kind) => {
          onChange(withValue(rule, at, kind === "method" ? (operation?.method ?? "GET") : ""));
          // The row exists after the next rendering.
          setTimeout(() => focusOn(`[data-at="${CSS.escape(pointerOf(at))}"] input`));
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
  const { label: part } = kinds[kind];
  const label = name === "" ? (kind === "body" ? "Whole body" : part) : `${part} ${name}`;
  const read = (text: string) => (kind === "body" && !isPattern ? readText(text) : text);
  // The text as typed stays while it has the same value, such as 1.0 on the way to 1.05.
  const isTyped = typed !== undefined && textOf(read(typed)) === textOf(value);
  // Only the JSON of the rule can change a list of values, and the condition of a missing value.
  const isFixed = kind !== "body" && typeof value === "object";
  return (
    <li class="bar condition" data-at={pointerOf(at)}>
      <bdi class="cut" title={label}>
        {name === "" ? label : `${part.split(" ", 1)[0]} ${name}`}
      </bdi>
      <select
        aria-label={`Comparison of ${label}`}
        value={isPattern ? "matches" : "is"}
        disabled={isFixed || kind === "method" || at.at(-1) === "matches"}
        onChange={(event) => onChange(value, event.currentTarget.value === "matches")}
      >
        <option value="is">is</option>
        <option value="matches">matches</option>
      </select>
      {isFixed ? (
        <code class="cut">{textOf(value)}</code>
      ) : (
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
      )}
      <IconButton label={`Remove the condition ${label}`} onClick={onRemove} />
    </li>
  );
}

interface AddingProps {
  readonly rule: unknown;
  readonly names: Partial<Record<Kind, readonly string[]>>;
  readonly onAdd: (at: At, kind: Kind) => void;
}

function Adding({ rule, names, onAdd }: AddingProps) {
  const [chosen, setKind] = useState<Kind>();
  const kind = chosen ?? (names.parameter?.length ? "parameter" : "query");
  const [name, setName] = useState("");
  const [problem, setProblem] = useState<string>();
  const known = names[kind] ?? [];
  // The name of the only path parameter needs no typing.
  const only = kind === "parameter" && known.length === 1 ? known[0] : undefined;
  const add = () => {
    const place = placeOf(rule, kind, isNamed(kind) ? name.trim() || (only ?? "") : "");
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
      <SelectField
        label="Part of the request"
        isBare
        value={kind}
        options={Object.entries(kinds).map(([kind, { label }]) => [kind, label] as const)}
        onChange={(chosen) => setKind(chosen as Kind)}
      />
      {isNamed(kind) && (
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
      <Failure of={{ error: problem }} />
    </div>
  );
}

interface EffectsProps {
  readonly rule: Rule;
  readonly operation: ApiOperation | undefined;
  readonly operations: readonly ApiOperation[];
  readonly onChange: (rule: unknown) => void;
}

const OWN = "own body";

export function EffectFields({ rule, operation, operations, onChange }: EffectsProps) {
  const { sequence, latency } = rule;
  const isFixed = latency === undefined || (isObject(latency) && "fixed" in latency);
  const set = (name: "times" | "after" | "probability") => (value: number | undefined) =>
    onChange(withValue(rule, [name], value));
  return (
    <>
      {Array.isArray(sequence) ? (
        <p class="notice">{sequence.length} responses, one for each request. Edit them in the JSON.</p>
      ) : (
        <ResponseFields {...{ rule, operation, operations, onChange }} />
      )}
      {isFixed ? (
        <NumberField
          label="Delay (ms)"
          value={valueAt(latency, ["fixed"])}
          max={MAX_DELAY_MS}
          placeholder="none"
          onChange={(fixed) => onChange(withValue(rule, ["latency"], fixed === undefined ? undefined : { fixed }))}
        />
      ) : (
        <p class="quiet">Each {safely(() => effectsInWords({ latency }))}. Edit the delay in the JSON.</p>
      )}
      <fieldset class="bar">
        <legend>How often</legend>
        <NumberField label="Times" value={rule.times} min={1} placeholder="always" onChange={set("times")} />
        <NumberField label="Skip first" value={rule.after} placeholder="0" onChange={set("after")} />
        <NumberField
          label="Probability"
          value={rule.probability}
          max={1}
          step="any"
          placeholder="1"
          onChange={set("probability")}
        />
      </fieldset>
    </>
  );
}

function ResponseFields({ rule, operation, operations, onChange }: EffectsProps) {
  const { respond, raw, fault, conflict, ...others } = rule;
  const declared = (operation ? [operation] : operations).flatMap(({ responses }) => responses);
  const descriptions = new Map(declared.map(([status, { description }]) => [status, description]));
  const statuses = [...new Set([...descriptions.keys(), ...(respond ? [String(respond.status)] : [])])].sort();
  // Only these two methods name the version that they expect.
  const canConflict = conflict !== undefined || !operation || /^(POST|DELETE)$/.test(operation.method);
  const kind = respond ? `${respond.status}` : raw ? "raw" : (fault ?? (conflict ? "conflict" : ""));
  const choose = (wanted: string) => {
    const { status: _status, fixture: _fixture, body: _body, ...kept } = respond ?? { status: 0 };
    if (wanted === "") onChange(others);
    else if (wanted === "raw") onChange({ ...others, raw: { status: 502 } });
    else if (wanted === "conflict") onChange({ ...others, conflict: true });
    else if (Object.hasOwn(faults, wanted)) onChange({ ...others, fault: wanted });
    else onChange({ ...others, respond: { status: Number(wanted), ...kept } });
  };
  return (
    <>
      <SelectField
        label="Response"
        value={kind}
        onChange={choose}
        options={[
          ["", "As usual"],
          ...statuses.map(
            (status) => [status, `${status} ${operation ? (descriptions.get(status) ?? "") : ""}`] as const,
          ),
          ...(canConflict ? [["conflict", "Another client writes first"] as const] : []),
          ...Object.entries(faults).map(([name, words]) => [name, `The server ${words}`] as const),
          ["raw", "Any other status, off contract"],
        ]}
      />
      {respond && <BodyField rule={rule} operation={operation} onChange={onChange} />}
      {raw && (
        <NumberField
          label="Status"
          value={raw.status}
          min={200}
          max={599}
          onChange={(status) => onChange(withValue(rule, ["raw", "status"], status ?? null))}
        />
      )}
    </>
  );
}

/** Which body a response of the contract has: that of a fixture, or one in the JSON of the rule. */
function BodyField({ rule, operation, onChange }: Pick<EffectsProps, "rule" | "operation" | "onChange">) {
  const { status, fixture, body } = rule.respond ?? {};
  const content = operation?.responses.find(([declared]) => declared === String(status))?.[1].content;
  const examples = content?.[JSON_TYPE]?.examples ?? {};
  const variants = [...new Set([...Object.keys(examples), ...(fixture === undefined ? [] : [fixture])])].filter(
    (name) => name !== "default",
  );
  const set = (wanted: string) => {
    const plain = withValue(withValue(rule, ["respond", "body"], undefined), ["respond", "fixture"], undefined);
    const example = examples[fixture ?? "default"]?.value ?? {};
    if (wanted === OWN) onChange(withValue(plain, ["respond", "body"], example));
    else onChange(wanted === "" ? plain : withValue(plain, ["respond", "fixture"], wanted));
  };
  return (
    <SelectField
      label="Body"
      value={body === undefined ? (fixture ?? "") : OWN}
      onChange={set}
      options={[
        ["", "From the fixture"],
        ...variants.map((name) => [name, `From the fixture, variant ${name}`] as const),
        [OWN, "Own body, in the JSON"],
      ]}
    />
  );
}
