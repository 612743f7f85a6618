import {
  AnyJson,
  arrayPieces,
  base64Pieces,
  closedObject,
  dateTime,
  type FromSchema,
  join,
  MAX_ADDED,
  MAX_ID,
  mapValues,
  objectPieces,
  type ResourceType,
  type Schema,
  valuePieces,
} from "../../../contract/index.ts";
import {
  collectionIn,
  type ImportingProject,
  type Item,
  identity,
  itemById,
  numbered,
  type State,
  type StateForm,
  shownItem,
  storedState,
} from "../../../state/index.ts";
import { RecordDraft } from "../schemas.ts";
import { IMAGE, NAMESPACE_ACTION, RESOURCE, types } from "../types.ts";

const [resource, image, action] = types as readonly [ResourceType, ResourceType, ResourceType];

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
  const members = mapValues(imageFacts(item), (value) => valuePieces(value));
  return objectPieces({ ...members, base64: base64Pieces(item.bytes ?? new Uint8Array(0)) });
}

export function imageFacts({ id, content, createdAt }: Item) {
  return {
    id,
    ...(content as Omit<FromSchema<typeof ImageDocument>, "id" | "uploadedAt" | "base64">),
    uploadedAt: createdAt,
  };
}

function stateOf(document: StateDocument, project: ImportingProject): State {
  const { resources, deleted = { ids: [], keys: [] }, lastWritten, namespaceAction, images = [], numbered } = document;
  const drafts = images.map(({ id, uploadedAt, base64, ...facts }) => {
    return { ...facts, bytes: base64, $mock: { id, createdAt: uploadedAt } };
  });
  const bodies = namespaceAction ? [{ $mock: { value: namespaceAction.body } }] : [];
  const ids = deleted.ids.map((each) => identity("id", each));
  const gone = [...ids, ...deleted.keys.map((each) => identity("key", each))];
  const at = (name: string) => (index: number) => join(join("", name), index);
  const renamed = { "/$mock/id": "/id", "/bytes": "/base64" };
  const collections = [
    { type: resource, drafts: resources, pointerOf: at("resources"), gone, facts: { lastWritten } },
    { type: image, drafts, pointerOf: at("images"), renamed },
    { type: action, drafts: bodies, pointerOf: at("namespaceAction") },
  ];
  const stored = collections.map((each) => ({ ...each, name: each.type.name }));
  return storedState(stored, numbered, project);
}
