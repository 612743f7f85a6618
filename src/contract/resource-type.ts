import type { Schema } from "./json-schema.ts";

/** A type of the items in the state. */
export interface ResourceType {
  readonly name: string;
  /** The path of its collection or of its singleton, below the project: `/users/{userId}/posts`. */
  readonly path: string;
  readonly kind: "collection" | "files" | "singleton";
  /** The parameters of the path. The items of different values do not belong together: a collection is a type in a scope. */
  readonly scope?: readonly string[];
  /** The schema of an item, as the service returns it. */
  readonly schema?: Schema;
  /** The form of new ids, which are UUIDs by default, and the member that has the id; by default none. */
  readonly id?: { readonly form?: "uuid" | "integer"; readonly member?: string };
  /** Further values that identify an item, which the service does not return: `key`. */
  readonly alternates?: readonly string[];
  /** The member that has the version; by default none. */
  readonly version?: string;
  /**
   * The schema of an item in the control API and in `seed.json`; by default that of the item. A type with its own schema
   * shows what the mock knows of an item (id, version, times, …) as members there, and others under `$mock`.
   */
  readonly draft?: Schema;
  /**
   * Returns generated items: for each a function that returns its draft with this id. Each depends only on the seed (a whole
   * number below 2^32) and its index. By default, they come from the schema.
   */
  readonly generate?: (count: number, seed: number) => Promise<readonly ((id: string) => object)[]>;
}

/** How a path names an item: by the value of this parameter, which is the id or another value that identifies it. */
export interface Identifier {
  readonly parameter: string;
  /** `id`, or one of the alternates of the type. */
  readonly member: string;
}

/** The form of a list: where its items, its facts and its paging are. */
export interface ListForm {
  /** The member with the items; without it, the body is the list. */
  readonly items?: string;
  /** What other members say about the page, by their names. */
  readonly facts?: Readonly<Record<string, "limit" | "offset" | "count" | "total">>;
  /** The names of the query parameters. */
  readonly query?: Readonly<Partial<Record<"limit" | "offset" | "withTotal" | "where" | "sort", string>>>;
  /** Whether the operation returns the state whatever the setting `collection` says. */
  readonly ignoresSetting?: boolean;
}

/** What an operation does with the items of a type. */
export type Role =
  | { readonly does: "list"; readonly type: string; readonly list: ListForm }
  | { readonly does: "create"; readonly type: string }
  | { readonly does: "read" | "delete"; readonly type: string; readonly by: Identifier }
  | {
      readonly does: "update";
      readonly type: string;
      readonly by: Identifier;
      /** Returns the members that an action sets, by the names of the actions. */
      readonly actions: Readonly<Record<string, (action: object) => object>>;
    };

/** Returns how the path of an operation names an item; undefined if it names none. */
export function identifierOf(role: Role | undefined): Identifier | undefined {
  return role && "by" in role ? role.by : undefined;
}
