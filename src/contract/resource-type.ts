import type { Schema } from "./json-schema.ts";

/** The names of members from a value down to a part of it: `["owner", "login"]`; empty for the value itself. */
export type MemberPath = readonly string[];

/** A type of the items in the state. */
export interface ResourceType {
  readonly name: string;
  /** The path of its collection or of its singleton, below the project: `/users/{userId}/posts`. */
  readonly path: string;
  readonly kind: "collection" | "files" | "singleton";
  /** The parameters of the path. The items of different values do not belong together: a collection is a type in a scope. */
  readonly scope?: readonly string[];
  /** The path of an item, if requests can name one. Its parameters are those of the scope, then the parts of the id. */
  readonly itemPath?: string;
  /** The schema of an item, as the service returns it. */
  readonly schema?: Schema;
  /** The form of new ids, which are UUIDs by default, and the member that has the id; by default none. */
  readonly id?: {
    readonly form?: IdPart["form"];
    readonly member?: string;
    /** Set if the id has several parts, or if its member is in another one. */
    readonly parts?: readonly IdPart[];
  };
  /** Further values that identify an item, which the service does not return: `key`. */
  readonly alternates?: readonly string[];
  /** Whether the alternates are members of the item. */
  readonly showsAlternates?: boolean;
  /** Where the item has its version, as a number or as a text; by default nowhere. */
  readonly version?: MemberPath;
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
  /** The types whose items contain the collections of this type. If such an item is deleted, its collections are hidden. */
  readonly parents?: readonly Parent[];
  /** Whether the only item of a singleton does not exist at first. */
  readonly isAbsent?: boolean;
  /** Whether no operation documents what its responses have. They have the items all the same, labelled as off-contract. */
  readonly isUndocumented?: boolean;
  /** The operations whose documented responses are the initial items: a list, or a single item. */
  readonly samples?: { readonly list?: string; readonly item?: string };
}

/** A part of an id: the value of a path parameter. The parts of an id are percent-encoded and joined with `,`. */
export interface IdPart {
  readonly form?: "uuid" | "integer";
  /** The member that has the value; by default none. */
  readonly member?: MemberPath;
}

/** A type whose items contain collections: of the values of their scope, the first ones are its scope, the next ones its id. */
export interface Parent {
  readonly type: string;
  readonly scope: number;
  readonly parts: number;
}

/** How a path names an item: by the values of these parameters, which are the id or another value that identifies it. */
export interface Identifier {
  /** None for the only item of a type, and for an item whose id is `from` elsewhere. */
  readonly parameters: readonly string[];
  /** `id`, or one of the alternates of the type. */
  readonly member: string;
  /** Where the parts of the id are, if they are not those parameters. */
  readonly from?: readonly ValueSource[];
}

/** Where a request has a value: in a parameter or in a member of the body; a `value` is the same for each request. */
export interface ValueSource {
  readonly in: "query" | "header" | "body" | "value";
  /** The name of the parameter, the path of the member, or the value. */
  readonly at: MemberPath;
}

/** The form of a list: where its items, its facts and its paging are. */
export interface ListForm {
  /** Where the response has the items; empty if it is the list. */
  readonly at: MemberPath;
  /** What other members say about the page. */
  readonly facts?: readonly PageFact[];
  /** What headers say about the page. */
  readonly headers?: Readonly<Record<string, PageFact["is"]>>;
  /** The names of the query parameters. */
  readonly query?: Readonly<Partial<Record<ListParameter, string>>>;
  /** The members that query parameters filter by. */
  readonly filters?: Readonly<Record<string, MemberPath>>;
  /** The query parameters that have no effect, although they could have one in the service. */
  readonly ignored?: readonly string[];
  /** The number of the first page, if the parameter does not tell; 1 by default. */
  readonly firstPage?: 0 | 1;
  /** Whether the operation returns the state whatever the setting `collection` says. */
  readonly ignoresSetting?: boolean;
}

/** A cursor names the item that the page begins after. The direction is that of `sort`: `asc` or `desc`. */
export type ListParameter = "limit" | "offset" | "withTotal" | "where" | "sort" | "direction" | "page" | "cursor";

/**
 * `pages` is the number of pages, `next` and `previous` are URLs of pages, `nextPage` and `previousPage` their numbers,
 * and `cursor` is that of the next page. `from` and `to` are the numbers of the first and the last item of the page, from
 * 1. `first`, `last`, `empty`, `more` and `hasPrevious` are true or false.
 */
export interface PageFact {
  readonly at: MemberPath;
  readonly is:
    | "limit"
    | "offset"
    | "count"
    | "total"
    | "page"
    | "pages"
    | "more"
    | "next"
    | "previous"
    | "nextPage"
    | "previousPage"
    | "cursor"
    | "first"
    | "last"
    | "empty"
    | "hasPrevious"
    | "from"
    | "to";
}

/** A path parameter whose value belongs to the item, besides scope and id: in this member, or else hidden. */
export interface Kept {
  readonly parameter: string;
  readonly member?: MemberPath;
}

interface OnItems {
  readonly type: string;
  /** The parameters of this path that are the scope; by default those of the type. */
  readonly scope?: readonly string[];
  /** A new item keeps these values. A list has the items with these values. */
  readonly keeps?: readonly Kept[];
  /** Where the body of the request has the item; by default, it is the item. */
  readonly body?: MemberPath;
  /** Where the response has the item; null if it shows none. By default, it is the item. */
  readonly response?: MemberPath | "id" | null;
}

interface OnItem extends OnItems {
  readonly by: Identifier;
}

/** What an operation does with the items of a type. */
export type Role =
  | (OnItems & { readonly does: "list"; readonly list: ListForm })
  | (OnItems & { readonly does: "create" })
  | (OnItem & { readonly does: "read" | "delete" })
  /** `replace` drops the members that the body lacks, `merge` keeps them. With `creates`, an unknown item is created. */
  | (OnItem & {
      readonly does: "replace" | "merge";
      readonly creates?: boolean;
      /** Members to merge in place of the body. */
      readonly set?: Readonly<Record<string, unknown>>;
    })
  | (OnItem & {
      readonly does: "update";
      /** Returns the members that an action sets, by its name. By default, the name says what the action does. */
      readonly actions?: Readonly<Record<string, (action: object) => object>>;
    });

/** Returns whether the role changes or deletes an item. Another client can then change the item just before. */
export function changesItem(role: Role | undefined): boolean {
  return role !== undefined && "by" in role && role.does !== "read";
}

/** Returns how the path of an operation names an item; undefined if it names none. */
export function identifierOf(role: Role | undefined): Identifier | undefined {
  return role && "by" in role ? role.by : undefined;
}
