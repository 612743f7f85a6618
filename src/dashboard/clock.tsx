import type { Clock as Time } from "../client/types.ts";
import { Button, Failure, useAction } from "./action.tsx";
import { useLoaded } from "./loaded.ts";
import { concerns, useProject } from "./session.ts";

const MINUTE = 60_000;
const steps: Readonly<Record<string, number>> = {
  "1 minute": MINUTE,
  "1 hour": 60 * MINUTE,
  "1 day": 24 * 60 * MINUTE,
};

/** The clock of a project, with buttons to freeze and advance it. */
export function Clock({ project }: { project: string }) {
  const { clock } = useProject(project);
  const action = useAction();
  const time = useLoaded(
    () => clock.get(),
    (event) => ["request", "clock", "reset"].includes(event.type) && concerns(event, project),
  );
  const change = (call: () => Promise<Time>) => async () => {
    await call();
    time.reload();
  };
  const { now, frozen } = time.value ?? {};
  return (
    <section>
      <h2>Clock</h2>
      <Failure of={time} />
      <Failure of={action} />
      {now && (
        <p class="bar">
          <output aria-label="The project's time">{now}</output>
          <span class="quiet">{frozen ? "frozen" : "running"}</span>
          <Button action={action} run={change(() => (frozen ? clock.set(now) : clock.freeze()))}>
            {frozen ? "Unfreeze" : "Freeze"}
          </Button>
          {Object.entries(steps).map(([name, milliseconds]) => (
            <Button key={name} action={action} run={change(() => clock.advance(milliseconds))}>
              Advance by {name}
            </Button>
          ))}
        </p>
      )}
    </section>
  );
}
