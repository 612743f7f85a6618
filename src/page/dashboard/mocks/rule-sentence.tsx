/* The most common parts of a rule as a sentence whose words are fields. */

import { useState } from "preact/hooks";
import { cut, MAX_DELAY_MS } from "../../../contract/index.ts";
import type { ProjectControl, Rule } from "../../../control/client/index.ts";
import { faults } from "../../../rules/index.ts";
import type { ApiOperation } from "../api/document.ts";
import { operationLines, useOperation, useOperationLines } from "../live/contract.ts";
import { type Session, useLoaded, useProject, useSession } from "../live/session.ts";
import { Form, Loading, PlainButton, useToasts } from "../parts/action.tsx";
import { NumberField, SelectField, useDraft } from "../parts/fields.tsx";
import { OperationPicker } from "../parts/operation-picker.tsx";
import { navigate, useRoute } from "../route.ts";
import { valueAt, withValue } from "./conditions.ts";

/** Adds a rule by a sentence. "More…" opens the form for all parts of a rule, with what was chosen. */
export function NextRequests() {
  const session = useSession();
  const controls = useProject();
  const route = useRoute();
  const toasts = useToasts();
  const first = useLoaded(() => firstRule(session, controls));
  const [chosen, setChosen] = useState<unknown>();
  const [, setDraft] = useDraft(`${controls.key} rule new`, "");
  const rule = (chosen ?? first.value) as Rule;
  const add = async () => {
    const { id } = await controls.rule(await allowed(controls, rule));
    toasts.show(`Rule ${id} is added`, () => controls.rules.delete(id));
  };
  const open = async () => {
    setDraft(JSON.stringify(await allowed(controls, rule), undefined, 2));
    navigate({ ...route, filter: { rule: "new" } });
  };
  return (
    <section class="box rule-sentence" aria-label="New rule">
      <Loading of={first} lines={1}>
        {() => (
          <Form run={add} submit="Add rule" more={<PlainButton onClick={open}>More…</PlainButton>}>
            <RuleSentence rule={rule} onChange={setChosen} />
          </Form>
        )}
      </Loading>
    </section>
  );
}

export interface FieldsProps {
  readonly rule: Rule;
  readonly onChange: (rule: unknown) => void;
}

/** The number of requests, the operation, the response and the delay of a rule. */
export function RuleSentence({ rule, onChange }: FieldsProps) {
  const { times, operation, latency } = rule;
  const delay = valueAt(latency, ["fixed"]);
  const set = (member: keyof Rule, value: unknown) => onChange(withValue(rule, [member], value));
  return (
    <div class="bar sentence">
      <span class="bar">
        The next
        <NumberField
          label="Number of requests"
          isBare
          value={times}
          min={1}
          placeholder="all"
          onChange={(next) => set("times", next)}
        />
        {times === 1 ? "request" : "requests"}
      </span>
      <span class="bar">
        of
        <OperationPicker
          label="Operation"
          current={typeof operation === "string" ? operation : "*"}
          others={[
            { value: "*", text: "Every operation" },
            { value: "token", text: "The token endpoint" },
          ]}
          onChoose={(id) => set("operation", id)}
        />
      </span>
      <span class="bar">
        get
        <ResponseField rule={rule} onChange={onChange} />
      </span>
      <span class="bar">
        after
        <NumberField
          label="Delay in seconds"
          isBare
          value={typeof delay === "number" ? delay / 1000 : delay}
          max={MAX_DELAY_MS / 1000}
          step="any"
          placeholder={latency && delay === undefined ? "random" : "0"}
          // JavaScript multiplies 0.57 by 100 to 56.99999999999999.
          onChange={(next) => set("latency", next === undefined ? undefined : { fixed: Math.round(next * 1000) })}
        />
        s
      </span>
    </div>
  );
}

/** Failures that clients often get, also from proxies, whether the contract names them or not. */
const usual: Readonly<Record<string, string>> = {
  429: "Too many requests",
  500: "Internal server error",
  502: "Bad gateway",
  503: "Service unavailable",
  504: "Gateway timeout",
};

const MAX_DESCRIPTION = 60;

/** A choice of the status, or of a broken connection. */
function ResponseField({ rule, onChange }: FieldsProps) {
  const { respond, raw, fault, conflict, sequence, ...others } = rule;
  const operation = useOperationOf(rule);
  const described = new Map(operation?.responses.map(([status, { description }]) => [status, description]));
  const current = String(respond?.status ?? raw?.status ?? fault ?? "");
  const known = new Set([...described.keys(), ...Object.keys(usual), current]);
  const wordsOf = (status: string) => {
    const [words = ""] = (described.get(status) ?? usual[status] ?? "").trim().split("\n", 1);
    const isOther = operation && !described.has(status) ? " (not in the contract)" : "";
    return `${status} ${cut(words, MAX_DESCRIPTION)}${isOther}`.trim();
  };
  const choose = (wanted: string) => {
    const effect = Object.hasOwn(faults, wanted) ? { fault: wanted } : { respond: { status: Number(wanted) } };
    onChange({ ...others, ...(wanted !== "" && effect) });
  };
  return (
    <SelectField
      label="Response"
      isBare
      value={current}
      onChange={choose}
      options={[
        ["", conflict || sequence ? "what the JSON says" : "the usual response"],
        ...[...known]
          .filter((status) => /^\d{3}$/.test(status))
          .sort()
          .map((status) => [status, wordsOf(status)] as const),
        ...Object.entries(faults).map(([name, words]) => [name, `a broken connection: the server ${words}`] as const),
      ]}
    />
  );
}

/** Loads the operation of a rule; undefined for every operation, and for an id that the contract does not have. */
export function useOperationOf({ operation }: Rule): ApiOperation | undefined {
  const { value: lines } = useOperationLines();
  return useOperation(lines?.some(({ id }) => id === operation) ? operation : undefined).value;
}

/** Returns the rule, with an off-contract response if the contract does not allow the status of its response. */
export async function allowed({ rules }: ProjectControl, rule: Rule): Promise<Rule> {
  const { respond, ...others } = rule;
  if (!respond) return rule;
  return rules.check({ operation: rule.operation, respond }).then(
    () => rule,
    () => ({ ...others, raw: { status: respond.status } }),
  );
}

/** Returns a rule whose operation is the one that the project used last, or else the first that reads an item. */
export async function firstRule(session: Session, controls: ProjectControl): Promise<Rule> {
  const { requests } = await controls.requests.page({ limit: 50, brief: true });
  const used = requests.find(({ operation }) => operation !== undefined)?.operation;
  const read = (await operationLines(session)).find(({ role }) => role.startsWith("reads "))?.id;
  return { operation: used ?? read ?? "*", times: 2, respond: { status: 503 } };
}
