import { expect, test } from "vitest";
import { MAX_INSERTED } from "../../src/contract/limits.ts";
import type { Rule } from "../../src/rules/scenario.ts";
import { activate, addRule, lastDecisions, reset } from "../setup/activation.ts";
import { expectProblem, inProject } from "../setup/control.ts";
import { expectPrototypesUntouched } from "../setup/defects.ts";
import { expectError } from "../setup/errors.ts";
import { json, type MockUnderTest, newProject, onTransports } from "../setup/mock.ts";
import { draft, update } from "../setup/resources.ts";

const action = "/namespace-action";

/** Adds a rule for `writeNamespaceAction`, whose response can be any JSON, and returns the body of its response. */
async function echoed(mock: MockUnderTest, body: unknown, request: { path?: string; init?: RequestInit } = {}) {
  const project = newProject();
  await addRule(mock, project, { operation: "writeNamespaceAction", respond: { status: 200, body } });
  const { path = "", init = json("POST", {}) } = request;
  const response = await mock.resource(project, `${action}${path}`, init);
  expect([response.status, response.headers.get("Mock-Source")]).toEqual([200, "rule:r-1"]);
  return response.json();
}

onTransports("values from the request", {}, (mock) => {
  test("come from the path, with percent-encoding decoded", async () => {
    const project = newProject();
    const body = {
      version: 1,
      objectTypeProperty: { arrayOfStringExample: [{ $from: "/path/id" }, { $from: "/path/projectKey" }] },
    };
    await addRule(mock, project, { operation: "getResourceById", respond: { status: 200, body } });
    const response = await mock.resource(project, "/red%20%2F%20shirt");
    expect(await response.json()).toEqual({
      version: 1,
      objectTypeProperty: { arrayOfStringExample: ["red / shirt", project] },
    });
  });

  test("keep their JSON types, also nested and in arrays", async () => {
    const sent = { n: 1.5, whole: 7, yes: true, none: null, text: "a", list: [1, [2]], deep: { "a/b": { "~": "x" } } };
    const body = {
      all: { $from: "/body" },
      items: [{ $from: "/body/n" }, { $from: "/body/whole" }, { inner: [{ $from: "/body/yes" }] }],
      none: { $from: "/body/none" },
      list: { $from: "/body/list" },
      item: { $from: "/body/list/1/0" },
      escaped: { $from: "/body/deep/a~1b/~0" },
    };
    expect(await echoed(mock, body, { init: json("POST", sent) })).toEqual({
      all: sent,
      items: [1.5, 7, { inner: [true] }],
      none: null,
      list: [1, [2]],
      item: 2,
      escaped: "x",
    });
  });

  test("have the types of the contract in the query; a repeatable parameter is an array", async () => {
    const project = newProject();
    const body = {
      limit: { $from: "/query/limit" },
      offset: { $from: "/query/offset", default: 0 },
      count: 0,
      results: [],
      sort: { $from: "/query/sort" },
      first: { $from: "/query/sort/0" },
      withTotal: { $from: "/query/withTotal" },
      variable: { $from: "/query/var.size" },
    };
    await addRule(mock, project, { operation: "queryWithSortedParameters", respond: { status: 200, body } });
    const query = "?limit=5&sort=version&withTotal=false&var.size=L";
    const response = await mock.resource(project, `/sorted-query-parameters${query}`);
    const returned = await response.json();
    expect(returned).toEqual({
      limit: 5,
      offset: 0,
      count: 0,
      results: [],
      sort: ["version"],
      first: "version",
      withTotal: false,
      variable: ["L"],
    });
  });

  test("are text in the query if the contract does not define the parameter; an array if it is repeated", async () => {
    const body = { once: { $from: "/query/once" }, twice: { $from: "/query/twice" }, all: { $from: "/query" } };
    expect(await echoed(mock, body, { path: "?once=1&twice=a&twice=b%20c" })).toEqual({
      once: "1",
      twice: ["a", "b c"],
      all: { once: "1", twice: ["a", "b c"] },
    });
  });

  test("come from headers by case-insensitive name, without credentials", async () => {
    const init = json("POST", {}, { "X-Trace": "abc", Authorization: "Bearer secret-token", Cookie: "session=secret" });
    const body = {
      trace: { $from: "/headers/X-TRACE" },
      token: { $from: "/headers/authorization" },
      cookie: { $from: "/headers/Cookie", default: "none" },
    };
    const returned = await echoed(mock, body, { init });
    expect(returned).toMatchObject({ trace: "abc", token: "Bearer [redacted]" });
    expect(JSON.stringify(returned)).not.toContain("secret");
  });

  test("from the path, the query and headers become numbers and booleans where the contract has them", async () => {
    const project = newProject();
    const body = {
      version: { $from: "/path/id" },
      objectTypeProperty: {
        arrayOfNumberNoDefaultsExample: [{ $from: "/headers/x-number" }],
        arrayOfIntExample: [{ $from: "/query/count" }, { $from: "/path/id" }],
        arrayOfUniqueIntExample: { $from: "/query/all" },
        arrayOfStringExample: [{ $from: "/path/id" }],
        arrayOfObjectType: [{ integerExample: { $from: "/headers/x-none", default: 3 }, other: { $from: "/path/id" } }],
      },
    };
    await addRule(mock, project, { operation: "getResourceById", respond: { status: 200, body } });
    const cart = { cartId: { $from: "/headers/x-flag" }, lineItems: [{ isGift: { $from: "/headers/x-flag" } }] };
    await addRule(mock, project, { operation: "getCart", respond: { status: 200, body: cart } });
    const send = (path: string) =>
      mock.resource(project, path, { headers: { "X-Flag": "true", "X-Number": "-1.5e1" } });
    const response = await send("/42?count=7&all=1&all=2");
    expect([response.status, await response.json()]).toEqual([
      200,
      {
        version: 42,
        objectTypeProperty: {
          arrayOfNumberNoDefaultsExample: [-15],
          arrayOfIntExample: [7, 42],
          arrayOfUniqueIntExample: [1, 2],
          arrayOfStringExample: ["42"],
          arrayOfObjectType: [{ integerExample: 3, other: "42" }],
        },
      },
    ]);
    const gift = await send("/namespace-action-with-example");
    expect(await gift.json()).toEqual({ cartId: "true", lineItems: [{ isGift: true }] });
    const other = await send("/shirt?count=7&all=1&all=2");
    expect([other.status, await other.text()]).toEqual([
      500,
      expect.stringContaining('/body/version: expected integer, found \\"shirt\\"'),
    ]);
  });

  test("stay text in an off-contract response, and values of the body keep their types", async () => {
    const project = newProject();
    const raw = { status: 200, body: { version: { $from: "/path/id" } } };
    await addRule(mock, project, { operation: "getResourceById", raw });
    expect(await (await mock.resource(project, "/42")).json()).toEqual({ version: "42" });
    const body = { version: { $from: "/body/version" }, objectTypeProperty: {} };
    const settings = { validation: "off" } as const;
    await addRule(mock, project, { operation: "updateResource", settings, respond: { status: 200, body } });
    expect((await mock.resource(project, "/42", json("POST", { version: "7", actions: [] }))).status).toBe(500);
  });

  test("can be several values of a header", async () => {
    const project = newProject();
    const headers = {
      "Set-Cookie": ["first=1", { $from: "/headers/x-cookie" }],
      "X-Sort": { $from: "/query/sort" },
      "X-Default": [{ $from: "/query/none", default: 5 }],
    };
    await addRule(mock, project, { operation: "queryWithSortedParameters", respond: { status: 503, headers } });
    const path = "/sorted-query-parameters?sort=version&sort=key";
    const response = await mock.resource(project, path, { headers: { "X-Cookie": "second=2" } });
    expect(response.headers.getSetCookie()).toEqual(["first=1", "second=2"]);
    expect([response.headers.get("X-Sort"), response.headers.get("X-Default")]).toEqual(["version, key", "5"]);
  });

  test("come from the stored resource that the path names, by id and by key", async () => {
    const project = newProject();
    await inProject(mock, project, "POST", "/resources", { id: "shirt", key: "blue", version: 7, ...draft });
    const body = {
      version: { $from: "/resource/version" },
      objectTypeProperty: {
        arrayOfIntExample: { $from: "/resource/objectTypeProperty/arrayOfIntExample" },
        arrayOfStringExample: [{ $from: "/resource/id" }, { $from: "/resource/key" }, { $from: "/resource/createdAt" }],
      },
    };
    for (const operation of ["getResourceById", "getResourceByKey", "updateResource"] as const) {
      await addRule(mock, project, { operation, respond: { status: 200, body } });
    }
    const expected = {
      version: 7,
      objectTypeProperty: { arrayOfIntExample: [1], arrayOfStringExample: ["shirt", "blue", expect.any(String)] },
    };
    expect(await (await mock.resource(project, "/shirt")).json()).toEqual(expected);
    expect(await (await mock.resource(project, "/key=blue")).json()).toEqual(expected);
    // A stub changes nothing.
    expect(await (await mock.resource(project, "/shirt", update(7))).json()).toEqual(expected);
    expect(await (await mock.resource(project, "/shirt", update(7))).json()).toEqual(expected);
  });

  test("a resource that is not stored has no values, and is not created", async () => {
    const project = newProject();
    const body = { version: { $from: "/resource/version", default: 3 }, objectTypeProperty: {} };
    await addRule(mock, project, { operation: "getResourceById", times: 1, respond: { status: 200, body } });
    expect(await (await mock.resource(project, "/unknown")).json()).toMatchObject({ version: 3 });
    const { status } = await inProject(mock, project, "GET", "/resources/unknown");
    expect(status).toBe(404);
  });

  test("the time and a new UUID come from the project, the same in every location of a response", async () => {
    const project = newProject();
    await inProject(mock, project, "PUT", "/clock", { now: "2024-05-17T09:30:00.000Z", frozen: true });
    const body = { id: { $from: "/uuid" }, again: { $from: "/uuid" }, at: { $from: "/now" } };
    const rule: Rule = { operation: "writeNamespaceAction", respond: { status: 200, body } };
    const responses = async () => {
      await addRule(mock, project, rule);
      const first = await (await mock.resource(project, action, json("POST", {}))).json();
      const second = await (await mock.resource(project, action, json("POST", {}))).json();
      return [first, second] as { id: string; again: string; at: string }[];
    };
    const [first, second] = await responses();
    expect(first?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect([first?.again, first?.at]).toEqual([first?.id, "2024-05-17T09:30:00.000Z"]);
    expect(second?.id).not.toBe(first?.id);
    await reset(mock, project);
    expect((await responses()).map(({ id }) => id)).toEqual([first?.id, second?.id]);
  });

  test("set headers; numbers and booleans become text", async () => {
    const project = newProject();
    await addRule(mock, project, {
      operation: "updateResource",
      respond: {
        status: 409,
        headers: {
          "X-Version": { $from: "/body/version" },
          "X-Id": { $from: "/path/id" },
          "X-None": { $from: "/query/none", default: "-" },
          "X-Default": { $from: "/query/none", default: 5 },
          "X-Text": "as it is",
        },
      },
    });
    const { status, headers } = await mock.resource(project, "/shirt", update(3));
    const names = ["X-Version", "X-Id", "X-None", "X-Default", "X-Text"];
    expect([status, ...names.map((name) => headers.get(name))]).toEqual([409, "3", "shirt", "-", "5", "as it is"]);
  });

  test("work in sequences, scenarios and inline scenarios", async () => {
    const project = newProject();
    const respond = { status: 200, body: { $from: "/body" } };
    await activate(mock, project, "echo", {
      rules: [{ operation: "writeNamespaceAction", sequence: [{}, { respond }] }],
    });
    await mock.resource(project, action, json("POST", { n: 1 }));
    const response = await mock.resource(project, action, json("POST", { n: 2 }));
    expect([response.headers.get("Mock-Source"), await response.json()]).toEqual(["scenario:echo", { n: 2 }]);
  });

  test("work in off-contract responses", async () => {
    const project = newProject();
    const headers = { "X-Id": { $from: "/path/id" } };
    const body = { version: { $from: "/path/id" } };
    await addRule(mock, project, { operation: "getResourceById", times: 1, raw: { status: 599, headers, body } });
    await addRule(mock, project, {
      operation: "getResourceById",
      after: 1,
      raw: { status: 200, body: { $from: "/headers/x-text" } },
    });
    const init = { headers: { "X-Text": "plain" } };
    const first = await mock.resource(project, "/a", init);
    // The newer rule lets the first request through to the older one.
    expect([first.status, first.headers.get("X-Id"), await first.json()]).toEqual([599, "a", { version: "a" }]);
    const response = await mock.resource(project, "/a", init);
    expect([response.headers.get("Content-Type"), await response.text()]).toEqual([
      "text/plain; charset=utf-8",
      "plain",
    ]);
    expect(response.headers.get("Mock-Off-Contract")).toBe("true");
  });

  test("leave other objects with members that start with $ alone", async () => {
    const body = {
      both: { $from: "/path/projectKey", other: 1 },
      ref: { $ref: "#/x", $id: "y" },
      default: { default: 1 },
      literal: { $from: "/body/none", default: { $from: "/nowhere" } },
    };
    expect(await echoed(mock, body)).toEqual({ ...body, literal: { $from: "/nowhere" } });
  });

  test("cannot reach prototypes", async () => {
    const pointers = ["constructor", "__proto__", "toString", "constructor/prototype"];
    const sources = ["path", "query", "headers", "body", "body/list"];
    const body = Object.fromEntries(
      sources.flatMap((source) =>
        pointers.map((name) => [`${source}/${name}`, { $from: `/${source}/${name}`, default: "none" }]),
      ),
    );
    const list = {
      length: { $from: "/body/list/length", default: "none" },
      past: { $from: "/body/list/1", default: "none" },
    };
    const returned = await echoed(mock, { ...body, ...list }, { init: json("POST", { list: ["a"] }) });
    expect(new Set(Object.values(returned as object))).toEqual(new Set(["none"]));
    expectPrototypesUntouched();
  });
});

onTransports("a rule whose templates create an invalid response returns 500 InvalidStub", {}, (mock) => {
  async function invalid(rule: Rule, path: string, init?: RequestInit) {
    const project = newProject();
    await addRule(mock, project, rule);
    const [error] = await expectError(await mock.resource(project, path, init), "InvalidStub", { source: "rule:r-1" });
    expect(await lastDecisions(mock, project)).toContain(`rejected: InvalidStub: ${error?.message}`);
    return error;
  }

  test("if there is no value", async () => {
    const body = { version: 1, objectTypeProperty: { arrayOfStringExample: ["a", { $from: "/query/size" }] } };
    const error = await invalid({ operation: "getResourceById", respond: { status: 200, body } }, "/some-id");
    expect(error).toMatchObject({
      field: "/body/objectTypeProperty/arrayOfStringExample/1",
      message:
        'rule r-1: /body/objectTypeProperty/arrayOfStringExample/1: expected a value at /query/size, found nothing. Add "default" to the template.',
    });
  });

  test("if the body violates the contract", async () => {
    const body = { version: { $from: "/path/id" }, objectTypeProperty: {} };
    const error = await invalid({ operation: "getResourceById", respond: { status: 200, body } }, "/some-id");
    expect(error).toMatchObject({
      field: "/body/version",
      message: 'rule r-1: /body/version: expected integer, found "some-id"',
    });
  });

  test.each([
    ["an object", { $from: "/body" }],
    ["null", { $from: "/body/none" }],
    ["a line break", { $from: "/body/lines" }],
    ["a long text", { $from: "/body/long" }],
  ])("if a header gets %s", async (_what, template) => {
    const init = json("POST", { none: null, lines: "a\r\nSet-Cookie: x", long: "x".repeat(8193) });
    const respond = { status: 200, headers: { "X-Value": template } };
    const error = await invalid({ operation: "writeNamespaceAction", respond }, action, init);
    expect(error?.field).toBe("/headers/X-Value");
  });

  test("if the values are too large together", async () => {
    const body = Array.from({ length: 1000 }, () => ({ $from: "/body" }));
    const init = json("POST", { text: "x".repeat(MAX_INSERTED / 500) });
    const error = await invalid({ operation: "writeNamespaceAction", respond: { status: 200, body } }, action, init);
    expect(error?.message).toContain(
      `expected at most ${MAX_INSERTED} characters of values from the request, found more`,
    );
  });
});

onTransports("the server rejects an invalid template when the rule is added", {}, (mock) => {
  test.each<[string, unknown, string, string]>([
    ["an unknown source", { a: [{ $from: "/pth/id" }] }, "/body/a/0/$from", 'Did you mean "/path/id"?'],
    ["no leading slash", { $from: "query/limit" }, "/body/$from", 'Did you mean "/query/limit"?'],
    ["an empty pointer", { $from: "" }, "/body/$from", "expected a JSON pointer that starts with /path, /query"],
    [
      "an invalid escape",
      { $from: "/body/~2" },
      "/body/$from",
      'expected ~0 for ~ and ~1 for / in a JSON pointer, found "/body/~2". Did you mean "/body/~02"?',
    ],
  ])("a rule with %s in the body is refused with the location", async (_what, body, pointer, message) => {
    const rule = { operation: "writeNamespaceAction", respond: { status: 200, body } };
    const reply = await inProject(mock, newProject(), "POST", "/rules", rule);
    const [error] = expectProblem(reply, 400, "InvalidField", message);
    expect(error?.pointer).toBe(`/respond${pointer}`);
  });

  test.each<[string, unknown, string, string]>([
    ["an unknown source", { $from: "/hedaers/x" }, "/respond/headers/X-Id/$from", 'Did you mean "/headers/x"?'],
    ["another member", { $from: "/uuid", or: "x" }, "/respond/headers/X-Id/or", "unknown member"],
  ])("a rule with %s in a header is refused with the location", async (_what, template, pointer, message) => {
    const rule = { respond: { status: 500, headers: { "X-Id": template } } };
    const reply = await inProject(mock, newProject(), "POST", "/rules", rule);
    const [error] = expectProblem(reply, 400, "InvalidField", message);
    expect(error?.pointer).toBe(pointer);
  });

  test("and validates the other parts of the body", async () => {
    const body = { version: { $from: "/body/version" }, objectTypeProperty: { arrayOfIntExample: "none" } };
    const rule = { operation: "updateResource", respond: { status: 200, body } };
    const reply = await inProject(mock, newProject(), "POST", "/rules", rule);
    const errors = expectProblem(reply, 400, "InvalidField", "expected array");
    expect(errors.map(({ pointer }) => pointer)).toEqual(["/respond/body/objectTypeProperty/arrayOfIntExample"]);
  });
});
