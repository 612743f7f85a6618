import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { isObject } from "../../../contract/index.ts";
import { type AddedRule, ControlError, type Rule } from "../../../control/client/index.ts";
import { useContract } from "../live/contract.ts";
import { useProject } from "../live/session.ts";
import { isNotFound, messageOf, useAction } from "../parts/action.tsx";
import { useDraft } from "../parts/drafts.ts";
import { parsedJson } from "../parts/json-text.ts";
import { Loading } from "../parts/loading.tsx";
import { useToasts } from "../parts/toasts.tsx";
import { ConditionFields } from "./condition-fields.tsx";
import { isJsonText, pointerOf, valueAt, withValue } from "./edit.ts";
import { NumberField, SelectField } from "./fields.tsx";
import { FormContext, hiddenIn, placeOfError, placesOf, type RuleForm, useForm } from "./form.ts";
import { RuleEffects } from "./sequence-fields.tsx";

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

/** The text of the rule, and the texts of its fields for JSON. */
interface Draft {
  readonly text: string;
  readonly texts: Readonly<Record<string, string>>;
}

/** An invalid value in the rule. The pointer is empty for an error of the whole rule. */
interface RuleProblem {
  readonly pointer: string;
  readonly detail: string;
}

/** A form for a rule, and its JSON beside it. Each follows the other; saving sends the JSON. */
export function RuleEditor({ project, title, name, initial, replaces, notice, closeHref, onSaved }: EditorProps) {
  const controls = useProject(project);
  const contract = useContract();
  const toasts = useToasts();
  const action = useAction();
  const heading = useRef<HTMLHeadingElement>(null);
  const [problems, setProblems] = useState<readonly RuleProblem[]>([]);
  const [draft, setDraft, isChanged] = useDraft<Draft>(`${project} rule ${name}`, {
    text: JSON.stringify(initial, undefined, 2),
    texts: {},
  });
  const parsed = parsedRule(draft.text);
  const lastValid = useRef<unknown>(initial);
  if (parsed.rule) lastValid.current = parsed.rule;
  const rule = lastValid.current;

  useLayoutEffect(() => heading.current?.focus(), []);

  const save = async (event: Event) => {
    event.preventDefault();
    if (action.isInProgress) return;
    const invalid = parsed.rule ? invalidTexts(draft.texts, rule) : [{ pointer: "", detail: parsed.error }];
    setProblems(invalid);
    if (invalid.length > 0) return;
    let saved: AddedRule | undefined;
    await action.run(async () => {
      try {
        saved = await controls.rule(rule as Rule);
        if (replaces !== undefined) await controls.rules.remove(replaces);
      } catch (error) {
        // Another client may have removed the old rule meanwhile.
        if (!saved || !isNotFound(error)) setProblems(problemsOf(error));
      }
    });
    if (!saved) return;
    setDraft(undefined);
    toasts.show(replaces === undefined ? `Rule ${saved.id} is added` : `Rule ${saved.id} replaces ${replaces}`);
    onSaved(saved);
  };
  const discard = () => {
    setDraft(undefined);
    setProblems([]);
    heading.current?.focus();
  };
  const places = placesOf(rule);
  const messages = messagesByPlace(problems, places);
  const hidden = hiddenIn(rule);
  return (
    <form class="rule-editor" noValidate onSubmit={(event) => void save(event)}>
      <div class="title">
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <a href={closeHref}>Back to the list</a>
      </div>
      {notice && <p class="quiet">{notice}</p>}
      <div class="rule-columns">
        <Loading of={contract} lines={12}>
          {(operations) => {
            const form: RuleForm = {
              rule,
              operations,
              texts: draft.texts,
              change(next, at, text) {
                const texts = text === undefined ? draft.texts : { ...draft.texts, [pointerOf(at)]: text };
                setDraft({ text: JSON.stringify(next, undefined, 2), texts });
                setProblems(problems.filter(({ pointer }) => !`${pointer}/`.startsWith(`${pointerOf(at)}/`)));
              },
              errorsAt: (at) => messages.get(pointerOf(at)) ?? [],
            };
            return (
              <FormContext.Provider value={form}>
                <Fields isFollowing={parsed.rule !== undefined} />
              </FormContext.Provider>
            );
          }}
        </Loading>
        <Json
          text={draft.text}
          error={parsed.error}
          hidden={hidden}
          onChange={(text) => setDraft({ text, texts: {} })}
        />
      </div>
      {messages.has("") && (
        <p class="failure" role="alert">
          {messages.get("")?.join("\n")}
        </p>
      )}
      <div class="bar rule-actions">
        <button type="submit" class="primary" aria-disabled={action.isInProgress || undefined}>
          {replaces === undefined ? "Add rule" : "Replace rule"}
        </button>
        {isChanged && (
          <>
            <button type="button" onClick={discard}>
              Discard draft
            </button>
            <span class="quiet">Not saved yet. The draft stays while this tab is open.</span>
          </>
        )}
      </div>
    </form>
  );
}

/** The fields of a rule. They are disabled while its JSON is invalid. */
function Fields({ isFollowing }: { isFollowing: boolean }) {
  const { rule, operations, change } = useForm();
  const id = valueAt(rule, ["operation"]);
  const operation = operations.find((each) => each.id === id);
  const known = operations.map(
    ({ id, method, path }) => [id, `${id} · ${method} ${path.replace("/{projectKey}", "")}`] as const,
  );
  const isUnknown = typeof id === "string" && id !== "*" && !operation;
  return (
    <fieldset class="rule-fields" disabled={!isFollowing}>
      <legend class="hidden">Rule</legend>
      <h3>Requests</h3>
      <SelectField
        label="Operation"
        at={["operation"]}
        value={typeof id === "string" ? id : "*"}
        options={[["*", "Every operation"], ...known, ...(isUnknown ? [[id, id] as const] : [])]}
        onChange={(value) => change(withValue(rule, ["operation"], value), ["operation"])}
      />
      <fieldset class="rule-field">
        <legend>Conditions</legend>
        <ConditionFields key={operation?.id} operation={operation} />
      </fieldset>
      <h3>Effects</h3>
      <RuleEffects operation={operation} />
      <h3>Limits</h3>
      <NumberField label="Number of requests" at={["times"]} min={1} placeholder="no limit" />
      <NumberField label="Skip first" at={["after"]} placeholder="0" />
      <NumberField label="Probability" at={["probability"]} max={1} step="any" placeholder="1" />
    </fieldset>
  );
}

interface JsonProps {
  readonly text: string;
  readonly error: string | undefined;
  /** The pointers of the parts that have no field. */
  readonly hidden: readonly string[];
  readonly onChange: (text: string) => void;
}

/** The most pointers that are listed. */
const MAX_HIDDEN = 8;

function Json({ text, error, hidden, onChange }: JsonProps) {
  const id = useId();
  return (
    <div class="rule-json">
      <label for={id}>JSON</label>
      <textarea
        id={id}
        spellcheck={false}
        value={text}
        aria-invalid={error !== undefined || undefined}
        aria-describedby={error === undefined ? undefined : `${id}-error`}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
      {error !== undefined && (
        <p class="failure" id={`${id}-error`} role="alert">
          {error} The form follows when the JSON is valid.
        </p>
      )}
      {hidden.length > 0 && (
        <p class="notice">
          Only in the JSON, kept as it is: {hidden.slice(0, MAX_HIDDEN).join(", ")}
          {hidden.length > MAX_HIDDEN && ` and ${hidden.length - MAX_HIDDEN} more`}
        </p>
      )}
    </div>
  );
}

type Parsed =
  | { readonly rule: object; readonly error?: undefined }
  | { readonly rule?: undefined; readonly error: string };

function parsedRule(text: string): Parsed {
  try {
    const rule = parsedJson(text);
    return isObject(rule) ? { rule } : { error: "Expected a JSON object." };
  } catch (error) {
    return { error: `${(error as Error).message}.` };
  }
}

/** Returns the fields whose text is no JSON. Fields that the rule no longer has are ignored. */
function invalidTexts(texts: Draft["texts"], rule: unknown): RuleProblem[] {
  const places = placesOf(rule);
  return Object.entries(texts)
    .filter(([pointer, text]) => places.has(pointer) && !isJsonText(text))
    .map(([pointer]) => ({ pointer, detail: "Invalid JSON. The rule still has the last valid value." }));
}

function problemsOf(error: unknown): RuleProblem[] {
  const errors = error instanceof ControlError ? error.problem.errors : undefined;
  if (!Array.isArray(errors) || errors.length === 0) return [{ pointer: "", detail: messageOf(error) }];
  return errors.map(({ pointer = "", detail }) => ({ pointer, detail }));
}

/** Returns the messages by the pointer of the field that shows them; "" for those without a field. */
function messagesByPlace(problems: readonly RuleProblem[], places: ReadonlySet<string>): Map<string, string[]> {
  const messages = new Map<string, string[]>();
  for (const { pointer, detail } of problems) {
    const place = placeOfError(places, pointer) ?? "";
    // The field shows where the error is. Elsewhere, the message keeps its pointer.
    const text = place !== "" && place === pointer ? detail.replace(`${pointer}: `, "") : detail;
    messages.set(place, [...(messages.get(place) ?? []), text]);
  }
  return messages;
}
