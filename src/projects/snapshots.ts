import type { StateAccount } from "../state/budget.ts";
import { bytesOfText } from "../state/size.ts";
import type { StateCapture, Store } from "../state/store.ts";

/** A named state that a project can restore. */
export interface StoredSnapshot {
  readonly name: string;
  /** RFC 3339, from the project's clock. */
  readonly takenAt: string;
  readonly resources: number;
  readonly state: StateCapture;
}

/** The fixed size of a snapshot in bytes, without the resources and images that later writes replace or delete. */
const SNAPSHOT_BYTES = 4096;

/** The snapshots of a project, by name. */
export class Snapshots {
  readonly #account: StateAccount;
  readonly #snapshots = new Map<string, StoredSnapshot>();

  constructor(account: StateAccount) {
    this.#account = account;
  }

  get size(): number {
    return this.#snapshots.size;
  }

  /** Returns the snapshots, oldest first. */
  values(): Iterable<StoredSnapshot> {
    return this.#snapshots.values();
  }

  names(): Iterable<string> {
    return this.#snapshots.keys();
  }

  get(name: string): StoredSnapshot | undefined {
    return this.#snapshots.get(name);
  }

  /** Adds a captured state as the newest snapshot. Replaces a snapshot with the same name. Throws InsufficientStorage. */
  add(snapshot: StoredSnapshot, store: Store): void {
    const { name } = snapshot;
    const bytes = bytesOfSnapshot(name);
    if (!this.#snapshots.has(name)) this.#account.require(bytes);
    this.delete(name, store);
    this.#account.change(bytes);
    this.#snapshots.set(name, snapshot);
  }

  /** Deletes a snapshot. Returns whether it existed. */
  delete(name: string, store: Store): boolean {
    const snapshot = this.#snapshots.get(name);
    if (!snapshot) return false;
    void store.release(snapshot.state);
    this.#account.change(-bytesOfSnapshot(name));
    return this.#snapshots.delete(name);
  }

  clear(store: Store): void {
    for (const name of this.#snapshots.keys()) this.delete(name, store);
  }
}

function bytesOfSnapshot(name: string): number {
  return SNAPSHOT_BYTES + bytesOfText(name);
}
