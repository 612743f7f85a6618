import { isObject } from "../../../contract/index.ts";
import type { Rule } from "../../../control/client/index.ts";
import { type ApiOperation, JSON_TYPE } from "../api/document.ts";
import { NumberField, SelectField } from "../parts/fields.tsx";
import { valueAt, without, withValue } from "./conditions.ts";
import { effectsInWords, faults, safely } from "./words.ts";

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
          max={600_000}
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
    const plain = without(withValue(rule, ["respond", "body"], undefined), ["respond", "fixture"]);
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
