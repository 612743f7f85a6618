import type { Engine } from "../engine/engine.ts";
import { Coverage, type SavedCoverage } from "../journal/coverage.ts";
import { restoreRules, type SavedRules, savedRules } from "../scenarios/saved-rules.ts";
import { type Expected, Revision, type SharedDocument } from "./document.ts";
import type { Change, Stale } from "./store.ts";

/** The scenarios that are active for all projects, with a number for each activation. */
interface StoredRules {
  readonly rules: SavedRules;
  readonly activations: Readonly<Record<string, number>>;
}

/**
 * The state that belongs to no project: tokens, the scenarios that are active for all projects, the coverage of projects
 * that were reset or closed, and the number of resets of all projects.
 */
export class ServerDocument implements SharedDocument {
  readonly project = "";
  events: string[] = [];
  /** The number of resets of all projects. */
  resets = 0;
  /** The last activation of each scenario that is active for all projects. Another activation starts its counters again. */
  activations: Readonly<Record<string, number>> = {};
  #engine: Engine | undefined;
  readonly #revision: Revision;
  readonly #parts = new Set<string>();
  isApplying = false;
  #items: readonly object[] = [];
  /** The scenarios that the flags activate. */
  #initialRules: SavedRules | undefined;

  constructor(ttl: number) {
    this.#revision = new Revision(ttl);
  }

  attach(engine: Engine): void {
    this.#engine = engine;
    this.#initialRules = savedRules(engine.activeRules);
    this.#items = engine.activeRules.items.scenarios;
    this.#parts.clear();
  }

  get isLoaded(): boolean {
    return this.#revision.number >= 0;
  }

  note(part: string): void {
    if (!this.isApplying) this.#parts.add(part);
  }

  get expected(): Expected {
    return this.#revision.expected;
  }

  change(expected: Expected): Change {
    const isWhole = this.#parts.has("tokens") || expected.revision === 0;
    const kind = this.#parts.size === 0 ? "read" : isWhole ? "whole" : "parts";
    // Before the first token, and after all tokens were removed, these are the only parts.
    const names = isWhole ? new Set(["resets", "rules", "coverage", ...this.#parts]) : this.#parts;
    const set: string[] = [];
    const deleted: string[] = [];
    for (const name of names) {
      const value = this.#saved(name);
      if (value !== undefined) set.push(name, JSON.stringify(value));
      else if (!isWhole) deleted.push(name);
    }
    const { life } = expected;
    return {
      project: "",
      ...expected,
      kind,
      nextLife: life,
      journalSize: 0,
      set,
      deleted,
      entries: [],
      cleared: false,
    };
  }

  #saved(part: string): unknown {
    const engine = this.#engine as Engine;
    if (part === "resets") return this.resets;
    if (part === "coverage") return engine.coverageOfEnded.saved;
    if (part !== "rules") return part === "tokens" ? undefined : engine.tokens.saved(part);
    this.#countActivations(engine);
    return { rules: savedRules(engine.activeRules), activations: this.activations } satisfies StoredRules;
  }

  /** Sets a new number for each scenario that was activated since the last commit. */
  #countActivations({ activeRules }: Engine): void {
    const items = activeRules.items.scenarios;
    const next = Math.max(0, ...Object.values(this.activations)) + 1;
    const numbers = items.map((item) => {
      const known = this.#items.includes(item) ? this.activations[item.name] : undefined;
      return [item.name, known ?? next] as const;
    });
    this.activations = Object.fromEntries(numbers);
    this.#items = items;
  }

  async apply(stale: Stale): Promise<void> {
    const engine = this.#engine as Engine;
    const { parts, isWhole, revision } = stale;
    this.events = [];
    this.isApplying = true;
    try {
      // A store without the document has lost its data, or is new.
      if (isWhole || revision === 0) await this.#clear(engine);
      for (const [name, text] of parts) {
        const saved = text === null ? undefined : JSON.parse(text);
        if (name === "resets") this.resets = saved ?? 0;
        else if (name === "coverage") {
          const coverage = new Coverage();
          if (saved) coverage.saved = saved as SavedCoverage;
          engine.coverageOfEnded = coverage;
        } else if (name === "rules") await this.#restoreRules(engine, saved);
        else engine.tokens.restore(name, saved);
      }
      this.#revision.set(stale);
      this.#parts.clear();
    } finally {
      this.isApplying = false;
    }
  }

  async #clear(engine: Engine): Promise<void> {
    engine.tokens.clear();
    engine.coverageOfEnded = new Coverage();
    this.resets = 0;
    const rules = this.#initialRules;
    await this.#restoreRules(engine, rules && { rules, activations: {} });
  }

  async #restoreRules(engine: Engine, saved: StoredRules | undefined): Promise<void> {
    if (!saved) return;
    await restoreRules(engine.activeRules, saved.rules, engine);
    this.#items = engine.activeRules.items.scenarios;
    this.activations = saved.activations;
  }

  stored(change: Change): void {
    this.#revision.advance(change);
    this.#parts.clear();
    this.events = [];
  }

  unload(): void {
    this.#revision.forget();
    this.#parts.clear();
    this.events = [];
  }
}
