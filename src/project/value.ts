import {
  closedObject,
  dateTime,
  type FromSchema,
  LAST_INSTANT,
  MAX_CLOCK_CHANGES,
  MAX_ID,
  MAX_KEPT_TARGET,
  MAX_TEXT,
  type Schema,
} from "../contract/index.ts";
import { type Coverage, type FailedVerification, type History, type Journal, sumOf } from "../journal/index.ts";
import { type ActiveRules, type AllUses, Counter } from "../rules/index.ts";
import type { Settings, State } from "../state/index.ts";
import type { RandomPosition } from "./random.ts";

/**
 * Everything of a project, as one value that never changes. A change creates another value, which shares all that stayed as
 * it was. So a snapshot, a fork and the undo of a step keep or exchange a reference.
 */
export interface ProjectValue {
  /** The origin of all ids, random numbers and generated data. */
  readonly origin: Origin;
  readonly settings: Settings;
  readonly state: State;
  readonly clock: Clock;
  /** The position in the random numbers; undefined before the first one. */
  readonly random: RandomPosition | undefined;
  /** The current window of the setting `rateLimit`; undefined before its first request. */
  readonly rateWindow: RateWindow | undefined;
  readonly counts: Counts;
  readonly activeRules: ActiveRules;
  readonly uses: AllUses;
  /** By name, oldest first. A reset keeps them. */
  readonly snapshots: ReadonlyMap<string, Snapshot>;
  /** The coverage by the requests to this project. */
  readonly coverage: Coverage;
  /** The coverage of the archive that the project was restored from. Requests to another project do not count again. */
  readonly copiedCoverage: Coverage;
  readonly journal: Journal;
  readonly history: History;
  /** The last failed verifications, oldest first. */
  readonly verifications: readonly FailedVerification[];
  /** The archive that the project was restored from, if it was. */
  readonly archive: RestoredArchive | undefined;
  /** The size of the state that something else holds too, such as the seed or another project. It does not count again. */
  readonly sharedSize: number;
}

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

export const Origin = {
  ...closedObject(["seed", "projectKey"], {
    seed: { type: "string", maxLength: 100 },
    projectKey: { type: "string", maxLength: MAX_ID },
  }),
  description: "The seed and the project key that ids, random numbers and generated data come from.",
} as const satisfies Schema;
type Origin = Readonly<FromSchema<typeof Origin>>;

export const Counts = {
  ...closedObject(["requests", "errors", "violations", "stubbed", "requestIds", "lastSerial"], {
    requests: Counter,
    errors: { ...Counter, description: "The number of requests that failed: with an error or a broken connection." },
    unexpected: {
      ...Counter,
      description: "The number of failed requests without an effect of a rule, a scenario or a function; absent for 0.",
    },
    violations: { ...Counter, description: "The number of requests that violated the contract." },
    lastRequestAt: { ...Instant, description: "The arrival of the last request by the server's clock." },
    stubbed: { ...Counter, description: "The number of ids that stubbed responses have used." },
    requestIds: { ...Counter, description: "The number of the last request id. A reset keeps it, so ids stay unique." },
    lastSerial: { ...Counter, description: "The position of the last response in the order of all responses." },
  }),
  description: "The numbers that change with nearly every request.",
} as const satisfies Schema;
type Counts = Readonly<FromSchema<typeof Counts>>;

export const RateWindow = {
  ...closedObject(["start", "requests"], { start: Instant, requests: Counter }),
  description: "The requests in the current window of the setting rateLimit, which starts at a time of the project.",
} as const satisfies Schema;
export type RateWindow = Readonly<FromSchema<typeof RateWindow>>;

export const ArchiveSource = {
  ...closedObject([], {
    test: { type: "string", maxLength: MAX_TEXT, description: "The file and the name of the failed test." },
    savedAt: { ...dateTime, description: "When the archive was saved." },
  }),
  description: "The failed test that the archive shows. The libraries for tests write it.",
} as const;
export type ArchiveSource = FromSchema<typeof ArchiveSource>;

export const RestoredArchive = {
  ...closedObject([], {
    source: ArchiveSource,
    file: {
      type: "string",
      maxLength: MAX_KEPT_TARGET,
      description: "The path of the file, if the server opened it at its start.",
    },
    restoredAt: { ...Instant, description: "The time of the restore by the server's clock." },
  }),
  description: "The archive that the project was restored from.",
} as const satisfies Schema;
export type RestoredArchive = Readonly<FromSchema<typeof RestoredArchive>>;

/** A named state that a project can restore. */
export interface Snapshot {
  readonly name: string;
  /** RFC 3339, from the project's clock. */
  readonly takenAt: string;
  readonly state: State;
}

/** Returns the coverage that the project shows. */
export function coverageOf({ copiedCoverage, coverage }: ProjectValue): Coverage {
  return sumOf(copiedCoverage, coverage);
}

/** A request that counts for the setting `rateLimit`, and the window that it belongs to. */
export interface CountedRequest {
  /** The number of requests that the window allows. */
  readonly limit: number;
  /** The length of the window, in milliseconds. */
  readonly window: number;
  /** The number of this request in its window, from 1. Above `limit`, the request is rejected. */
  readonly number: number;
  /** The time until the next window, in milliseconds: at least 1. */
  readonly left: number;
}

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
    const settings = [...earlier, { ...before, until: timeAfterLast(this.#base, TICK) }];
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
  const time = timeAfterLast(base, 2 * TICK);
  lastIssues.set(base, time);
  return time;
}

/** Returns the time; in the millisecond of the last `issueTime`, a time this much later. */
function timeAfterLast(base: () => number, fraction: number): number {
  const [now, last = 0] = [base(), lastIssues.get(base)];
  return Math.floor(last) === now ? last + fraction : now;
}
