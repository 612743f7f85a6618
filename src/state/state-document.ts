import {
  AnyJson,
  arrayPieces,
  base64Pieces,
  closedObject,
  dateTime,
  type FromSchema,
  fromBase64,
  invalidField,
  join,
  MAX_ADDED,
  MAX_COUNT,
  MAX_ID,
  objectPieces,
  type Problem,
  type Schema,
  ServiceError,
  shown,
  valuePieces,
} from "../contract/index.ts";
import { ownBytes, StateDraft } from "./draft.ts";
import { RecordDraft, recordOf } from "./resource-record.ts";
import { emptyState, type State, type StoredImage } from "./state-value.ts";

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
  const { resources, deletedIds, deletedKeys, lastWritten, namespaceAction, images, numbered } = state;
  return objectPieces({
    resources: arrayPieces(resources.values()),
    deleted: objectPieces({ ids: arrayPieces(deletedIds.keys()), keys: arrayPieces(deletedKeys.keys()) }),
    ...(lastWritten !== undefined && { lastWritten: valuePieces(lastWritten) }),
    ...(namespaceAction && { namespaceAction: objectPieces({ body: valuePieces(namespaceAction.body) }) }),
    images: arrayPieces(images.values(), imagePieces),
    numbered: valuePieces(numbered),
  });
}

/** Returns an image as the JSON text of `ImageDocument`, in pieces. */
function imagePieces({ bytes, ...facts }: StoredImage): Iterable<string> {
  const members = Object.entries(facts).filter(([, value]) => value !== undefined);
  return objectPieces({
    ...Object.fromEntries(members.map(([name, value]) => [name, valuePieces(value)])),
    base64: base64Pieces(bytes),
  });
}

/**
 * Returns the state of a valid document. Resources without an id get the next ids of the project.
 *
 * @throws ServiceError InvalidField for each repeated id or key and each image with invalid base64, by JSON pointer.
 */
export function stateOf(
  document: StateDocument,
  { idOf, now }: { idOf: (number: number) => string; now: string },
): State {
  const { resources, deleted = { ids: [], keys: [] }, lastWritten, namespaceAction, images = [] } = document;
  const repeated = [
    ...duplicates(resources, "id", "/resources"),
    ...duplicates(resources, "key", "/resources"),
    ...duplicates(images, "id", "/images"),
  ];
  const problems = repeated.map(({ pointer, message }) => invalidField(pointer, message));

  const draft = new StateDraft(emptyState);
  for (const id of deleted.ids) draft.set("deletedId", id, true);
  for (const key of deleted.keys) draft.set("deletedKey", key, true);
  const taken = new Set(resources.map(({ id }) => id));
  let numbered = document.numbered ?? 0;
  const nextId = () => {
    for (;;) {
      const next = idOf(++numbered);
      if (!taken.has(next)) return next;
    }
  };
  for (const [index, each] of resources.entries()) {
    const record = recordOf(each, { id: each.id ?? nextId(), now });
    draft.set("resource", record.id, [index + 1, record]);
    // A resource with such an id or key exists, so it is not deleted.
    draft.set("deletedId", record.id, undefined);
    if (record.key !== undefined) draft.set("deletedKey", record.key, undefined);
  }
  for (const [index, { base64, ...image }] of images.entries()) {
    const bytes = fromBase64(base64);
    if (bytes) draft.set("image", image.id, [index + 1, { ...image, bytes: ownBytes(bytes) }]);
    else problems.push(invalidField(`/images/${index}/base64`, "expected base64 with padding"));
  }
  if (problems.length > 0) throw new ServiceError(problems);
  draft.setAction(namespaceAction);
  draft.setFacts({ lastWritten, numbered, created: resources.length });
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
