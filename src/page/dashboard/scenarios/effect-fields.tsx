import { useRef, useState } from "preact/hooks";
import { isObject } from "../../../contract/index.ts";
import { requestSettings } from "../../../state/index.ts";
import type { ApiOperation, ResponseObject } from "../api/document.ts";
import { type At, renamed, valueAt, without, withValue } from "./edit.ts";
import { BodyField, CheckField, NumberField, SelectField, TextField } from "./fields.tsx";
import { delayKindOf, delayKinds, responseKinds, useForm } from "./form.ts";
import { faults } from "./words.ts";

interface EffectsProps {
  /** The place of the effects: the rule itself, or a step of its sequence. */
  readonly at: At;
  /** The operation of the rule; undefined for every operation. */
  readonly operation: ApiOperation | undefined;
}

const none = ["", "As usual"] as const;

/** The effects of a rule, or of a step in its sequence. */
export function EffectFields({ at, operation }: EffectsProps) {
  const { rule, change } = useForm();
  const effects = valueAt(rule, at);
  const kind = responseKinds.find((each) => valueAt(effects, [each]) !== undefined) ?? "";
  const set = (wanted: string) => change(withValue(rule, at, withResponse(effects, wanted, operation)), at);
  return (
    <>
      <SelectField
        label="Response"
        at={[...at, "response"]}
        value={kind}
        onChange={set}
        options={[
          none,
          ["respond", "A response of the contract"],
          ["raw", "An off-contract response"],
          ["fault", "A broken connection"],
        ]}
      />
      {kind === "respond" && <ContractResponse at={[...at, "respond"]} operation={operation} />}
      {kind === "raw" && <OffContractResponse at={[...at, "raw"]} />}
      {kind === "fault" && (
        <SelectField
          label="The server"
          at={[...at, "fault"]}
          value={String(valueAt(effects, ["fault"]))}
          options={Object.entries(faults)}
          onChange={(value) => change(withValue(rule, [...at, "fault"], value), [...at, "fault"])}
        />
      )}
      <DelayFields at={[...at, "latency"]} />
      <OtherEffects at={at} operation={operation} />
    </>
  );
}

/** Returns the effects with another kind of response. Status, headers and body stay, if the new kind can have them. */
function withResponse(effects: unknown, wanted: string, operation: ApiOperation | undefined): unknown {
  const { respond, raw, fault: _fault, ...others } = (effects ?? {}) as Record<string, unknown>;
  const { status, headers, body } = (respond ?? raw ?? {}) as Record<string, unknown>;
  const kept = { ...(headers !== undefined && { headers }), ...(body !== undefined && { body }) };
  if (wanted === "respond") {
    const statuses = statusesOf(operation ? [operation] : []);
    const isDeclared = statuses.length === 0 || statuses.includes(Number(status));
    return {
      ...others,
      respond: { status: isDeclared ? (status ?? 503) : (statuses.find((each) => each >= 500) ?? 200), ...kept },
    };
  }
  if (wanted === "raw") return { ...others, raw: { status: status ?? 502, ...kept } };
  return wanted === "fault" ? { ...others, fault: "CONNECTION_RESET_BY_PEER" } : others;
}

/** Returns the statuses that operations declare, in ascending order. */
function statusesOf(operations: readonly ApiOperation[]): number[] {
  const statuses = new Set(operations.flatMap(({ responses }) => responses.map(([status]) => Number(status))));
  return [...statuses].sort((a, b) => a - b);
}

/** Returns the bodies of a response by the name of their fixture variant. */
function examplesOf(operation: ApiOperation | undefined, status: unknown): Record<string, unknown> {
  const examples = responseOf(operation, status)?.content?.["application/json"]?.examples ?? {};
  return Object.fromEntries(Object.entries(examples).map(([name, { value }]) => [name, value]));
}

const OWN = "own body";

function ContractResponse({ at, operation }: EffectsProps) {
  const { rule, change, operations } = useForm();
  const respond = valueAt(rule, at);
  const [status, fixture] = [valueAt(respond, ["status"]), valueAt(respond, ["fixture"])];
  const hasBody = isObject(respond) && Object.hasOwn(respond, "body");
  const statuses = statusesOf(operation ? [operation] : operations);
  const shown = typeof status === "number" && !statuses.includes(status) ? [...statuses, status] : statuses;
  const examples = examplesOf(operation, status);
  const variants = [...new Set([...Object.keys(examples), ...(typeof fixture === "string" ? [fixture] : [])])].filter(
    (name) => name !== "default",
  );
  const set = (name: string, value: unknown) => change(withValue(rule, [...at, name], value), [...at, name]);
  const setBody = (wanted: string) => {
    const { body: _body, fixture: _fixture, ...others } = (respond ?? {}) as Record<string, unknown>;
    const example = examples[typeof fixture === "string" ? fixture : "default"] ?? {};
    const more = wanted === OWN ? { body: example } : wanted === "" ? {} : { fixture: wanted };
    change(withValue(rule, at, { ...others, ...more }), [...at, wanted === OWN ? "body" : "fixture"]);
  };
  return (
    <>
      <SelectField
        label="Status"
        at={[...at, "status"]}
        value={String(status ?? "")}
        options={shown.map((each) => [String(each), `${each} ${descriptionOf(operation, each)}`])}
        onChange={(value) => set("status", Number(value))}
      />
      <SelectField
        label="Body"
        at={[...at, "fixture"]}
        value={hasBody ? OWN : typeof fixture === "string" ? fixture : ""}
        options={[
          ["", "From the fixture"],
          ...variants.map((name) => [name, `From the fixture, variant ${name}`] as const),
          [OWN, "Own body"],
        ]}
        onChange={setBody}
      />
      {hasBody && <BodyField label="Response body (JSON)" at={[...at, "body"]} isJson />}
      <HeaderFields at={[...at, "headers"]} />
    </>
  );
}

function descriptionOf(operation: ApiOperation | undefined, status: number): string {
  return responseOf(operation, status)?.description ?? "";
}

function responseOf(operation: ApiOperation | undefined, status: unknown): ResponseObject | undefined {
  return operation?.responses.find(([declared]) => declared === String(status))?.[1];
}

/** The kinds of bodies that an off-contract response can have, with the value for a new one. */
const rawBodies = { "": {}, text: { body: "" }, json: { body: {} }, base64: { bodyBase64: "" } } as const;

function OffContractResponse({ at }: { at: At }) {
  const { rule, change } = useForm();
  const raw = valueAt(rule, at);
  const { body, bodyBase64, ...others } = (raw ?? {}) as Record<string, unknown>;
  const kind =
    body !== undefined ? (typeof body === "string" ? "text" : "json") : bodyBase64 === undefined ? "" : "base64";
  return (
    <>
      <NumberField label="Status" at={[...at, "status"]} min={200} max={599} />
      <SelectField
        label="Body"
        at={[...at, "bodyKind"]}
        value={kind}
        options={[
          ["", "No body"],
          ["text", "Text, such as HTML"],
          ["json", "JSON"],
          ["base64", "Bytes (base64)"],
        ]}
        onChange={(wanted) =>
          change(withValue(rule, at, { ...others, ...rawBodies[wanted as keyof typeof rawBodies] }), [...at, "body"])
        }
      />
      {kind === "text" && <BodyField label="Response body" at={[...at, "body"]} isJson={false} />}
      {kind === "json" && <BodyField label="Response body (JSON)" at={[...at, "body"]} isJson />}
      {kind === "base64" && <BodyField label="Response body (base64)" at={[...at, "bodyBase64"]} isJson={false} />}
      <HeaderFields at={[...at, "headers"]} />
    </>
  );
}

/** The headers of a response. The value of a header is text, or a value from the request. */
function HeaderFields({ at }: { at: At }) {
  const { rule, change } = useForm();
  const [name, setName] = useState("");
  const list = useRef<HTMLDivElement>(null);
  const headers = valueAt(rule, at);
  const entries = isObject(headers) ? Object.entries(headers) : [];
  const add = () => {
    const wanted = name.trim();
    if (wanted === "" || entries.some(([each]) => each === wanted)) return;
    change(withValue(rule, [...at, wanted], ""), [...at, wanted]);
    setName("");
    // The row exists after the next rendering.
    setTimeout(() => list.current?.querySelector<HTMLElement>(".condition:last-of-type .rule-field input")?.focus());
  };
  return (
    <div class="rule-field" ref={list}>
      <span class="rule-label">Headers</span>
      <div>
        <ul class="plain conditions" aria-label="Response headers">
          {entries.map(([header, value]) => {
            const place = [...at, header];
            const isFromRequest = isObject(value) && Object.hasOwn(value, "$from");
            return (
              <li class="condition" key={header}>
                <input
                  class="mono condition-name"
                  aria-label={`Name of the header ${header}`}
                  value={header}
                  onChange={({ currentTarget }) => {
                    const next = currentTarget.value.trim();
                    if (next === "" || entries.some(([each]) => each === next)) currentTarget.value = header;
                    else change(renamed(rule, place, next), place);
                  }}
                />
                <select
                  aria-label={`Kind of the header ${header}`}
                  value={isFromRequest ? "from" : "is"}
                  onChange={(event) =>
                    change(
                      withValue(rule, place, event.currentTarget.value === "from" ? { $from: "/uuid" } : ""),
                      place,
                    )
                  }
                >
                  <option value="is">is</option>
                  <option value="from">from request</option>
                </select>
                <TextField
                  label={`Value of the header ${header}`}
                  at={isFromRequest ? [...place, "$from"] : place}
                  placeholder={isFromRequest ? "/path/id" : undefined}
                  isBare
                />
                <button
                  type="button"
                  class="quiet icon"
                  aria-label={`Remove the header ${header}`}
                  onClick={() => {
                    change(without(rule, place), place);
                    list.current?.querySelector<HTMLElement>(".adding input")?.focus();
                  }}
                >
                  ✕
                </button>
              </li>
            );
          })}
        </ul>
        <div class="bar adding">
          <input
            class="mono"
            aria-label="Name of a new header"
            placeholder="Retry-After"
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
            onKeyDown={(event) => {
              if (event.key !== "Enter") return;
              event.preventDefault();
              add();
            }}
          />
          <button type="button" onClick={add}>
            Add header
          </button>
        </div>
      </div>
    </div>
  );
}

const delayLabels = {
  "": none[1],
  none: "No delay, also if the project has one",
  fixed: "Fixed",
  uniform: "Random, evenly distributed",
  lognormal: "Random, like a real network",
};
const newDelays = {
  "": undefined,
  none: null,
  fixed: { fixed: 1000 },
  uniform: { uniform: [50, 500] },
  lognormal: { lognormal: { median: 100, sigma: 0.5 } },
};

function DelayFields({ at }: { at: At }) {
  const { rule, change } = useForm();
  const kind = delayKindOf(valueAt(rule, at));
  if (kind === "other") return null;
  return (
    <>
      <SelectField
        label="Delay"
        at={at}
        value={kind}
        options={delayKinds.map((each) => [each, delayLabels[each]])}
        onChange={(wanted) => {
          const next = newDelays[wanted as keyof typeof newDelays];
          change(next === undefined ? without(rule, at) : withValue(rule, at, next), at);
        }}
      />
      {kind === "fixed" && <NumberField label="Milliseconds" at={[...at, "fixed"]} max={600_000} />}
      {kind === "uniform" && (
        <>
          <NumberField label="From (ms)" at={[...at, "uniform", 0]} max={600_000} />
          <NumberField label="To (ms)" at={[...at, "uniform", 1]} max={600_000} />
        </>
      )}
      {kind === "lognormal" && (
        <>
          <NumberField label="Median (ms)" at={[...at, "lognormal", "median"]} max={600_000} />
          <NumberField label="Sigma" at={[...at, "lognormal", "sigma"]} max={10} step="any" />
        </>
      )}
    </>
  );
}

/** The rarer effects, closed unless the rule has one of them. */
function OtherEffects({ at, operation }: EffectsProps) {
  const { rule, change } = useForm();
  const effects = valueAt(rule, at);
  const isSet = ["conflict", "evolve", "chunkedDribbleDelay", "settings"].some(
    (name) => valueAt(effects, [name]) !== undefined,
  );
  const [wasSet] = useState(isSet);
  const dribble = [...at, "chunkedDribbleDelay"];
  // Only these two operations name the version that they expect.
  const canConflict = operation === undefined || operation.method === "POST" || operation.method === "DELETE";
  return (
    <details open={wasSet || undefined}>
      <summary>Concurrent write, evolved or slow body, settings</summary>
      {(canConflict || valueAt(effects, ["conflict"]) !== undefined) && (
        <CheckField label="Another client writes first" at={[...at, "conflict"]} value={true} />
      )}
      <CheckField label="Evolve the JSON body" at={[...at, "evolve"]} value={true} />
      <CheckField label="Send the body slowly" at={dribble} value={{ numberOfChunks: 5, totalDuration: 1000 }} />
      {valueAt(rule, dribble) !== undefined && (
        <>
          <NumberField label="Chunks" at={[...dribble, "numberOfChunks"]} min={1} max={1000} />
          <NumberField label="Duration (ms)" at={[...dribble, "totalDuration"]} max={600_000} />
        </>
      )}
      {Object.entries(requestSettings).map(([name, schema]) => {
        const place = [...at, "settings", name];
        if (!("enum" in schema)) return <NumberField key={name} label={name} at={place} step="any" isAlone />;
        return (
          <SelectField
            key={name}
            label={name}
            at={place}
            value={String(valueAt(rule, place) ?? "")}
            options={[["", "As in the project"], ...schema.enum.map((value) => [value, value] as const)]}
            onChange={(value) => change(value === "" ? without(rule, place) : withValue(rule, place, value), place)}
          />
        );
      })}
    </details>
  );
}
