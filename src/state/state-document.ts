import {
  arrayPieces,
  base64Pieces,
  type Contract,
  cachedBy,
  closedObject,
  count,
  fromBase64,
  invalidField,
  isObject,
  join,
  MAX_ADDED,
  MAX_COUNT,
  MAX_ID,
  mapValues,
  objectPieces,
  type Problem,
  type ResourceType,
  type Schema,
  ServiceError,
  shown,
  valuePieces,
} from "../contract/index.ts";
import { newIdIn, StateDraft } from "./draft.ts";
import type { Item } from "./item.ts";
import { aroundDrafts, draftsOf, identitiesOf, itemOf, knownOf, placeOf, shownItem } from "./resource-record.ts";
import {
  type CollectionFacts,
  type CollectionName,
  collectionIn,
  type InitialItems,
  initialState,
  type State,
  typeIn,
} from "./state-value.ts";

/** The form of a state as one JSON value. Export, import and export again return the same bytes. */
export interface StateForm {
  /** The schema of documents, with an example. */
  readonly schema: Schema;
  /** Returns the state as the JSON text of a document, in pieces. */
  pieces(state: State): Iterable<string>;
  /** Returns the state of a valid document. Throws InvalidField with each problem, by JSON pointer. */
  stateOf(document: object, project: ImportingProject): State;
}

/** Drafts of items of a type. */
export interface Drafts {
  readonly type: ResourceType;
  readonly drafts: readonly object[];
  /** Returns the JSON pointer of a draft. */
  readonly pointerOf: (index: number) => string;
  /** The pointers into a draft in the document, by those of the type, where they differ. */
  readonly renamed?: Readonly<Record<string, string>>;
}

/** What a document has of a collection. */
export interface StoredCollection extends Drafts {
  readonly name: CollectionName;
  /** The identities of deleted items. */
  readonly gone?: readonly string[];
  readonly facts?: Partial<CollectionFacts>;
}

/** The facts about a project that an import of its state needs. */
export interface ImportingProject {
  readonly now: string;
  readonly initial: InitialItems;
  idOf(number: number): string;
}

export const numbered = {
  type: "integer",
  minimum: 0,
  maximum: MAX_COUNT,
  description: "The number of ids that the project has generated.",
} as const satisfies Schema;

/** A draft with the content of an item under `$mock`, if it is no object. */
type StoredDraft = { readonly $mock?: { readonly value?: unknown } };

interface Document {
  readonly collections: Readonly<
    Record<string, Pick<StoredCollection, "gone" | "facts"> & { readonly items?: readonly object[] }>
  >;
  readonly numbered?: number;
}

/** Returns the form of states for a contract without a form of its own: the collections by their names. */
export const stateFormOf = cachedBy((contract: Contract): StateForm => {
  return {
    schema: schemaFor(contract),
    pieces(state) {
      const names = [...new Set([...state.initial.names, ...state.collections.keys()])].sort();
      const collections = names.flatMap((name) => {
        const { items, gone, facts } = collectionIn(state, name);
        const type = contract.typeOf(typeIn(name));
        if (!type || (facts.created === 0 && gone.size === 0)) return [];
        const pieces = {
          items: arrayPieces(items.values(), (item) => itemPieces(type, item)),
          gone: arrayPieces(gone.keys()),
          facts: valuePieces(facts),
        };
        return [[name, objectPieces(pieces)]];
      });
      const members = { collections: objectPieces(Object.fromEntries(collections)) };
      return objectPieces({ ...members, numbered: valuePieces(state.numbered) });
    },
    stateOf(document, project) {
      const { collections, numbered } = document as Document;
      const stored = Object.entries(collections).map(([name, { items = [], ...others }]): StoredCollection => {
        const pointerOf = (index: number) => join(join(join("/collections", name), "items"), index);
        return { ...others, name, type: contract.typeOf(typeIn(name)) as ResourceType, drafts: items, pointerOf };
      });
      return storedState(stored, numbered, project);
    },
  };
});

/**
 * Returns the state with these collections instead of the initial ones. `numbered` is the number of generated ids. Throws
 * InvalidField with each problem.
 */
export function storedState(
  stored: readonly StoredCollection[],
  numbered = 0,
  { idOf, now, initial }: ImportingProject,
): State {
  const problems = stored.flatMap(draftProblems).map(({ pointer, message }) => invalidField(pointer, message));
  if (problems.length > 0) throw new ServiceError(problems);
  const draft = new StateDraft(initialState(initial));
  draft.set("numbered", "", "", numbered);
  for (const name of [...initial.names, ...stored.map(({ name }) => name)]) draft.reset(name, "empty");
  for (const { name, type, drafts, gone = [], facts = {} } of stored) {
    // An item with a deleted identity exists, so it is not deleted.
    for (const each of gone) draft.set("gone", name, each, true);
    const taken = new Set(drafts.map((each) => knownOf(type, each).id));
    for (const each of drafts) {
      const item = itemOf(type, each, { id: knownOf(type, each).id ?? newIdIn(draft, name, type, idOf, taken), now });
      const { value = item.content } = (each as StoredDraft).$mock ?? {};
      draft.put(name, { ...item, content: value });
    }
    draft.setFacts(name, { ...facts, created: Math.max(draft.in(name).facts.created, facts.created ?? 0) });
  }
  return draft.state;
}

function schemaFor({ types }: Contract): Schema {
  const collections = types.map((type) => {
    const name = encodeURIComponent(type.name).replaceAll(/[.*()]/g, "\\$&");
    const collection = closedObject([], {
      items: { ...draftsOf(type), description: "In the order of creation." },
      gone: {
        type: "array",
        items: { type: "string" },
        maxItems: MAX_ADDED,
        description: "The identities of deleted items, such as `id=42`.",
      },
      facts: closedObject([], { created: count, lastWritten: { type: "string", maxLength: MAX_ID } }),
    });
    return [`^${name}(/|$)`, collection] as const;
  });
  const byName: Schema = {
    type: "object",
    patternProperties: Object.fromEntries(collections),
    additionalProperties: false,
    description: "The items by the name of their type, with the scope of the items: `Pet`, `Post/ann`.",
  };
  const schema = closedObject(["collections"], { $schema: { type: "string" }, collections: byName, numbered });
  const [type] = types.filter((each) => each.schema && !each.draft);
  return aroundDrafts(type ?? {}, { ...schema, examples: [{ collections: {} }] });
}

/** Returns an item as its draft, with its bytes. Content that is no object is under `$mock`. */
function itemPieces(type: ResourceType, { bytes, ...item }: Item): Iterable<string> {
  const { content } = item;
  const { $mock, ...members } = shownItem(type, { ...item, content: isObject(content) ? content : {} });
  const own = isObject(content) ? $mock : { ...($mock as object), value: content };
  const all = { ...members, ...(own !== undefined && { $mock: own }) };
  const pieces = mapValues(all, (value) => valuePieces(value));
  return objectPieces({ ...pieces, ...(bytes && { bytes: base64Pieces(bytes) }) });
}

/**
 * Returns a problem for each draft with an id or another identity of an earlier draft, and for each file with invalid
 * base64. `pointerOf` returns the JSON pointer of a draft.
 */
export function draftProblems({ type, drafts, pointerOf, renamed = {} }: Drafts): Problem[] {
  const identities = drafts.map((draft) => identitiesOf(type, draft));
  const pointerTo = (index: number, place: string) => pointerOf(index) + (renamed[place] ?? place);
  const repeated = ["id", ...(type.alternates ?? [])].flatMap((member) => {
    const first = new Map<string, number>();
    return identities.flatMap(({ [member]: value }, index): Problem[] => {
      const before = value === undefined ? undefined : first.get(value);
      if (value !== undefined && before === undefined) first.set(value, index);
      if (before === undefined) return [];
      const [pointer, other] = [index, before].map((each) => pointerTo(each, placeOf(type, member))) as [
        string,
        string,
      ];
      return [{ pointer, message: `expected a unique ${member}, found ${shown(value)}, which ${other} has too` }];
    });
  });
  const files = type.kind === "files" ? drafts : [];
  const invalid = files.flatMap((draft, index) => {
    const isValid = "bytes" in draft && fromBase64(String(draft.bytes)) !== undefined;
    return isValid ? [] : [{ pointer: pointerTo(index, "/bytes"), message: "expected base64 with padding" }];
  });
  return [...repeated, ...invalid];
}
