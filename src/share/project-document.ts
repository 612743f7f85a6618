import {
  changesOf as changesOfSet,
  exchangeOf,
  restoreCore,
  restoreCoverage,
  restoreRules,
  type SavedChanges,
  type SavedCore,
  type SavedCoverage,
  type SavedExchange,
  type SavedRules,
  savedChanges,
  savedCore,
  savedCoverage,
  savedExchange,
  savedRules,
} from "../archive/parts.ts";
import type { Engine } from "../engine/engine.ts";
import { type Exchange, withinBounds } from "../journal/exchange.ts";
import type { Project, StoredSnapshot as ProjectSnapshot } from "../projects/project.ts";
import { type NumberedState, numberedStateOf, numberedStatePieces } from "../state/document.ts";
import { StateDraft } from "../state/draft.ts";
import type { StoredImage } from "../state/image.ts";
import {
  emptyState,
  type Facts,
  factsOf,
  type Placed,
  type State,
  type TableValues,
  valueIn,
  valuesOf,
} from "../state/state.ts";
import { isObject } from "../text/json.ts";
import type { Changes } from "./changes.ts";
import { type Expected, Revision, type SharedDocument } from "./document.ts";
import type { ServerDocument } from "./server-document.ts";
import type { Change, Stale } from "./store.ts";
import type { Unreadable } from "./unreadable.ts";

/** The part `core` of a project: its small values. */
interface StoredCore extends SavedCore {
  readonly numbers: Facts;
  readonly lastSerial: number;
  /** The number of requests that were added to the journal since it was created or cleared, and how many of them it keeps. */
  readonly journal: { readonly added: number; readonly kept: number };
  /** The number of resets of all projects that the project has seen. */
  readonly resets: number;
  /** The activations of scenarios for all projects that the uses belong to, by name. */
  readonly activations: Readonly<Record<string, number>>;
}

/** The part `rules`: the scenarios, and the ids of the rules in their order. */
type StoredRules = Omit<SavedRules, "rules"> & { readonly rules: readonly string[] };
type StoredRequest = readonly [serial: number, arrival: number, exchange: SavedExchange];
type StoredSnapshot = { readonly takenAt: string; readonly order: number; readonly state: NumberedState };

/** The parts that are written when the whole project is stored, before those of the state. */
const ownParts = ["settings", "rules", "coverage", "core"];

/** A project that processes share. */
export class ProjectDocument implements SharedDocument {
  readonly project: string;
  events: string[] = [];
  readonly #engine: Engine;
  readonly #server: ServerDocument;
  readonly #unreadable: Unreadable;
  readonly #revision: Revision;
  /** The project at the known revision. A reset replaces the project of the engine. */
  #stored: Project | undefined;
  /** The number of resets of all projects that the stored project has seen. */
  #resets = 0;
  /** The ids of the stored rules. Each rule is a part of its own, as a project can have many. */
  #rules: ReadonlySet<string> = new Set();
  /** Whether the last changes replaced parts that only the whole document brings back. */
  #needsWhole = false;
  isApplying = false;
  /** The number of requests between two steps, which need the project in memory. */
  holders = 0;
  lastUsed = 0;

  constructor(project: string, engine: Engine, server: ServerDocument, unreadable: Unreadable, ttl: number) {
    this.project = project;
    this.#unreadable = unreadable;
    this.#engine = engine;
    this.#server = server;
    this.#revision = new Revision(ttl);
  }

  get isLoaded(): boolean {
    return this.#revision.number >= 0;
  }

  get current(): Project | undefined {
    return this.#engine.projects.find(this.project);
  }

  get expected(): Expected {
    return this.#revision.expected;
  }

  change(expected: Expected): Change {
    const { current } = this;
    this.#needsWhole = false;
    const base = {
      project: this.project,
      ...expected,
      nextLife: "",
      kept: 0,
      set: [],
      deleted: [],
      entries: [],
    };
    if (!current) {
      if (!this.#stored) return { ...base, kind: "read", cleared: false };
      const requestIds = JSON.stringify(this.#stored.core);
      return { ...base, kind: "close", nextLife: newLife(), set: ["closed", requestIds], cleared: false };
    }
    const changes = changesOf(current);
    const isNew = current !== this.#stored;
    const isWhole = isNew || changes.parts.has("state");
    if (!isWhole && changes.isEmpty) return { ...base, kind: "read", cleared: false };
    // The other parts would not bring back the requests, and the order of the snapshots.
    this.#needsWhole = isWhole || [...changes.parts].some((part) => part === "journal" || part.startsWith(SNAPSHOT));
    const names = isWhole
      ? [
          ...ownParts,
          ...partsOf(current.state),
          ...Array.from(current.snapshots.keys(), (name) => SNAPSHOT + name),
          ...Array.from(current.history.numbers(), (number) => CHANGE + number),
        ]
      : [...changes.parts].filter((part) => part !== "journal");
    if (names.includes("rules")) names.push(...this.#changedRules(current, isWhole));
    const set: string[] = [];
    const deleted: string[] = [];
    for (const name of names) {
      const value = this.#saved(current, name, expected);
      if (value === undefined) deleted.push(name);
      else set.push(name, value);
    }
    const cleared = !isWhole && changes.parts.has("journal");
    if (cleared) set.push("journal", String(expected.at));
    const kept = isWhole ? current.exchanges().reverse() : [];
    const entries = [...kept, ...changes.requests.map(({ exchange }) => exchange)].map(entryOf);
    return {
      ...base,
      kind: isWhole ? "whole" : "parts",
      nextLife: isNew ? newLife() : expected.life,
      kept: keptBy(current).kept,
      set,
      deleted: isWhole ? [] : deleted,
      entries,
      cleared,
    };
  }

  /** Returns the names of the parts of added and removed rules; of all rules if the whole project is stored. */
  #changedRules(project: Project, isWhole: boolean): string[] {
    const ids = ruleIds(project);
    const added = isWhole ? ids : ids.filter((id) => !this.#rules.has(id));
    const kept = new Set(ids);
    const removed = isWhole ? [] : [...this.#rules].filter((id) => !kept.has(id));
    return [...added, ...removed].map((id) => RULE + id);
  }

  #saved(project: Project, part: string, { revision }: Expected): string | undefined {
    if (part === "core") return JSON.stringify(this.#core(project));
    if (part === "settings") return JSON.stringify(project.settings);
    if (part === "rules") return JSON.stringify({ ...savedRules(project), rules: ruleIds(project) });
    if (part.startsWith(RULE)) return savedRule(project, part.slice(RULE.length));
    if (part === "coverage") return JSON.stringify(savedCoverage(project));
    if (part.startsWith(CHANGE)) return savedSet(project, Number(part.slice(CHANGE.length)));
    if (part.startsWith(SNAPSHOT)) return savedSnapshot(project, part.slice(SNAPSHOT.length), revision);
    return savedPart(project.state, part);
  }

  #core(project: Project): StoredCore {
    const { lastSerial, state } = project;
    const { resets, activations } = this.#server;
    return {
      ...savedCore(project),
      numbers: factsOf(state),
      lastSerial,
      journal: keptBy(project),
      resets,
      activations,
    };
  }

  async apply(stale: Stale): Promise<void> {
    this.isApplying = true;
    try {
      await this.#apply(stale);
    } finally {
      this.isApplying = false;
    }
  }

  async #apply(stale: Stale): Promise<void> {
    const { revision, life, parts } = stale;
    this.events = [];
    const isOther = life !== this.#revision.life || this.current !== this.#stored;
    const closed = parts.get("closed");
    if (stale.isWhole || closed) this.#unreadable.clear(this.project);
    if (revision === 0 || closed) {
      this.#engine.projects.evict(this.project);
      this.#stored = undefined;
      if (closed) await this.#read("closed", closed, (core) => this.#continueIds((core as SavedCore).requestIds));
      else this.#continueIds(0);
      this.#revision.set(stale);
      return;
    }
    if (isOther || !this.#stored) {
      this.#engine.projects.evict(this.project);
      this.#stored = undefined;
      if (!stale.isWhole) return this.unload();
      this.#stored = this.#engine.projects.adopt(this.project);
    }
    if (this.#needsWhole && !stale.isWhole) return this.unload();
    const project = this.#stored;
    try {
      await this.#restore(project, stale);
      this.#revision.set(stale);
    } finally {
      // What another process has stored is no change of this one.
      changesOf(project).clear();
    }
  }

  /** Sets the number of the last request id. It outlives the project, so that ids stay unique. */
  #continueIds(requestIds: number): void {
    const { projects } = this.#engine;
    const project = projects.adopt(this.project);
    restoreCore(project, { ...project.core, requestIds, uses: [] });
    projects.evict(this.project);
  }

  async #restore(project: Project, { parts, entries, isWhole }: Stale): Promise<void> {
    const state = new StateDraft(isWhole ? emptyState : project.state);
    const sets: [number: number, saved: SavedChanges | undefined][] = [];
    const snapshots: [name: string, saved: StoredSnapshot | undefined][] = [];
    const rules = new Map<string, SavedRules["rules"][number] | undefined>();
    let definitions: StoredRules | undefined;
    let core: StoredCore | undefined;
    for (const [name, text] of parts) {
      await this.#read(name, text, (saved) => {
        if (name === "settings") project.settings = Object.freeze(settingsOf(saved, this.#engine.settings));
        else if (name === "core") core = saved as StoredCore;
        else if (name === "rules") definitions = saved as StoredRules;
        else if (name.startsWith(RULE)) rules.set(name.slice(RULE.length), saved as SavedRules["rules"][number]);
        else if (name === "coverage") restoreCoverage(project, saved as SavedCoverage);
        else if (name.startsWith(SNAPSHOT)) snapshots.push([name.slice(SNAPSHOT.length), saved as StoredSnapshot]);
        else if (name.startsWith(CHANGE)) sets.push([Number(name.slice(CHANGE.length)), setOf(saved)]);
        else if (name !== "journal") restorePart(state, name, saved);
      });
    }
    await this.#use("rules", () => definitions && this.#restoreRules(project, definitions, rules));
    const created = Math.max(state.state.resources.maxKey() ?? 0, core?.numbers?.created ?? 0);
    state.setFacts({ lastWritten: undefined, ...core?.numbers, created });
    project.adoptState(state.state);
    restoreHistory(project, sets, isWhole);
    const kept = new Map(isWhole ? [] : project.snapshots);
    for (const [name, saved] of inOrder(snapshots)) {
      await this.#use(SNAPSHOT + name, () => restoreSnapshot(project, kept, name, saved));
    }
    project.snapshots = kept;
    await this.#restoreJournal(project, entries, isWhole || parts.has("journal"));
    await this.#use("core", () => core && this.#restoreCore(project, core));
  }

  #read(part: string, text: string | null, use: (saved: unknown) => unknown): Promise<void> {
    return this.#unreadable.read(this.project, part, text, use);
  }

  /** Uses values that were read. If this throws, leaves the part out. */
  #use(part: string, use: () => unknown): Promise<void> {
    return this.#unreadable.read(this.project, part, null, use);
  }

  #restoreCore(project: Project, core: StoredCore): void {
    const { activations } = this.#server;
    const uses = core.uses.filter(({ forAll, name }) => !forAll || core.activations[name] === activations[name]);
    const { journal } = project;
    // Another process can have reduced the setting `journalSize` for a while.
    journal.resize(core.journal.kept);
    journal.resize(project.settings.journalSize);
    restoreCore(project, { ...core, uses, forgotten: core.journal.added - journal.length });
    project.lastSerial = core.lastSerial;
    this.#resets = core.resets;
  }

  async #restoreRules(
    project: Project,
    definitions: StoredRules,
    changed: ReadonlyMap<string, SavedRules["rules"][number] | undefined>,
  ): Promise<void> {
    const known = new Map(savedRules(project).rules.map((rule) => [rule.id, rule]));
    const rules = definitions.rules.flatMap((id) => changed.get(id) ?? known.get(id) ?? []);
    await restoreRules(project, { ...definitions, rules }, this.#engine);
    this.#rules = new Set(definitions.rules);
  }

  /** Adds requests to the journal. With `replaces`, the journal has only these. */
  async #restoreJournal(project: Project, entries: readonly string[], replaces: boolean): Promise<void> {
    const requests: StoredRequest[] = [];
    for (const entry of entries) {
      await this.#read("a request of the journal", entry, (saved) => requests.push(requestOf(saved)));
    }
    const last = replaces ? project.exchanges()[0]?.serial : undefined;
    // Known requests stay, so that waits do not count them again.
    const known = requests.findIndex(([serial]) => serial === last);
    if (replaces && known === -1) project.journal.clear();
    for (const [serial, arrival, saved] of requests.slice(known + 1)) {
      project.addRecorded(exchangeOf(saved, { serial, arrival }));
      this.#engine.sequence.follow(serial);
    }
  }

  /** Resets the project if all projects were reset since its last change. */
  followReset(): void {
    if (!this.#stored || this.current !== this.#stored || this.#resets === this.#server.resets) return;
    this.#engine.projects.renew(this.project);
  }

  stored(change: Change): void {
    const { current } = this;
    this.#revision.advance(change);
    this.#stored = current;
    this.#resets = this.#server.resets;
    this.events = [];
    if (!current) return;
    const changes = changesOf(current);
    if (change.kind === "whole" || changes.parts.has("rules")) this.#rules = new Set(ruleIds(current));
    const { requests } = changes;
    changes.clear();
    for (const { add } of requests) add();
  }

  unload(): void {
    this.events = [];
    this.#revision.forget();
    if (this.current === this.#stored) {
      if (this.#stored) changesOf(this.#stored).clear();
      return;
    }
    this.#engine.projects.evict(this.project);
    this.#stored = undefined;
  }

  /** Removes the project from the memory of this process. */
  evict(): void {
    this.#engine.projects.evict(this.project);
    this.#stored = undefined;
    this.#revision.forget();
  }
}

const SNAPSHOT = "snapshot/";
const CHANGE = "change/";
const RULE = "rule/";

/** More than a project can have. */
const MOST_SNAPSHOTS = 1000;

function ruleIds({ activeRules }: Project): string[] {
  return activeRules.items.rules.map(({ name }) => name);
}

function savedRule({ activeRules }: Project, id: string): string | undefined {
  const item = activeRules.items.rules.find(({ name }) => name === id);
  return item && JSON.stringify({ id, rule: item.rule.source });
}

function savedSet(project: Project, number: number): string | undefined {
  const set = project.history.get(number);
  return set && JSON.stringify(savedChanges(set));
}

/** Takes over sets of changes. With `replaces`, the history has only these. */
function restoreHistory(
  { history }: Project,
  sets: readonly (readonly [number: number, saved: SavedChanges | undefined])[],
  replaces: boolean,
): void {
  if (replaces) history.shrinkTo(-1);
  for (const [number, saved] of sets.toSorted(([a], [b]) => a - b)) {
    history.drop(number);
    if (saved) history.put(changesOfSet(saved));
  }
}

type SavedImage = readonly [number: number, facts: Omit<StoredImage, "bytes">, base64: string];

/** Returns the names of the parts of a state. The values of `core` have the facts. */
function* partsOf(state: State): Iterable<string> {
  for (const [table, id] of valuesOf(state)) {
    if (table !== "facts") yield table === "action" ? table : `${table}/${id}`;
  }
}

/** Returns a part of a state as JSON; undefined if the state has no such part. */
function savedPart(state: State, part: string): string | undefined {
  const [table, id] = tableOf(part);
  const value = valueIn(state, table, id);
  if (value === undefined) return undefined;
  return JSON.stringify(table === "image" ? savedImage(value as Placed<StoredImage>) : value);
}

/** Sets a part of a state, in any order. */
function restorePart(state: StateDraft, part: string, saved: unknown): void {
  const [table, id] = tableOf(part);
  if (saved !== undefined && (table === "resource" || table === "image")) {
    const [number, value] = Array.isArray(saved) ? saved : [];
    requireForm(Number.isInteger(number) && isObject(value) && value.id === id, `${table} with its number`);
    requireForm(table === "image" || Number.isInteger(value.version), "a resource with its version");
  }
  state.set(table, id, table === "image" && saved ? imageOf(saved as SavedImage) : (saved as undefined));
}

/** Returns the table and the id in the name of a part. */
function tableOf(part: string): [table: keyof TableValues, id: string] {
  const slash = part.indexOf("/");
  if (slash === -1) return ["action", ""];
  return [part.slice(0, slash) as keyof TableValues, part.slice(slash + 1)];
}

function savedImage([number, { bytes, ...facts }]: Placed<StoredImage>): SavedImage {
  return [number, facts, Buffer.from(bytes).toString("base64")];
}

function imageOf([number, facts, base64]: SavedImage): Placed<StoredImage> {
  // Copied, as the shared pool of Node would stay in memory.
  return [number, { ...facts, bytes: new Uint8Array(Buffer.from(base64, "base64")) }];
}

function changesOf(project: Project): Changes {
  return project.changes as Changes;
}

/** Returns the numbers of the journal after the requests that are not yet stored were added. */
function keptBy(project: Project): StoredCore["journal"] {
  const { journal, settings } = project;
  const length = journal.length + changesOf(project).requests.length;
  return { added: journal.forgotten + length, kept: Math.min(length, settings.journalSize) };
}

function newLife(): string {
  return crypto.randomUUID();
}

function entryOf(exchange: Exchange): string {
  const { serial, arrival } = exchange;
  const request: StoredRequest = [serial, arrival, savedExchange(withinBounds(exchange))];
  return JSON.stringify(request);
}

function savedSnapshot(project: Project, name: string, revision: number): string | undefined {
  const snapshot = project.snapshots.get(name);
  if (!snapshot) return undefined;
  // Snapshots that were stored before are older.
  const order = revision * MOST_SNAPSHOTS + [...project.snapshots.keys()].indexOf(name);
  const { takenAt, state } = snapshot;
  const document = [...numberedStatePieces(state)].join("");
  return `{"takenAt":${JSON.stringify(takenAt)},"order":${order},"state":${document}}`;
}

/** Returns the snapshots in the order in which they were taken. */
function inOrder(saved: readonly (readonly [name: string, saved: StoredSnapshot | undefined])[]) {
  return saved.toSorted(([, a], [, b]) => (a?.order ?? 0) - (b?.order ?? 0));
}

async function restoreSnapshot(
  project: Project,
  snapshots: Map<string, ProjectSnapshot>,
  name: string,
  saved: StoredSnapshot | undefined,
): Promise<void> {
  snapshots.delete(name);
  if (!saved) return;
  const { takenAt } = saved;
  const state = await numberedStateOf(saved.state, { idOf: (number) => project.idOf(number), now: takenAt });
  snapshots.set(name, { name, takenAt, state });
}

/** Throws an Error for a stored value of another form. */
function requireForm(isValid: boolean, expected: string): void {
  if (!isValid) throw new Error(`expected ${expected}, found another value`);
}

/** Returns stored settings. An unknown or absent setting has the value of the server. */
function settingsOf(saved: unknown, initial: Project["settings"]): Project["settings"] {
  requireForm(isObject(saved) && Object.keys(saved).every((name) => Object.hasOwn(initial, name)), "settings");
  return { ...initial, ...(saved as Project["settings"]) };
}

function setOf(saved: unknown): SavedChanges | undefined {
  requireForm(saved === undefined || (isObject(saved) && Array.isArray(saved.changes)), "a set of changes");
  return saved as SavedChanges | undefined;
}

function requestOf(saved: unknown): StoredRequest {
  requireForm(Array.isArray(saved) && typeof saved[0] === "number" && isObject(saved[2]), "a request");
  return saved as StoredRequest;
}
