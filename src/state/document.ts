import { Buffer } from "node:buffer";
import type { Problem } from "../contract/problems.ts";
import { closedObject, type FromSchema, type Schema } from "../contract/schema.ts";
import { AnyJson } from "../contract/schemas.ts";
import { invalidField, ServiceError } from "../contract/service-error.ts";
import { join } from "../text/json.ts";
import { shown } from "../text/shown.ts";
import type { StoredImage } from "./image.ts";
import { MAX_NAME, RecordDraft, recordOf } from "./record.ts";
import type { StateContents } from "./store.ts";

const id = { type: "string", minLength: 1, maxLength: MAX_NAME } as const satisfies Schema;

/** An image within a state document. */
export const ImageDocument = closedObject(["id", "contentType", "uploadedAt", "base64"], {
  id,
  filename: { type: "string" },
  variant: { type: "integer", description: "The number of the product's variant, as sent." },
  sku: { type: "string" },
  staged: { type: "boolean" },
  contentType: { type: "string", pattern: "^[\\w!#$&^.+-]+/[\\w!#$&^.+-]+$", maxLength: 256 },
  uploadedAt: { type: "string", format: "date-time" },
  base64: { type: "string", description: "The bytes (RFC 4648, section 4)." },
});

/**
 * The whole state of a project as one JSON value, which comes back byte for byte. `fixtures/seed.json` begins alike, so
 * that an export can be the seed and a seed can be imported: all but `resources` may be left out.
 */
export const StateDocument = closedObject(["resources"], {
  $schema: { type: "string" },
  resources: { type: "array", items: RecordDraft, description: "In the order of creation." },
  deleted: {
    type: "object",
    required: ["ids", "keys"],
    additionalProperties: false,
    description: "Ids and keys of deleted resources, sorted: these do not come to life again.",
    properties: { ids: { type: "array", items: id }, keys: { type: "array", items: id } },
  },
  lastWritten: { ...id, description: "The id of the resource that PUT and PATCH on the collection overwrite." },
  namespaceAction: {
    type: "object",
    required: ["body"],
    additionalProperties: false,
    description: "What was last posted to the custom action.",
    properties: { body: AnyJson },
  },
  images: { type: "array", items: ImageDocument, description: "In the order of upload." },
  numbered: { type: "integer", minimum: 0, maximum: 1e15, description: "How many ids have been given out." },
});
export type StateDocument = FromSchema<typeof StateDocument>;

/** The state as a document. */
export function stateDocument({ records, deleted, facts, images, numbered }: StateContents): StateDocument {
  const { lastWritten, namespaceAction } = facts;
  return {
    resources: [...records],
    deleted: { ids: [...deleted.ids], keys: [...deleted.keys] },
    ...(lastWritten !== undefined && { lastWritten }),
    ...(namespaceAction && { namespaceAction: { body: namespaceAction.body } }),
    images: Array.from(images, ({ bytes, ...image }) => ({ ...image, base64: toBase64(bytes) })),
    numbered,
  };
}

/**
 * What a document that fits its schema says a state holds. Resources without an id are given the project's next ones.
 * Throws InvalidField with each id or key that is used twice and each image whose bytes are not base64, by JSON pointer.
 */
export function stateContents(
  document: StateDocument,
  { idOf, now }: { idOf: (number: number) => string; now: string },
): StateContents {
  const { resources, deleted = { ids: [], keys: [] }, lastWritten, namespaceAction, images = [] } = document;
  const twice = [
    ...duplicates(resources, "id", "/resources"),
    ...duplicates(resources, "key", "/resources"),
    ...duplicates(images, "id", "/images"),
  ];
  const problems = twice.map(({ pointer, message }) => invalidField(pointer, message));

  const taken = new Set(resources.map((draft) => draft.id));
  let numbered = document.numbered ?? 0;
  const nextId = () => {
    for (;;) {
      const next = idOf(++numbered);
      if (!taken.has(next)) return next;
    }
  };
  const records = resources.map((draft) => recordOf(draft, { id: draft.id ?? nextId(), now }));

  const stored = images.map(({ base64, ...image }, index): StoredImage => {
    const bytes = Buffer.from(base64, "base64");
    // Node passes over what is not base64: only the same text again shows that all of it was.
    if (toBase64(bytes) !== base64)
      problems.push(invalidField(`/images/${index}/base64`, "expected base64 with its padding"));
    return { ...image, bytes };
  });
  if (problems.length > 0) throw new ServiceError(problems);
  return {
    records,
    deleted,
    facts: { ...(lastWritten !== undefined && { lastWritten }), ...(namespaceAction && { namespaceAction }) },
    images: stored,
    numbered,
  };
}

/** Every item whose member (where it has one) is an earlier item's already; `pointer` is where the list stands. */
export function duplicates<Member extends string>(
  items: readonly { readonly [name in Member]?: string }[],
  member: Member,
  pointer: string,
): Problem[] {
  const first = new Map<string, string>();
  const found: Problem[] = [];
  for (const [index, item] of items.entries()) {
    const value = item[member];
    if (value === undefined) continue;
    const place = join(join(pointer, index), member);
    const before = first.get(value);
    if (before === undefined) first.set(value, place);
    else
      found.push({ pointer: place, message: `expected another ${member} than ${before} has, found ${shown(value)}` });
  }
  return found;
}

function toBase64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
