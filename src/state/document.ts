import { Buffer } from "node:buffer";
import type { Problem } from "../contract/problems.ts";
import { closedObject, type FromSchema, type Schema } from "../contract/schema.ts";
import { AnyJson } from "../contract/schemas.ts";
import { invalidField, ServiceError } from "../contract/service-error.ts";
import { TimeSlice } from "../schedule/time-slice.ts";
import { join } from "../text/json.ts";
import { arrayPieces, base64Pieces, objectPieces, valuePieces } from "../text/json-pieces.ts";
import { shown } from "../text/shown.ts";
import type { StoredImage } from "./image.ts";
import { MAX_NAME, RecordDraft, type ResourceRecord, recordOf } from "./record.ts";
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

/** The state as the text of a document, in pieces. */
export function statePieces({ records, deleted, facts, images, numbered }: StateContents): Iterable<string> {
  const { lastWritten, namespaceAction } = facts;
  return objectPieces({
    resources: arrayPieces(records),
    deleted: objectPieces({ ids: arrayPieces(deleted.ids), keys: arrayPieces(deleted.keys) }),
    ...(lastWritten !== undefined && { lastWritten: valuePieces(lastWritten) }),
    ...(namespaceAction && { namespaceAction: objectPieces({ body: valuePieces(namespaceAction.body) }) }),
    images: arrayPieces(images, imagePieces),
    numbered: valuePieces(numbered),
  });
}

function imagePieces({ bytes, ...facts }: StoredImage): Iterable<string> {
  const members = Object.entries(facts).filter(([, value]) => value !== undefined);
  return objectPieces({
    ...Object.fromEntries(members.map(([name, value]) => [name, valuePieces(value)])),
    base64: base64Pieces(bytes),
  });
}

/**
 * What a document that fits its schema says a state holds. Resources without an id are given the project's next ones.
 * Other requests are answered in between.
 * Throws InvalidField with each id or key that is used twice and each image whose bytes are not base64, by JSON pointer.
 */
export async function stateContents(
  document: StateDocument,
  { idOf, now }: { idOf: (number: number) => string; now: string },
): Promise<StateContents> {
  const { resources, deleted = { ids: [], keys: [] }, lastWritten, namespaceAction, images = [] } = document;
  const twice = [
    ...(await duplicates(resources, "id", "/resources")),
    ...(await duplicates(resources, "key", "/resources")),
    ...(await duplicates(images, "id", "/images")),
  ];
  const problems = twice.map(({ pointer, message }) => invalidField(pointer, message));

  const slice = new TimeSlice();
  const taken = new Set<string | undefined>();
  for (const { id } of resources) {
    taken.add(id);
    if (slice.isOver) await slice.next();
  }
  let numbered = document.numbered ?? 0;
  const nextId = () => {
    for (;;) {
      const next = idOf(++numbered);
      if (!taken.has(next)) return next;
    }
  };
  const records: ResourceRecord[] = [];
  for (const draft of resources) {
    records.push(recordOf(draft, { id: draft.id ?? nextId(), now }));
    if (slice.isOver) await slice.next();
  }

  const stored: StoredImage[] = [];
  for (const [index, { base64, ...image }] of images.entries()) {
    const bytes = await fromBase64(base64);
    if (bytes) stored.push({ ...image, bytes });
    else problems.push(invalidField(`/images/${index}/base64`, "expected base64 with its padding"));
  }
  if (problems.length > 0) throw new ServiceError(problems);
  return {
    records,
    deleted,
    facts: { ...(lastWritten !== undefined && { lastWritten }), ...(namespaceAction && { namespaceAction }) },
    images: stored,
    numbered,
  };
}

/**
 * Returns every item whose member (where it has one) is an earlier item's already; `pointer` is where the list stands.
 * Other requests are answered in between.
 */
export async function duplicates<Member extends string>(
  items: readonly { readonly [name in Member]?: string }[],
  member: Member,
  pointer: string,
): Promise<Problem[]> {
  const slice = new TimeSlice();
  const first = new Map<string, number>();
  const found: Problem[] = [];
  const place = (index: number) => join(join(pointer, index), member);
  for (const [index, item] of items.entries()) {
    if (slice.isOver) await slice.next();
    const value = item[member];
    if (value === undefined) continue;
    const before = first.get(value);
    if (before === undefined) {
      first.set(value, index);
      continue;
    }
    const message = `expected another ${member} than ${place(before)} has, found ${shown(value)}`;
    found.push({ pointer: place(index), message });
  }
  return found;
}

/** How much base64 is read at a time, in characters. */
const BASE64_PIECE = 1024 * 1024;

/** The bytes that a text in base64 stands for (RFC 4648, section 4); nothing if it is none, or lacks its padding. */
async function fromBase64(text: string): Promise<Uint8Array | undefined> {
  const slice = new TimeSlice();
  const padding = text.endsWith("==") ? 2 : text.endsWith("=") ? 1 : 0;
  const bytes = new Uint8Array(Math.max(0, Math.floor((text.length / 4) * 3) - padding));
  let size = 0;
  for (let at = 0; at < text.length; at += BASE64_PIECE) {
    const piece = text.slice(at, at + BASE64_PIECE);
    const part = Buffer.from(piece, "base64");
    // Node passes over what is not base64: only the same text again shows that all of it was.
    if (part.toString("base64") !== piece || size + part.length > bytes.length) return undefined;
    bytes.set(part, size);
    size += part.length;
    if (slice.isOver) await slice.next();
  }
  return size === bytes.length ? bytes : undefined;
}
