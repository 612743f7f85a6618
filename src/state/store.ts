import type { StoredImage } from "./image.ts";
import type { ResourceRecord } from "./record.ts";

/** A value, now or later: a store in memory answers at once, one behind a network cannot. */
export type Awaitable<T> = T | Promise<T>;

/** What a project remembers beside its resources. */
export interface Facts {
  /** The resource that clients last created or overwrote through operations 6, 7 or 8. */
  readonly lastWritten?: string;
  /** The JSON last posted to the custom action, answered by its GET. Boxed, as `null` is JSON too. */
  readonly namespaceAction?: { readonly body: unknown };
}

/** The whole of a state, piece by piece: what an export holds and an import brings. */
export interface StateContents {
  /** In the order of creation. */
  readonly records: Iterable<ResourceRecord>;
  /** Ids and keys of deleted resources, sorted. */
  readonly deleted: { readonly ids: Iterable<string>; readonly keys: Iterable<string> };
  readonly facts: Facts;
  /** In the order of upload. */
  readonly images: Iterable<StoredImage>;
  /** The last number that `nextNumber` gave out. */
  readonly numbered: number;
}

/** What a write did, told to whoever watches a state. `all`: more than is told one by one, so read it anew. */
export type StateChange =
  | { readonly change: "created" | "updated" | "deleted"; readonly record: ResourceRecord }
  | { readonly change: "uploaded"; readonly image: StoredImage }
  | { readonly change: "all" };

/** `stale`: the stored version was another; `key-taken`: another resource has the record's key. Then nothing is written. */
export type WriteResult = "done" | "stale" | "key-taken";

/**
 * Where one project's state lives. Small enough to be put on a shared database: resources change only by
 * compare-version-and-set, which must be atomic; all else is last write wins.
 */
export interface Store {
  get(id: string): Awaitable<ResourceRecord | undefined>;
  getByKey(key: string): Awaitable<ResourceRecord | undefined>;
  /** Whether a resource of this id or key was here and has been deleted, or has another key now: it does not come to life again. */
  wasDeleted(place: { id: string } | { key: string }): Awaitable<boolean>;
  size(): Awaitable<number>;
  /** Throws InsufficientStorage when this many more bytes do not fit. Writes that do not fit throw it, too, and change nothing. */
  requireRoom(bytes: number): Awaitable<void>;
  /** In the order of creation, as of now: later writes do not show in it. */
  list(): Awaitable<Iterable<ResourceRecord>>;
  /**
   * Writes `next` (`undefined` deletes) when the stored version of `id` is `expected`; 0 means that there must be none.
   * A written record keeps its place in the order of creation.
   */
  compareAndSet(id: string, expected: number, next: ResourceRecord | undefined): Awaitable<WriteResult>;
  /** Creates records, all or none: `false` when an id or key is taken, or is there twice, and then nothing is written. */
  addAll(records: readonly ResourceRecord[]): Awaitable<boolean>;
  facts(): Awaitable<Facts>;
  setFacts(change: Facts): Awaitable<void>;
  /** 1, 2, 3, … within the project: ids are made from it. Part of the state, so that a restored state goes on alike. */
  nextNumber(): Awaitable<number>;
  addImage(image: StoredImage): Awaitable<void>;
  getImage(id: string): Awaitable<StoredImage | undefined>;
  imageCount(): Awaitable<number>;
  /** In the order of upload. */
  listImages(): Awaitable<Iterable<StoredImage>>;
  /**
   * The whole state as it is now, until it is released. Capturing, restoring and releasing cost the same however large the
   * state is.
   */
  capture(): Awaitable<StateCapture>;
  restore(capture: StateCapture): Awaitable<void>;
  /** Lets go of a captured state, which is not used any more. */
  release(capture: StateCapture): Awaitable<void>;
  contents(): Awaitable<StateContents>;
  /**
   * Puts these contents, whose ids and keys are each used once, in the place of all that is stored, in one step: until
   * then, the old ones are read and written.
   */
  replace(contents: StateContents): Awaitable<void>;
  /** Frees the bytes of the state. Later writes are not counted: they belong to a project that has ended. */
  end(): Awaitable<void>;
}

declare const captured: unique symbol;
/** A state taken from a store; only a store of the same kind can read it. */
export interface StateCapture {
  readonly [captured]?: never;
}
