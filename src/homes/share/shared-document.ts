import type { Awaitable } from "../../contract/index.ts";
import type { Change, Stale } from "./store.ts";

/** A part of the mock that processes share: one project, or the state that belongs to no project. */
export interface SharedDocument {
  /** The project key; empty for the state that belongs to no project. */
  readonly project: string;
  /** The events of the steps since the last commit, as JSON. */
  readonly events: string[];
  /** Whether the document is known, at its latest or an earlier revision. */
  readonly isLoaded: boolean;
  /** The revision that the next commit expects. Read before the steps run. */
  readonly expected: Expected;
  /** Returns the changes since the last commit. */
  change(expected: Expected): Awaitable<Change>;
  /** Takes over the changes of other processes. Discards the own ones that are not stored. */
  apply(stale: Stale): Promise<void>;
  /** The changes are stored: continues at the next revision. */
  stored(change: Change): void;
  /** Takes back the changes since the last commit. */
  undo(): void;
  /** Forgets the revision too, so that the next commit loads the whole document. */
  unload(): void;
}

/** The revision of a document that a commit expects. */
export type Expected = Pick<Change, "revision" | "life">;

/** The revision of a document, as this process knows it. */
export class Revision {
  number = -1;
  life = "";

  /** The revision part of a change. */
  get expected(): Expected {
    return { revision: this.number, life: this.life };
  }

  /** Continues after a commit. */
  advance({ kind, life, nextLife }: Change): void {
    if (kind === "read") return;
    this.number++;
    this.life = kind === "parts" ? life : nextLife;
  }

  set({ revision, life }: Pick<Stale, "revision" | "life">): void {
    this.number = revision;
    this.life = life;
  }

  /** Returns whether a document is not newer than the known one. */
  isPast({ revision, life }: Stale): boolean {
    return life === this.life && revision <= this.number;
  }

  forget(): void {
    this.number = -1;
  }
}
