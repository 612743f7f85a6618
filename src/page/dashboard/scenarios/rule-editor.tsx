import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { isObject } from "../../../contract/index.ts";
import type { AddedRule, Rule } from "../../../control/client/index.ts";
import { useContract } from "../live/contract.ts";
import { useProject } from "../live/session.ts";
import { Failure, isNotFound, useAction } from "../parts/action.tsx";
import { useDraft } from "../parts/drafts.ts";
import { SelectField } from "../parts/fields.tsx";
import { parsedJson } from "../parts/json-text.ts";
import { Loading } from "../parts/loading.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { ConditionFields } from "./condition-fields.tsx";
import { withValue } from "./edit.ts";
import { EffectFields } from "./effect-fields.tsx";
import { RuleCheck } from "./rule-check.tsx";
import { conditionsInWords, ruleInWords, safely } from "./words.ts";

interface EditorProps {
  readonly project: string;
  readonly title: string;
  /** The name of the draft within the project. */
  readonly name: string;
  readonly initial: Rule;
  /** The id of the rule that the new one replaces. */
  readonly replaces?: string;
  /** A remark on the initial rule. */
  readonly notice?: string;
  readonly closeHref: string;
  readonly onSaved: (saved: AddedRule) => void;
}

/** A form for the first parts of a rule, and its JSON beside it. Each follows the other; saving sends the JSON. */
export function RuleEditor({ project, title, name, initial, replaces, notice, closeHref, onSaved }: EditorProps) {
  const controls = useProject(project);
  const contract = useContract();
  const toasts = useToasts();
  const action = useAction();
  const heading = useRef<HTMLHeadingElement>(null);
  const [text, setText, isChanged] = useDraft(`${project} rule ${name}`, JSON.stringify(initial, undefined, 2));
  const parsed = parsedRule(text);
  const lastValid = useRef<Rule>(initial);
  if (parsed.rule) lastValid.current = parsed.rule;
  const rule = lastValid.current;
  useLayoutEffect(() => heading.current?.focus(), []);

  const save = async (event: Event) => {
    event.preventDefault();
    if (action.isInProgress || !parsed.rule) return;
    let saved: AddedRule | undefined;
    await action.run(async () => {
      saved = await controls.rule(rule);
      // Another client may have removed the old rule meanwhile.
      if (replaces !== undefined) await controls.rules.remove(replaces).catch(unlessNotFound);
    });
    if (!saved) return;
    setText(undefined);
    toasts.show(replaces === undefined ? `Rule ${saved.id} is added` : `Rule ${saved.id} replaces ${replaces}`);
    onSaved(saved);
  };
  const change = (next: unknown) => setText(JSON.stringify(next, undefined, 2));
  return (
    <form class="rule-editor" noValidate onSubmit={(event) => void save(event)}>
      <div class="title">
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <a href={closeHref}>Back to the list</a>
      </div>
      {notice && <p class="quiet">{notice}</p>}
      <p class="sentence">{safely(() => [ruleInWords(rule), conditionsInWords(rule)].filter(Boolean).join(" "))}.</p>
      {parsed.rule && <RuleCheck project={project} rule={rule} />}
      <div class="rule-columns">
        <Loading of={contract} lines={12}>
          {(operations) => {
            const operation = operations.find(({ id }) => id === rule.operation);
            const id = typeof rule.operation === "string" ? rule.operation : "*";
            return (
              <fieldset class="rule-fields" disabled={!parsed.rule}>
                <legend class="hidden">Rule</legend>
                <SelectField
                  label="Operation"
                  value={id}
                  options={[
                    ["*", "Every operation"],
                    ...operations.map(({ id, summary }) => [id, `${summary} (${id})`] as const),
                    ["token", "The token endpoint"],
                    ...(operation || id === "*" || id === "token" ? [] : [[id, id] as const]),
                  ]}
                  onChange={(value) => change(withValue(rule, ["operation"], value))}
                />
                <ConditionFields rule={rule} operation={operation} onChange={change} />
                <EffectFields {...{ rule, operation, operations }} onChange={change} />
              </fieldset>
            );
          }}
        </Loading>
        <Json text={text} error={parsed.error} onChange={setText} />
      </div>
      <Failure of={action} />
      <div class="bar rule-actions">
        <button type="submit" class="primary" aria-disabled={action.isInProgress || !parsed.rule || undefined}>
          {replaces === undefined ? "Add rule" : "Replace rule"}
        </button>
        {isChanged && (
          <>
            <button
              type="button"
              class="quiet"
              onClick={() => {
                setText(undefined);
                action.clear();
                heading.current?.focus();
              }}
            >
              Discard draft
            </button>
            <span class="quiet">Not saved yet. The draft stays while this tab is open.</span>
          </>
        )}
      </div>
    </form>
  );
}

interface JsonProps {
  readonly text: string;
  readonly error: string | undefined;
  readonly onChange: (text: string) => void;
}

function Json({ text, error, onChange }: JsonProps) {
  const id = useId();
  return (
    <div class="rule-json">
      <label for={id}>JSON</label>
      <textarea
        class="mono"
        id={id}
        spellcheck={false}
        value={text}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {error !== undefined && (
        <p class="failure" id={`${id}-error`} role="alert">
          {error}. The form follows when the JSON is valid.
        </p>
      )}
    </div>
  );
}

type Parsed =
  | { readonly rule: Rule; readonly error?: undefined }
  | { readonly rule?: undefined; readonly error: string };

function parsedRule(text: string): Parsed {
  try {
    const rule = parsedJson(text);
    return isObject(rule) ? { rule } : { error: "Expected a JSON object" };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

function unlessNotFound(error: unknown): void {
  if (!isNotFound(error)) throw error;
}
