import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { MockEvent } from "../client/types.ts";
import { useEvents } from "./session.ts";

/** The last value that was loaded from the mock, and the error of a later load that failed. */
export interface Loaded<T> {
  readonly value?: T;
  readonly error?: unknown;
  /** Loads the value again. */
  reload(): void;
}

/** The shortest time between two loads, which limits the load on the mock during many events. */
const PAUSE_MS = 200;

/**
 * Loads a value from the mock: on the first rendering, after each event for which `dependsOn` is true, and after a
 * reconnect. Only one load is in progress at a time, and the previous value is kept until it ends. `load` is the
 * function of the first rendering, so the properties that it uses must be part of the component's `key`.
 */
export function useLoaded<T>(load: () => Promise<T>, dependsOn: (event: MockEvent) => boolean): Loaded<T> {
  const [loaded, setLoaded] = useState<{ value?: T; error?: unknown }>({});
  const { current: reading } = useRef({ isInProgress: false, again: false });

  const reload = useCallback(() => {
    reading.again = reading.isInProgress;
    if (reading.isInProgress) return;
    reading.isInProgress = true;
    load()
      .then(
        (value) => setLoaded({ value }),
        (error: unknown) => setLoaded(({ value }) => ({ value, error })),
      )
      .finally(() =>
        setTimeout(() => {
          reading.isInProgress = false;
          if (reading.again) reload();
        }, PAUSE_MS),
      );
  }, []);

  useEffect(reload, [reload]);
  useEvents((events) => {
    if (events.length === 0 || events.some(dependsOn)) reload();
  });

  return { ...loaded, reload };
}
