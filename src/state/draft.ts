import { type ResourceType, valueAt } from "../contract/index.ts";
import { alternatesOf, type Item, identity, nextVersion, type Placed, sizeOfItem } from "./item.ts";
import { idParts, joinedId, partSchema } from "./represent/item-id.ts";
import { newValue } from "./represent/known-members.ts";
import {
  type Collection,
  type CollectionFacts,
  type CollectionName,
  changeOf,
  collectionIn,
  emptyCollection,
  itemById,
  type State,
  type StateChange,
  type TableValues,
  valueIn,
} from "./state-value.ts";

/** The most numbers that are tried for an id that its schema allows. */
const TRIES = 1000;

/**
 * Returns an id that no item of the collection has or has had, and that is not in `taken`: the next integer, the generated
 * id of the next number, or a text that the schema allows. `given` has parts of the id, and `sample` the content of an item.
 */
export function newIdIn(
  draft: StateDraft,
  name: CollectionName,
  type: ResourceType | undefined,
  idOf: (number: number) => string,
  taken?: ReadonlySet<string | undefined>,
  { given = [], sample }: { readonly given?: readonly (string | undefined)[]; readonly sample?: unknown } = {},
): string {
  const { ids, gone, facts } = draft.in(name);
  const parts = type ? idParts(type) : [{}];
  for (let number = facts.created + 1; ; number++) {
    const isTried = number - facts.created > TRIES;
    const values = parts.map((part, index) => {
      const schema = type && !isTried ? partSchema(type, part) : undefined;
      const uuidOf = () => idOf(draft.nextNumber());
      const value = schema && newValue(schema, number, uuidOf, part.member && valueAt(sample, part.member));
      return given[index] ?? String(value ?? (part.form === "integer" ? number : uuidOf()));
    });
    const next = joinedId(values);
    if (!ids.has(next) && !gone.has(identity("id", next)) && !taken?.has(next)) return next;
  }
}

type Mutable<T> = { -readonly [Name in keyof T]: T[Name] };
type TreeName = "items" | "ids" | "alternates" | "gone";

/** A collection that the draft changes in its place, and those of its trees that belong to the draft. */
interface OwnCollection {
  readonly collection: Mutable<Collection>;
  readonly trees: Set<TreeName>;
}

/**
 * The next value of a state, for one step. The step reads the state with its own writes, and each write is noted once.
 * The state that the draft starts from stays as it is, so a step is undone by forgetting its draft.
 */
export class StateDraft {
  readonly #state: Mutable<State>;
  readonly #own = new Map<CollectionName, OwnCollection>();
  /** The indexes of the changes of small values. A step can change them with each item, and they count as one change. */
  readonly #merged = new Map<string, number>();
  /** The changes since the start, oldest first. */
  readonly changes: StateChange[] = [];

  constructor(start: State) {
    this.#state = { ...start };
  }

  /** The state with all changes so far. Reading it is allowed until the next write. */
  get state(): State {
    return this.#state;
  }

  in(name: CollectionName): Collection {
    return collectionIn(this.#state, name);
  }

  /** Creates an item, or replaces the one with its id, which keeps its place in the order of creation. */
  put(name: CollectionName, item: Item): void {
    const { id } = item;
    const before = valueIn(this.#state, "item", name, id);
    const number = before?.[0] ?? this.in(name).facts.created + 1;
    if (!before) this.setFacts(name, { created: number });
    this.set("item", name, id, [number, item]);
    if (!before) this.set("gone", name, identity("id", id), undefined);
    const [had, has] = [before ? alternatesOf(before[1]) : [], alternatesOf(item)];
    // No item is created from the fixture for an identity that an item has lost.
    for (const lost of had) if (!has.includes(lost)) this.set("gone", name, lost, true);
    for (const own of has) if (!had.includes(own)) this.set("gone", name, own, undefined);
  }

  /** Deletes an item. Returns whether it existed. */
  remove(name: CollectionName, id: string): boolean {
    const item = itemById(this.in(name), id);
    if (!item) return false;
    this.set("item", name, id, undefined);
    for (const each of [identity("id", id), ...alternatesOf(item)]) this.set("gone", name, each, true);
    return true;
  }

  setSingleton(name: CollectionName, content: unknown, now: string): void {
    const before = itemById(this.in(name), "");
    const version = before ? nextVersion(before) : 1;
    this.put(name, { id: "", version, createdAt: before?.createdAt ?? now, lastModifiedAt: now, content });
  }

  setFacts(name: CollectionName, change: Partial<CollectionFacts>): void {
    const { facts } = this.in(name);
    const names = Object.keys(change) as (keyof CollectionFacts)[];
    if (names.some((each) => change[each] !== facts[each])) this.set("facts", name, "", { ...facts, ...change });
  }

  /** Returns 1, 2, 3, … for new ids. */
  nextNumber(): number {
    const number = this.#state.numbered + 1;
    this.set("numbered", "", "", number);
    return number;
  }

  /** Sets one value of a table; `undefined` removes it. */
  set<Table extends keyof TableValues>(
    table: Table,
    name: CollectionName,
    id: string,
    after: TableValues[Table] | undefined,
  ): void {
    const before = valueIn(this.#state, table, name, id);
    if (before === after) return;
    this.#write(table, name, id, before, after);
    const key = table === "item" || table === "gone" ? undefined : `${table} ${name}`;
    const index = key === undefined ? undefined : this.#merged.get(key);
    if (index !== undefined) {
      this.changes[index] = { ...this.changes[index], after } as StateChange;
      return;
    }
    if (key !== undefined) this.#merged.set(key, this.changes.length);
    this.changes.push(changeOf(table, name, id, before, after));
  }

  /** Replaces a collection by an empty one, or by its initial items, without noting it as a change: for stored states. */
  reset(name: CollectionName, to: "empty" | "initial"): void {
    this.#state.size -= this.#state.collections.get(name)?.size ?? 0;
    this.#own.delete(name);
    this.#state.collections = this.#state.collections.clone();
    if (to === "empty") this.#state.collections.set(name, emptyCollection);
    else this.#state.collections.delete(name);
  }

  #write(
    table: keyof TableValues,
    name: CollectionName,
    id: string,
    before: TableValues[keyof TableValues] | undefined,
    after: TableValues[keyof TableValues] | undefined,
  ): void {
    if (table === "numbered") this.#state.numbered = (after as number | undefined) ?? 0;
    else if (table === "item") this.#writeItem(name, id, before as Placed | undefined, after as Placed | undefined);
    else if (table === "facts") {
      this.#collection(name).collection.facts = (after as CollectionFacts | undefined) ?? emptyCollection.facts;
    } else if (after) this.#tree(name, "gone").set(id, true);
    else this.#tree(name, "gone").delete(id);
  }

  #writeItem(name: CollectionName, id: string, before: Placed | undefined, after: Placed | undefined): void {
    const items = this.#tree(name, "items");
    const has = after ? alternatesOf(after[1]) : [];
    if (before) {
      const [number, item] = before;
      this.#grow(name, -sizeOfItem(item));
      // Another item may have taken the number or an identity, as the changes of another process come in any order.
      if (number !== after?.[0] && items.get(number)?.id === id) items.delete(number);
      for (const lost of alternatesOf(item)) {
        if (!has.includes(lost) && this.in(name).alternates.get(lost) === id)
          this.#tree(name, "alternates").delete(lost);
      }
    }
    if (!after) {
      if (before) this.#tree(name, "ids").delete(id);
      return;
    }
    const [number, item] = after;
    this.#grow(name, sizeOfItem(item));
    items.set(number, item);
    if (before?.[0] !== number) this.#tree(name, "ids").set(id, number);
    for (const own of has) if (this.in(name).alternates.get(own) !== id) this.#tree(name, "alternates").set(own, id);
  }

  #grow(name: CollectionName, by: number): void {
    this.#collection(name).collection.size += by;
    this.#state.size += by;
  }

  /** Returns a collection that belongs to this draft: a copy before its first write. */
  #collection(name: CollectionName): OwnCollection {
    let own = this.#own.get(name);
    if (!own) {
      if (this.#own.size === 0) this.#state.collections = this.#state.collections.clone();
      own = { collection: { ...this.in(name) }, trees: new Set() };
      this.#own.set(name, own);
      this.#state.collections.set(name, own.collection);
    }
    return own;
  }

  /** Returns a tree that belongs to this draft: a clone before its first write. */
  #tree<Name extends TreeName>(name: CollectionName, tree: Name): Collection[Name] {
    const { collection, trees } = this.#collection(name);
    if (!trees.has(tree)) {
      trees.add(tree);
      collection[tree] = collection[tree].clone() as Mutable<Collection>[Name];
    }
    return collection[tree];
  }
}
