import type { Clock as Time } from "../../client/types.ts";
import { on } from "../live/events.ts";
import { useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";
import { Button, Failure, useAction } from "../parts/action.tsx";

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
  const time = useLoaded(() => clock.get(), on(project, "clock"));
  const change = (call: () => Promise<Time>) => async () => {
    await call();
    await time.reload();
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
          <Button action={action} run={change(() => (frozen ? clock.resume() : clock.freeze()))}>
            {frozen ? "Resume" : "Freeze"}
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
