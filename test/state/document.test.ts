import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ServiceError } from "../../src/contract/service-error.ts";
import { type StateDocument, stateContents, statePieces } from "../../src/state/document.ts";
import { MemoryStore } from "../../src/state/memory-store.ts";

const fillings = { idOf: (number: number) => `id-${number}`, now: "2025-06-01T12:00:00.000Z" };

/** Imports a document and returns the exported document. */
async function throughStore(document: StateDocument): Promise<StateDocument> {
  return JSON.parse(await textThroughStore(document));
}

async function textThroughStore(document: StateDocument): Promise<string> {
  const store = new MemoryStore();
  await store.replace(await stateContents(document, fillings));
  return [...statePieces(store.contents())].join("");
}

async function problemsOf(document: StateDocument): Promise<(string | undefined)[]> {
  try {
    await stateContents(document, fillings);
  } catch (error) {
    if (error instanceof ServiceError) return error.details.map(({ field }) => field);
    throw error;
  }
  return [];
}

const text = fc.string({ unit: "binary", maxLength: 12 });
const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 });
const dateTime = fc
  .date({ noInvalidDate: true, min: new Date("1970-01-01"), max: new Date("2100-01-01") })
  .map((date) => date.toISOString());
const resource = fc.record(
  {
    id: name,
    key: name,
    version: fc.nat().map((number) => number + 1),
    createdAt: dateTime,
    lastModifiedAt: dateTime,
    createdBy: text,
    objectTypeProperty: fc.record({ arrayOfStringExample: fc.array(text), arrayOfFloatExample: fc.array(fc.double()) }),
    extra: fc.jsonValue(),
  },
  { requiredKeys: ["id", "objectTypeProperty"] },
);
const image = fc.record(
  {
    id: name,
    filename: text,
    variant: fc.integer(),
    contentType: fc.constantFrom("image/png", "image/jpeg"),
    uploadedAt: dateTime,
    base64: fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes).toString("base64")),
  },
  { requiredKeys: ["id", "contentType", "uploadedAt", "base64"] },
);
const document = fc.record(
  {
    resources: fc
      .uniqueArray(resource, { selector: ({ id }) => id, maxLength: 8 })
      .map((drafts) =>
        drafts.map(({ key, ...draft }, index) => (key === undefined ? draft : { ...draft, key: key + index })),
      ),
    deleted: fc.record({ ids: fc.array(name), keys: fc.array(name) }),
    lastWritten: name,
    namespaceAction: fc.record({ body: fc.jsonValue() }),
    images: fc.uniqueArray(image, { selector: ({ id }) => id, maxLength: 4 }),
    numbered: fc.nat(),
  },
  { requiredKeys: ["resources"] },
);

test("export, import and export again returns the same bytes", async () => {
  await fc.assert(
    fc.asyncProperty(document, async (imported) => {
      const exported = await textThroughStore(JSON.parse(JSON.stringify(imported)));
      expect(await textThroughStore(JSON.parse(exported))).toBe(exported);
      // The text in pieces is the one that JSON.stringify returns.
      expect(JSON.stringify(JSON.parse(exported))).toBe(exported);
    }),
  );
});

test("names of built-in properties are ordinary names", async () => {
  const text =
    '{"id":"__proto__","key":"constructor","version":1,"createdAt":"2025-01-01T00:00:00Z","lastModifiedAt":"2025-01-01T00:00:00Z","objectTypeProperty":{"__proto__":[1]},"__proto__":{"a":1},"toString":0}';
  const { resources } = await throughStore(JSON.parse(`{"resources":[${text}]}`));
  expect(JSON.stringify(resources)).toBe(`[${text}]`);
});

test("missing fields get defaults", async () => {
  const { resources, ...rest } = await throughStore({
    resources: [{ objectTypeProperty: {} }, { id: "id-1", objectTypeProperty: {} }],
  });
  const times = { createdAt: fillings.now, lastModifiedAt: fillings.now };
  expect(resources).toEqual([
    // The second resource has the first id already.
    { id: "id-2", version: 1, ...times, objectTypeProperty: {} },
    { id: "id-1", version: 1, ...times, objectTypeProperty: {} },
  ]);
  expect(rest).toEqual({ deleted: { ids: [], keys: [] }, images: [], numbered: 2 });
});

describe("a document is rejected", () => {
  const pixel = { id: "i", contentType: "image/png", uploadedAt: fillings.now };

  test("for each repeated id and key", async () => {
    const resources = [
      { id: "a", key: "k", objectTypeProperty: {} },
      { id: "b", key: "k", objectTypeProperty: {} },
      { id: "a", objectTypeProperty: {} },
    ];
    expect(await problemsOf({ resources })).toEqual(["/resources/2/id", "/resources/1/key"]);
    const images = [pixel, pixel].map((each) => ({ ...each, base64: "" }));
    expect(await problemsOf({ resources: [], images })).toEqual(["/images/1/id"]);
  });

  test.each(["A", "AA", "AAA", "AA=", "AAAA=", "A A=", "AAA*", "AB=="])("for the base64 %j", async (base64) => {
    expect(await problemsOf({ resources: [], images: [{ ...pixel, base64 }] })).toEqual(["/images/0/base64"]);
  });
});
