/** The last millisecond of the year 9999. RFC 3339 has no later instants, so clocks stop there. */
export const LAST_INSTANT = 253_402_300_799_999;

/** The position of a clock, as JSON, in milliseconds. */
export interface ClockPosition {
  /** The difference to the engine's time. */
  readonly offset: number;
  /** The time of a frozen clock, since 1970. */
  readonly frozenAt?: number;
}

/**
 * The clock of a project: the engine's time plus an offset, or a frozen instant. It is a class, like all parts of a
 * project, because closures would take half of a project's memory.
 */
export class OffsetClock {
  /** Returns milliseconds since 1970-01-01T00:00:00Z, like `Date.now`. */
  readonly #base: () => number;
  #offset = 0;
  #frozenAt: number | undefined;

  constructor(base: () => number) {
    this.#base = base;
  }

  /** Returns milliseconds since 1970-01-01T00:00:00Z, at most `LAST_INSTANT`. */
  now(): number {
    return Math.min(this.#frozenAt ?? this.#base() + this.#offset, LAST_INSTANT);
  }

  /** Returns the time in the format of RFC 3339, with milliseconds, in UTC. */
  timestamp(): string {
    return new Date(this.now()).toISOString();
  }

  get frozen(): boolean {
    return this.#frozenAt !== undefined;
  }

  /** Moves the clock to an instant (milliseconds). Unless `frozen`, it continues from there. */
  set(now: number, frozen: boolean): void {
    this.#offset = now - this.#base();
    this.#frozenAt = frozen ? now : undefined;
  }

  /** Stops the clock at its time. A frozen clock stays as it is. */
  freeze(): void {
    this.#frozenAt ??= this.now();
  }

  /** Lets a frozen clock run on from its time. A running clock stays as it is. */
  resume(): void {
    if (this.#frozenAt !== undefined) this.set(this.#frozenAt, false);
  }

  get position(): ClockPosition {
    return { offset: this.#offset, ...(this.#frozenAt !== undefined && { frozenAt: this.#frozenAt }) };
  }

  set position({ offset, frozenAt }: ClockPosition) {
    this.#offset = offset;
    this.#frozenAt = frozenAt;
  }

  /** Moves the clock forward by milliseconds. A frozen clock stays frozen. */
  advance(by: number): void {
    this.#offset += by;
    if (this.#frozenAt !== undefined) this.#frozenAt += by;
  }
}
