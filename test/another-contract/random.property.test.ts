import fc from "fast-check";
import { expect, test } from "vitest";
import { createContract } from "../../src/contract/contract.ts";
import type { Schema } from "../../src/contract/json-schema.ts";
import type { Operation, Responses } from "../../src/contract/operation-table.ts";
import type { ResourceType, Role } from "../../src/contract/resource-type.ts";
import { createEngine } from "../../src/engine/engine.ts";
import { createApp } from "../../src/http/app.ts";
import { readFiles } from "../../src/library/mock.ts";
import { pages } from "../../src/page/index.ts";
import { runs } from "../setup/runs.ts";

/** Random contracts, also those that make no sense: ids that are objects, lists without a list, errors without a message. */

const names = fc.constantFrom("id", "name", "version", "error", "message", "code", "items", "__proto__", "a/b");

const { schema, object } = fc.letrec<{ schema: Schema; object: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<Schema>({}, { type: "string" }, { type: ["string", "null"] }, { type: "string", pattern: "^x+$" }),
    fc.constantFrom<Schema>({ type: "integer", minimum: 1 }, { enum: ["a", "b"] }, { const: 3 }, { type: "array" }),
    tie("schema").map((items): Schema => ({ type: "array", items })),
    fc.array(tie("schema"), { minLength: 1, maxLength: 2 }).map((oneOf): Schema => ({ oneOf })),
    tie("object"),
  ),
  object: fc.array(fc.tuple(names, tie("schema"), fc.boolean()), { maxLength: 5 }).map(
    (members): Schema => ({
      type: "object",
      properties: Object.fromEntries(members.map(([name, member]) => [name, member])),
      required: [...new Set(members.flatMap(([name, , isRequired]) => (isRequired ? name : [])))],
    }),
  ),
}));

const typeName = fc.constantFrom("Pet", "To/y", "Ünï");
const types = fc.uniqueArray(
  fc.record<ResourceType>(
    {
      name: typeName,
      path: fc.constant("/pets"),
      kind: fc.constantFrom("collection", "files", "singleton"),
      scope: fc.constant(["p"]),
      schema: fc.oneof(object, schema),
      id: fc.oneof(
        fc.record({ member: fc.constant("id"), form: fc.constant("integer" as const) }, { requiredKeys: [] }),
        fc.constant({ parts: [{ member: ["name"] }] }),
        fc.constant({ parts: [{ member: ["error", "code"] }, { form: "integer" as const, member: ["id"] }] }),
      ),
      alternates: fc.constant(["name"]),
      version: fc.constantFrom(["version"], ["error", "version"]),
    },
    { requiredKeys: ["name", "path", "kind"] },
  ),
  { selector: ({ name }) => name, minLength: 3, maxLength: 3 },
);

const places = {
  response: fc.constantFrom(null, ["items"], ["message", "error"]),
  body: fc.constantFrom(["name"], []),
  keeps: fc.constantFrom([{ parameter: "p", member: ["name"] }], [{ parameter: "id" }]),
};
const by = fc.record({ parameters: fc.constant(["id"]), member: fc.constantFrom("id", "name") });
const list = {
  at: ["items"],
  facts: [
    { at: ["code"], is: "total" },
    { at: ["message", "next"], is: "next" },
    { at: ["version"], is: "cursor" },
  ],
  filters: { name: ["name"], version: ["error", "code"] },
  query: { limit: "limit", where: "where", sort: "sort", cursor: "name" },
} as const;
const role: fc.Arbitrary<Role | undefined> = fc.oneof(
  fc.constant(undefined),
  fc.record({ does: fc.constant("list"), type: typeName, list: fc.constantFrom({ at: [] }, list) }),
  fc.record({ does: fc.constant("create"), type: typeName, ...places }, { requiredKeys: ["does", "type"] }),
  fc.record(
    {
      does: fc.constantFrom("read", "delete", "replace", "merge"),
      type: typeName,
      by,
      creates: fc.boolean(),
      ...places,
    },
    { requiredKeys: ["does", "type", "by"] },
  ),
  fc.record({
    does: fc.constant("update"),
    type: typeName,
    by,
    actions: fc.constant({ set: () => ({ name: "x", version: 9 }) }),
  }),
) as fc.Arbitrary<Role | undefined>;

const response = fc.record(
  {
    description: fc.constant("A response."),
    schema: fc.oneof(object, schema),
    examples: fc.constant({ one: { id: 1 } }),
    headers: fc.constant({ Location: "A path." }),
  },
  { requiredKeys: ["description"] },
);
const responses = fc.dictionary(
  fc.constantFrom("200", "201", "204", "404", "4XX", "default"),
  response,
) as fc.Arbitrary<Responses>;

const segment = fc.constantFrom("pets", "{id}", "{id}.json", "find", "{p}");
const operation = fc.record({
  method: fc.constantFrom<Operation["method"]>("GET", "POST", "PUT", "DELETE", "HEAD"),
  path: fc.array(segment, { minLength: 1, maxLength: 2 }).map((segments) => `/${[...new Set(segments)].join("/")}`),
  body: fc.option(
    fc.record({ required: fc.boolean(), mediaTypes: fc.constant(["application/json"]), schema: object }),
    {
      nil: undefined,
    },
  ),
  responses,
  role,
});

const query = (name: string, type: "integer" | "string") => ({ in: "query", name, schema: { type } }) as const;
const parameters = [query("limit", "integer"), query("where", "string"), query("sort", "string")];

const settings = fc.record({
  collection: fc.constantFrom("sample", "paged"),
  unknownIds: fc.constantFrom("auto", "fixture", "not-found"),
  validation: fc.constantFrom("enforce", "report"),
});

const bodies = [
  "{}",
  '{"id":1}',
  '{"id":"a","version":1,"__proto__":{}}',
  "[]",
  "null",
  "{",
  '{"version":1,"actions":[]}',
];
const request = fc.record({
  path: fc.constantFrom(
    "/pets",
    "/find",
    "/pets/1",
    "/1",
    "/pets/x.json",
    "/a/pets",
    "/%",
    "/__proto__",
    "/p/pets/%C3%A9",
  ),
  query: fc.constantFrom("", "?limit=1", '?where=name="x"', "?sort=id%20desc", "?limit=x"),
  prefer: fc.constantFrom("", "dynamic=true", "code=404", "scenario=server-error"),
  body: fc.constantFrom(...bodies),
});

test("no contract and no request to it cause a defect, and an imported state is exported again", async () => {
  const contracts = fc.record({
    types,
    rows: fc.array(operation, { minLength: 1, maxLength: 6 }),
    defaults: settings,
    basePaths: fc.subarray(["/v1"]),
    requests: fc.array(request, { minLength: 5, maxLength: 15 }),
  });
  const property = fc.asyncProperty(contracts, async ({ types, rows, defaults, basePaths, requests }) => {
    const operations = rows.map((row, index): Operation => {
      const { body, role, ...rest } = row;
      const id = { id: `operation${index}`, summary: "", tag: "", parameters };
      const isOfCollection = types.some(({ name, kind }) => name === role?.type && kind === "collection");
      const isPossible =
        role &&
        (!("by" in role) || role.by.parameters.every((each) => rest.path.includes(`{${each}}`))) &&
        isOfCollection;
      return { ...id, ...rest, ...(body && { body }), ...(isPossible && { role }) };
    });
    const contract = createContract({
      info: { title: "Random" },
      operations,
      types,
      defaults,
      addresses: { basePaths },
    });
    const engine = createEngine(await readFiles({}, { contract }));
    const defects: unknown[] = [];
    engine.onDefect = (error) => defects.push(error);
    const app = createApp(engine, { version: "0", pages });
    const send = async (method: string, path: string, body?: string, headers: Record<string, string> = {}) => {
      const hasBody = body !== undefined && method !== "GET" && method !== "HEAD";
      const init = { method, headers: { ...headers, ...(hasBody && { "Content-Type": "application/json" }) } };
      const response = await app.fetch(new Request(`http://in.process${path}`, { ...init, ...(hasBody && { body }) }));
      return { status: response.status, text: await response.text() };
    };
    for (const { path, query, prefer, body } of requests) {
      for (const { method } of operations)
        await send(method, `${path}${query}`, body, prefer ? { Prefer: prefer } : {});
    }
    const base = "/__admin/projects/default";
    for (const name of types.map((type) => encodeURIComponent(type.name))) {
      await send("POST", `${base}/resources?type=${name}`, '{"id":7,"name":"x","bytes":"AA=="}');
      await send("GET", `${base}/resources?type=${name}`);
    }
    for (const path of ["/requests", "/coverage", "/archive", "/pact?consumer=test"]) await send("GET", base + path);
    for (const path of ["contract.json", "openapi.json"])
      expect((await send("GET", `/__admin/${path}`)).status).toBe(200);
    const { text } = await send("GET", `${base}/state`);
    // The settings let values into the state that the schema of the type does not allow.
    const imported = await send("PUT", "/__admin/projects/other/state", text);
    expect([204, 400]).toContain(imported.status);
    if (imported.status === 204)
      expect(await send("GET", "/__admin/projects/other/state")).toEqual({ status: 200, text });
    expect(defects).toEqual([]);
  });
  await fc.assert(property, runs(30));
});
