import { emptyTree, type Tree } from "./tree.ts";

/** One of the names that have the same hash. Immutable, as clones share it. */
interface Entry<Value> {
  readonly name: string;
  readonly value: Value;
  readonly next: Entry<Value> | undefined;
}

/**
 * A map by string whose clones share all that neither has written since. Names are looked up by their hash: on the way
 * down a large tree, comparing numbers reads a few lines of memory, comparing strings one or two for each of them.
 * A class, as each state has four.
 */
export class StringMap<Value> {
  readonly #entries: Tree<Entry<Value>>;
  readonly #hash: (name: string) => number;

  constructor(hash = seededHash, entries: Tree<Entry<Value>> = emptyTree()) {
    this.#entries = entries;
    this.#hash = hash;
  }

  get(name: string): Value | undefined {
    return this.#find(name)?.value;
  }

  has(name: string): boolean {
    return this.#find(name) !== undefined;
  }

  set(name: string, value: Value): void {
    const hash = this.#hash(name);
    this.#entries.set(hash, { name, value, next: without(name, this.#entries.get(hash)) });
  }

  delete(name: string): void {
    const hash = this.#hash(name);
    const others = without(name, this.#entries.get(hash));
    if (others) this.#entries.set(hash, others);
    else this.#entries.delete(hash);
  }

  /** Sorted, so that nothing of the hashes shows. */
  names(): string[] {
    const names: string[] = [];
    for (const first of this.#entries.values()) for (const { name } of chain(first)) names.push(name);
    return names.sort();
  }

  clone(): StringMap<Value> {
    return new StringMap(this.#hash, this.#entries.clone());
  }

  #find(name: string): Entry<Value> | undefined {
    let entry = this.#entries.get(this.#hash(name));
    while (entry && entry.name !== name) entry = entry.next;
    return entry;
  }
}

function without<Value>(name: string, first: Entry<Value> | undefined): Entry<Value> | undefined {
  let others: Entry<Value> | undefined;
  for (const entry of chain(first)) if (entry.name !== name) others = { ...entry, next: others };
  return others;
}

function* chain<Value>(first: Entry<Value> | undefined): Generator<Entry<Value>> {
  for (let entry = first; entry; entry = entry.next) yield entry;
}

/** By chance, so that no client can choose names that all have one hash. */
const seed = Math.floor(Math.random() * 2 ** 32);

/** A 32-bit hash of a string's UTF-16 units. */
function seededHash(name: string): number {
  let hash = seed;
  for (let index = 0; index < name.length; index++) {
    hash = Math.imul(hash ^ name.charCodeAt(index), 0x5bd1e995);
    hash ^= hash >>> 15;
  }
  return hash;
}
