import { closedObject, type FromSchema, MAX_CLOCK_CHANGES, type Schema } from "../contract/index.ts";

/** The last millisecond of the year 9999. RFC 3339 has no later instants, so clocks stop there. */
export const LAST_INSTANT = 253_402_300_799_999;

/** A time in milliseconds since 1970, as far as dates go. */
export const Instant = { type: "number", minimum: -8.64e15, maximum: 8.64e15 } as const satisfies Schema;

const setting = {
  offset: { ...Instant, description: "The difference to the server's clock." },
  frozenAt: {
    type: "number",
    minimum: 0,
    maximum: LAST_INSTANT,
    description: "The time of a frozen clock, since 1970.",
  },
} as const;

const Setting = closedObject(["offset"], setting);
type Setting = Readonly<FromSchema<typeof Setting>>;

export const ClockPosition = {
  ...closedObject(["offset"], {
    ...setting,
    earlier: {
      type: "array",
      maxItems: MAX_CLOCK_CHANGES,
      items: closedObject(["offset", "until"], { ...setting, until: Instant }),
      description: "The clock before each of its changes, oldest first, and the server's time of the change.",
    },
  }),
  description: "The clock of the project, in milliseconds.",
} as const satisfies Schema;
export type ClockPosition = Readonly<FromSchema<typeof ClockPosition>>;

/** The clock of a project: the engine's time plus an offset, or a frozen instant. A change returns another clock. */
export class Clock {
  readonly position: ClockPosition;
  /** Returns milliseconds since 1970-01-01T00:00:00Z, like `Date.now`. */
  readonly #base: () => number;

  constructor(base: () => number, position: ClockPosition = { offset: 0 }) {
    this.#base = base;
    this.position = position;
  }

  /** Returns milliseconds since 1970-01-01T00:00:00Z, at most `LAST_INSTANT`. */
  now(): number {
    const { offset, frozenAt } = this.position;
    return Math.min(frozenAt ?? this.#base() + offset, LAST_INSTANT);
  }

  /** Returns what the clock showed at an instant of the engine's time, from `issueTime`. */
  timeAt(instant: number): number {
    const { offset, frozenAt } = this.position.earlier?.find(({ until }) => instant < until) ?? this.position;
    return Math.min(frozenAt ?? Math.floor(instant) + offset, LAST_INSTANT);
  }

  /** Returns the time in the format of RFC 3339, with milliseconds, in UTC. */
  timestamp(): string {
    return new Date(this.now()).toISOString();
  }

  get frozen(): boolean {
    return this.position.frozenAt !== undefined;
  }

  /** Returns the clock at an instant (milliseconds). Unless `frozen`, it continues from there. */
  set(now: number, frozen: boolean): Clock {
    return this.#at({ offset: now - this.#base(), ...(frozen && { frozenAt: now }) });
  }

  /** Returns the clock stopped at its time. */
  freeze(): Clock {
    return this.frozen ? this : this.#at({ ...this.position, frozenAt: this.now() });
  }

  /** Returns the clock running on from its time. */
  resume(): Clock {
    return this.frozen ? this.set(this.now(), false) : this;
  }

  /** Returns the clock moved forward by milliseconds. A frozen clock stays frozen. */
  advance(by: number): Clock {
    const { offset, frozenAt } = this.position;
    return this.#at({ offset: offset + by, ...(frozenAt !== undefined && { frozenAt: frozenAt + by }) });
  }

  #at({ offset, frozenAt }: Setting): Clock {
    const { earlier = [], ...before } = this.position;
    const settings = [...earlier, { ...before, until: changeTime(this.#base) }];
    // Whatever was issued before the first change stays exact.
    if (settings.length > MAX_CLOCK_CHANGES) settings.splice(1, 1);
    return new Clock(this.#base, { offset, ...(frozenAt !== undefined && { frozenAt }), earlier: settings });
  }
}

/** The last time from `issueTime`, for each clock of an engine. */
const lastIssues = new WeakMap<() => number, number>();

/** A fraction of a millisecond, which orders what happens in the same millisecond. */
const TICK = 2 ** -10;

/** Returns the time, with a fraction if necessary: each call returns a later time, and later than changes of clocks before. */
export function issueTime(base: () => number): number {
  const [now, last = 0] = [base(), lastIssues.get(base)];
  const time = Math.floor(last) === now ? last + 2 * TICK : now;
  lastIssues.set(base, time);
  return time;
}

/** Returns the time of a change of a clock, later than each `issueTime` before. */
function changeTime(base: () => number): number {
  const [now, last = 0] = [base(), lastIssues.get(base)];
  return Math.floor(last) === now ? last + TICK : now;
}
