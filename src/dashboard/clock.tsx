import type { Clock as Time } from "../client/types.ts";
import { Button, Failure, useAction } from "./action.tsx";
import { useLoaded } from "./loaded.ts";
import { concerns, useProject } from "./session.ts";

const MINUTE = 60_000;
const steps: Readonly<Record<string, number>> = {
  "a minute": MINUTE,
  "an hour": 60 * MINUTE,
  "a day": 24 * 60 * MINUTE,
};

/** A project's own time: it can stand still, and go on by leaps. */
export function Clock({ project }: { project: string }) {
  const { clock } = useProject(project);
  const action = useAction();
  const time = useLoaded(
    () => clock.get(),
    (event) => (event.type === "request" || event.type === "reset") && concerns(event, project),
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
          <span class="quiet">{frozen ? "stands still" : "runs"}</span>
          <Button action={action} run={change(() => (frozen ? clock.set(now) : clock.freeze()))}>
            {frozen ? "Let it run" : "Freeze"}
          </Button>
          {Object.entries(steps).map(([name, milliseconds]) => (
            <Button key={name} action={action} run={change(() => clock.advance(milliseconds))}>
              On by {name}
            </Button>
          ))}
        </p>
      )}
    </section>
  );
}
