import { isObject } from "../../contract/index.ts";
import type { Engine, IssuedToken } from "../../engine/index.ts";
import { type Coverage, noCoverage, type OperationCounts } from "../../journal/index.ts";
import { ActiveRules, rulesOf, type SavedRules, savedRules } from "../../rules/index.ts";
import { type Expected, SharedDocument, type Unreadable } from "./shared-document.ts";
import type { Change, Part, Stale } from "./store.ts";

/** The scenarios that are active for all projects, with a number for each activation. */
interface StoredRules {
  readonly rules: SavedRules;
  readonly activations: Readonly<Record<string, number>>;
}

/** The parts that are compared by reference. The tokens note their changes, as they are many. */
const parts = ["resets", "rules", "coverage"] as const;

interface Stored {
  readonly resets: number;
  readonly coverage: Coverage;
  readonly rules: ActiveRules;
  readonly activations: StoredRules["activations"];
}

/**
 * The state that belongs to no project: tokens, the scenarios that are active for all projects, the coverage of projects
 * that were reset or deleted, and the number of resets of all projects.
 */
export class ServerDocument extends SharedDocument {
  /** The number of resets of all projects. */
  resets = 0;
  /** The last activation of each scenario that is active for all projects. Another activation starts its counters again. */
  activations: Readonly<Record<string, number>> = {};
  #engine: Engine | undefined;
  /** The changed parts of the tokens. */
  readonly #tokens = new Set<string>();
  /** The other parts at the known revision. */
  #stored: Stored = { resets: 0, coverage: noCoverage, rules: ActiveRules.none, activations: {} };
  /** The last changes of other processes that are taken over. */
  #applied: Promise<void> = Promise.resolve();
  /** The scenarios that the flags activate. */
  #initialRules: SavedRules | undefined;

  constructor(unreadable: Unreadable) {
    super("", unreadable);
  }

  attach(engine: Engine): void {
    this.#engine = engine;
    this.#initialRules = savedRules(engine.activeForAll.activeRules);
    this.#stored = this.#current(engine);
    this.#tokens.clear();
  }

  #current({ projects: { coverageOfEnded: coverage }, activeForAll: { activeRules: rules } }: Engine): Stored {
    return { resets: this.resets, coverage, rules, activations: this.activations };
  }

  noteToken(part: string): void {
    this.#tokens.add(part);
  }

  /** The parts that have changed since the known revision. */
  get #changed(): Set<string> {
    if (!this.isLoaded) return new Set();
    const current = this.#current(this.#engine as Engine);
    return new Set([...parts.filter((part) => current[part] !== this.#stored[part]), ...this.#tokens]);
  }

  change(expected: Expected): Change {
    const changed = this.#changed;
    const isNew = expected.revision === 0 || this.isDamaged;
    const isWhole = changed.has("tokens") || isNew;
    const kind = changed.size === 0 ? "read" : isWhole ? "whole" : "parts";
    // Before the first token, and after all tokens were removed, these are the only parts.
    const names = isWhole ? new Set([...parts, ...changed]) : changed;
    const all = Array.from(names, (name): Part => [name, JSON.stringify(this.#saved(name))]);
    return {
      project: "",
      ...expected,
      kind,
      // A store that has lost its data gets another life, so that no process mistakes its document for the lost one.
      nextLife: isNew ? crypto.randomUUID() : expected.life,
      marks: this.resets === this.#stored.resets ? [] : ["ended"],
      parts: isWhole ? all.filter(([, text]) => text !== undefined) : all,
    };
  }

  #saved(part: string): unknown {
    const engine = this.#engine as Engine;
    if (part === "resets") return this.resets;
    if (part === "coverage") {
      const { operations, ...violations } = engine.projects.coverageOfEnded;
      return { operations: Object.fromEntries(operations.entries()), ...violations };
    }
    if (part !== "rules") return part === "tokens" ? undefined : engine.tokens.saved(part);
    this.#countActivations(engine);
    const rules = savedRules(engine.activeForAll.activeRules);
    return { rules, activations: this.activations } satisfies StoredRules;
  }

  /** Sets a new number for each scenario that was activated since the last commit. */
  #countActivations({ activeForAll: { activeRules } }: Engine): void {
    const { rules, activations } = this.#stored;
    const next = Math.max(0, ...Object.values(activations)) + 1;
    const numbers = activeRules.scenarios.flatMap((item): [string, number][] => {
      const number = rules.scenarios.includes(item) ? activations[item.name] : next;
      // The initial activation by a flag has no number.
      return number === undefined ? [] : [[item.name, number]];
    });
    this.activations = Object.fromEntries(numbers);
  }

  apply(stale: Stale): Promise<void> {
    // Steps of several projects can return the changes at the same time.
    this.#applied = this.#applied.catch(() => {}).then(() => this.#apply(stale));
    return this.#applied;
  }

  async #apply(stale: Stale): Promise<void> {
    const engine = this.#engine as Engine;
    const { parts, isWhole, revision, life } = stale;
    if (this.isLoaded && this.known.life === life && this.known.revision >= revision) return;
    // Only the whole document takes back the own changes, which are not stored.
    if (this.#changed.size > 0 && !isWhole && revision > 0) return this.unload();
    this.events = [];
    // A store without the document has lost its data, or is new.
    if (isWhole || revision === 0) await this.#clear(engine, parts);
    const tokens: [part: string, saved: IssuedToken][] = [];
    if (isWhole) this.unreadable.clear("");
    for (const [name, text] of parts) {
      await this.read(name, text, (saved) => {
        if (name === "resets") this.resets = Number(saved ?? 0) || 0;
        else if (name === "coverage") engine.projects.coverageOfEnded = coverageOf(saved);
        else if (name === "rules") return this.#restoreRules(engine, saved as StoredRules | undefined);
        else if (saved && name.startsWith("token/")) tokens.push([name, tokenOf(saved)]);
        else engine.tokens.restore(name, saved as undefined);
      });
    }
    // The parts are in no order, and the registry keeps tokens in the order of issue.
    for (const [name, saved] of tokens.sort(([, a], [, b]) => numberOf(a) - numberOf(b))) {
      engine.tokens.restore(name, saved);
    }
    this.known = { revision, life };
    this.#stored = this.#current(engine);
    this.#tokens.clear();
  }

  /** Returns everything to the initial state that `parts` do not replace. */
  async #clear(engine: Engine, parts: Stale["parts"]): Promise<void> {
    engine.tokens.clear();
    engine.projects.coverageOfEnded = noCoverage;
    this.resets = 0;
    const rules = this.#initialRules;
    if (!parts.has("rules")) await this.#restoreRules(engine, rules && { rules, activations: {} });
  }

  async #restoreRules(engine: Engine, saved: StoredRules | undefined): Promise<void> {
    if (!saved) return;
    // Projects keep the uses of the same activation. Another activation starts without uses, also of the same definition.
    const { rules, activations } = this.#stored;
    const scenarios = rules.scenarios.filter(({ name }) => activations[name] === saved.activations[name]);
    const { added, periods } = saved.rules;
    const current = ActiveRules.none.replaced({ scenarios, rules: [], added, periods });
    engine.activeForAll.activeRules = await rulesOf(saved.rules, current, engine);
    this.activations = saved.activations;
  }

  override stored(change: Change): void {
    super.stored(change);
    if (change.kind !== "read") this.#stored = this.#current(this.#engine as Engine);
    this.#tokens.clear();
  }

  undo(): void {
    this.forget();
    this.#tokens.clear();
    this.events = [];
  }
}

function coverageOf(saved: unknown): Coverage {
  if (saved === undefined) return noCoverage;
  if (!isObject(saved) || !isObject(saved.operations) || !isObject(saved.violations)) {
    throw new Error("expected counts, found another value");
  }
  const operations = noCoverage.operations.clone();
  for (const [name, counts] of Object.entries(saved.operations)) operations.set(name, counts as OperationCounts);
  return { ...(saved as unknown as Coverage), operations };
}

function tokenOf(saved: unknown): IssuedToken {
  if (isObject(saved) && typeof saved.id === "string" && typeof saved.token === "string") {
    return saved as unknown as IssuedToken;
  }
  throw new Error("expected a token, found another value");
}

function numberOf({ id }: IssuedToken): number {
  return Number(id.slice("t-".length));
}
