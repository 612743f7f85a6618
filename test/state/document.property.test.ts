import fc from "fast-check";
import { expect, test } from "vitest";
import { inProject } from "../setup/control.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { runs } from "../setup/runs.ts";

const mock = useMock("in process", { checkResponses: false });

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
    objectTypeProperty: fc.record({ arrayOfStringExample: fc.array(text), arrayOfIntExample: fc.array(fc.nat()) }),
    extra: fc.jsonValue({ noUnicodeString: false }),
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

const importInto = (project: string, state: unknown) => inProject(mock, project, "PUT", "/state", state);
const exportOf = async (project: string) => (await mock.fetch(`/__admin/projects/${project}/state`)).text();

test("a state is the same bytes after export, import and export", async () => {
  const [project, copy] = [newProject(), newProject()];
  await fc.assert(
    fc.asyncProperty(document, async (imported) => {
      expect(await importInto(project, imported)).toMatchObject({ status: 204 });
      const exported = await exportOf(project);
      expect(JSON.stringify(JSON.parse(exported))).toBe(exported);
      await importInto(copy, JSON.parse(exported));
      expect(await exportOf(copy)).toBe(exported);
    }),
    runs(50, 100),
  );
});

test("names of built-in properties are ordinary names in a state", async () => {
  const project = newProject();
  const text =
    '{"id":"__proto__","key":"constructor","version":1,"createdAt":"2025-01-01T00:00:00Z","lastModifiedAt":"2025-01-01T00:00:00Z","objectTypeProperty":{},"__proto__":{"a":1},"toString":0}';
  expect(await importInto(project, JSON.parse(`{"resources":[${text}]}`))).toMatchObject({ status: 204 });
  expect(await exportOf(project)).toContain(`"resources":[${text}]`);
});

test("the new id of an imported resource differs from the ids of the others", async () => {
  const project = newProject();
  const resources = [{ objectTypeProperty: {} }];
  await importInto(project, { resources });
  const [{ id }] = JSON.parse(await exportOf(project)).resources;
  await importInto(project, { resources: [...resources, { id, objectTypeProperty: {} }] });
  const imported = JSON.parse(await exportOf(project)).resources as { id: string }[];
  expect(new Set(imported.map((each) => each.id)).size).toBe(2);
});

test.each(["A", "AA", "AAA", "AA=", "AAAA=", "A A=", "AAA*", "AB=="])("rejects the base64 %j", async (base64) => {
  const images = [{ id: "i", contentType: "image/png", uploadedAt: "2025-01-01T00:00:00.000Z", base64 }];
  const reply = await importInto(newProject(), { resources: [], images });
  expect(reply).toMatchObject({ status: 400, body: { errors: [{ pointer: "/images/0/base64" }] } });
});

test("rejects each repeated id and key", async () => {
  const resources = [
    { id: "a", key: "k", objectTypeProperty: {} },
    { id: "b", key: "k", objectTypeProperty: {} },
    { id: "a", objectTypeProperty: {} },
  ];
  const reply = await importInto(newProject(), { resources });
  expect(reply).toMatchObject({
    status: 400,
    body: { errors: [{ pointer: "/resources/2/id" }, { pointer: "/resources/1/key" }] },
  });
});
