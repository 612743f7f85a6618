import { expect, test } from "vitest";
import { createResourceMock } from "../../src/index.ts";
import { inProject } from "../setup/control.ts";
import { documentOf, jsonResponse, send } from "../setup/documents.ts";
import { newProject, onTransports } from "../setup/mock.ts";

/** What clients of usual documents send, and what they get. */

const text = { type: "string" };
const integer = { type: "integer" };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const list = (items: object) => ({ type: "array", items });
const inPath = (name: string, schema: object = integer) => ({ in: "path", name, required: true, schema });
const body = (schema: object, type = "application/json") => ({
  requestBody: { required: true, content: { [type]: { schema } } },
});
const ok = (schema?: object) => ({ responses: { 200: schema ? jsonResponse(schema) : { description: "done" } } });

/** Returns the paths of a collection with these further operations on its items. */
const collection = (path: string, name: string, onItems: object = {}, parameters: readonly object[] = []) => ({
  [path]: { parameters, get: ok(list(ref(name))), post: { ...body(ref(name)), ...ok(ref(name)) } },
  [`${path}/{id}`]: { parameters: [...parameters, inPath("id")], get: ok(ref(name)), ...onItems },
});

const orNull = (schema: object) => ({ anyOf: [schema, { type: "null" }] });
const object = (properties: object, required: readonly string[] = []) => ({ type: "object", required, properties });

const schemas = {
  Note: object({ id: integer, text, due: orNull(text), labels: { type: "object", additionalProperties: text } }, [
    "text",
  ]),
  Toy: object({ id: integer, label: text }),
  Card: object({ id: integer, label: text }),
  Pet: object({ id: integer, name: text, status: { enum: ["available", "sold"] } }, ["name"]),
};
const inQuery = (name: string, schema: object) => ({ in: "query", name, schema });
const pageable = object({ page: { ...integer, minimum: 0 }, size: integer, sort: list(text) });
/** The envelope of a response, all of whose members are required. */
const reply = (data: object) => {
  const members = { code: integer, status: { enum: ["error", "success"] }, msg: text, ok: { type: "boolean" } };
  return object({ ...members, data }, [...Object.keys(members), "data"]);
};
const MERGE_PATCH = "application/merge-patch+json";
const paths = {
  ...collection("/notes", "Note", { patch: { ...body(ref("Note"), MERGE_PATCH), ...ok(ref("Note")) } }),
  ...collection("/notes/{noteId}/toys", "Toy", {}, [inPath("noteId")]),
  ...collection("/pets", "Pet", {
    post: {
      parameters: [
        inQuery("name", text),
        inQuery("status", { enum: ["available", "sold"], default: "available" }),
        inQuery("dryRun", { type: "boolean" }),
      ],
      ...ok(ref("Pet")),
    },
  }),
  "/pages": {
    get: { parameters: [inQuery("pageable", pageable)], ...ok(list(ref("Card"))) },
    post: { ...body(ref("Card")), ...ok(ref("Card")) },
  },
  "/pages/{id}": { parameters: [inPath("id")], get: ok(ref("Card")) },
  "/wrapped": {
    get: ok(reply(list(ref("Card")))),
    post: { ...body(object({ data: ref("Card") })), ...ok(reply(ref("Card"))) },
  },
  "/wrapped/{id}": { parameters: [inPath("id")], get: ok(reply(ref("Card"))) },
  "/loose": { get: ok(list(ref("Card"))), post: { ...body({}), ...ok(ref("Card")) } },
  "/loose/{id}": { parameters: [inPath("id")], get: ok(ref("Card")), put: { ...body({}), ...ok(ref("Card")) } },
};

onTransports(
  "usual clients",
  { contract: documentOf(paths, { components: { schemas } }), settings: { start: "empty" } },
  (mock) => {
    const open = () => {
      const project = newProject();
      const call = (request: string, sent?: unknown, headers: Record<string, string> = {}) =>
        send(mock, request.replace(" ", ` /${project}`), headers, sent);
      return { project, call };
    };

    test("a merge patch removes members at all depths, and is validated without its nulls", async () => {
      const { call } = open();
      await call("POST /notes", { text: "a", due: "today", labels: { a: "1", b: "2" } });
      const patch = (sent: object) => call("PATCH /notes/1", JSON.stringify(sent), { "Content-Type": MERGE_PATCH });
      expect((await patch({ text: "b", labels: { a: null }, due: null })).body).toEqual({
        ...{ id: 1, text: "b", labels: { b: "2" } },
      });
      expect(await patch({ text: "b", labels: null })).toMatchObject({ status: 200, body: { id: 1, text: "b" } });
      expect(await patch({ text: null })).toMatchObject({ status: 400, reason: "/text: is required, found nothing" });
      expect((await patch({ text: "b", labels: { a: 5 } })).reason).toBe("/labels/a: expected string, found 5");
    });

    test("a client changes only the members in its query, and learns which parameters have no effect", async () => {
      const { project, call } = open();
      await call("POST /pets", { name: "a", status: "sold" });
      const { body: changed, headers } = await call("POST /pets/1?name=b&dryRun=true&other=1");
      expect(changed).toEqual({ id: 1, name: "b", status: "sold" });
      expect(headers.get("Mock-Ignored")).toBe("dryRun, other");
      const stored = await inProject<{ $mock: object }>(mock, project, "GET", "/resources/1?type=/pets");
      expect(stored.body.$mock).not.toHaveProperty("hidden");
      expect((await call("POST /pets/1?status=available")).headers.has("Mock-Ignored")).toBe(false);
      expect((await call("GET /pets/1")).body).toEqual({ id: 1, name: "b", status: "available" });
    });

    test("learn that the mock has not read a body, also without the member that has the item", async () => {
      const { call } = open();
      const ignored = async (request: string, sent: string) =>
        (await call(request, sent, { "Content-Type": "application/json" })).headers.get("Mock-Ignored");
      for (const sent of ["[1]", "null", "5"]) {
        expect([sent, await ignored("POST /loose", sent)]).toEqual([sent, "body"]);
        expect([sent, await ignored("PUT /loose/1", sent)]).toEqual([sent, "body"]);
      }
      expect(await ignored("POST /wrapped", '{"label":"lost"}')).toBe("body");
      expect(await ignored("POST /loose", '{"label":"a"}')).toBeNull();
      expect(await ignored("POST /wrapped", '{"data":{"label":"a"}}')).toBeNull();
    });

    test("read pages and orders that an object in the query names", async () => {
      const { project, call } = open();
      const cards = Array.from("abcdefghijklmnopqrstu", (label) => ({ label }));
      await inProject(mock, project, "POST", "/resources", { "/pages": cards });
      const labels = async (query: string) => {
        const { body: toys, headers } = await call(`GET /pages?${query}`);
        return [toys.map(({ label }: { label: string }) => label).join(""), headers.get("Mock-Ignored")];
      };
      expect(await labels("page=1&size=3")).toEqual(["def", null]);
      expect(await labels("page=1")).toEqual(["u", null]);
      expect(await labels("page=0&size=3&sort=label,desc")).toEqual(["uts", null]);
      expect(await labels("size=2&sort=label,DESC&sort=id,asc")).toEqual(["ut", null]);
      expect(await labels("size=2&sort=label:desc,id")).toEqual(["ut", null]);
    });

    test("see a success in the envelope of an item and of a list", async () => {
      const { call } = open();
      const success = { code: 0, status: "success", msg: "", ok: true };
      const item = { id: 1, label: "a" };
      expect((await call("POST /wrapped", { data: { label: "a" } })).body).toEqual({ ...success, data: item });
      expect((await call("GET /wrapped/1")).body).toEqual({ ...success, data: item });
      expect((await call("GET /wrapped")).body).toEqual({ ...success, data: [item] });
    });

    test.each([
      ["/notes/{noteId}/toys", "expected values in place of {noteId}"],
      ["Toy/{id}", "expected values in place of {id}"],
      ["/notes/abc/toys", "expected a value of {noteId} that its schema allows"],
    ])("seed no collection of the path %s", async (path, problem) => {
      const { project } = open();
      const { status, body: refusal } = await inProject(mock, project, "POST", "/resources", {
        [path]: [{ label: "a" }],
      });
      expect([status, JSON.stringify(refusal)]).toEqual([400, expect.stringContaining(problem)]);
      const seeded = await inProject(mock, project, "POST", "/resources", { "/notes/1/toys": [{ label: "a" }] });
      expect(seeded.status).toBe(201);
    });
  },
);

test("the client of a project names items by numbers too", async () => {
  await using mock = await createResourceMock({ contract: documentOf(paths, { components: { schemas } }) });
  const { seed, resources } = mock.project("numbers");
  await seed({ "/notes": [{ id: 70, text: "a" }] });
  const type = "/notes";
  expect(await resources.get(70, { type })).toMatchObject({ id: 70, text: "a" });
  await resources.put(70, { text: "b" } as never, { type });
  expect(await resources.history(70, { type })).toHaveLength(2);
  await resources.delete(70, { type });
  await expect(resources.getTagged(70, { type })).rejects.toThrow("404");
});
