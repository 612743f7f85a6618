import type { StoredImage } from "./image.ts";
import type { ResourceRecord } from "./record.ts";

/** A value or a promise: a store in memory returns values, a store on a network returns promises. */
export type Awaitable<T> = T | Promise<T>;

/** Other state of a project, besides resources and images. */
export interface Facts {
  /** The id of the resource that clients last created or overwrote. */
  readonly lastWritten?: string;
  /** The last JSON body of `writeNamespaceAction`. In an object, as the body can be `null`. */
  readonly namespaceAction?: { readonly body: unknown };
}

/** The contents of a whole state, for exports and imports. */
export interface StateContents {
  /** In the order of creation. */
  readonly records: Iterable<ResourceRecord>;
  /** Ids and keys of deleted resources, sorted. */
  readonly deleted: { readonly ids: Iterable<string>; readonly keys: Iterable<string> };
  readonly facts: Facts;
  /** In the order of upload. */
  readonly images: Iterable<StoredImage>;
  /** The last number that `nextNumber` returned. */
  readonly numbered: number;
}

/**
 * A change of the state, for subscribers. `action`: the body of the namespace action. `all`: too many changes to list, so
 * subscribers read the state again.
 */
export type StateChange =
  | { readonly change: "created" | "updated" | "deleted"; readonly record: ResourceRecord }
  | { readonly change: "uploaded" | "removed"; readonly image: StoredImage }
  | { readonly change: "action" | "all" };

/** `stale`: another version or resource is stored. `key-taken`: another resource has the key. In both cases, nothing is written. */
export type WriteResult = "done" | "stale" | "key-taken";

/**
 * Stores the state of one project. The interface is small, so that a shared database can implement it. `compareAndSet` is
 * atomic, and only it updates single resources. For everything else, the last write wins.
 */
export interface Store {
  get(id: string): Awaitable<ResourceRecord | undefined>;
  getByKey(key: string): Awaitable<ResourceRecord | undefined>;
  /**
   * Returns whether a resource with this id or key was deleted, or a resource has lost this key. No resource is created from
   * the fixture for such an id or key.
   */
  wasDeleted(idOrKey: { id: string } | { key: string }): Awaitable<boolean>;
  size(): Awaitable<number>;
  /** Throws InsufficientStorage if this many additional bytes do not fit. Writes throw it too, and then change nothing. */
  requireRoom(bytes: number): Awaitable<void>;
  /** Returns the resources in the order of creation. Later writes do not change the result. */
  list(): Awaitable<Iterable<ResourceRecord>>;
  /**
   * Writes `next` if the stored version of `id` is `expected`; 0 expects that the resource does not exist. A record that
   * `get` has returned expects exactly this record: another client can write other content with the same version.
   * `undefined` deletes the resource. An updated record keeps its position in the order of creation.
   */
  compareAndSet(
    id: string,
    expected: number | ResourceRecord,
    next: ResourceRecord | undefined,
  ): Awaitable<WriteResult>;
  /** Creates all records or none. Returns `false` if an id or key exists already or is repeated. */
  addAll(records: readonly ResourceRecord[]): Awaitable<boolean>;
  facts(): Awaitable<Facts>;
  /** Changes the given facts. `undefined` removes a fact. */
  setFacts(change: Facts): Awaitable<void>;
  /** Returns 1, 2, 3, … for new ids. The number is part of the state, so a restored state generates the same ids. */
  nextNumber(): Awaitable<number>;
  /** Adds an image. Returns `false` if another image has the id. */
  addImage(image: StoredImage): Awaitable<boolean>;
  getImage(id: string): Awaitable<StoredImage | undefined>;
  /** Deletes an image. Returns whether the image existed. */
  deleteImage(id: string): Awaitable<boolean>;
  imageCount(): Awaitable<number>;
  /** Returns the images in the order of upload. */
  listImages(): Awaitable<Iterable<StoredImage>>;
  /**
   * Captures the whole current state, until `release`. The time to capture, restore or release a state does not depend on
   * its size.
   */
  capture(): Awaitable<StateCapture>;
  restore(capture: StateCapture): Awaitable<void>;
  /** Frees a captured state. The caller must not use it afterwards. */
  release(capture: StateCapture): Awaitable<void>;
  /** Returns the contents of the current state, or of a captured one. Later writes do not change the result. */
  contents(capture?: StateCapture): Awaitable<StateContents>;
  /**
   * Replaces the whole state in one step; until then, requests use the old state. The caller ensures that all ids and keys
   * are unique.
   */
  replace(contents: StateContents): Awaitable<void>;
  /** Frees the bytes of the state when the project ends. Later writes do not count. */
  end(): Awaitable<void>;
}

declare const captured: unique symbol;
/** A captured state. Only a store of the same class can restore it. */
export interface StateCapture {
  readonly [captured]?: never;
}
