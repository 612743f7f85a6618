import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import type { OperationId } from "../../src/contract/known-service.ts";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import type { Settings } from "../../src/state/settings-schema.ts";
import { json as anyJson, draft, inheritedNames, text } from "../setup/arbitraries.ts";
import { expectNoInternals, expectPrototypesUntouched } from "../setup/defects.ts";
import { newProject, useMock } from "../setup/mock.ts";
import { mutated, mutatedBytes } from "../setup/mutations.ts";
import { everyOperation, exampleRequests, images } from "../setup/requests.ts";
import { configure } from "../setup/resources.ts";
import { runs } from "../setup/runs.ts";

const mock = useMock("in process");

afterEach(expectPrototypesUntouched);

/** Almost valid parameter values, which reach more code than random values do. */
const nearlyValue = fc.oneof(
  text,
  fc.constantFrom("", "1", "-1", "1e308", "1e309", "NaN", "true", "false", "{}", "[]", "null", "2024-02-30T00:00:00Z"),
  fc.constantFrom("version", "version desc", "id", "version > 1", "key = :a", 'id in ("a")', "(", "not(", '"'),
  fc.double().map(String),
  anyJson.map((value) => JSON.stringify(value)),
);

const encode = (value: string) => encodeURIComponent(value.toWellFormed());

/** Query strings with known, similar and random parameter names; and random texts. */
function queryFor(id: OperationId): fc.Arbitrary<string> {
  const known = serviceContract.find(id)?.parameters.filter((parameter) => parameter.in === "query") ?? [];
  const names = known.map(({ name, pattern }) => (pattern ? `${name}.en` : name));
  const name = fc.oneof(fc.constantFrom(...names, "where", "limit", ...inheritedNames), text);
  const pairs = fc.array(fc.tuple(name, nearlyValue), { maxLength: 4 });
  return fc.oneof(
    { weight: 4, arbitrary: pairs.map((each) => each.map((pair) => pair.map(encode).join("=")).join("&")) },
    { weight: 1, arbitrary: text.map((each) => encodeURI(each.toWellFormed()).replaceAll("#", "&")) },
    { weight: 1, arbitrary: fc.stringMatching(/^[&=%?+;a-f0-9]*$/) },
  );
}

const update = fc.record({
  version: fc.oneof(fc.constant(1), anyJson),
  actions: fc.oneof(
    fc.array(fc.record({ action: fc.constantFrom("doSomeThing", "changeSomeProperty", "x"), someProperty: anyJson })),
    anyJson,
  ),
});

type Body = string | Uint8Array<ArrayBuffer> | undefined;

/** Bodies: randomly changed valid ones, almost valid ones, any JSON, and any bytes. */
function bodyFor(id: OperationId): fc.Arbitrary<Body> {
  const { body: sent } = exampleRequests[id].init;
  const changed: fc.Arbitrary<Body>[] = [];
  if (typeof sent === "string") changed.push(mutated(JSON.parse(sent)), mutatedBytes(Buffer.from(sent)));
  if (sent instanceof Uint8Array) changed.push(mutatedBytes(sent));
  return fc.oneof(
    ...changed,
    fc.constant(undefined),
    fc.oneof(draft, update, anyJson, fc.record({ objectTypeProperty: anyJson })).map((value) => JSON.stringify(value)),
    text.map((each) => each.toWellFormed()),
    fc.uint8Array({ maxLength: 50 }).map((bytes) => new Uint8Array(bytes)),
    fc.constantFrom(...Object.values(images)),
  );
}

const contentType = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom("application/json", "image/png", "image/jpeg", "image/gif") },
  { weight: 2, arbitrary: fc.constantFrom("", "text/plain", "application/json; charset=x", ...inheritedNames) },
  { weight: 1, arbitrary: fc.stringMatching(/^[!-~]{0,30}$/) },
);

const settings: fc.Arbitrary<Partial<Settings>> = fc.record({
  validation: fc.constantFrom("enforce", "report", "off"),
  unknownIds: fc.constantFrom("fixture", "not-found"),
  collection: fc.constantFrom("sample", "paged"),
  auth: fc.constantFrom("lenient", "lenient", "off"),
});

/** Returns the path with a value for each parameter. */
function pathFor(template: string, values: readonly string[]): string {
  let index = 0;
  return template.replace(/\{(?!projectKey)\w+\}/g, () => encode(values[index++ % values.length] ?? "") || "x");
}

async function expectNoDefect(response: Response, method: string): Promise<void> {
  const body = await response.text();
  expect([response.status, body]).toEqual([expect.toSatisfy((status) => status < 500), body]);
  expect(response.headers.get("Mock-Source")).not.toBe("defect");
  expect(response.headers.has("Mock-Request-Id")).toBe(true);
  if (response.status >= 400) {
    expect(body.length).toBeLessThan(20_000);
    expectNoInternals(body);
  }
  if (method === "HEAD") expect(body).toBe("");
  else expect(() => JSON.parse(body)).not.toThrow();
}

test.each(everyOperation.map(([id, { init }]) => [id, init.method ?? "GET"] as const))(
  "the operation %s never returns 5xx for random requests",
  async (id, method) => {
    const project = newProject();
    const path = serviceContract.find(id)?.path ?? "";
    const sent = fc.record({
      values: fc.array(text, { minLength: 1, maxLength: 2 }),
      query: queryFor(id),
      body: method === "GET" || method === "HEAD" ? fc.constant(undefined) : bodyFor(id),
      contentType,
      settings,
    });
    await fc.assert(
      fc.asyncProperty(sent, async (request) => {
        await configure(mock, project, request.settings);
        const target = `${pathFor(path, request.values).replace("{projectKey}", project)}?${request.query}`;
        const headers = request.contentType === "" ? undefined : { "Content-Type": request.contentType };
        await expectNoDefect(await mock.fetch(target, { method, body: request.body, headers }), method);
      }),
      runs(50, 300),
    );
  },
);

test("random paths and methods never return 5xx", async () => {
  const segment = fc.oneof(
    text.map(encode),
    fc.constantFrom("resource", "demo", "key=", "key=a", "images", "oauth", "token", "%", "%ff", "%2e%2e", ""),
    fc.constantFrom("artificially-complex", "path", "uri-parameter-one=", "searchApiPattern", ...inheritedNames),
    fc.stringMatching(/^[%=.:;@&+$,{}*a-f0-9-]{0,10}$/),
  );
  const method = fc.constantFrom("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND");
  await fc.assert(
    fc.asyncProperty(fc.array(segment, { maxLength: 7 }), method, async (segments, verb) => {
      await expectNoDefect(await mock.fetch(`/demo-${segments.join("/")}`, { method: verb }), verb);
      await expectNoDefect(await mock.fetch(`/demo/resource/${segments.join("/")}`, { method: verb }), verb);
    }),
    runs(100, 500),
  );
});

test("random forms and Authorization headers never return 5xx", async () => {
  const name = fc.constantFrom("grant_type", "scope", "token", "client_id", "client_secret", ...inheritedNames);
  const value = fc.oneof(text, fc.constantFrom("client_credentials", "a", "manage_test:p", ":", "a:b:c"));
  const form = fc.array(fc.tuple(name, value), { maxLength: 5 });
  const authorization = fc.oneof(
    fc.constantFrom(
      "",
      "Basic",
      "Bearer ",
      "Bearer a",
      `Basic ${btoa("a:b")}`,
      `Basic ${btoa("%:%zz")}`,
      "Basic =====",
    ),
    fc.stringMatching(/^(Basic|Bearer) [!-~]{0,30}$/),
  );
  const path = fc.constantFrom("/oauth/token", "/oauth/token/revoke");
  await fc.assert(
    fc.asyncProperty(path, form, authorization, async (endpoint, fields, Authorization) => {
      const init = { method: "POST", body: new URLSearchParams(fields), headers: { Authorization } };
      const response = await mock.fetch(endpoint, init);
      expect(response.status).toBeLessThan(500);
      expectNoInternals(await response.text());
      await expectNoDefect(await mock.resource("tokens", "", { headers: { Authorization } }), "GET");
    }),
    runs(100, 500),
  );
});
