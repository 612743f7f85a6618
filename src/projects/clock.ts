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
  return new OffsetClock(base);
}

/** A class, as is all that each used project has: closures of their own would be half of what such a project holds. */
class OffsetClock implements Clock {
  readonly #base: () => number;
  #offset = 0;
  #frozenAt: number | undefined;
  #written = { instant: Number.NaN, text: "" };

  constructor(base: () => number) {
    this.#base = base;
  }

  now(): number {
    return this.#frozenAt ?? this.#base() + this.#offset;
  }

  timestamp(): string {
    const instant = this.now();
    // Many requests fall into one millisecond, and writing it out costs more than all else here.
    if (instant !== this.#written.instant) this.#written = { instant, text: new Date(instant).toISOString() };
    return this.#written.text;
  }

  get frozen(): boolean {
    return this.#frozenAt !== undefined;
  }

  set(now: number, frozen: boolean): void {
    this.#offset = now - this.#base();
    this.#frozenAt = frozen ? now : undefined;
  }

  advance(by: number): void {
    this.#offset += by;
    if (this.#frozenAt !== undefined) this.#frozenAt += by;
  }
}
