import { ServiceError } from "../contract/errors.ts";
import type { JournalBudget } from "../journal/budget.ts";
import { type Coverage, createCoverage } from "../journal/coverage.ts";
import type { Exchange } from "../journal/exchange.ts";
import { createJournal, type Journal } from "../journal/journal.ts";
import { createSwitches, type Switches } from "../scenarios/switches.ts";
import { createMemoryStore } from "../state/memory-store.ts";
import type { StateCapture, StateChange, Store } from "../state/store.ts";
import { type Clock, createClock } from "./clock.ts";
import { createRandom, type Random, shortHash, uuidOf } from "./random.ts";
import type { Settings } from "./settings.ts";

/** What every project of an engine begins with. */
export interface Beginning {
  /** The seed of ids, chance and generated data. */
  readonly seed: string;
  readonly settings: Settings;
  /** The seeded state, shared until a project writes. */
  readonly state: StateCapture;
  /** The engine's time, milliseconds. */
  readonly now: () => number;
  /** What the journals of all projects may hold together. */
  readonly journals: JournalBudget;
  readonly onStateChange?: (projectKey: string, change: StateChange) => void;
}

/** A state with a name, to be gone back to. */
export interface Snapshot {
  readonly name: string;
  /** RFC 3339, from the project's clock. */
  readonly takenAt: string;
  readonly resources: number;
  readonly state: StateCapture;
}

/**
 * A sandbox: everything that one project key sees. A reset ends the project and puts a new one in its place, so that a
 * request still under way writes to the old one and is never seen in the new.
 */
export interface Project {
  readonly key: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly journal: Journal;
  readonly coverage: Coverage;
  /** The same, if anything has been counted. */
  readonly usedCoverage: Coverage | undefined;
  /** By name, in the order of taking. They stay when the project is reset. */
  readonly snapshots: Map<string, Snapshot>;
  /** Chance, for rules with a probability and for latency. */
  readonly random: Random;
  settings: Settings;
  /** The scenarios and rules that are on in this project. */
  readonly switches: Switches;
  /** The same, if anyone has asked for them: spares most projects having any. */
  readonly usedSwitches: Switches | undefined;
  /** Aborts when the project is reset or closed. */
  readonly ended: AbortSignal;
  /** Whether it has been reset or closed. */
  readonly hasEnded: boolean;
  /** A new id, of this project's seed and order of calls only. */
  newId(): Promise<string>;
  /** The id that is the project's nth. */
  idOf(number: number): string;
  newRequestId(): string;
  /** How many requests have been answered. */
  readonly requests: number;
  /** Journals and counts a request that was answered; nothing once the project has ended. */
  record(exchange: Exchange): void;
  /** The seed of this use in this project: generated data and chance come from it. */
  seedText(use: string): string;
  end(): void;
}

/** The project of this key, at its beginning. What an idle project does not need is made when first asked for. */
export function createProject(key: string, beginning: Beginning, snapshots?: Project["snapshots"]): Project {
  return new Sandbox(key, beginning, snapshots);
}

/** The answer to a request of a project that has been reset or closed meanwhile: it belongs to what is no more. */
export function projectEnded({ key }: { key: string }): ServiceError {
  return new ServiceError(
    {
      code: "ServiceUnavailable",
      message: `Project "${key}" was reset or closed while this request was under way: nothing of it has been kept`,
    },
    { "Retry-After": "1" },
  );
}

/** A class, as its members are made on demand: 10,000 idle projects are to cost next to nothing. */
class Sandbox implements Project {
  readonly key: string;
  readonly store: Store;
  readonly #beginning: Beginning;
  #settings: Settings;
  #clock?: Clock;
  #journal?: Journal;
  #coverage?: Coverage;
  #snapshots?: Map<string, Snapshot>;
  #random?: Random;
  #switches?: Switches;
  #ended?: AbortController;
  #requestPrefix?: string;
  #requests = 0;

  constructor(key: string, beginning: Beginning, snapshots: Map<string, Snapshot> | undefined) {
    const { settings, state, onStateChange } = beginning;
    this.key = key;
    this.#beginning = beginning;
    this.#settings = settings;
    this.#snapshots = snapshots;
    this.store = createMemoryStore(state, (change) => {
      // What late requests still write here is not in the project that has come in its place.
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

  get clock(): Clock {
    this.#clock ??= createClock(this.#beginning.now);
    return this.#clock;
  }

  get journal(): Journal {
    this.#journal ??= createJournal(this.#settings.journalSize, this.#beginning.journals);
    return this.#journal;
  }

  get coverage(): Coverage {
    this.#coverage ??= createCoverage();
    return this.#coverage;
  }

  get usedCoverage(): Coverage | undefined {
    return this.#coverage;
  }

  get snapshots(): Map<string, Snapshot> {
    this.#snapshots ??= new Map();
    return this.#snapshots;
  }

  get random(): Random {
    this.#random ??= createRandom(this.seedText("chance"));
    return this.#random;
  }

  get switches(): Switches {
    this.#switches ??= createSwitches();
    return this.#switches;
  }

  get usedSwitches(): Switches | undefined {
    return this.#switches;
  }

  get ended(): AbortSignal {
    this.#ended ??= new AbortController();
    return this.#ended.signal;
  }

  get hasEnded(): boolean {
    return this.#ended?.signal.aborted ?? false;
  }

  async newId(): Promise<string> {
    return this.idOf(await this.store.nextNumber());
  }

  idOf(number: number): string {
    return uuidOf(this.seedText(`id ${number}`));
  }

  newRequestId(): string {
    this.#requestPrefix ??= shortHash(this.seedText("requests"));
    return `${this.#requestPrefix}-${++this.#requests}`;
  }

  get requests(): number {
    return this.#requests;
  }

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

  seedText(use: string): string {
    return JSON.stringify([this.#beginning.seed, this.key, use]);
  }
}
