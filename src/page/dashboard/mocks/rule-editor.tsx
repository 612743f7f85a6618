import { useLayoutEffect, useRef } from "preact/hooks";
import { isObject, jsonValue } from "../../../contract/index.ts";
import { type AddedRule, ControlError, type ProjectControl, type Rule } from "../../../control/client/index.ts";
import { type Session, useLoaded, useProject, useSession } from "../live/session.ts";
import { Form, Loading, PlainButton, unlessNotFound, useToasts } from "../parts/action.tsx";
import { useDraft } from "../parts/fields.tsx";
import { JsonEditor, type JsonProblem } from "../parts/json-editor.tsx";
import { counted, jsonProblem } from "../parts/text.tsx";
import { ruleOf } from "../request/copies.ts";
import { valueAt } from "./conditions.ts";
import { BodyField, ConditionFields } from "./rule-fields.tsx";
import { allowed, firstRule, RuleSentence } from "./rule-sentence.tsx";

interface FormProps {
  /** The id of the rule to edit, or `new`. */
  readonly rule?: string;
  /** The id of the request that a new rule begins with. */
  readonly request?: string;
  readonly onCancel: () => void;
  readonly onSaved: (saved: AddedRule) => void;
}

/** The form for a rule, which begins with a rule or a request. It keeps that as it was. */
export function RuleForm(props: FormProps) {
  const controls = useProject();
  const session = useSession();
  const start = useLoaded(() => initialOf(session, controls, props));
  return (
    <div class="panes">
      <div class="pane item">
        <Loading of={start} lines={12}>
          {(initial) => <RuleEditor {...{ ...props, initial }} />}
        </Loading>
      </div>
    </div>
  );
}

/** Returns what a form begins with. Throws an Error for the user if that is gone. */
async function initialOf(session: Session, controls: ProjectControl, { rule, request }: FormProps): Promise<Rule> {
  if (request) {
    const found = await controls.requests.get(request).catch(unlessNotFound);
    if (!found) throw new Error(`The journal no longer has the request ${request}.`);
    const made = ruleOf(found);
    if (made.reason !== undefined) throw new Error(`A rule cannot repeat this response: ${made.reason}.`);
    return { ...made.rule, times: 1 };
  }
  if (rule === "new") return firstRule(session, controls);
  const known = (await controls.rules.list()).find(({ id }) => id === rule);
  if (!known) throw new Error(`The project has no rule ${rule}.`);
  return known.rule;
}

/** A form for the first parts of a rule, and its JSON beside it. Each follows the other; saving sends the JSON. */
function RuleEditor({ rule: id = "new", request, initial, onCancel, onSaved }: FormProps & { readonly initial: Rule }) {
  const controls = useProject();
  const toasts = useToasts();
  const heading = useRef<HTMLHeadingElement>(null);
  const [text, setText, , settle] = useDraft(
    `${controls.key} rule ${request ?? id}`,
    JSON.stringify(initial, undefined, 2),
  );
  const parsed = jsonValue(text);
  const isValid = jsonProblem(text) === undefined && isObject(parsed);
  const lastValid = useRef<Rule>(initial);
  if (isValid) lastValid.current = parsed as Rule;
  const rule = lastValid.current;
  const checked = useLoaded(() => controls.rules.check(lastValid.current), ["request", "journal"]);
  useLayoutEffect(() => void checked.reload(), [text]);
  useLayoutEffect(() => heading.current?.focus(), []);
  const replaces = request || id === "new" ? undefined : id;

  const save = async () => {
    const saved = await controls.rule(rule);
    // Another client may have removed the old rule meanwhile.
    if (replaces !== undefined) await controls.rules.delete(replaces).catch(unlessNotFound);
    settle();
    toasts.show(replaces === undefined ? `Rule ${saved.id} is added` : `Rule ${saved.id} replaces ${replaces}`);
    onSaved(saved);
  };
  const cancel = () => {
    setText(undefined);
    onCancel();
  };
  const change = (next: unknown = {}) => setText(JSON.stringify(next, undefined, 2));
  const problems = isValid ? problemsOf(checked.error) : isObject(parsed) ? [] : [{ message: "expected an object" }];
  return (
    <Form
      isFooter
      run={save}
      submit={replaces === undefined ? "Add rule" : "Replace rule"}
      disabled={!isValid}
      more={<PlainButton onClick={cancel}>Cancel</PlainButton>}
    >
      <h2 ref={heading} tabIndex={-1}>
        {replaces === undefined ? "New rule" : `Edit ${replaces}`}
      </h2>
      <fieldset class="box rule-sentence" disabled={!isValid}>
        <legend class="hidden">Rule</legend>
        <RuleSentence
          rule={rule}
          onChange={async (next) => {
            change(next);
            if (valueAt(next, ["respond", "status"]) === rule.respond?.status) return;
            const { raw } = await allowed(controls, next as Rule);
            // The user may have changed the rule meanwhile.
            const { respond, ...others } = lastValid.current;
            if (raw) change({ ...others, raw });
          }}
        />
      </fieldset>
      <div class="mock-columns">
        <fieldset class="fields" disabled={!isValid}>
          <legend class="hidden">Conditions and body</legend>
          <ConditionFields rule={rule} onChange={change} />
          {rule.respond && <BodyField rule={rule} onChange={change} />}
        </fieldset>
        <div class="fields">
          {problems.length === 0 && isValid && checked.value && (
            <p class="quiet" role="status">
              Matches {checked.value.matched} of the last {counted(checked.value.requests, "request")}.
            </p>
          )}
          <JsonEditor label="JSON" value={text} onChange={setText} problems={problems} least={12} />
        </div>
      </div>
    </Form>
  );
}

/** Returns what the mock has found in a rule. Nothing for an error without a response: the banner reports that. */
function problemsOf(error: unknown): JsonProblem[] {
  if (!(error instanceof ControlError) || error.status === undefined) return [];
  const { errors, detail = "" } = error.problem;
  return errors?.map((each) => ({ pointer: each.pointer, message: each.detail })) ?? [{ message: detail }];
}
