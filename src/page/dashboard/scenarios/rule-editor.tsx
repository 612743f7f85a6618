import { useLayoutEffect, useRef } from "preact/hooks";
import { isObject, jsonValue } from "../../../contract/index.ts";
import type { AddedRule, ProjectControl, Rule } from "../../../control/client/index.ts";
import { type ApiOperation, readOf } from "../api/document.ts";
import { contractOf, useLoaded, useProject, useSession } from "../live/session.ts";
import { Failure, Form, Loading, PlainButton, unlessNotFound, useAction, useToasts } from "../parts/action.tsx";
import { SelectField, TextArea, useDraft } from "../parts/fields.tsx";
import { counted, jsonProblem } from "../parts/text.tsx";
import { ruleOf } from "../request/copies.ts";
import { hrefOf } from "../route.ts";
import { textOf, withValue } from "./conditions.ts";
import { ConditionFields, EffectFields } from "./rule-fields.tsx";
import { conditionsInWords, ruleInWords, safely } from "./words.ts";

interface FormProps {
  readonly closeHref: string;
  readonly onSaved: (saved: AddedRule) => void;
}

/** The form for a rule, which begins with a rule, a request or a resource. It keeps that as it was. */
export function RuleForm({ closeHref, onSaved, ...source }: FormProps & Source) {
  const controls = useProject();
  const session = useSession();
  const start = useLoaded(async () => {
    const operations = await contractOf(session);
    return { operations, found: await startOf(controls, readOf(operations), source) };
  });
  return (
    <div class="view rule-view">
      <Loading of={start} lines={12}>
        {({ found, operations }) =>
          typeof found === "string" ? (
            <p>
              {found} <a href={closeHref}>Back to the list</a>
            </p>
          ) : (
            <RuleEditor {...{ ...found, operations, closeHref, onSaved }} />
          )
        }
      </Loading>
    </div>
  );
}

interface Source {
  /** `new`, or the id of the rule to edit. */
  readonly rule?: string;
  /** The id of a request: the rule matches it and returns its response. */
  readonly request?: string;
  /** The id of a resource: the rule returns it as it is now. */
  readonly resource?: string;
}

/** What a form begins with. The name is that of its draft. */
interface Start {
  readonly title: string;
  readonly name: string;
  readonly initial: Rule;
  readonly replaces?: string;
  readonly notice?: string;
}

/** Returns the contents of a new form, or a text that says what is missing. */
async function startOf(controls: ProjectControl, read: string | undefined, source: Source): Promise<Start | string> {
  const { rule = "new", request, resource } = source;
  if (request) {
    const found = await controls.requests.get(request).catch(unlessNotFound);
    if (!found) return `The journal no longer has the request ${request}.`;
    const made = ruleOf(found);
    if (made.reason !== undefined) return `A rule cannot repeat this response: ${made.reason}.`;
    const from = `From ${found.request.method} ${found.request.path}, status ${found.response.status}.`;
    const notice = `${from} Remove the conditions that the rule does not need.`;
    return { name: `request ${request}`, title: "Rule from a request", notice, initial: { ...made.rule, times: 1 } };
  }
  if (resource) {
    const found = await controls.resources.get(resource).catch(unlessNotFound);
    if (!found) return `The project has no resource ${resource}.`;
    const notice = "Every read gets the resource as it is now. Change the body in the JSON.";
    const { id, key, createdAt, lastModifiedAt, createdBy, ...body } = found;
    const initial: Rule = { operation: read, when: { path: { id } }, respond: { status: 200, body } };
    return { name: `resource ${resource}`, title: "Rule from a resource", notice, initial };
  }
  const initial: Rule = { operation: read, times: 1, respond: { status: 503 } };
  if (rule === "new") return { name: rule, title: "New rule", initial };
  const known = (await controls.rules.list()).find(({ id }) => id === rule);
  if (!known) return `The project has no rule ${rule}.`;
  const notice = "The edited rule gets a new id, starts to count again, and applies first.";
  return { name: rule, initial: known.rule, title: `Edit ${rule}`, replaces: rule, notice };
}

/** A form for the first parts of a rule, and its JSON beside it. Each follows the other; saving sends the JSON. */
function RuleEditor({ closeHref, onSaved, ...start }: FormProps & Start & { operations: readonly ApiOperation[] }) {
  const { title, name, initial, replaces, notice, operations } = start;
  const controls = useProject();
  const toasts = useToasts();
  const action = useAction();
  const heading = useRef<HTMLHeadingElement>(null);
  const [text, setText, isChanged, settle] = useDraft(
    `${controls.key} rule ${name}`,
    JSON.stringify(initial, undefined, 2),
  );
  const parsed = jsonValue(text);
  const error = jsonProblem(text) ?? (isObject(parsed) ? undefined : "Expected a JSON object");
  const lastValid = useRef<Rule>(initial);
  if (error === undefined) lastValid.current = parsed as Rule;
  const rule = lastValid.current;
  useLayoutEffect(() => heading.current?.focus(), []);

  const save = async () => {
    const saved = await controls.rule(rule);
    // Another client may have removed the old rule meanwhile.
    if (replaces !== undefined) await controls.rules.delete(replaces).catch(unlessNotFound);
    settle();
    toasts.show(replaces === undefined ? `Rule ${saved.id} is added` : `Rule ${saved.id} replaces ${replaces}`);
    onSaved(saved);
  };
  const discard = () => {
    setText(undefined);
    action.clear();
    heading.current?.focus();
  };
  const change = (next: unknown = {}) => setText(JSON.stringify(next, undefined, 2));
  const operation = operations.find(({ id }) => id === rule.operation);
  const id = typeof rule.operation === "string" ? rule.operation : "*";
  const others = operation || id === "*" || id === "token" ? [] : [id];
  const known = operations.map(({ id, summary }) => [id, `${summary} (${id})`] as const);
  return (
    <Form
      class="rule-editor"
      run={save}
      action={action}
      submit={replaces === undefined ? "Add rule" : "Replace rule"}
      disabled={error !== undefined}
      more={
        isChanged && (
          <>
            <PlainButton onClick={discard}>Discard draft</PlainButton>
            <span class="quiet">Not saved yet. The draft stays while this tab is open.</span>
          </>
        )
      }
    >
      <div class="title">
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <a href={closeHref}>Back to the list</a>
      </div>
      {notice && <p class="quiet">{notice}</p>}
      <p class="sentence">{safely(() => [ruleInWords(rule), conditionsInWords(rule)].filter(Boolean).join(" "))}.</p>
      {error === undefined && <RuleCheck rule={rule} />}
      <div class="rule-columns">
        <fieldset class="fields" disabled={error !== undefined}>
          <legend class="hidden">Rule</legend>
          <SelectField
            label="Operation"
            value={id}
            options={[["*", "Every operation"], ...known, ["token", "The token endpoint"], ...others]}
            onChange={(value) => change(withValue(rule, ["operation"], value))}
          />
          <ConditionFields rule={rule} operation={operation} onChange={change} />
          <EffectFields {...{ rule, operation, operations }} onChange={change} />
        </fieldset>
        <div class="fields">
          <TextArea label="JSON" rows={[8, 60]} value={text} isInvalid={error !== undefined} onChange={setText} />
          <Failure of={{ error: error && `${error}. The form follows when the JSON is valid.` }} />
        </div>
      </div>
    </Form>
  );
}

/** The time after the last change until the rule is checked, in milliseconds. */
const PAUSE_MS = 250;

/** Says what is wrong with a rule, or which of the recorded requests it matches. Follows the text as the user types. */
function RuleCheck({ rule }: { readonly rule: Rule }) {
  const { key: project, rules } = useProject();
  const checked = useLoaded(() => rules.check(rule), ["request", "journal"]);
  // The last result stays while the user types.
  useLayoutEffect(() => {
    const timer = setTimeout(checked.reload, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [JSON.stringify(rule)]);
  if (checked.error !== undefined) return <Failure of={checked} />;
  if (!checked.value) return <p class="quiet">Checking…</p>;
  const { requests, matched, nearest } = checked.value;
  return (
    <div class="notice calm" role="status">
      <p>
        {requests === 0
          ? "No requests are recorded yet."
          : `Matches ${matched} of the last ${counted(requests, "request")}.`}
      </p>
      {nearest && (
        <p>
          Nearest miss:{" "}
          <a href={hrefOf({ project, item: nearest.request.id })}>
            {nearest.request.request.method} {nearest.request.request.path}
          </a>
          {nearest.differences.slice(0, 3).map(({ pointer, expected, actual }) => (
            <span key={pointer}>
              , <code>{pointer}</code>: expected {textOf(expected)}, found{" "}
              {actual === undefined ? "nothing" : textOf(actual)}
            </span>
          ))}
        </p>
      )}
    </div>
  );
}
