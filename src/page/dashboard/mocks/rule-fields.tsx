/* The fields of a rule besides its sentence: conditions and body. */

import { useMemo, useRef, useState } from "preact/hooks";
import { capitalized } from "../../../contract/index.ts";
import { JSON_TYPE } from "../api/document.ts";
import { IconButton } from "../parts/action.tsx";
import { SelectField, TextField } from "../parts/fields.tsx";
import { Picker } from "../parts/search-list.tsx";
import {
  type At,
  type Condition,
  conditionsOf,
  isFree,
  labelOf,
  parts,
  placeOf,
  placesIn,
  pointerOf,
  readText,
  textOf,
  withValue,
} from "./conditions.ts";
import { type FieldsProps, useOperationOf } from "./rule-sentence.tsx";

export function ConditionFields({ rule, onChange }: FieldsProps) {
  const area = useRef<HTMLFieldSetElement>(null);
  const operation = useOperationOf(rule);
  const [typed, setTyped] = useState("");
  const known = useMemo(() => (operation ? placesIn(operation) : []), [operation]);
  // Requests can have parts that the contract does not name. The text of the choice contains what is typed.
  const own = typed.trim() === "" ? [] : Object.keys(parts).map((part) => placeOf(part, typed.trim()));
  const choices = [...known, ...own]
    .filter((at) => isFree(rule, at))
    .map((at) => ({ value: JSON.stringify(at), text: capitalized(labelOf(at)) }));
  const focusOn = (selector: string) => area.current?.querySelector<HTMLElement>(selector)?.focus();
  return (
    <fieldset ref={area}>
      <legend>Conditions</legend>
      <ul class="plain" aria-label="Conditions">
        {conditionsOf(rule).map((condition) => (
          <Row
            key={pointerOf(condition.at)}
            condition={condition}
            onChange={(value) => onChange(withValue(rule, condition.at, value))}
            onRemove={() => {
              onChange(withValue(rule, condition.at, undefined));
              focusOn(".picker > button");
            }}
          />
        ))}
      </ul>
      <Picker
        label="Add a condition"
        none="Add a condition…"
        placeholder="Part of the request, or a name"
        choices={[...new Map(choices.map((choice) => [choice.value, choice])).values()]}
        onText={setTyped}
        onChoose={(value) => {
          const at: At = JSON.parse(value);
          setTyped("");
          onChange(withValue(rule, at, ""));
          // The row exists after the next rendering.
          setTimeout(() => focusOn(`[data-at="${CSS.escape(pointerOf(at))}"] input`));
        }}
      />
    </fieldset>
  );
}

interface RowProps {
  readonly condition: Condition;
  readonly onChange: (value: unknown) => void;
  readonly onRemove: () => void;
}

function Row({ condition: { at, isPattern, value }, onChange, onRemove }: RowProps) {
  const [typed, setTyped] = useState("");
  const label = capitalized(labelOf(at));
  const isJson = at[1] === "body" && !isPattern;
  const read = (text: string) => (isJson ? readText(text) : text);
  const text = isJson ? textOf(value) : String(value);
  return (
    <li class="condition" data-at={pointerOf(at)}>
      <bdi>{label}</bdi>
      {typeof value === "object" ? (
        <code class="cut">{JSON.stringify(value)}</code>
      ) : (
        <>
          <SelectField
            label={`Comparison of ${label}`}
            isBare
            value={isPattern ? "matches" : "is"}
            options={["is", "matches"]}
            onChange={(comparison) => onChange(comparison === "is" ? value : { matches: String(value) })}
          />
          <TextField
            label={`Value of ${label}`}
            isBare
            // The text as typed stays while it has the same value, such as 1.0 on the way to 1.05.
            value={read(typed) === value ? typed : text}
            placeholder={isPattern ? "Pattern (RE2)" : undefined}
            onChange={(next) => {
              setTyped(next);
              onChange(isPattern ? { matches: next } : read(next));
            }}
          />
        </>
      )}
      <IconButton label={`Remove the condition ${label}`} onClick={onRemove} />
    </li>
  );
}

const OWN = "own body";

/** Which body a response of the contract has: that of a fixture, or one in the JSON of the rule. */
export function BodyField({ rule, onChange }: FieldsProps) {
  const { status, fixture, body, ...others } = rule.respond ?? { status: 0 };
  const content = useOperationOf(rule)?.responses.find(([declared]) => declared === String(status))?.[1].content;
  const examples = content?.[JSON_TYPE]?.examples ?? {};
  const names = new Set([...Object.keys(examples), fixture ?? "default"]);
  names.delete("default");
  const choose = (wanted: string) => {
    const own = { body: (examples[fixture ?? "default"] ?? Object.values(examples)[0])?.value ?? {} };
    const chosen = wanted === OWN ? own : wanted !== "" && { fixture: wanted };
    onChange({ ...rule, respond: { status, ...others, ...chosen } });
  };
  return (
    <SelectField
      label="Body"
      value={body === undefined ? (fixture ?? "") : OWN}
      onChange={choose}
      options={[
        ["", "From the fixture or the contract"],
        ...[...names].map((name) => [name, `As in the example ${name}`] as const),
        [OWN, "Own body, in the JSON"],
      ]}
    />
  );
}
