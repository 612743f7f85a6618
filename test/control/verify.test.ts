import { describe, expect, test } from "vitest";
import { expectProblem, inProject } from "../setup/control.ts";
import { lastRequest } from "../setup/journal.ts";
import { json, newProject, onTransports, useMock } from "../setup/mock.ts";
import { sendRaw } from "../setup/raw-socket.ts";
import { configure, draft, update } from "../setup/resources.ts";

interface Verdict {
  pass: boolean;
  matched: number;
  message: string;
  nearest: { request: { id: string; operation?: string }; differences: object[] }[];
}

/** A latency lasts until `release` is called. */
let release = () => {};
let onDelayed = () => {};
const untilReleased = () =>
  new Promise<void>((resolve) => {
    release = resolve;
    onDelayed();
  });

onTransports("verification", { wait: untilReleased }, (mock) => {
  const verify = (project: string, body: object) => inProject<Verdict>(mock, project, "POST", "/requests/verify", body);

  /** Returns a project with four requests: a read, two creates and an update, in this order. */
  async function shop(): Promise<string> {
    const project = newProject();
    await mock.resource(project, "/shirt?optionalQueryParameter=x", { headers: { "X-Shop": "Munich" } });
    await mock.resource(
      project,
      "",
      json("POST", { objectTypeProperty: { arrayOfStringExample: ["linen", "white"] } }),
    );
    await mock.resource(project, "", json("POST", { ...draft, colour: null }));
    await mock.resource(project, "/shirt", update(3));
    return project;
  }

  // test/matching/agreement.test.ts has the conditions that rules have too.
  describe("counts the requests that match", () => {
    test.each<[string, object, number]>([
      ["an empty match, which matches all", {}, 4],
      ["the operation", { operation: "createResource" }, 2],
      ["the status", { status: 409 }, 1],
      ["a class of statuses", { status: "2xx" }, 3],
      ["off-contract responses", { offContract: true }, 0],
      ["other responses", { offContract: false }, 4],
      ["the kind of the source", { source: "fixture" }, 1],
      ["the source", { source: "fixture:getResourceById/200.json" }, 1],
      ["several conditions", { operation: "createResource", status: 201, body: { colour: null } }, 1],
    ])("a match selects requests by %s", async (_name, match, count) => {
      const project = await shop();
      expect((await verify(project, { match, count })).body).toEqual({ pass: true, matched: count });
      expect(await verify(project, { match, count: count + 1 })).toMatchObject({
        status: 422,
        body: { pass: false, matched: count },
      });
    });
  });

  test.each<[object, boolean]>([
    [{}, true],
    [{ count: 2 }, true],
    [{ count: 1 }, false],
    [{ count: 0 }, false],
    [{ atLeast: 2 }, true],
    [{ atLeast: 3 }, false],
    [{ atMost: 2 }, true],
    [{ atMost: 1 }, false],
    [{ atLeast: 1, atMost: 2 }, true],
    [{ atLeast: 3, atMost: 4 }, false],
  ])("a verification with two matching requests and %j is %s", async (bounds, pass) => {
    const project = await shop();
    const { status, body } = await verify(project, { match: { operation: "createResource" }, ...bounds });
    expect([status, body.pass, body.matched]).toEqual([pass ? 200 : 422, pass, 2]);
  });

  test("expects at least one request by default", async () => {
    expect((await verify(await shop(), {})).status).toBe(200);
    expect((await verify(newProject(), {})).status).toBe(422);
    expect((await verify(newProject(), { count: 0 })).status).toBe(200);
  });

  /** Returns a project with two requests in its journal, which has dropped `dropped` earlier requests. */
  async function withDropped(dropped: number): Promise<string> {
    const project = newProject();
    await configure(mock, project, { journalSize: 2 });
    for (let number = 0; number < dropped; number++) await mock.resource(project, "/shirt", { method: "DELETE" });
    for (let number = 0; number < 2; number++) await mock.resource(project);
    return project;
  }

  test.each<[object, boolean, true?]>([
    [{}, true],
    [{ atLeast: 2 }, true],
    [{ atLeast: 3 }, false, true],
    [{ atLeast: 6 }, false],
    [{ atMost: 1 }, false],
    [{ atMost: 4 }, false, true],
    [{ atMost: 5 }, true],
    [{ count: 1 }, false],
    [{ count: 2 }, false, true],
    [{ count: 5 }, false, true],
    [{ count: 6 }, false],
    [{ order: [{}, {}] }, true],
    [{ order: [{}, {}, {}] }, false, true],
  ])(
    "with two matching and three dropped requests, %j returns pass: %s, undecided: %s",
    async (bounds, pass, undecided) => {
      const project = await withDropped(3);
      const { body } = await verify(project, bounds);
      expect(body).toMatchObject({ pass });
      expect((body as { undecided?: true }).undecided).toBe(undecided);
      await inProject(mock, project, "DELETE", "/requests");
      expect((await verify(project, { count: 0 })).body.pass).toBe(true);
    },
  );

  describe("shows the most similar request first", () => {
    const body = (action: string) => ({ version: 1, actions: [{ action }] });
    test.each<[string, object, string]>([
      ["with a typing error in the body", { body: body("doSomeThin") }, "/body/actions/0/action"],
      ["with a typing error in the path", { path: "/PROJECT/resource/abd" }, "/path"],
      ["with a missing member in the body", { body: { ...body("doSomeThing"), note: "x" } }, "/body/note"],
    ])("%s", async (_name, match, pointer) => {
      const project = newProject();
      for (const action of ["doSomeThing", "doSomeThing"]) {
        await mock.resource(project, "/abc?optionalQueryParameter=x", json("POST", body(action)));
      }
      for (let number = 0; number < 3; number++) await mock.resource(project);
      const changed = JSON.parse(JSON.stringify(match).replace("PROJECT", project));
      const { nearest } = (await verify(project, { match: changed })).body;
      expect(nearest.map(({ request }) => request.operation)).toEqual([
        "updateResource",
        "updateResource",
        "queryResources",
      ]);
      expect(nearest[0]?.differences).toMatchObject([{ pointer }]);
      // Of equally similar requests, the latest comes first.
      expect(nearest[0]?.request.id).toMatch(/-2$/);
    });
  });

  describe("reports each difference with its location, the expected and the actual value", () => {
    const send = async (project: string) => {
      const headers = new Headers({ "X-Shop": "Munich", "Content-Type": "application/json" });
      const body = JSON.stringify({ ...draft, colour: "red", size: 4 });
      await mock.resource(project, "?filter=a&filter=b&sort=id", { method: "POST", body, headers });
    };

    test.each<[match: object, ...differences: object[]]>([
      [{ operation: "getCart" }, { pointer: "/operation", expected: "getCart", actual: "createResource" }],
      [{ method: "put" }, { pointer: "/method", expected: "put", actual: "POST" }],
      [
        { path: { matches: "^/other" } },
        { pointer: "/path", expected: { matches: "^/other" }, actual: "/PROJECT/resource" },
      ],
      [
        { path: { matches: "^/other", projectKey: { matches: "x" } } },
        { pointer: "/path", expected: { matches: "^/other" }, actual: "/PROJECT/resource" },
        { pointer: "/path/projectKey", expected: { matches: "x" }, actual: "PROJECT" },
      ],
      [{ query: { filter: "c" } }, { pointer: "/query/filter", expected: "c", actual: ["a", "b"] }],
      [{ headers: { "x-shop": "Bonn" } }, { pointer: "/headers/x-shop", expected: "Bonn", actual: "Munich" }],
      [
        { body: { colour: "blue", size: { matches: "5" }, note: [1] } },
        { pointer: "/body/colour", expected: "blue", actual: "red" },
        { pointer: "/body/size", expected: { matches: "5" }, actual: 4 },
        { pointer: "/body/note", expected: [1] },
      ],
      [{ status: "4xx" }, { pointer: "/status", expected: "4xx", actual: 201 }],
      [{ source: "fixture" }, { pointer: "/source", expected: "fixture", actual: "state" }],
      [
        { method: "PUT", query: { sort: "key" }, body: { size: 5 }, status: 500 },
        { pointer: "/method", expected: "PUT", actual: "POST" },
        { pointer: "/status", expected: 500, actual: 201 },
        { pointer: "/query/sort", expected: "key", actual: "id" },
        { pointer: "/body/size", expected: 5, actual: 4 },
      ],
    ])("for the match %j", async (match, ...differences) => {
      const project = newProject();
      await send(project);
      const { body } = await verify(project, { match });
      expect(body.nearest[0]?.differences).toEqual(
        JSON.parse(JSON.stringify(differences).replaceAll("PROJECT", project)),
      );
    });

    test("a path that cannot be decoded matches only as sent", async () => {
      const project = newProject();
      await mock.resource(project, "/%zz");
      const path = `/${project}/resource/`;
      expect((await verify(project, { match: { path: `${path}%zz` } })).status).toBe(200);
      for (const other of [`${path}zz`, `${path}a*`, { matches: "/other$" }]) {
        expect((await verify(project, { match: { path: other } })).status).toBe(422);
      }
    });
  });

  describe("compares the order of arrival with a sequence", () => {
    test.each<[string, object[], boolean]>([
      ["one request", [{ operation: "updateResource" }], true],
      ["with other requests in between", [{ operation: "getResourceById" }, { operation: "updateResource" }], true],
      ["the same match twice", [{ operation: "createResource" }, { operation: "createResource" }], true],
      ["the same match three times", Array(3).fill({ operation: "createResource" }), false],
      ["in reverse order", [{ operation: "updateResource" }, { operation: "getResourceById" }], false],
      ["any four requests", [{}, {}, {}, {}], true],
    ])("%s", async (_name, order, pass) => {
      expect((await verify(await shop(), { order })).body.pass).toBe(pass);
    });

    test("a sequence ignores the order of responses", async () => {
      const project = newProject();
      await configure(mock, project, { latency: { fixed: 1 } });
      const delayed = new Promise<void>((resolve) => {
        onDelayed = resolve;
      });
      const slow = mock.resource(project, "", json("POST", draft));
      await delayed;
      await configure(mock, project, { latency: null });
      await mock.resource(project, "/a");
      release();
      await slow;
      const order = [{ operation: "createResource" }, { operation: "getResourceById" }];
      expect((await verify(project, { order })).body.pass).toBe(true);
      expect((await verify(project, { order: order.toReversed() })).body.pass).toBe(false);
    });
  });

  describe("explains a failure", () => {
    /** Replaces the parts of a message that differ between projects. */
    const plain = (project: string, message: string) =>
      message.replaceAll(project, "shop").replace(/request [0-9a-f]{8}-/g, "request r-");

    test("the message shows the nearest requests and each difference", async () => {
      const project = await shop();
      const { body } = await verify(project, {
        match: {
          operation: "createResource",
          body: { objectTypeProperty: { arrayOfStringExample: ["linen", "blue"] } },
        },
        count: 1,
      });
      expect(plain(project, body.message)).toBe(
        `Expected exactly 1 request in project "shop" to match, found 0 among 4 requests.

Expected:
  operation: "createResource"
  body: {"objectTypeProperty":{"arrayOfStringExample":["linen","blue"]}}

Nearest:
  1. POST /shop/resource -> 201 state (request r-2)
       /body/objectTypeProperty/arrayOfStringExample/1: expected "blue", found "white"
  2. POST /shop/resource -> 201 state (request r-3)
       /body/objectTypeProperty/arrayOfStringExample: expected ["linen","blue"], found ["linen"]
  3. POST /shop/resource/shirt -> 409 error (request r-4)
       /operation: expected "createResource", found "updateResource"
       /body/objectTypeProperty: expected {"arrayOfStringExample":["linen","blue"]}, found nothing`,
      );
    });

    test("the message shows the last three matching requests if more than three match", async () => {
      const project = newProject();
      for (const id of ["a", "b", "c", "d"]) await mock.resource(project, `/${id}`);
      const { body } = await verify(project, { count: 0 });
      expect(plain(project, body.message)).toBe(
        `Expected no request in project "shop" to match, found 4 among 4 requests.

Expected:
  any request

Matching (the last 3 of 4):
  1. GET /shop/resource/b -> 200 fixture:getResourceById/200.json (request r-2)
  2. GET /shop/resource/c -> 200 fixture:getResourceById/200.json (request r-3)
  3. GET /shop/resource/d -> 200 fixture:getResourceById/200.json (request r-4)`,
      );
      expect(body.nearest.map(({ request }) => request.id.split("-")[1])).toEqual(["2", "3", "4"]);
    });

    test("the message names the step of a sequence that did not arrive", async () => {
      const project = await shop();
      const order = [{ operation: "updateResource" }, { operation: "createResource", status: 201 }];
      const { body } = await verify(project, { order });
      expect(plain(project, body.message)).toBe(
        `Expected 2 requests in project "shop" in this order, but number 2 did not arrive after number 1. The journal has 4 requests.

Expected:
  1. operation: "updateResource"  (request r-4)
  2. operation: "createResource", status: 201  <-- did not arrive

A request that matches number 2 arrived too early: POST /shop/resource -> 201 state (request r-3)`,
      );
      expect(body).toMatchObject({ pass: false, matched: 1, nearest: [] });
    });

    test("the message shows the requests nearest to a later step, among requests after the previous step", async () => {
      const project = newProject();
      for (const id of ["skirt", "shirt", "hat"]) await mock.resource(project, `/${id}`);
      const { body } = await verify(project, { order: [{ path: { id: "shirt" } }, { path: { id: "cap" } }] });
      expect(plain(project, body.message)).toBe(
        `Expected 2 requests in project "shop" in this order, but number 2 did not arrive after number 1. The journal has 3 requests.

Expected:
  1. path: {"id":"shirt"}  (request r-2)
  2. path: {"id":"cap"}  <-- did not arrive

Nearest to number 2, of the requests after number 1:
  1. GET /shop/resource/hat -> 200 fixture:getResourceById/200.json (request r-3)
       /path/id: expected "cap", found "hat"`,
      );
    });

    test("the message has a hint to the address if no request arrived", async () => {
      const project = newProject();
      const { body } = await verify(project, { match: { operation: "getCart" } });
      expect(plain(project, body.message)).toBe(
        `Expected at least 1 request in project "shop" to match, found 0 among 0 requests.

Expected:
  operation: "getCart"

The project has received no requests. Check that the client uses this server's address and this project key.`,
      );
    });

    test("the message has the number of dropped requests if they could exceed the maximum", async () => {
      const project = await withDropped(1);
      const { body } = await verify(project, { match: { operation: "deleteResource" }, count: 0 });
      expect(plain(project, body.message)).toBe(
        `Expected no request in project "shop" to match, found 0 among 2 requests; the number among earlier requests is unknown.

Expected:
  operation: "deleteResource"

The journal no longer has 1 older request, so it was not compared. Raise the setting journalSize, or clear the journal before the requests to verify.`,
      );
      expect(body).toEqual({ pass: false, undecided: true, matched: 0, message: expect.any(String), nearest: [] });
      expect((await verify(project, { order: [{}, {}, {}] })).body).toMatchObject({ pass: false, undecided: true });
    });

    test("the message says why a body cannot be compared", async () => {
      const project = newProject();
      await configure(mock, project, { validation: "off" });
      await mock.resource(project, "", json("POST", { ...draft, text: "x".repeat(70_000) }));
      await mock.resource(project, "", { method: "POST", body: "text", headers: { "Content-Type": "text/plain" } });
      const { body } = await verify(project, { match: { body: draft } });
      expect(body.nearest.map(({ differences }) => differences)).toMatchObject([
        [{ pointer: "/body", actual: "(not JSON)" }],
        [{ pointer: "/body", actual: expect.stringContaining("which the journal has cut") }],
      ]);
    });

    test("the message is short, even for many differences", async () => {
      const project = newProject();
      const many = Array.from({ length: 500 }, (_, number) => number);
      for (let number = 0; number < 3; number++) {
        await mock.resource(
          project,
          `?arrayOfString=${"y".repeat(3000)}`,
          json("POST", { objectTypeProperty: { arrayOfIntExample: many } }),
        );
      }
      const other = many.map((number) => number + 1);
      const { body } = await verify(project, { match: { body: { objectTypeProperty: { arrayOfIntExample: other } } } });
      expect(body.message.length).toBeLessThan(8000);
      expect(body.message).toContain("and at least 80 more differences");
      expect(body.nearest[0]?.differences).toHaveLength(20);
    });
  });

  test.each<[object, string, string]>([
    [{ match: { operation: "getCarts" } }, "/match/operation", 'Did you mean "getCart"?'],
    [{ match: { status: "4x" } }, "/match/status", "4xx"],
    [{ match: { status: "400" } }, "/match/status", 'found "400". Did you mean the number 400?'],
    [{ match: { operation: "getCart", path: "/PROJECT/resource" } }, "/match/path", "expected /PROJECT/"],
    [{ match: { operation: "token", path: "/PROJECT/resource" } }, "/match/path", "expected /oauth/token"],
    [{ order: [{}, { path: "/other/resource/42" }] }, "/order/1/path", "such as /PROJECT/resource"],
    [{ order: [{}, { headers: { x: { matches: "[" } } }] }, "/order/1/headers/x/matches", "regular expression"],
    [{ order: [] }, "/order", "1"],
    [{ order: [{}], match: {} }, "/match", "cannot be combined with order"],
    [{ order: [{}], count: 1 }, "/count", "cannot be combined with order"],
    [{ count: 1, atLeast: 1 }, "/atLeast", "cannot be combined with count"],
    [{ count: 1, atMost: 1 }, "/atMost", "cannot be combined with count"],
    [{ atLeast: 2, atMost: 1 }, "/atMost", "at least 2"],
    [{ count: -1 }, "/count", "found -1"],
    [{ times: 1 }, "/times", "Known: match, count"],
    [{ order: [{}, { path: { idd: "abc" } }] }, "/order/1/path/idd", 'Did you mean "id"?'],
    [{ match: { source: "nope" } }, "/match/source", 'fixture:getCart/200.json, found "nope"'],
    [{ match: { source: "scenarios" } }, "/match/source", 'Did you mean "scenario"?'],
    [{ match: { operation: "getCart", body: {} } }, "/match/body", "this operation accepts no body"],
  ])("returns 400 for %j", async (body, pointer, detail) => {
    const project = newProject();
    const reply = await verify(project, JSON.parse(JSON.stringify(body).replaceAll("PROJECT", project)));
    expect(expectProblem(reply, 400, "InvalidField")).toContainEqual({
      pointer,
      detail: expect.stringContaining(detail.replaceAll("PROJECT", project)),
    });
  });
});

describe("verification over a socket", () => {
  const mock = useMock("over a socket");

  test("a header with separate lines matches by each of its values", async () => {
    const project = newProject();
    const cookies = "Set-Cookie: a=1\r\nSet-Cookie: b=2\r\n";
    await sendRaw(mock.url, `GET /${project}/resource HTTP/1.1\r\nHost: mock\r\n${cookies}Connection: close\r\n\r\n`);
    const verify = (cookie: string) =>
      inProject<Verdict>(mock, project, "POST", "/requests/verify", { match: { headers: { "set-cookie": cookie } } });
    expect([(await verify("a=1")).status, (await verify("b=2")).status]).toEqual([200, 200]);
    const actual = ["[redacted]", "[redacted]"];
    const [nearest] = (await verify("a=1, b=2")).body.nearest;
    expect(nearest?.differences).toEqual([{ pointer: "/headers/set-cookie", expected: "[redacted]", actual }]);
  });

  test.each<[boolean, object]>([
    [true, { "x-tag": "a, b" }],
    [true, { "x-tag": "c" }],
    [true, { "x-tag": "a, b, c" }],
    [true, { "x-tag": { matches: "^c$" } }],
    [true, { "x-tag": ["a, b", "c"] }],
    [true, { "x-tag": ["a", "b", { matches: "c" }] }],
    [true, { authorization: "Bearer one" }],
    [false, { "x-tag": "a" }],
    [false, { "x-tag": ["c", "a, b"] }],
    [false, { "x-tag": { absent: true } }],
  ])("is %s for a header with two lines and the condition %j", async (isMatching, headers) => {
    const project = newProject();
    const lines = "X-Tag: a, b\r\nX-tag: c\r\nAuthorization: Bearer one\r\nAuthorization: Bearer two\r\n";
    await sendRaw(mock.url, `GET /${project}/resource HTTP/1.1\r\nHost: mock\r\n${lines}Connection: close\r\n\r\n`);
    const body = { match: { headers }, count: isMatching ? 1 : 0 };
    expect((await inProject(mock, project, "POST", "/requests/verify", body)).body).toMatchObject({ pass: true });
    expect(await lastRequest(mock, project)).toMatchObject({ request: { headers: { "x-tag": "a, b, c" } } });
  });
});
