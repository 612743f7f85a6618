import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Clock } from "../../../control/client/index.ts";
import { on } from "../live/events.ts";
import { type Loaded, useLoaded } from "../live/loaded.ts";
import { useProject } from "../live/session.ts";

/** The clock of a project, which runs on the page as it runs in the mock. */
export interface ProjectClock {
  readonly loaded: Loaded<Clock>;
  /** The time now, in milliseconds since 1970; undefined until the first load ends. */
  now(): number | undefined;
}

/** The last instant of a clock: 9999-12-31T23:59:59.999Z. */
const LAST_INSTANT = 253_402_300_799_999;

/** Returns the clock of a project. Each change of the clock, by any client, loads it again. */
export function useProjectClock(project: string): ProjectClock {
  const { clock } = useProject(project);
  const loaded = useLoaded(() => clock.get(), on(project, "clock"), [project]);
  // The page's own clock may be wrong, so only the time since the load counts.
  const read = useRef<{ readonly of: Clock; readonly at: number }>(undefined);
  if (loaded.value && read.current?.of !== loaded.value) read.current = { of: loaded.value, at: performance.now() };
  return {
    loaded,
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
