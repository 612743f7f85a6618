import { createJournal, type Journal } from "../journal/journal.ts";
import { createMemoryStore } from "../state/memory-store.ts";
import type { StateCapture, Store } from "../state/store.ts";
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
  /** Chance, for rules with a probability and for latency. */
  readonly random: Random;
  settings: Settings;
  /** Aborts when the project is reset or closed. */
  readonly ended: AbortSignal;
  /** A new id, of this project's seed and order of calls only. */
  newId(): Promise<string>;
  newRequestId(): string;
  end(): void;
}

/** The project of this key, at its beginning. What an idle project does not need is made when first asked for. */
export function createProject(key: string, beginning: Beginning): Project {
  return new Sandbox(key, beginning);
}

/** A class, as its members are made on demand: 10,000 idle projects are to cost next to nothing. */
class Sandbox implements Project {
  readonly key: string;
  readonly store: Store;
  readonly #beginning: Beginning;
  #settings: Settings;
  #clock?: Clock;
  #journal?: Journal;
  #random?: Random;
  #ended?: AbortController;
  #requestPrefix?: string;
  #requests = 0;

  constructor(key: string, beginning: Beginning) {
    this.key = key;
    this.#beginning = beginning;
    this.#settings = beginning.settings;
    this.store = createMemoryStore(beginning.state);
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
    this.#journal ??= createJournal(this.#settings.journalSize);
    return this.#journal;
  }

  get random(): Random {
    this.#random ??= createRandom(this.#seedText("chance"));
    return this.#random;
  }

  get ended(): AbortSignal {
    this.#ended ??= new AbortController();
    return this.#ended.signal;
  }

  async newId(): Promise<string> {
    return uuidOf(this.#seedText(`id ${await this.store.nextNumber()}`));
  }

  newRequestId(): string {
    this.#requestPrefix ??= shortHash(this.#seedText("requests"));
    return `${this.#requestPrefix}-${++this.#requests}`;
  }

  end(): void {
    this.#ended ??= new AbortController();
    this.#ended.abort(new DOMException("the project was reset or closed", "AbortError"));
  }

  #seedText(use: string): string {
    return JSON.stringify([this.#beginning.seed, this.key, use]);
  }
}
