import { expect, test } from "vitest";
import { documentOf, jsonResponse, objectOf, send } from "../setup/documents.ts";
import { onTransports } from "../setup/mock.ts";

const text = { type: "string" };
const integer = { type: "integer" };

/** Returns a POST that takes `{ amount }` and documents these responses beside 201. */
function refuses(responses: object): object {
  const schema = objectOf({ amount: integer });
  const requestBody = { required: true, content: { "application/json": { schema } } };
  return { post: { requestBody, responses: { 201: { description: "made" }, ...responses } } };
}

const strict = (properties: Record<string, object>) => ({ ...objectOf(properties), additionalProperties: false });
const list = (items: object) => ({ type: "array", minItems: 1, items });
const orNull = (schema: object) => ({ anyOf: [schema, { type: "null" }] });
const details = objectOf({ title: text, status: integer, detail: text, type: { type: "string", format: "uri" } });

const document = documentOf({
  "/nested": refuses({ 400: jsonResponse(strict({ errors: list(strict({ message: text, field: text })) })) }),
  "/deep": refuses({ "4XX": jsonResponse(objectOf({ error: objectOf({ info: objectOf({ errorMessage: text }) }) })) }),
  "/status": refuses({
    default: jsonResponse(strict({ statusCode: { ...integer, minimum: 400 }, error_description: text })),
  }),
  "/details": refuses({
    422: { description: "invalid", content: { "application/problem+json": { schema: details } } },
    400: jsonResponse(strict({ message: text })),
  }),
  "/codes": refuses({
    400: jsonResponse({
      oneOf: [
        strict({ code: { const: "Gone" }, message: text }),
        strict({
          code: { enum: ["InvalidField", "Other"] },
          message: text,
          at: { type: "string", format: "date-time" },
        }),
      ],
    }),
  }),
  "/example": refuses({ 400: jsonResponse(strict({ message: text }), { message: "from the document" }) }),
  "/plain": refuses({ 400: { description: "wrong" } }),
  "/texts": refuses({ 400: { description: "wrong", content: { "text/plain": { schema: text } } } }),
  "/xml": refuses({
    400: { description: "wrong", content: { "application/xml": { schema: strict({ message: text }) } } },
  }),
  "/ranges": refuses({ 400: { description: "wrong", content: { "*/*": { schema: strict({ message: text }) } } } }),
  "/lists": refuses({ 400: jsonResponse({ type: "array", items: strict({ reason: text }) }) }),
  "/strings": refuses({ 400: jsonResponse(text) }),
  "/several": refuses({ 400: jsonResponse(strict({ errors: { type: "array", items: text } })) }),
  "/impossible": refuses({ 400: jsonResponse(strict({ message: { ...text, pattern: "^E[0-9]+$" } })) }),
  "/rules": refuses({
    400: jsonResponse({
      oneOf: [objectOf({ message: text, url: text }), { type: "object", properties: { message: text, status: text } }],
    }),
  }),
  "/optional": refuses({
    422: jsonResponse({
      type: "object",
      properties: { detail: { type: "array", items: objectOf({ loc: { type: "array" }, msg: text, type: text }) } },
    }),
  }),
  "/nullable": refuses({
    400: jsonResponse(strict({ code: orNull(text), detail: orNull(list(text)), msg: orNull(text) })),
  }),
  "/unions": refuses({
    400: jsonResponse({
      type: "object",
      properties: { error: { type: "object", properties: { detail: orNull(list(objectOf({ msg: text }))) } } },
    }),
  }),
  "/extended": refuses({
    400: jsonResponse({
      allOf: [
        { ...objectOf({ code: text, message: text }), additionalProperties: text },
        { type: "object", required: ["value"], properties: { value: {} } },
      ],
    }),
  }),
  "/reasonless": refuses({ 400: jsonResponse({ type: "object", properties: { count: integer, info: text } }) }),
  "/open": refuses({ 400: jsonResponse({ type: "object" }) }),
  "/undocumented": refuses({}),
  "/default": {
    get: { responses: { default: jsonResponse(objectOf({ id: integer, tags: list(text) })) } },
  },
});

const invalid = '/amount: expected integer, found "two"';

onTransports("errors in the form of a document", { contract: document }, (mock) => {
  test.each<[path: string, status: number, body: unknown]>([
    ["/nested", 400, { errors: [{ message: invalid, field: expect.any(String) }] }],
    ["/deep", 400, { error: { info: { errorMessage: invalid } } }],
    ["/status", 400, { statusCode: 400, error_description: invalid }],
    ["/details", 422, { title: expect.any(String), status: 422, detail: invalid, type: expect.any(String) }],
    ["/codes", 400, { code: "InvalidField", message: invalid, at: expect.any(String) }],
    ["/plain", 400, ""],
    ["/ranges", 400, { message: invalid }],
    ["/xml", 400, `<root><message>${invalid.replaceAll('"', "&#34;")}</message></root>`],
    ["/texts", 400, invalid],
    ["/lists", 400, [{ reason: invalid }]],
    ["/strings", 400, invalid],
    ["/rules", 400, { message: invalid }],
    ["/several", 400, { errors: [invalid] }],
    ["/optional", 422, { detail: [{ loc: [], msg: invalid, type: "" }] }],
    ["/nullable", 400, { code: expect.any(String), detail: [""], msg: invalid }],
    ["/unions", 400, { error: { detail: [{ msg: invalid }] } }],
    ["/extended", 400, { code: expect.any(String), message: invalid, value: expect.any(String) }],
    ["/reasonless", 400, { info: invalid }],
    ["/open", 400, { message: invalid }],
  ])("an error of POST %s has the declared form", async (path, status, body) => {
    const answer = await send(mock, `POST ${path}`, {}, { amount: "two" });
    expect([answer.status, answer.body, answer.reason]).toEqual([status, body, invalid]);
    expect(answer.isOffContract).toBe(false);
  });

  test("broken JSON is 400 also where 422 is documented, in the form for this status", async () => {
    const { status, body, type } = await send(
      mock,
      "POST /details",
      { "Content-Type": "application/json" },
      '{"amount":',
    );
    expect([status, Object.keys(body), type]).toEqual([400, ["message"], "application/json"]);
    const missing = await send(mock, "POST /details");
    expect([missing.status, missing.body.detail]).toEqual([422, expect.stringMatching(/body is required/i)]);
  });

  test("an error that an operation does not document has the most usual form, and is labelled", async () => {
    for (const request of ["POST /undocumented", "GET /undocumented", "GET /unknown"]) {
      const { status, body, isOffContract, reason } = await send(mock, request);
      expect([request, status >= 400, typeof body, isOffContract]).toEqual([request, true, "object", status !== 400]);
      expect(JSON.stringify(body)).toContain(JSON.stringify(reason).slice(1, -1));
    }
  });

  test("a sole default is the success, not the form of errors", async () => {
    const { status, body, isOffContract, reason } = await send(mock, "GET /default", { Accept: "text/csv" });
    expect([status, isOffContract, Object.keys(body)]).toEqual([406, true, expect.not.arrayContaining(["tags"])]);
    expect(JSON.stringify(body)).toContain(JSON.stringify(reason).slice(1, -1));
  });

  test("an error form that no message fits is labelled, and the reason is in a header", async () => {
    const { status, reason, isOffContract } = await send(mock, "POST /impossible", {}, { amount: "two" });
    expect([status, reason, isOffContract]).toEqual([400, invalid, true]);
  });

  test("a long or foreign reason is cut to a header of 200 characters", async () => {
    const { reason } = await send(mock, "POST /plain", {}, { amount: `ü✓\n${"x".repeat(5000)}` });
    expect(reason).toMatch(/^[ -~]{20,200}$/);
  });

  test("a preferred status has the example of the document, and errors of the mock have their own message", async () => {
    const preferred = await send(mock, "POST /example", { Prefer: "code=400" }, { amount: 1 });
    expect(preferred.body).toEqual({ message: "from the document" });
    expect((await send(mock, "POST /example", {}, { amount: "two" })).body).toEqual({ message: invalid });
  });
});
