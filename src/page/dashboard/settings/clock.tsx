import { useState } from "preact/hooks";
import { useProject } from "../live/session.ts";
import { Button, Failure, useAction } from "../parts/action.tsx";
import { useDraft } from "../parts/drafts.ts";
import { Loading } from "../parts/loading.tsx";
import { zoneOf } from "../parts/time.tsx";
import { type Duration, DurationField, millisecondsOf } from "./duration-field.tsx";
import { type ProjectClock, useTicks } from "./project-clock.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

const steps: Readonly<Record<string, number>> = { "1 minute": MINUTE, "1 hour": HOUR, "1 day": DAY };

interface ClockProps {
  readonly project: string;
  readonly clock: ProjectClock;
}

/** The clock of a project, with controls to freeze it, to set it, and to advance it by any time. */
export function Clock({ project, clock }: ClockProps) {
  const controls = useProject(project).clock;
  const changed = async (change: Promise<unknown>) => {
    await change;
    await clock.loaded.reload();
  };
  return (
    <section aria-labelledby="clock">
      <h2 id="clock">Clock</h2>
      <Loading of={clock.loaded} lines={2}>
        {({ frozen }) => (
          <>
            <div class="bar clock">
              <Face clock={clock} />
              <span class={frozen ? "badge warning" : "badge"}>{frozen ? "Frozen" : "Running"}</span>
              <Button
                run={() => changed(frozen ? controls.resume() : controls.freeze())}
                done={frozen ? "The clock runs on from its time" : "The clock is frozen"}
              >
                {frozen ? "Resume" : "Freeze"}
              </Button>
            </div>
            <Advance advance={(milliseconds) => changed(controls.advance(milliseconds))} />
            <SetTime
              project={project}
              clock={clock}
              set={(time) => changed(frozen ? controls.freeze(time) : controls.set(time))}
            />
          </>
        )}
      </Loading>
    </section>
  );
}

const date = new Intl.DateTimeFormat(undefined, { dateStyle: "medium" });

/** The time, which ticks: local, and UTC in the format of the API. A frozen clock shows its milliseconds too. */
function Face({ clock }: { clock: ProjectClock }) {
  useTicks(clock);
  const now = new Date(clock.now() ?? 0);
  const isFrozen = clock.loaded.value?.frozen;
  const utc = now.toISOString();
  const shownUtc = isFrozen ? utc : utc.replace(/\.\d+Z$/, "Z");
  const local = localText(now).slice(11, isFrozen ? undefined : 19);
  return (
    // The role `timer` is not announced at each second.
    <div role="timer" class="face" aria-label="The project's time">
      <time dateTime={utc} title={`${shownUtc} (UTC)`}>
        {date.format(now)}, <b>{local}</b> {zoneOf(now)}
      </time>
      <span class="quiet">{shownUtc}</span>
    </div>
  );
}

/** Moves the clock forward by a usual step, or by any number of a unit. */
function Advance({ advance }: { advance: (milliseconds: number) => Promise<unknown> }) {
  const action = useAction();
  const [duration, setDuration] = useState<Duration>({ amount: "30", unit: "minutes" });
  const send = (event: Event) => {
    event.preventDefault();
    if (action.isInProgress) return;
    void action.run(
      async () => advance(millisecondsOf("Advance by", duration)),
      `The clock is advanced by ${duration.amount} ${duration.unit}`,
    );
  };
  return (
    <form class="bar" onSubmit={send} noValidate>
      <span class="bar-label" id="advance">
        Advance by
      </span>
      {Object.entries(steps).map(([name, milliseconds]) => (
        <Button
          key={name}
          action={action}
          run={() => advance(milliseconds)}
          done={`The clock is advanced by ${name}`}
          label={`Advance by ${name}`}
        >
          {name}
        </Button>
      ))}
      <span class="bar-group">
        <DurationField label="Advance by" value={duration} onChange={setDuration} />
        <button type="submit">Advance</button>
      </span>
      <Failure of={action} />
    </form>
  );
}

interface SetTimeProps {
  readonly project: string;
  readonly clock: ProjectClock;
  readonly set: (time: Date) => Promise<unknown>;
}

/** Sets the clock to an exact local time. A frozen clock stays frozen. */
function SetTime({ project, clock, set }: SetTimeProps) {
  const action = useAction();
  const [initial, setInitial] = useState(() => currentTime(clock));
  const [text, setText, isChanged] = useDraft(`${project} time`, initial);
  const send = (event: Event) => {
    event.preventDefault();
    if (action.isInProgress) return;
    void action.run(async () => {
      const time = new Date(text);
      if (Number.isNaN(time.getTime())) throw new Error("New time: expected a date and a time");
      await set(time);
      setText(undefined);
    }, "The clock is set");
  };
  return (
    <form class="bar" onSubmit={send} noValidate>
      <label class="bar-label" for="new-time">
        Set to
      </label>
      <span class="bar-group">
        <input
          id="new-time"
          type="datetime-local"
          step="0.001"
          aria-label="New time"
          value={text}
          onFocus={() => isChanged || setInitial(currentTime(clock))}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <button type="submit">Set</button>
      </span>
      <span class="quiet">{zoneOf(text ? new Date(text) : new Date())}</span>
      <Failure of={action} />
    </form>
  );
}

/** Returns the local time of the clock, without the milliseconds of a clock that runs. */
function currentTime(clock: ProjectClock): string {
  return localText(new Date(clock.now() ?? 0)).slice(0, clock.loaded.value?.frozen ? undefined : 19);
}

/** Returns a time as fields for local times contain it: `2026-01-31T09:30:00.000`. */
function localText(time: Date): string {
  const pad = (number: number, length = 2) => String(number).padStart(length, "0");
  const day = [pad(time.getFullYear(), 4), pad(time.getMonth() + 1), pad(time.getDate())].join("-");
  const clock = [time.getHours(), time.getMinutes(), time.getSeconds()].map((number) => pad(number)).join(":");
  return `${day}T${clock}.${pad(time.getMilliseconds(), 3)}`;
}
