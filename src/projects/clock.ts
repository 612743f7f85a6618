/** A project's own time. It runs with the engine's, moved by an offset, until it is frozen. */
export interface Clock {
  /** Milliseconds since 1970-01-01T00:00:00Z. */
  now(): number;
  /** The same instant as RFC 3339, with milliseconds, in UTC. */
  timestamp(): string;
  readonly frozen: boolean;
  /** Moves to an instant (milliseconds); with `frozen` it stays there, else it runs on from there. */
  set(now: number, frozen: boolean): void;
  /** Moves on by milliseconds; a frozen clock stays frozen. */
  advance(by: number): void;
}

/** A clock that runs with `base` (milliseconds, such as `Date.now`). */
export function createClock(base: () => number): Clock {
  let offset = 0;
  let frozenAt: number | undefined;
  let written = { instant: Number.NaN, text: "" };
  const now = () => frozenAt ?? base() + offset;
  return {
    now,
    timestamp() {
      const instant = now();
      // Many requests fall into one millisecond, and writing it out costs more than all else here.
      if (instant !== written.instant) written = { instant, text: new Date(instant).toISOString() };
      return written.text;
    },
    get frozen() {
      return frozenAt !== undefined;
    },
    set(instant, frozen) {
      offset = instant - base();
      frozenAt = frozen ? instant : undefined;
    },
    advance(by) {
      offset += by;
      if (frozenAt !== undefined) frozenAt += by;
    },
  };
}
