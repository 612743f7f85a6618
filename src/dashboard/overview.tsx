import { Button, Failure, useAction } from "./action.tsx";
import { Coverage } from "./coverage.tsx";
import { ScenarioSwitches } from "./scenario-switches.tsx";
import { useSession } from "./session.ts";

/** The page for all projects: scenarios that are active for all of them, their coverage, and a reset. */
export function Overview() {
  const { client } = useSession();
  const action = useAction();
  return (
    <>
      <div class="title">
        <h1>All projects</h1>
        <Button action={action} run={client.reset} confirm="Reset every project to its initial state?">
          Reset all
        </Button>
      </div>
      <Failure of={action} />
      <section>
        <h2>Scenarios for all projects</h2>
        <p class="quiet">Scenarios and rules of a project override these.</p>
        <ScenarioSwitches />
      </section>
      <section>
        <h2>Coverage</h2>
        <Coverage />
      </section>
    </>
  );
}
