import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import fc from "fast-check";
import { expect, test } from "vitest";
import { minimalValue } from "../../src/contract/minimal-value.ts";
import { createResourceMock, FilesError } from "../../src/library/resource-mock.ts";
import { loadContract } from "../../src/openapi/index.ts";
import { json as anyJson } from "../setup/arbitraries.ts";
import { documentOf, objectOf, send } from "../setup/documents.ts";
import { runs } from "../setup/runs.ts";

type Node = Record<string, unknown>;

const ref = fc.constantFrom("A", "B", "Tagged").map((name): Node => ({ $ref: `#/components/schemas/${name}` }));
const names = fc.constantFrom("id", "valueOf", "name", "kind", "constructor", "__proto__", "a/b~c", "größe", "");
const few = fc.nat({ max: 2 });

const scalar = fc.oneof(
  fc.record({ type: fc.constant("string"), minLength: few, maxLength: fc.constant(9) }, { requiredKeys: ["type"] }),
  fc
    .constantFrom("date-time", "uuid", "email", "uri", "date", "ipv4", "odd")
    .map((format) => ({ type: "string", format })),
  fc.constantFrom<Node>(
    { type: "string", pattern: "^[a-c]{2,4}$", "x-odd": { $ref: 7 }, xml: { name: "a" }, deprecated: true },
    { type: ["boolean", "null"] },
    { enum: ["a", null, 3, { b: [1] }] },
    { const: { a: "b" } },
    { example: 1, examples: ["x"], description: "anything" },
  ),
  fc.record({
    type: fc.constantFrom("integer", "number"),
    minimum: fc.integer({ min: -9, max: 9 }),
    multipleOf: fc.constant(3),
  }),
);

const { any, object } = fc.letrec<{ any: Node; object: Node }>((tie) => {
  const some = fc.array(tie("any"), { minLength: 1, maxLength: 3 });
  const parts = fc.array(fc.oneof(tie("object"), ref), { minLength: 1, maxLength: 2 });
  const members = fc.uniqueArray(fc.tuple(names, tie("any"), fc.boolean()), {
    maxLength: 4,
    selector: ([name]) => name,
  });
  return {
    any: fc.oneof(
      { maxDepth: 3 },
      scalar,
      ref,
      tie("object"),
      fc.record({ type: fc.constant("array"), items: tie("any"), minItems: few, uniqueItems: fc.boolean() }),
      fc.record({ type: fc.constant("array"), prefixItems: some, items: tie("any") }),
      fc
        .tuple(fc.constantFrom("oneOf", "anyOf"), some)
        .map(([keyword, options]) => ({ [keyword]: options, title: "" })),
      parts.map((allOf) => ({ allOf })),
      fc.tuple(ref, few).map(([to, minProperties]) => ({ ...to, minProperties })),
      tie("any").map((not) => ({ type: ["string", "integer"], not })),
    ),
    object: fc.tuple(members, fc.option(fc.oneof(fc.boolean(), tie("any")))).map(([own, others]) => ({
      type: "object",
      properties: Object.fromEntries(own.map(([name, member]) => [name, member])),
      required: own.flatMap(([name, , isRequired]) => (isRequired ? name : [])),
      ...(others !== null && { additionalProperties: others }),
    })),
  };
});

const content = fc.record({ schema: any, example: anyJson }, { requiredKeys: ["schema"] });
const response = fc.record(
  {
    description: fc.constant("A response."),
    content: fc.dictionary(fc.constantFrom("application/json", "application/vnd.a+json"), content, { minKeys: 1 }),
    headers: fc.dictionary(fc.constantFrom("X-A", "Location"), fc.record({ schema: any })),
  },
  { requiredKeys: ["description"] },
);
const parameter = fc.record({ in: fc.constant("query"), name: fc.constantFrom("q", "a[b]", "x"), schema: any });
const operation = fc.record(
  {
    parameters: fc.uniqueArray(parameter, { maxLength: 2, selector: ({ name }) => name }),
    requestBody: content.map((media) => ({ required: true, content: { "application/json": media } })),
    responses: fc.dictionary(fc.constantFrom("200", "201", "204", "302", "400", "4XX", "404", "default"), response),
  },
  { requiredKeys: ["responses"] },
);
const kinds = {
  Cat: objectOf({ kind: { const: "cat" } }),
  Dog: objectOf({ kind: { enum: ["dog"] }, friend: { $ref: "#/components/schemas/B" } }),
  Tagged: {
    oneOf: ["Cat", "Dog"].map((name) => ({ $ref: `#/components/schemas/${name}` })),
    discriminator: { propertyName: "kind", mapping: { cat: "Cat", dog: "#/components/schemas/Dog" } },
  },
};
const id = { name: "id", in: "path", required: true, schema: {} };
const document = fc
  .tuple(fc.oneof(scalar, object), object, fc.array(operation, { minLength: 1, maxLength: 3 }))
  .map(([A, B, posts]) => {
    const paths = posts.map((post, index) => [`/things${index}/{id}`, { parameters: [id], post }]);
    return documentOf(Object.fromEntries(paths), { components: { schemas: { A, B, ...kinds } } });
  });

/**
 * Returns whether a value is valid against a schema of the document, by an Ajv that knows nothing of the mock; undefined if
 * Ajv throws: it calls members that are named valueOf or toString.
 */
function judgeOf(document: object): (pointer: string[], value: unknown) => boolean | undefined {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false, ownProperties: true });
  addFormats.default(ajv);
  ajv.addSchema(document, "https://example.com/document", false, false);
  const checks = new Map<string, (value: unknown) => unknown>();
  return (pointer, value) => {
    const path = pointer.map((name) => encodeURIComponent(name.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/");
    const check = checks.get(path) ?? ajv.compile({ $ref: `https://example.com/document#/${path}` });
    checks.set(path, check);
    try {
      return check(value) === true;
    } catch {
      return undefined;
    }
  };
}

/** Returns the value, and objects that lack one of its members or have another one in its place. */
function variants(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [value];
  const changed = Object.keys(value).flatMap((name) =>
    [7, "x", [], undefined].map((each) => ({ ...value, [name]: each })),
  );
  return [value, ...changed.map((each) => JSON.parse(JSON.stringify(each)))];
}

test("a random document is served without defects and lies, and refuses exactly the invalid bodies", async () => {
  const property = fc.asyncProperty(document, fc.array(anyJson, { maxLength: 2 }), async (random, values) => {
    const text = JSON.stringify(random);
    const mock = await createResourceMock({ contract: random }).catch((error) => {
      expect(error).toBeInstanceOf(FilesError);
    });
    if (!mock) return;
    const isValid = judgeOf(JSON.parse(text));
    const { contract } = await loadContract(random);
    for (const { path, parameters, body, responses } of contract.operations) {
      const place = ["paths", path, "post"];
      const schemaPlace = [...place, "requestBody", "content", "application/json", "schema"];
      const given = parameters.flatMap(({ in: location, name, schema }, index) => {
        const value = minimalValue(schema);
        const isSent =
          location === "query" && typeof value !== "object" && value !== "" && /^\w+$/.test(`${schema.type}`);
        return isSent && isValid([...place, "parameters", String(index - 1), "schema"], value)
          ? [[name, String(value)]]
          : [];
      });
      const request = `POST ${path.replace("{id}", "7")}?${new URLSearchParams(given)}`;
      const codes = Object.keys(responses).flatMap((key) => (/\d$/.test(key) ? `code=${key}` : []));
      const sent = body ? [...values, ...variants(body.schema && minimalValue(body.schema))] : [undefined];
      for (const value of sent) {
        for (const prefer of ["wait=1", "dynamic=true", ...codes]) {
          const headers = { ...(value !== undefined && { "Content-Type": "application/json" }), Prefer: prefer };
          const answer = await send(mock, request, headers, JSON.stringify(value));
          const source = answer.headers.get("Mock-Source");
          expect(source).not.toBe("defect");
          const { status, reason, type } = answer;
          const key = [`${status}`, `${Math.floor(status / 100)}XX`, "default"].find((each) => each in responses);
          if (!answer.isOffContract && key !== undefined && type !== null) {
            const isAllowed = isValid([...place, "responses", key, "content", type, "schema"], answer.body) ?? true;
            expect({ status, body: answer.body, isAllowed }).toEqual({ status, body: answer.body, isAllowed: true });
          }
          const isRefused = body ? !(isValid(schemaPlace, value) ?? source !== "error") : false;
          expect({ value, reason, isRefused: source === "error" }).toEqual({ value, reason, isRefused });
        }
      }
    }
    expect(JSON.stringify(random)).toBe(text);
    await mock.close();
  });
  await fc.assert(property, runs(30, 1000));
}, 60_000);
