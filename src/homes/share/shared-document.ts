import type { Awaitable } from "../../contract/index.ts";
import type { Change, Stale } from "./store.ts";

/** A part of the mock that processes share: one project, or the state that belongs to no project. */
export interface SharedDocument {
  /** The events of the steps since the last commit, as JSON. */
  readonly events: string[];
  /** The revision that this process knows: the latest or an earlier one. With -1, the next commit loads the document. */
  known: Expected;
  /** Returns the changes since the last commit. `expected` is the revision before the steps ran. */
  change(expected: Expected): Awaitable<Change>;
  /** Takes over the changes of other processes. Discards the own ones that are not stored. */
  apply(stale: Stale): Promise<void>;
  /** The changes are stored. */
  stored(change: Change): void;
  /** Takes back the changes since the last commit. */
  undo(): void;
  /** Forgets the known revision too. */
  unload(): void;
}

/** The revision of a document that a commit expects. */
export type Expected = Pick<Change, "revision" | "life">;

/** The revision of a document that this process has not loaded yet. */
export const UNKNOWN: Expected = { revision: -1, life: "" };

export function isLoaded({ known }: Pick<SharedDocument, "known">): boolean {
  return known.revision >= 0;
}

/** Returns the revision after a commit. */
export function revisionAfter({ kind, revision, life, nextLife }: Change): Expected {
  return kind === "read" ? { revision, life } : { revision: revision + 1, life: kind === "parts" ? life : nextLife };
}

/**
 * The parts in the store that this process cannot read, for example because another program has changed them. They are
 * left out, so that the rest of their project stays usable.
 */
export class Unreadable {
  /** The problem of each document: the project key, or empty for the state that belongs to no project. */
  readonly #problems = new Map<string, string>();

  /** The number of documents with a problem, and the problem of one of them; undefined without one. */
  get summary(): { readonly projects: number; readonly problem: string } | undefined {
    const [problem] = this.#problems.values();
    return problem === undefined ? undefined : { projects: this.#problems.size, problem };
  }

  /** Forgets the problem of a document that is read as a whole, or deleted. */
  clear(project: string): void {
    this.#problems.delete(project);
  }

  /** Reads a part with `use`, if there is a text. If it throws, leaves the part out and keeps the reason. */
  async read(
    project: string,
    part: string,
    text: string | null | undefined,
    use: (saved: unknown) => unknown,
  ): Promise<void> {
    try {
      await use(text === null || text === undefined ? undefined : JSON.parse(text));
    } catch (error) {
      this.add(project, part, error);
    }
  }

  /** Keeps the reason why a part is left out. */
  add(project: string, part: string, error: unknown): void {
    const owner = project === "" ? "the state of all projects" : `project "${project.slice(0, 100)}"`;
    const reason = error instanceof Error ? error.message : String(error);
    this.#problems.set(project, `the shared store, ${owner}, ${part.slice(0, 100)}: ${reason}`);
  }
}
