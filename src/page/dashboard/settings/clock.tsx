import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Clock as ClockState } from "../../../control/client/index.ts";
import { useLoaded, useProject } from "../live/session.ts";
import { Button, Form, Loading } from "../parts/action.tsx";
import { NumberField, SelectField, useDraft } from "../parts/fields.tsx";
import { counted, day, units, zoneOf } from "../parts/text.tsx";

/** The clock of a project, which runs on the page as it runs in the mock. */
export type ProjectClock = ReturnType<typeof useProjectClock>;

/** The last instant of a clock: 9999-12-31T23:59:59.999Z. */
const LAST_INSTANT = 253_402_300_799_999;

/** Returns the clock of the project. Each change of the clock, by any client, loads it again. */
export function useProjectClock() {
  const { clock } = useProject();
  const loaded = useLoaded(() => clock.get(), ["clock"]);
  // The page's own clock may be wrong, so only the time since the load counts.
  const read = useRef<{ readonly of: ClockState; readonly at: number }>(undefined);
  if (loaded.value && read.current?.of !== loaded.value) read.current = { of: loaded.value, at: performance.now() };
  return {
    loaded,
    /** Returns the time now, in milliseconds since 1970; undefined until the first load ends. */
    now() {
      if (!loaded.value || !read.current) return undefined;
      const passed = loaded.value.frozen ? 0 : performance.now() - read.current.at;
      return Math.min(Date.parse(loaded.value.now) + passed, LAST_INSTANT);
    },
  };
}

/** Renders the component again at each second of the clock. */
export function useTicks(clock: ProjectClock): void {
  const [, render] = useState({});
  const isRunning = clock.loaded.value?.frozen === false;
  const latest = useRef(clock);
  latest.current = clock;
  useLayoutEffect(() => {
    if (!isRunning) return;
    let timer: ReturnType<typeof setTimeout>;
    const tick = () => {
      render({});
      timer = setTimeout(tick, 1000 - ((latest.current.now() ?? 0) % 1000));
    };
    tick();
    return () => clearTimeout(timer);
  }, [isRunning]);
}

/** The clock of a project, with controls to freeze it, to set it, and to advance it by any time. */
export function Clock({ clock }: { readonly clock: ProjectClock }) {
  const controls = useProject().clock;
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
            <div class="bar">
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
            <SetTime clock={clock} set={(time) => changed(frozen ? controls.freeze(time) : controls.set(time))} />
          </>
        )}
      </Loading>
    </section>
  );
}

/** The time, which ticks: local, and UTC in the format of the API. A frozen clock shows its milliseconds too. */
function Face({ clock }: { readonly clock: ProjectClock }) {
  useTicks(clock);
  const now = new Date(clock.now() ?? 0);
  const isFrozen = clock.loaded.value?.frozen;
  const utc = now.toISOString();
  const shownUtc = isFrozen ? utc : utc.replace(/\.\d+Z$/, "Z");
  return (
    // The role `timer` is not announced at each second.
    <div role="timer" class="face" aria-label="The project's time">
      <time dateTime={utc} title={`${shownUtc} (UTC)`}>
        {day.format(now)}, <b>{currentTime(clock).slice(11)}</b> {zoneOf(now)}
      </time>
      <code class="quiet">{shownUtc}</code>
    </div>
  );
}

/** The units of the form with their milliseconds, from milliseconds to days. */
const sizes = new Map<string, number>(units.map(([name, size]) => [`${name}s`, size] as const).toReversed());

function Advance({ advance }: { readonly advance: (milliseconds: number) => Promise<unknown> }) {
  const [amount, setAmount] = useState<number | undefined>(1);
  const [unit, setUnit] = useState("hours");
  const run = async () => {
    if (amount === undefined || amount < 0)
      throw new Error(`Advance by: expected a number of ${unit}, found ${amount ?? "none"}`);
    await advance(Math.round(amount * (sizes.get(unit) ?? 1)));
  };
  return (
    <Form
      isLine
      run={run}
      submit="Advance"
      done={`The clock is advanced by ${counted(amount ?? 0, unit.slice(0, -1))}`}
    >
      <span class="bar-label">Advance by</span>
      <NumberField label="Advance by: amount" isBare step="any" value={amount} onChange={setAmount} />
      <SelectField label="Advance by: unit" isBare options={[...sizes.keys()]} value={unit} onChange={setUnit} />
    </Form>
  );
}

/** Sets the clock to an exact local time. A frozen clock stays frozen. */
function SetTime({ clock, set }: { readonly clock: ProjectClock; readonly set: (time: Date) => Promise<unknown> }) {
  const { key } = useProject();
  const [initial, setInitial] = useState(() => currentTime(clock));
  const [text, setText, isChanged] = useDraft(`${key} time`, initial);
  const send = async () => {
    const time = new Date(text);
    if (Number.isNaN(time.getTime())) throw new Error("New time: expected a date and a time");
    await set(time);
    setText(undefined);
  };
  return (
    <Form
      isLine
      run={send}
      submit="Set"
      done="The clock is set"
      more={<span class="quiet">{zoneOf(text ? new Date(text) : new Date())}</span>}
    >
      <span class="bar-label">Set to</span>
      <input
        type="datetime-local"
        step="0.001"
        aria-label="New time"
        value={text}
        onFocus={() => isChanged || setInitial(currentTime(clock))}
        onInput={(event) => setText(event.currentTarget.value)}
      />
    </Form>
  );
}

/**
 * Returns the local time of the clock as fields for local times contain it: `2026-01-31T09:30:00.000`. Without the
 * milliseconds of a clock that runs.
 */
function currentTime(clock: ProjectClock): string {
  const time = new Date(clock.now() ?? 0);
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000).toISOString();
  return local.slice(0, clock.loaded.value?.frozen ? 23 : 19);
}
