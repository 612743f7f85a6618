import {
  AnyJson,
  arrayPieces,
  base64Pieces,
  closedObject,
  dateTime,
  type FromSchema,
  fromBase64,
  IMAGE,
  invalidField,
  join,
  MAX_ADDED,
  MAX_COUNT,
  MAX_ID,
  NAMESPACE_ACTION,
  objectPieces,
  type Problem,
  RESOURCE,
  type Schema,
  ServiceError,
  shown,
  valuePieces,
} from "../contract/index.ts";
import { StateDraft } from "./draft.ts";
import { fileItem, type Item, identity } from "./item.ts";
import { itemOf, RecordDraft, recordOf } from "./resource-record.ts";
import { collectionIn, type InitialItems, initialState, itemById, type State } from "./state-value.ts";

const id = { type: "string", minLength: 1, maxLength: MAX_ID, format: "path-segment" } as const satisfies Schema;

const deleted = { type: "array", items: id, maxItems: MAX_ADDED } as const satisfies Schema;

/** An image within a state document. */
export const ImageDocument = closedObject(["id", "contentType", "uploadedAt", "base64"], {
  id,
  filename: { type: "string" },
  variant: { type: "integer", description: "The number of the product variant, as sent." },
  sku: { type: "string" },
  staged: { type: "boolean" },
  contentType: { type: "string", pattern: "^[\\w!#$&^.+-]+/[\\w!#$&^.+-]+$", maxLength: MAX_ID },
  uploadedAt: dateTime,
  base64: { type: "string", description: "The bytes (RFC 4648, section 4)." },
});

/**
 * The whole state of a project as one JSON value. Export, import and export again return the same bytes. Only
 * `resources` is required. `fixtures/seed.json` has the same form: an export can be the seed, and a seed can be
 * imported.
 */
export const StateDocument = closedObject(["resources"], {
  $schema: { type: "string" },
  resources: { type: "array", items: RecordDraft, maxItems: MAX_ADDED, description: "In the order of creation." },
  deleted: {
    ...closedObject(["ids", "keys"], { ids: deleted, keys: deleted }),
    description: "Ids and keys of deleted resources, sorted. No resource with these is created from the fixture.",
  },
  lastWritten: {
    ...id,
    description: "The id of the resource that the next overwriteResource or createOrOverwriteResource overwrites.",
  },
  namespaceAction: {
    ...closedObject(["body"], { body: AnyJson }),
    description: "The last body of writeNamespaceAction.",
  },
  images: { type: "array", items: ImageDocument, maxItems: MAX_ADDED, description: "In the order of upload." },
  numbered: {
    type: "integer",
    minimum: 0,
    maximum: MAX_COUNT,
    description: "The number of ids that the project has generated.",
  },
});
export type StateDocument = FromSchema<typeof StateDocument>;

/** Returns the state as the JSON text of a document, in pieces. */
export function statePieces(state: State): Iterable<string> {
  const [resources, images] = [collectionIn(state, RESOURCE), collectionIn(state, IMAGE)];
  const action = itemById(collectionIn(state, NAMESPACE_ACTION), "");
  const { lastWritten } = resources.facts;
  const deleted = (member: string) => {
    const prefix = identity(member, "");
    const names = Iterator.from(resources.gone.keys()).filter((each) => each.startsWith(prefix));
    return arrayPieces(names.map((each) => each.slice(prefix.length)));
  };
  return objectPieces({
    resources: arrayPieces(Iterator.from(resources.items.values()).map(recordOf)),
    deleted: objectPieces({ ids: deleted("id"), keys: deleted("key") }),
    ...(lastWritten !== undefined && { lastWritten: valuePieces(lastWritten) }),
    ...(action && { namespaceAction: objectPieces({ body: valuePieces(action.content) }) }),
    images: arrayPieces(images.items.values(), imagePieces),
    numbered: valuePieces(state.numbered),
  });
}

/** Returns an image as the JSON text of `ImageDocument`, in pieces. */
function imagePieces(item: Item): Iterable<string> {
  const members = Object.entries(imageFacts(item)).map(([name, value]) => [name, valuePieces(value)]);
  return objectPieces({ ...Object.fromEntries(members), base64: base64Pieces(item.bytes ?? new Uint8Array(0)) });
}

/** Returns what is known about an image. */
export function imageFacts({ id, content, createdAt }: Item) {
  return { id, ...(content as Omit<ImageFacts, "id" | "uploadedAt">), uploadedAt: createdAt };
}

type ImageFacts = Omit<FromSchema<typeof ImageDocument>, "base64">;

/** Returns the item of an image. */
export function imageItem({ id, uploadedAt, ...content }: ImageFacts, bytes: Uint8Array): Item {
  return fileItem(id, uploadedAt, content, bytes);
}

/**
 * Returns the state of a valid document, for a project with these initial items. Resources without an id get the next ids
 * of the project.
 *
 * @throws ServiceError InvalidField for each repeated id or key and each image with invalid base64, by JSON pointer.
 */
export function stateOf(
  document: StateDocument,
  { idOf, now, initial }: { idOf: (number: number) => string; now: string; initial: InitialItems },
): State {
  const { resources, deleted = { ids: [], keys: [] }, lastWritten, namespaceAction, images = [] } = document;
  const repeated = [
    ...duplicates(resources, "id", "/resources"),
    ...duplicates(resources, "key", "/resources"),
    ...duplicates(images, "id", "/images"),
  ];
  const problems = repeated.map(({ pointer, message }) => invalidField(pointer, message));

  const draft = new StateDraft(initialState(initial));
  for (const name of [RESOURCE, IMAGE, NAMESPACE_ACTION]) draft.reset(name, "empty");
  for (const id of deleted.ids) draft.set("gone", RESOURCE, identity("id", id), true);
  for (const key of deleted.keys) draft.set("gone", RESOURCE, identity("key", key), true);
  const taken = new Set(resources.map(({ id }) => id));
  let numbered = document.numbered ?? 0;
  const nextId = () => {
    for (;;) {
      const next = idOf(++numbered);
      if (!taken.has(next)) return next;
    }
  };
  // A resource with a deleted id or key exists, so it is not deleted.
  for (const each of resources) draft.put(RESOURCE, itemOf(each, { id: each.id ?? nextId(), now }));
  for (const [index, { base64, ...image }] of images.entries()) {
    const bytes = fromBase64(base64);
    if (bytes) draft.put(IMAGE, imageItem(image, bytes));
    else problems.push(invalidField(`/images/${index}/base64`, "expected base64 with padding"));
  }
  if (problems.length > 0) throw new ServiceError(problems);
  if (namespaceAction) draft.setSingleton(NAMESPACE_ACTION, namespaceAction.body, now);
  draft.setFacts(RESOURCE, { lastWritten });
  draft.set("numbered", "", "", numbered);
  return draft.state;
}

/**
 * Returns a problem for each item whose `member` has the same value as in an earlier item. `pointer` is the JSON
 * pointer of the list.
 */
export function duplicates<Member extends string>(
  items: readonly { readonly [name in Member]?: string }[],
  member: Member,
  pointer: string,
): Problem[] {
  const first = new Map<string, number>();
  const found: Problem[] = [];
  const location = (index: number) => join(join(pointer, index), member);
  for (const [index, item] of items.entries()) {
    const value = item[member];
    if (value === undefined) continue;
    const before = first.get(value);
    if (before === undefined) {
      first.set(value, index);
      continue;
    }
    const message = `expected a unique ${member}, found ${shown(value)}, which ${location(before)} has too`;
    found.push({ pointer: location(index), message });
  }
  return found;
}
