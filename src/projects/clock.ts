/** The last millisecond of the year 9999, the last one that RFC 3339 can write. Clocks stop there. */
export const LAST_INSTANT = 253_402_300_799_999;

/**
 * A project's own time. It runs with the engine's, moved by an offset, until it is frozen. A class, as are all parts of
 * a used project: closures would be half of the memory that such a project holds.
 */
export class OffsetClock {
  /** Milliseconds since 1970-01-01T00:00:00Z, such as `Date.now`. */
  readonly #base: () => number;
  #offset = 0;
  #frozenAt: number | undefined;

  constructor(base: () => number) {
    this.#base = base;
  }

  /** Milliseconds since 1970-01-01T00:00:00Z, at most `LAST_INSTANT`. */
  now(): number {
    return Math.min(this.#frozenAt ?? this.#base() + this.#offset, LAST_INSTANT);
  }

  /** The same instant as RFC 3339, with milliseconds, in UTC. */
  timestamp(): string {
    return new Date(this.now()).toISOString();
  }

  get frozen(): boolean {
    return this.#frozenAt !== undefined;
  }

  /** Moves to an instant (milliseconds); a clock that is not `frozen` runs on from there. */
  set(now: number, frozen: boolean): void {
    this.#offset = now - this.#base();
    this.#frozenAt = frozen ? now : undefined;
  }

  /** Moves on by milliseconds; a frozen clock stays frozen. */
  advance(by: number): void {
    this.#offset += by;
    if (this.#frozenAt !== undefined) this.#frozenAt += by;
  }
}
