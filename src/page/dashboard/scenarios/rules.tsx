import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import type { AddedRule, Rule } from "../../../control/client/index.ts";
import { useLoaded, useProject } from "../live/session.ts";
import { Button, Failure, Loading, useAction, useToasts } from "../parts/action.tsx";
import { focusNeighbour } from "../parts/keyboard.tsx";
import { Item } from "../parts/layout.tsx";
import { Fold, JsonView } from "../parts/text.tsx";
import { hrefOf, type Route } from "../route.ts";
import { conditionsInWords, limitOf, ruleInWords, usesInWords } from "./words.ts";

/** The rules of a project, newest first, and a link to the form for a new one. */
export function Rules({ route, shown }: { readonly route: Route; readonly shown: string | undefined }) {
  const controls = useProject();
  const rules = useLoaded(() => controls.rules.list(), ["rules", "request", "journal"]);
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
      <Loading of={rules} lines={2} none={<p>No rules.</p>}>
        {(list) => (
          <ul class="plain items">
            {list.map((added) => (
              <RuleItem key={added.id} added={added} formOf={formOf} isShown={shown === added.id} />
            ))}
          </ul>
        )}
      </Loading>
    </section>
  );
}

interface RuleItemProps {
  readonly added: AddedRule;
  /** Returns the URL of the form for a rule; see `Scenarios`. */
  readonly formOf: (rule: string) => string;
  /** Whether a link or the form has led to this rule. */
  readonly isShown: boolean;
}

function RuleItem({ added, formOf, isShown }: RuleItemProps) {
  const { id, rule } = added;
  const controls = useProject();
  const toasts = useToasts();
  const edit = useRef<HTMLAnchorElement>(null);
  useLayoutEffect(() => {
    if (isShown) edit.current?.focus();
  }, [isShown]);
  const remove = async () => {
    await controls.rules.remove(id);
    focusNeighbour(edit.current);
    toasts.show(`Rule ${id} is removed`, () => controls.rule(rule));
  };
  return (
    <RuleRow rule={rule} added={added} label={`JSON of ${id}`} isShown={isShown}>
      <a ref={edit} class="button quiet" href={formOf(id)} aria-label={`Edit ${id}`}>
        Edit
      </a>
      <Button run={remove} label={`Remove ${id}`} kind="quiet">
        Remove
      </Button>
    </RuleRow>
  );
}

interface RuleRowProps {
  readonly rule: Rule;
  readonly added?: AddedRule;
  readonly label: string;
  readonly isShown?: boolean;
  readonly children?: ComponentChildren;
}

/** A rule in words, and its JSON on demand. */
export function RuleRow({ rule, added, label, isShown, children }: RuleRowProps) {
  return (
    <Item
      isOpen={isShown}
      isUsedUp={added && added.used >= (limitOf(rule) ?? Number.POSITIVE_INFINITY)}
      title={
        <>
          <b>{ruleInWords(rule)}</b> {added && <span class="badge">{usesInWords(added.used, limitOf(rule))}</span>}
        </>
      }
      about={
        <>
          {added && <code>{added.id}</code>} {conditionsInWords(rule) || "for every request"}
        </>
      }
      more={
        <Fold title="JSON" label={label}>
          {() => <JsonView value={rule} label={label} />}
        </Fold>
      }
    >
      {children}
    </Item>
  );
}
