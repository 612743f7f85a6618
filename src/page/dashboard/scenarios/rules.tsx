import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { AddedRule } from "../../../control/client/index.ts";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { Button, Failure, useAction } from "../parts/action.tsx";
import { JsonView } from "../parts/json-view.tsx";
import { Loading } from "../parts/loading.tsx";
import { focusNeighbour } from "../parts/neighbour.ts";
import { useToasts } from "../parts/toasts.tsx";
import { hrefOf, type Route } from "../route.ts";
import { conditionsInWords, limitOf, ruleInWords, usesInWords } from "./words.ts";

interface RulesProps {
  readonly project: string;
  readonly route: Route;
  /** The id of the rule that gets the focus. */
  readonly shown: string | undefined;
}

/** The rules of a project, newest first, and a link to the form for a new one. */
export function Rules({ project, route, shown }: RulesProps) {
  const controls = useProject(project);
  const rules = useLoaded(() => controls.rules.list(), on(project, "rules", "request", "journal"), [project]);
  const toasts = useToasts();
  const action = useAction();
  const formOf = (rule: string) => hrefOf({ ...route, filter: { ...route.filter, rule } });
  const clear = async () => {
    // The list on the page may be older.
    const removed = await controls.rules.list();
    await controls.rules.clear();
    // The newest rule is the first of the list, and is added last.
    toasts.show("All rules are removed", async () => {
      for (const { rule } of removed.toReversed()) await controls.rule(rule);
    });
  };
  const failReads = async () => {
    const { id } = await controls.rule({ operation: "getResourceById", times: 2, respond: { status: 503 } });
    toasts.show("The next 2 reads by id get 503", () => controls.rules.remove(id));
  };
  return (
    <section aria-labelledby="rules-title">
      <div class="title">
        <h2 id="rules-title">Rules</h2>
        {rules.value && rules.value.length > 1 && (
          <Button action={action} run={clear} kind="quiet">
            Remove all
          </Button>
        )}
        <Button action={action} run={failReads} kind="quiet">
          Fail the next 2 reads
        </Button>
        <a class="button primary" href={formOf("new")}>
          New rule
        </a>
      </div>
      <p class="quiet">Rules override scenarios. The newest rule applies first.</p>
      <Failure of={action} />
      {shown && rules.value?.every(({ id }) => id !== shown) && <p>The project has no rule {shown} now.</p>}
      <Loading of={rules} lines={2}>
        {(list) =>
          list.length === 0 ? (
            <p>No rules.</p>
          ) : (
            <ul class="plain items">
              {list.map((added) => (
                <RuleItem key={added.id} project={project} added={added} formOf={formOf} isShown={shown === added.id} />
              ))}
            </ul>
          )
        }
      </Loading>
    </section>
  );
}

interface RuleItemProps {
  readonly project: string;
  readonly added: AddedRule;
  /** Returns the URL of the form for a rule; see `Scenarios`. */
  readonly formOf: (rule: string) => string;
  /** Whether a link or the form has led to this rule. */
  readonly isShown: boolean;
}

function RuleItem({ project, added: { id, used, rule }, formOf, isShown }: RuleItemProps) {
  const controls = useProject(project);
  const toasts = useToasts();
  const action = useAction();
  const edit = useRef<HTMLAnchorElement>(null);
  useLayoutEffect(() => {
    if (isShown) edit.current?.focus();
  }, [isShown]);
  const limit = limitOf(rule);
  const isUsedUp = limit !== undefined && used >= limit;
  const conditions = conditionsInWords(rule);
  const remove = async (button: Element) => {
    const isDone = await action.run(() => controls.rules.remove(id));
    if (!isDone) return;
    focusNeighbour(button, "button");
    toasts.show(`Rule ${id} is removed`, () => controls.rule(rule));
  };
  return (
    <li class={isUsedUp ? "item-row used-up" : "item-row"} data-open={isShown || undefined}>
      <div class="item-text">
        <p>
          <b>{ruleInWords(rule)}</b>{" "}
          <span class="badge">{isUsedUp ? `used up, ${used} of ${limit}` : usesInWords(used, limit)}</span>
        </p>
        <p class="quiet">
          <span class="id">{id}</span> {conditions || "for every request"}
        </p>
        <Source of={rule} label={`JSON of ${id}`} />
        <Failure of={action} />
      </div>
      <div class="bar item-actions">
        <a ref={edit} href={formOf(id)} aria-label={`Edit ${id}`}>
          Edit
        </a>
        <a href={formOf(`copy-${id}`)} aria-label={`Duplicate ${id}`}>
          Duplicate
        </a>
        <button
          type="button"
          class="quiet"
          aria-label={`Remove ${id}`}
          aria-disabled={action.isInProgress || undefined}
          onClick={(event) => void remove(event.currentTarget)}
        >
          Remove
        </button>
      </div>
    </li>
  );
}

/** The JSON of a rule, shown on demand. */
export function Source({ of, label }: { of: unknown; label: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary aria-label={label}>JSON</summary>
      {isOpen && <JsonView value={of} label={label} />}
    </details>
  );
}
