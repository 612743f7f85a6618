import { ServiceError } from "../contract/service-error.ts";
import type { FairBudget } from "../journal/budget.ts";
import { Coverage } from "../journal/coverage.ts";
import type { Exchange } from "../journal/exchange.ts";
import { Journal } from "../journal/journal.ts";
import { Switches } from "../scenarios/switches.ts";
import type { Settings } from "../settings/settings.ts";
import { StateAccount, type StateBudget } from "../state/budget.ts";
import { MemoryStore } from "../state/memory-store.ts";
import type { StateCapture, StateChange, Store } from "../state/store.ts";
import { OffsetClock } from "./clock.ts";
import { createRandom, type Random, shortHash, uuidOf } from "./random.ts";
import type { RequestIds } from "./request-ids.ts";
import { Snapshots, type StoredSnapshot } from "./snapshots.ts";

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
  /** What the state of all projects may take together. */
  readonly budget: StateBudget;
  readonly onStateChange?: (projectKey: string, change: StateChange) => void;
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
  /** Counts the bytes of the state, of its snapshots, and of rules and scenarios that came with calls. */
  readonly account: StateAccount;
  readonly #initial: InitialProject;
  #settings: Settings;
  #clock?: OffsetClock;
  #journal?: Journal;
  #coverage?: Coverage;
  #snapshots?: Snapshots;
  #random?: Random;
  #switches?: Switches;
  #hasEnded = false;
  #ended?: AbortController;
  #requestPrefix?: string;
  #requests = 0;
  #stubbed = 0;

  /** A project in its initial state, with the snapshots of the project that it replaces. */
  constructor(key: string, initial: InitialProject, replaced?: Project) {
    const { settings, state, budget, onStateChange } = initial;
    this.key = key;
    this.account = replaced?.account ?? new StateAccount(key, budget);
    this.#initial = initial;
    this.#settings = settings;
    if (replaced) this.#snapshots = replaced.#snapshots;
    this.store = new MemoryStore({
      initial: state,
      account: this.account,
      onChange: (change) => {
        // Late requests still write here: that is not in the project that has replaced this one.
        if (onStateChange && !this.hasEnded) onStateChange(key, change);
      },
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

  /** Adds the coverage to a sum, unless there is none yet. */
  addCoverageTo(sum: Coverage): void {
    if (this.#coverage) sum.add(this.#coverage);
  }

  /** A reset keeps them. */
  get snapshots(): Snapshots {
    this.#snapshots ??= new Snapshots(this.account);
    return this.#snapshots;
  }

  /**
   * Names the state as it is now. Throws InsufficientStorage, and ServiceUnavailable when the project has ended.
   */
  async takeSnapshot(name: string): Promise<StoredSnapshot> {
    const state = await this.store.capture();
    try {
      const snapshot = { name, takenAt: this.clock.timestamp(), resources: await this.store.size(), state };
      if (this.#hasEnded) throw projectEnded(this);
      this.snapshots.add(snapshot, this.store);
      return snapshot;
    } catch (error) {
      await this.store.release(state);
      throw error;
    }
  }

  /** The random numbers of rules with a probability and of latencies. */
  get random(): Random {
    this.#random ??= createRandom(this.seedText("chance"));
    return this.#random;
  }

  /** The active scenarios and rules of this project. */
  get switches(): Switches {
    this.#switches ??= new Switches(this.#hasEnded ? undefined : (by) => this.account.reserve(by));
    return this.#switches;
  }

  /** Aborts when the project is reset or closed. */
  get ended(): AbortSignal {
    if (!this.#ended) {
      this.#ended = new AbortController();
      if (this.#hasEnded) this.#ended.abort(reasonOfEnd());
    }
    return this.#ended.signal;
  }

  /** Whether the project has been reset or closed. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /**
   * Returns a new id; it follows from the project's seed and the order of calls only. Throws InsufficientStorage when what
   * is to have the id, with its `bytes`, does not fit: no id is used up.
   */
  async newId(bytes = 0): Promise<string> {
    await this.store.requireRoom(bytes);
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

  /** Ends the project for requests in progress. Its snapshots stay, for the project that replaces it. */
  end(): void {
    this.#hasEnded = true;
    this.#ended?.abort(reasonOfEnd());
    this.#journal?.end();
    this.#switches?.end();
    void this.store.end();
  }

  /** Ends the project with its snapshots. */
  close(): void {
    this.end();
    this.#snapshots?.clear(this.store);
  }

  /** The seed of one use in this project, such as generated data. */
  seedText(use: string): string {
    return JSON.stringify([this.#initial.seed, this.key, use]);
  }
}

function reasonOfEnd(): DOMException {
  return new DOMException("the project was reset or closed", "AbortError");
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
