import { isObject, TimeSlice } from "../../contract/index.ts";
import type { Engine } from "../../engine/index.ts";
import type { Exchange } from "../../journal/index.ts";
import type { Project, ProjectValue } from "../../project/index.ts";
import { type BuildContext, buildProject, type Line, lineProblem, linesOf, type SavedCore } from "../index.ts";
import type { ServerDocument } from "./server-document.ts";
import { type Expected, SharedDocument, type Unreadable } from "./shared-document.ts";
import { type Change, isLarge, type Mark, type Part, type Stale } from "./store.ts";

/** The part `share`, which only projects in a store have. */
interface StoredShare {
  /** The number of resets of all projects that the project has seen. */
  readonly resets: number;
  /** The activations of scenarios for all projects that the uses belong to, by name. */
  readonly activations: Readonly<Record<string, number>>;
}

/** The project at the known revision. */
interface Stored {
  readonly project: Project;
  readonly value: ProjectValue;
  readonly share: StoredShare;
}

/** A project that processes share: its parts are its lines (see archive/lines.ts). */
export class ProjectDocument extends SharedDocument {
  /** The requests that are not stored yet. */
  recorded: { readonly exchange: Exchange; readonly number: number }[] = [];
  readonly #engine: Engine;
  readonly #server: ServerDocument;
  #stored: Stored | undefined;
  /** The project and the value that the last change was about. Meanwhile, the memory budget can drop requests of it. */
  #sent: Pick<Stored, "project" | "value"> | undefined;
  /** The project after a reset of all projects, whose time the document of the server has. */
  #followed: Project | undefined;
  /** The number of requests between two steps, which need the project in memory. */
  holders = 0;
  lastUsed = 0;

  constructor(project: string, engine: Engine, server: ServerDocument, unreadable: Unreadable) {
    super(project, unreadable);
    this.#engine = engine;
    this.#server = server;
  }

  get current(): Project | undefined {
    return this.#engine.projects.find(this.project);
  }

  async change(expected: Expected): Promise<Change> {
    const { current } = this;
    const stored = this.#stored;
    const base = { project: this.project, ...expected, nextLife: "", parts: [], marks: [] };
    if (!current) {
      if (!stored) return { ...base, kind: "read" };
      const requestIds = String(stored.project.value.counts.requestIds);
      return {
        ...base,
        kind: "close",
        nextLife: crypto.randomUUID(),
        parts: [["closed", requestIds]],
        marks: ["ended"],
      };
    }
    const value = current.share();
    this.#sent = { project: current, value };
    if (current === stored?.project && value === stored.value) return { ...base, kind: "read" };
    const isOther = current !== stored?.project;
    const isNew = isOther || this.isDamaged;
    const marks: Mark[] = [];
    if (isOther && stored && current !== this.#followed) marks.push("ended");
    if (value.journal.start > (isOther ? 0 : stored.value.journal.start)) marks.push("cleared");
    const parts = await this.#parts(value, isNew ? undefined : stored);
    const nextLife = isNew ? crypto.randomUUID() : expected.life;
    // Only a whole document can be written in portions.
    if (!isNew && !isLarge(parts)) return { ...base, kind: "parts", nextLife, parts, marks };
    return { ...base, kind: "whole", nextLife, marks, parts: isNew ? parts : await this.#parts(value) };
  }

  /** Returns the changed parts as JSON; undefined for deleted ones. */
  async #parts(value: ProjectValue, before?: Stored): Promise<Part[]> {
    const slice = new TimeSlice();
    const parts: Part[] = [];
    const share = JSON.stringify(this.#share);
    if (!before || share !== JSON.stringify(before.share)) parts.push(["share", share]);
    const { activeRules: activeForAll } = this.#engine.activeForAll;
    for (const [name, part] of linesOf(value, { activeForAll }, before?.value)) {
      parts.push([name, part === undefined ? undefined : JSON.stringify(part)]);
      if (slice.isOver) await slice.next();
    }
    return parts;
  }

  get #share(): StoredShare {
    const { resets, activations } = this.#server;
    return { resets, activations };
  }

  async apply(stale: Stale): Promise<void> {
    const { revision, life, parts } = stale;
    const { projects } = this.#engine;
    this.undo();
    const closed = parts.get("closed");
    if (stale.isWhole || closed) this.unreadable.clear(this.project);
    if (revision === 0 || closed) {
      this.evict();
      await this.read("closed", closed ?? "0", (requestIds) => projects.continueIds(this.project, Number(requestIds)));
      this.known = { revision, life };
      return;
    }
    const known = life === this.known.life ? this.#stored : undefined;
    if (!known && !stale.isWhole) return this.evict();
    const { value, share } = await this.#built(stale, stale.isWhole ? undefined : known);
    const project = known?.project ?? projects.put(this.project, value);
    if (known) project.value = value;
    this.#engine.sequence.follow(value.counts.lastSerial);
    for (const number of value.journal.numbers()) {
      const exchange = known && number > known.value.journal.last ? value.journal.at(number) : undefined;
      if (exchange) project.show(exchange, number);
    }
    this.#stored = { project, value, share: share ?? known?.share ?? this.#share };
    this.known = { revision, life };
  }

  /** Returns the value with these parts, from the known value or, for the whole document, from nothing. */
  async #built({ parts }: Stale, known: Stored | undefined) {
    const slice = new TimeSlice();
    const { projects } = this.#engine;
    const start = known?.value ?? projects.initial(this.project);
    const { now, settings, activeForAll, contract, fixtures, scenarios, initial } = this.#engine;
    const onProblem = (part: string, error: unknown) => this.unreadable.add(this.project, part, error);
    const context: BuildContext = { now, settings, initial, activeForAll, contract, fixtures, scenarios, onProblem };
    const lines: Line[] = [];
    let share: StoredShare | undefined;
    await this.read("share", parts.get("share"), (saved) => {
      if (isObject(saved) && isObject(saved.activations)) share = saved as unknown as StoredShare;
    });
    for (const [name, text] of parts) {
      if (name === "share") continue;
      await this.read(name, text, async (saved) => {
        const problem = await lineProblem(name, saved);
        if (problem) throw new Error(`${problem.pointer}: ${problem.message}`);
        lines.push([name, name === "core" ? this.#coreOf(saved as SavedCore, share ?? known?.share) : saved]);
      });
      if (slice.isOver) await slice.next();
    }
    return { value: await buildProject(start, lines, context), share };
  }

  /** Returns the small values without the uses of scenarios for all projects that were activated again since. */
  #coreOf(core: SavedCore, share: StoredShare | undefined): SavedCore {
    const { activations } = this.#server;
    const isCurrent = (name: string) => share?.activations[name] === activations[name];
    return { ...core, uses: core.uses.filter(({ forAll, name }) => !forAll || isCurrent(name)) };
  }

  /** Resets the project if all projects were reset since its last change. */
  followReset(): void {
    const { projects } = this.#engine;
    const stored = this.#stored;
    if (!stored || this.current !== stored.project || stored.share.resets === this.#server.resets) return;
    this.#followed = projects.put(this.project, projects.afterReset(this.project, stored.value));
  }

  override stored(change: Change): void {
    super.stored(change);
    const { current } = this;
    if (change.kind !== "read") {
      this.#stored = current && this.#sent && { ...this.#sent, share: this.#share };
    }
    const { recorded } = this;
    this.recorded = [];
    if (current) for (const { exchange, number } of recorded) this.#engine.announce(current, exchange, number);
  }

  /** Takes back the changes since the known revision. */
  undo(): void {
    this.events = [];
    this.recorded = [];
    const stored = this.#stored;
    if (this.current !== stored?.project) this.evict();
    if (!stored || this.current !== stored.project) return;
    if (stored.project.value !== stored.value) stored.project.value = stored.value;
  }

  evict(): void {
    this.#engine.projects.evict(this.project);
    this.#stored = undefined;
    this.forget();
  }
}
