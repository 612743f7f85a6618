import { Button, Failure, useAction } from "./action.tsx";
import { Coverage } from "./coverage.tsx";
import { ScenarioSwitches } from "./scenario-switches.tsx";
import { useSession } from "./session.ts";

/** What concerns all projects: scenarios that are on for all, what all requests have exercised, and the way back. */
export function Overview() {
  const { client } = useSession();
  const action = useAction();
  return (
    <>
      <div class="title">
        <h1>All projects</h1>
        <Button action={action} run={client.reset} confirm="Put every project back to its beginning?">
          Reset all
        </Button>
      </div>
      <Failure of={action} />
      <section>
        <h2>On for all projects</h2>
        <p class="quiet">A project's own scenarios and rules go before these.</p>
        <ScenarioSwitches />
      </section>
      <section>
        <h2>Coverage</h2>
        <Coverage />
      </section>
    </>
  );
}
