import {
  type Contract,
  collectionAt,
  findProblems,
  isObject,
  join,
  type NamedCollection,
  type Problem,
  type ResourceType,
  valueAt,
} from "../contract/index.ts";
import { newIdIn } from "./draft.ts";
import type { Item } from "./item.ts";
import { adopt } from "./represent/adopt.ts";
import { type Making, makeItem } from "./represent/make-item.ts";
import { withPart } from "./represent/parts.ts";
import { draftOf, draftsOf, itemOf, type Known, knownOf } from "./resource-record.ts";
import { type Drafts, draftProblems } from "./state-document.ts";
import type { CollectionName } from "./state-value.ts";

/** Drafts of items by their collections. */
export type Seed = ReadonlyMap<CollectionName, readonly object[]>;

/** The drafts for a collection. */
export interface SeededCollection extends NamedCollection, Drafts {}

/** The drafts for a collection with its name or path, as sent. */
type NamedSeed = SeededCollection & { readonly key: string };

/** Returns whether a value has lists of drafts by collections, and is no draft of the default type itself. */
export function isByCollection({ types: [type] }: Contract, value: unknown): value is Record<string, unknown> {
  if (!isObject(value)) return false;
  const { properties = {} } = type ? draftOf(type) : {};
  const entries = Object.entries(value);
  const areLists = entries.every(([name, list]) => Array.isArray(list) && !Object.hasOwn(properties, name));
  return entries.some(([name]) => name.startsWith("/")) || (entries.length > 0 && areLists);
}

/** Returns the collections in such a value, or its problems. */
export async function readSeed(contract: Contract, value: Readonly<Record<string, unknown>>) {
  const seeded: NamedSeed[] = [];
  const problems: Problem[] = [];
  for (const [key, drafts] of Object.entries(value)) {
    const pointer = join("", key);
    const found = collectionAt(contract, key);
    const invalid = typeof found === "string" ? [] : await findProblems(draftsOf(found.type), drafts);
    problems.push(...invalid.map((each) => ({ ...each, pointer: pointer + each.pointer })));
    if (typeof found === "string") problems.push({ pointer, message: found });
    else if (seeded.some(({ name }) => name === found.name))
      problems.push({ pointer, message: "expected each collection once, found the same one twice" });
    else if (invalid.length === 0) {
      const pointerOf = (index: number) => join(pointer, index);
      seeded.push({ ...found, key, drafts: drafts as readonly object[], pointerOf });
    }
  }
  return { seeded, problems: [...problems, ...seeded.flatMap(draftProblems)] };
}

/**
 * Returns the item of a draft, with what it lacks. Members that the schema does not name are hidden. `before` is what the
 * mock knows of the item.
 */
export function draftedItem(type: ResourceType, drafted: object, making: Making, before: Partial<Known> = {}): Item {
  const { draft, collection, idOf, now, taken } = making;
  const { id, hidden } = knownOf(type, drafted);
  if (type.draft || type.kind === "files") {
    return itemOf(type, drafted, { ...before, id: id ?? newIdIn(draft, collection, type, idOf, taken), now });
  }
  const { $mock, ...members } = drafted as { readonly [name: string]: unknown };
  const adopted = adopt(type.schema ?? {}, members, "service");
  const made = makeItem(type, adopted.taken, { ...making, id });
  const { version } = type;
  const whole = version === undefined ? made.content : withPart(made.content, version, valueAt(members, version));
  const left = { ...hidden, ...(adopted.left as object | undefined) };
  const known = { ...(isObject($mock) && $mock), ...(Object.keys(left).length > 0 && { hidden: left }) };
  return itemOf(type, { ...(whole as object), $mock: known }, { ...before, id: made.id, now });
}
