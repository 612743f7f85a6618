import type { Awaitable } from "../../contract/index.ts";
import { DAMAGED } from "./script.ts";
import type { Change, Mark, Stale } from "./store.ts";

/** The revision of a document that a commit expects. */
export type Expected = Pick<Change, "revision" | "life">;

/** A part of the mock that processes share: one project, or the state that belongs to no project. */
export abstract class SharedDocument {
  /** The project key; empty for the state that belongs to no project. */
  readonly project: string;
  protected readonly unreadable: Unreadable;
  /** The events of the steps since the last commit, as JSON. */
  events: string[] = [];
  readonly #marks = new Map<Mark, number>();
  /** The revision that this process knows: the latest or an earlier one. With -1, the next commit loads the document. */
  known: Expected = { revision: -1, life: "" };

  constructor(project: string, unreadable: Unreadable) {
    this.project = project;
    this.unreadable = unreadable;
  }

  /** Whether the key in the store has another type. Then the next change replaces it by the whole document. */
  protected get isDamaged(): boolean {
    return this.known.life === DAMAGED;
  }

  /** Notes that a mark was set at this time or later (in milliseconds of `performance.now()`). */
  note(mark: Mark, time: number): void {
    this.#marks.set(mark, Math.max(time, this.#marks.get(mark) ?? time));
  }

  /** Returns whether the mark was certainly set after this time. */
  isAfter(time: number, mark: Mark): boolean {
    return time < (this.#marks.get(mark) ?? time);
  }

  get isLoaded(): boolean {
    return this.known.revision >= 0;
  }

  /** Returns the changes since the last commit. `expected` is the revision before the steps ran. */
  abstract change(expected: Expected): Awaitable<Change>;
  /** Takes over the changes of other processes. Discards the own ones that are not stored. */
  abstract apply(stale: Stale): Promise<void>;
  /** Takes back the changes since the last commit. */
  abstract undo(): void;

  stored({ kind, parts }: Change): void {
    this.events = [];
    if (kind === "parts") for (const [part] of parts) this.unreadable.clear(this.project, part);
    else if (kind !== "read") this.unreadable.clear(this.project);
  }

  /** Takes back the changes, and forgets the known revision too. */
  unload(): void {
    this.undo();
    this.forget();
  }

  /** Lets the next commit load the document. */
  protected forget(): void {
    this.known = { ...this.known, revision: -1 };
  }

  /** Reads a part with `use`, if there is a text. If it throws, leaves the part out and keeps the reason. */
  protected async read(part: string, text: string | null | undefined, use: (saved: unknown) => unknown): Promise<void> {
    try {
      // A key of another type (see DAMAGED).
      if (part === "") throw new Error(`expected a hash, found ${text}`);
      await use(text === null || text === undefined ? undefined : JSON.parse(text));
      this.unreadable.clear(this.project, part);
    } catch (error) {
      this.unreadable.add(this.project, part, error);
    }
  }
}

/**
 * The parts in the store that this process cannot read, for example because another program has changed them. They are
 * left out, so that the rest of their project stays usable.
 */
export class Unreadable {
  /** By project key, which is empty for the state that belongs to no project: the problem of each part. */
  readonly #problems = new Map<string, Map<string, string>>();

  /** The number of documents with a problem, and the problem of one of them; undefined without one. */
  get summary(): { readonly projects: number; readonly problem: string } | undefined {
    const [first] = this.#problems.values();
    const [problem] = first?.values() ?? [];
    return problem === undefined ? undefined : { projects: this.#problems.size, problem };
  }

  /** Forgets the problem of a part that is read or written; without `part`, those of the whole document. */
  clear(project: string, part?: string): void {
    const problems = this.#problems.get(project);
    if (part !== undefined) problems?.delete(part);
    if (part === undefined || problems?.size === 0) this.#problems.delete(project);
  }

  /** Keeps the reason why a part is left out. */
  add(project: string, part: string, error: unknown): void {
    const owner = project === "" ? "the state of all projects" : `project "${project.slice(0, 100)}"`;
    const reason = error instanceof Error ? error.message : String(error);
    const problems = this.#problems.get(project) ?? new Map<string, string>();
    const place = part === "" ? owner : `${owner}, ${part.slice(0, 100)}`;
    problems.set(part, `the shared store, ${place}: ${reason}`);
    this.#problems.set(project, problems);
  }
}
