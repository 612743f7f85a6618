import { ServiceError } from "../contract/service-error.ts";
import type { FairBudget } from "../journal/budget.ts";
import { Coverage } from "../journal/coverage.ts";
import type { Exchange } from "../journal/exchange.ts";
import { Journal } from "../journal/journal.ts";
import { Switches } from "../scenarios/switches.ts";
import type { Settings } from "../settings/settings.ts";
import { MemoryStore } from "../state/memory-store.ts";
import type { StateCapture, StateChange, Store } from "../state/store.ts";
import { OffsetClock } from "./clock.ts";
import { createRandom, type Random, shortHash, uuidOf } from "./random.ts";
import type { RequestIds } from "./request-ids.ts";

/** The initial state of every project of an engine. */
export interface InitialProject {
  /** The seed of ids, chance and generated data. */
  readonly seed: string;
  readonly settings: Settings;
  /** The seeded state, shared until a project writes. */
  readonly state: StateCapture;
  /** The engine's time, milliseconds. */
  readonly now: () => number;
  /** What the journals of all projects may hold together. */
  readonly journals: FairBudget;
  /** Shared by all projects of an engine. */
  readonly requestIds: RequestIds;
  readonly onStateChange?: (projectKey: string, change: StateChange) => void;
}

/** A named state that can be restored. */
export interface StoredSnapshot {
  readonly name: string;
  /** RFC 3339, from the project's clock. */
  readonly takenAt: string;
  readonly resources: number;
  readonly state: StateCapture;
}

/**
 * A sandbox: everything that one project key sees. A reset ends the project and puts a new one in its place, so that a
 * request still in progress writes to the old one and is never seen in the new.
 *
 * What an idle project does not need is created at its first use: 10,000 idle projects cost next to nothing.
 */
export class Project {
  readonly key: string;
  readonly store: Store;
  readonly #initial: InitialProject;
  #settings: Settings;
  #clock?: OffsetClock;
  #journal?: Journal;
  #coverage?: Coverage;
  #snapshots?: Map<string, StoredSnapshot>;
  #random?: Random;
  #switches?: Switches;
  #ended?: AbortController;
  #requestPrefix?: string;
  #requests = 0;
  #stubbed = 0;

  /** A project in its initial state; with `snapshots`, those of the project that it replaces. */
  constructor(key: string, initial: InitialProject, snapshots?: Map<string, StoredSnapshot>) {
    const { settings, state, onStateChange } = initial;
    this.key = key;
    this.#initial = initial;
    this.#settings = settings;
    this.#snapshots = snapshots;
    this.store = new MemoryStore(state, (change) => {
      // Late requests still write here: that is not in the project that has replaced this one.
      if (onStateChange && !this.hasEnded) onStateChange(key, change);
    });
  }

  get settings(): Settings {
    return this.#settings;
  }

  set settings(settings: Settings) {
    this.#settings = settings;
    this.#journal?.resize(settings.journalSize);
  }

  get clock(): OffsetClock {
    this.#clock ??= new OffsetClock(this.#initial.now);
    return this.#clock;
  }

  get journal(): Journal {
    this.#journal ??= new Journal(this.#settings.journalSize, this.#initial.journals);
    return this.#journal;
  }

  get coverage(): Coverage {
    this.#coverage ??= new Coverage();
    return this.#coverage;
  }

  /** By name, in the order of taking. A reset keeps them. */
  get snapshots(): Map<string, StoredSnapshot> {
    this.#snapshots ??= new Map();
    return this.#snapshots;
  }

  /** The random numbers of rules with a probability and of latencies. */
  get random(): Random {
    this.#random ??= createRandom(this.seedText("chance"));
    return this.#random;
  }

  /** The active scenarios and rules of this project. */
  get switches(): Switches {
    this.#switches ??= new Switches();
    return this.#switches;
  }

  /** Aborts when the project is reset or closed. */
  get ended(): AbortSignal {
    this.#ended ??= new AbortController();
    return this.#ended.signal;
  }

  /** Whether the project has been reset or closed. */
  get hasEnded(): boolean {
    return this.#ended?.signal.aborted ?? false;
  }

  /** A new id; it follows from the project's seed and the order of calls only. */
  async newId(): Promise<string> {
    return this.idOf(await this.store.nextNumber());
  }

  /** The id that is the project's nth. */
  idOf(number: number): string {
    return uuidOf(this.seedText(`id ${number}`));
  }

  /** The id of a resource that a stubbed response tells of and nobody created. The ids of real resources stay the same. */
  stubbedId(): string {
    return uuidOf(this.seedText(`stubbed ${++this.#stubbed}`));
  }

  /** A new id of a request, unique among all requests of the server. */
  newRequestId(): string {
    this.#requests++;
    this.#requestPrefix ??= shortHash(this.seedText("requests"));
    return this.#initial.requestIds.next(this.#requestPrefix);
  }

  /** How many requests have been answered. */
  get requests(): number {
    return this.#requests;
  }

  /** Adds a request to the journal and the coverage, unless the project has ended. */
  record(exchange: Exchange): void {
    if (this.hasEnded) return;
    this.journal.add(exchange);
    this.coverage.count(exchange);
  }

  end(): void {
    this.#ended ??= new AbortController();
    this.#ended.abort(new DOMException("the project was reset or closed", "AbortError"));
    this.#journal?.end();
  }

  /** The seed of one use in this project, such as generated data. */
  seedText(use: string): string {
    return JSON.stringify([this.#initial.seed, this.key, use]);
  }
}

/** The error of a request whose project was reset or closed while it was in progress. */
export function projectEnded({ key }: { key: string }): ServiceError {
  return new ServiceError(
    {
      code: "ServiceUnavailable",
      message: `Project "${key}" was reset or closed while this request was under way: nothing of it has been kept`,
    },
    { "Retry-After": "1" },
  );
}
