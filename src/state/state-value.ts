import type { ResourceRecord } from "./resource-record.ts";
import { emptyTree, type Tree } from "./tree.ts";

/*
 * The state of a project is a value that never changes. A change creates a new value with a `StateDraft`. Both values
 * share all nodes of their trees but the changed ones. So a snapshot, a fork and a restored state copy nothing.
 */

/** The resources, images and other facts of a project. */
export interface State extends StateFacts {
  /** Resources by their number of creation, the order of lists. */
  readonly resources: Tree<number, ResourceRecord>;
  /** The numbers of the resources, by id. */
  readonly ids: Tree<string, number>;
  /** The ids of the resources, by key. */
  readonly keys: Tree<string, string>;
  /** Ids of deleted resources. No resource with such an id is created from the fixture. */
  readonly deletedIds: Tree<string, true>;
  /** Keys of deleted resources, and keys that a resource has lost. */
  readonly deletedKeys: Tree<string, true>;
  /** Images by their number of upload. */
  readonly images: Tree<number, StoredImage>;
  /** The numbers of the images, by id. */
  readonly imageIds: Tree<string, number>;
  /** The last JSON body of `writeNamespaceAction`. In an object, as the body can be `null`. */
  readonly namespaceAction?: NamespaceAction;
  /** The length of all resources and of the action's body as JSON, in characters, and of all images in bytes. */
  readonly size: number;
}

/** An image that a client uploaded with `uploadImage`. */
export interface StoredImage {
  readonly id: string;
  readonly filename?: string;
  /** The number of the product variant, as sent. */
  readonly variant?: number;
  readonly sku?: string;
  readonly staged?: boolean;
  readonly contentType: string;
  /** RFC 3339, from the project's clock. */
  readonly uploadedAt: string;
  readonly bytes: Uint8Array;
}

/** The small values of a state. */
export interface StateFacts {
  /** The id of the resource that clients last created or overwrote. */
  readonly lastWritten?: string;
  /** The number of the last created resource. */
  readonly created: number;
  /** The number of the last generated id. It is part of the state, so that a restored state generates the same ids. */
  readonly numbered: number;
}

export interface NamespaceAction {
  readonly body: unknown;
}

/** A resource or image with its number in the order of creation. */
export type Placed<Value> = readonly [number: number, value: Value];

/** The values of each table of a state, by the name of the table in a `Change`. */
export interface TableValues {
  readonly resource: Placed<ResourceRecord>;
  readonly image: Placed<StoredImage>;
  readonly deletedId: true;
  readonly deletedKey: true;
  readonly action: NamespaceAction;
  readonly facts: StateFacts;
}

/**
 * A change of one value of a state. `before` is absent for a new value, `after` for a removed one. The tables
 * `action` and `facts` have one value each, with an empty id.
 */
export type StateChange = {
  [Table in keyof TableValues]: {
    readonly table: Table;
    readonly id: string;
    readonly before?: TableValues[Table];
    readonly after?: TableValues[Table];
  };
}[keyof TableValues];

export const emptyState: State = {
  resources: emptyTree(),
  ids: emptyTree(),
  keys: emptyTree(),
  deletedIds: emptyTree(),
  deletedKeys: emptyTree(),
  images: emptyTree(),
  imageIds: emptyTree(),
  created: 0,
  numbered: 0,
  size: 0,
};

/** Returns the resource with this id. */
export function resourceById(state: State, id: string): ResourceRecord | undefined {
  const number = state.ids.get(id);
  return number === undefined ? undefined : state.resources.get(number);
}

/** Returns the resource with this key. */
export function resourceByKey(state: State, key: string): ResourceRecord | undefined {
  const id = state.keys.get(key);
  return id === undefined ? undefined : resourceById(state, id);
}

/** Returns the image with this id. */
export function imageById(state: State, id: string): StoredImage | undefined {
  const number = state.imageIds.get(id);
  return number === undefined ? undefined : state.images.get(number);
}

/** Returns the value with this id in a table. */
export function valueIn<Table extends keyof TableValues>(
  state: State,
  table: Table,
  id: string,
): TableValues[Table] | undefined;
export function valueIn(
  state: State,
  table: keyof TableValues,
  id: string,
): TableValues[keyof TableValues] | undefined {
  switch (table) {
    case "resource":
      return placed(state.resources, state.ids.get(id));
    case "image":
      return placed(state.images, state.imageIds.get(id));
    case "deletedId":
      return state.deletedIds.get(id);
    case "deletedKey":
      return state.deletedKeys.get(id);
    case "action":
      return state.namespaceAction;
    case "facts":
      return factsOf(state);
  }
}

/** Returns the table and the id of each value of a state. */
export function* valuesOf(state: State): Iterable<readonly [table: keyof TableValues, id: string]> {
  for (const id of state.ids.keys()) yield ["resource", id];
  for (const id of state.imageIds.keys()) yield ["image", id];
  for (const id of state.deletedIds.keys()) yield ["deletedId", id];
  for (const key of state.deletedKeys.keys()) yield ["deletedKey", key];
  if (state.namespaceAction) yield ["action", ""];
  yield ["facts", ""];
}

export function factsOf({ lastWritten, created, numbered }: State): StateFacts {
  return { ...(lastWritten !== undefined && { lastWritten }), created, numbered };
}

function placed<Value>(values: Tree<number, Value>, number: number | undefined): Placed<Value> | undefined {
  const value = number === undefined ? undefined : values.get(number);
  return value === undefined || number === undefined ? undefined : [number, value];
}
