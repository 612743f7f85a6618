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
  MAX_ID,
  objectPieces,
  type ResourceType,
  type Schema,
  ServiceError,
  valuePieces,
} from "../../../contract/index.ts";
import {
  collectionIn,
  draftProblems,
  duplicates,
  fileItem,
  type ImportingProject,
  type Item,
  identity,
  initialState,
  itemById,
  itemOf,
  newIdIn,
  numbered,
  type State,
  StateDraft,
  type StateForm,
  shownItem,
} from "../../../state/index.ts";
import { RecordDraft } from "../schemas.ts";
import { IMAGE, NAMESPACE_ACTION, RESOURCE, types } from "../types.ts";

const [resource] = types as readonly [ResourceType, ...ResourceType[]];

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
 * The whole state of a project as one JSON value. Only `resources` is required. `fixtures/seed.json` has the same form: an
 * export can be the seed, and a seed can be imported.
 */
export const StateDocument = {
  ...closedObject(["resources"], {
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
    numbered,
  }),
  examples: [{ resources: [{ id: "42", objectTypeProperty: { arrayOfIntExample: [1, 2] } }] }],
} as const satisfies Schema;
export type StateDocument = FromSchema<typeof StateDocument>;

export const stateForm: StateForm = { schema: StateDocument, pieces, stateOf };

function pieces(state: State): Iterable<string> {
  const [resources, images] = [collectionIn(state, RESOURCE), collectionIn(state, IMAGE)];
  const action = itemById(collectionIn(state, NAMESPACE_ACTION), "");
  const { lastWritten } = resources.facts;
  const deleted = (member: string) => {
    const prefix = identity(member, "");
    const names = Iterator.from(resources.gone.keys()).filter((each) => each.startsWith(prefix));
    return arrayPieces(names.map((each) => each.slice(prefix.length)));
  };
  return objectPieces({
    resources: arrayPieces(Iterator.from(resources.items.values()).map((item) => shownItem(resource, item))),
    deleted: objectPieces({ ids: deleted("id"), keys: deleted("key") }),
    ...(lastWritten !== undefined && { lastWritten: valuePieces(lastWritten) }),
    ...(action && { namespaceAction: objectPieces({ body: valuePieces(action.content) }) }),
    images: arrayPieces(images.items.values(), imagePieces),
    numbered: valuePieces(state.numbered),
  });
}

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

function stateOf(document: StateDocument, { idOf, now, initial }: ImportingProject): State {
  const { resources, deleted = { ids: [], keys: [] }, lastWritten, namespaceAction, images = [] } = document;
  const ids = images.map(({ id }) => id);
  const repeated = [
    ...draftProblems({ type: resource, drafts: resources, pointerOf: (index) => join("/resources", index) }),
    ...duplicates(ids, "id", (index) => `/images/${index}/id`),
  ];
  const problems = repeated.map(({ pointer, message }) => invalidField(pointer, message));

  const draft = new StateDraft(initialState(initial));
  for (const name of [RESOURCE, IMAGE, NAMESPACE_ACTION]) draft.reset(name, "empty");
  for (const id of deleted.ids) draft.set("gone", RESOURCE, identity("id", id), true);
  for (const key of deleted.keys) draft.set("gone", RESOURCE, identity("key", key), true);
  draft.set("numbered", "", "", document.numbered ?? 0);
  const taken = new Set(resources.map(({ id }) => id));
  // A resource with a deleted id or key exists, so it is not deleted.
  for (const each of resources) {
    const id = each.id ?? newIdIn(draft, RESOURCE, resource, idOf, taken);
    draft.put(RESOURCE, itemOf(resource, each, { id, now }));
  }
  for (const [index, { base64, ...image }] of images.entries()) {
    const bytes = fromBase64(base64);
    if (bytes) draft.put(IMAGE, imageItem(image, bytes));
    else problems.push(invalidField(`/images/${index}/base64`, "expected base64 with padding"));
  }
  if (problems.length > 0) throw new ServiceError(problems);
  if (namespaceAction) draft.setSingleton(NAMESPACE_ACTION, namespaceAction.body, now);
  draft.setFacts(RESOURCE, { lastWritten });
  return draft.state;
}
