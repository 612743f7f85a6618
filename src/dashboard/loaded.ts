import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { MockEvent } from "../client/types.ts";
import { useEvents } from "./session.ts";

/** What was read from the mock last, and why a later reading failed. */
export interface Loaded<T> {
  readonly value?: T;
  readonly error?: unknown;
  /** Reads anew. */
  reload(): void;
}

/** While much happens, it is read again and again, and the mock has better things to do. */
const PAUSE_MS = 200;

/**
 * Reads something from the mock: at first, when an event comes that it `dependsOn`, and when the mock is there again.
 * Never twice at once; what was read before is shown until it has been read anew. What is read may not depend on the
 * component's properties, unless they are its `key` as well.
 */
export function useLoaded<T>(load: () => Promise<T>, dependsOn: (event: MockEvent) => boolean): Loaded<T> {
  const [loaded, setLoaded] = useState<{ value?: T; error?: unknown }>({});
  const { current: reading } = useRef({ isUnderWay: false, again: false });

  const reload = useCallback(() => {
    reading.again = reading.isUnderWay;
    if (reading.isUnderWay) return;
    reading.isUnderWay = true;
    load()
      .then(
        (value) => setLoaded({ value }),
        (error: unknown) => setLoaded(({ value }) => ({ value, error })),
      )
      .finally(() =>
        setTimeout(() => {
          reading.isUnderWay = false;
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
