import {
  type Contract,
  cachedBy,
  isTyped,
  lazily,
  type Operation,
  type ResourceType,
  valueAt,
} from "../contract/index.ts";
import {
  type Collection,
  type CollectionName,
  collectionOf,
  documentedValue,
  draftedItem,
  emptyCollection,
  emptyState,
  type FixtureSet,
  type InitialItems,
  knownOf,
  makeItem,
  mended,
  StateDraft,
  typeIn,
  withoutKnown,
} from "../state/index.ts";
import { shortHash, uuidOf } from "./random.ts";

/** The default creation time of initial items: a fixed time, so that every run is the same. */
export const SEEDED_AT = "2024-01-01T00:00:00.000Z";

/** The most initial items of a type, and their number if the contract documents none. */
const MOST = 100;
const GENERATED = 3;

/** What a contract and its fixtures say about items: those that projects start with, and one of each type as a template. */
export interface Samples {
  /** The initial items of projects with the setting `start: sample`. */
  readonly initial: InitialItems;
  /** Returns the content of an item of the type, for what other items lack. It depends on the contract and the type only. */
  template(type: ResourceType): unknown;
  /**
   * Loads what generates items, if a type (by default, any type) has no documented item. Undefined if there is nothing to
   * load. Then, everything else returns at once.
   */
  load(type?: string): Promise<void> | undefined;
}

/** Returns the samples of a contract with these fixtures. `seed` is that of the server. */
export function samplesOf(contract: Contract, fixtures: FixtureSet, seed: string): Samples {
  type Generate = Awaited<ReturnType<typeof import("../state/generate/index.ts").loadGenerator>>;
  let generate: Generate | undefined;
  const loading = lazily(async () => {
    const { loadGenerator } = await import("../state/generate/index.ts");
    generate = await loadGenerator(contract.generator);
  });
  const operations = Map.groupBy(contract.operations, ({ role }) => role?.type);
  const collections = new Map<CollectionName, Collection>();

  /** Returns the documented items of the type: those of its list, or else one. */
  const examplesOf = cachedBy((type: ResourceType): readonly unknown[] => {
    const { list, item } = type.samples ?? {};
    const named = [list, item].flatMap((id) => (id === undefined ? [] : (contract.find(id) ?? [])));
    const groups = [...named, ...(operations.get(type.name) ?? [])].map((operation) => itemsIn(operation, type));
    return groups.find((items) => items.length > 0) ?? [];
  });

  function itemsIn(operation: Operation, type: ResourceType): unknown[] {
    const { role } = operation;
    const isOwn = role?.type === type.name && !/delete|update/.test(role.does);
    const at = isOwn && role.does === "list" ? role.list.at : (role?.response ?? (role?.response === null ? "id" : []));
    const body = isOwn && at !== "id" ? documentedValue(operation, fixtures)?.value : undefined;
    if (!role || body === undefined || at === "id") return [];
    const value = valueAt(body, at);
    const items = role.does === "list" ? (Array.isArray(value) ? value : []) : [value];
    return items.slice(0, MOST).flatMap((each) => mended(type.schema ?? {}, each) ?? []);
  }

  function generated({ name, schema }: ResourceType, start: string): unknown {
    if (!isTyped(schema)) return {};
    if (!generate) throw new Error(`the generator for ${name} is not loaded`);
    return mended(schema, generate(schema, Number.parseInt(shortHash(`${name} ${start}`), 16))) ?? {};
  }

  const template = cachedBy((type: ResourceType): unknown => examplesOf(type)[0] ?? generated(type, "template"));

  /** Returns the contents of the initial items: the documented ones, or else generated ones. */
  function contentsOf(type: ResourceType): readonly unknown[] {
    const count = examplesOf(type).length > 0 ? 0 : GENERATED;
    const others = Array.from({ length: count }, (_, index) => generated(type, `${seed} ${index}`));
    return [...examplesOf(type), ...others.map((each) => withoutKnown(type, each))];
  }

  /** Returns a collection with the items in `seed.json`, or else with those of the contract. */
  function collectionWith(name: CollectionName): Collection {
    const [type, drafts] = [contract.typeOf(typeIn(name)), fixtures.seed.get(name)];
    if (!type || !(drafts || named.includes(name))) return emptyCollection;
    const draft = new StateDraft(emptyState);
    const idOf = (number: number) => uuidOf(drafts ? `seed ${number}` : `${seed} ${name} ${number}`);
    const taken = new Set(drafts?.map((each) => knownOf(type, each).id));
    const making = { draft, collection: name, now: SEEDED_AT, idOf, taken, templateOf: template };
    for (const each of drafts ?? []) draft.put(name, draftedItem(type, each, making));
    for (const content of drafts ? [] : contentsOf(type)) {
      const item = makeItem(type, content, making);
      if (!draft.in(name).ids.has(item.id)) draft.put(name, item);
    }
    return collectionOf(draft.in(name).items.values());
  }

  function lacks(type: ResourceType | undefined): boolean {
    return type !== undefined && !type.draft && isTyped(type.schema) && examplesOf(type).length === 0;
  }

  const starting = contract.types.filter(({ name, kind, scope, draft }) => {
    const isRead = operations.get(name)?.some(({ role }) => /list|read/.test(role?.does ?? ""));
    return kind === "collection" && !scope?.length && !draft && isRead;
  });
  const named = starting.map(({ name }) => encodeURIComponent(name));
  return {
    initial: {
      start: "sample",
      names: [...new Set([...fixtures.seed.keys(), ...named])],
      of(name) {
        const made = collections.get(name) ?? collectionWith(name);
        if (made !== emptyCollection) collections.set(name, made);
        return made;
      },
    },
    template,
    load(name) {
      if (generate) return undefined;
      return (name === undefined ? contract.types.some(lacks) : lacks(contract.typeOf(name))) ? loading() : undefined;
    },
  };
}
