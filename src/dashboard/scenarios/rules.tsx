import type { Rule } from "../../client/types.ts";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { Button, Failure, useAction } from "../parts/action.tsx";
import { JsonForm } from "../parts/json-form.tsx";

const example: Rule = { operation: "getResourceById", times: 1, respond: { status: 503 } };

/** The rules of a project, and a form to add one. */
export function Rules({ project }: { project: string }) {
  const controls = useProject(project);
  const action = useAction();
  const rules = useLoaded(() => controls.rules.list(), on(project, "rules", "request", "journal"));
  return (
    <section>
      <h2>Rules</h2>
      <p class="quiet">Rules override scenarios. The newest rule applies first.</p>
      <Failure of={rules} />
      <Failure of={action} />
      {rules.value?.map(({ id, used, rule }) => (
        <div class="rule" key={id}>
          <pre>{JSON.stringify(rule, undefined, 2)}</pre>
          <p class="bar">
            <b>{id}</b> <span class="badge">used {used}×</span>
            <Button action={action} run={() => controls.rules.remove(id)} label={`Remove ${id}`}>
              Remove
            </Button>
          </p>
        </div>
      ))}
      <details>
        <summary>Add a rule</summary>
        <JsonForm
          draft={`${project} rule`}
          label="Rule"
          initial={example}
          submit="Add this rule"
          onSubmit={(rule) => controls.rule(rule as Rule)}
        />
      </details>
    </section>
  );
}
