import { describe, expect, test } from "vitest";
import type { RequestEntry } from "../../src/journal/entry.ts";
import { expectProblem, inProject } from "../setup/control.ts";
import { json, newProject, onTransports } from "../setup/mock.ts";
import { configure, draft, update } from "../setup/resources.ts";

interface Requests {
  requests: RequestEntry[];
  total: number;
}

const START = Date.parse("2025-06-01T12:00:00Z");
let now = START;

onTransports("the journal of a project", { now: () => now }, (mock) => {
  const list = async (project: string, query = "") =>
    (await inProject<Requests>(mock, project, "GET", `/requests${query}`)).body;

  test("contains the complete request and response, with source, decisions, violations and timings", async () => {
    const project = newProject();
    const response = await mock.resource(
      project,
      "/a%20b?optionalQueryParameter=1&more=x&more=y",
      update(7, [{ action: "changeSomeProperty", someProperty: "linen" }]),
    );
    const id = response.headers.get("Mock-Request-Id") ?? "";
    const { status, body } = await inProject<RequestEntry>(mock, project, "GET", `/requests/${id}`);
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      operation: "updateResource",
      request: {
        method: "POST",
        path: `/${project}/resource/a%20b`,
        pathParameters: { projectKey: project, id: "a b" },
        query: { optionalQueryParameter: ["1"], more: ["x", "y"] },
        headers: expect.objectContaining({ "content-type": "application/json" }),
        body: {
          bytes: 80,
          json: { version: 7, actions: [{ action: "changeSomeProperty", someProperty: "linen" }] },
        },
      },
      response: {
        status: 409,
        headers: expect.objectContaining({ "Content-Type": "application/json" }),
        body: {
          bytes: expect.any(Number),
          json: expect.objectContaining({ statusCode: 409, errors: [expect.objectContaining({ currentVersion: 1 })] }),
        },
      },
      source: "error",
      offContract: false,
      decisions: [
        "auth passed: no Authorization header, which lenient allows",
        "created the resource from the fixture getResourceById/200.json",
        "the client sent version 7; the stored version is 1",
        "rejected: ConcurrentModification: Version mismatch: expected 7, actual 1. Read the resource again and retry with its version.",
      ],
      facts: [
        { kind: "auth", as: "anonymous" },
        { kind: "from-fixture", fixture: "getResourceById/200.json" },
        { kind: "conflict", sent: 7, stored: 1 },
        { kind: "rejected", code: "ConcurrentModification", message: expect.stringMatching(/^Version mismatch: /) },
      ],
      effects: [],
      violations: [],
      changes: [
        { type: "Resource", id: "a b", from: null, to: 1, before: null, after: expect.objectContaining({ id: "a b" }) },
      ],
      conflict: { sent: 7, stored: 1 },
      unnamed: ["optionalQueryParameter", "more", "more"],
      timings: {
        receivedAt: "2025-06-01T12:00:00.000Z",
        serverTime: "2025-06-01T12:00:00.000Z",
        duration: expect.any(Number),
      },
    });
    expect((await list(project)).requests).toEqual([
      { ...body, changes: [{ type: "Resource", id: "a b", from: null, to: 1 }] },
    ]);
  });

  test("contains the effects of rules and scenarios, also if the request was rejected", async () => {
    const project = newProject();
    await inProject(mock, project, "PUT", "/scenarios/concurrent-writer", {});
    await inProject(mock, project, "POST", "/rules", { operation: "getCart", settings: { auth: "strict" } });
    await inProject(mock, project, "POST", "/rules", { operation: "getResourceById", raw: { status: 502 } });
    await inProject(mock, project, "POST", "/rules", { operation: "getResourceByKey", fault: "TRUNCATED_BODY" });
    await mock.resource(project, "/my-id", update(1, []));
    await mock.resource(project, "/namespace-action-with-example");
    await mock.resource(project, "/my-id");
    await mock
      .resource(project, "/key=a")
      .then((response) => response.text())
      .catch(() => {});
    expect((await list(project)).requests.map(({ effects }) => effects)).toEqual([
      [
        {
          source: "rule:r-3",
          effect: "fault",
          responds: true,
          fault: "TRUNCATED_BODY",
          text: "broke the connection: TRUNCATED_BODY",
        },
      ],
      [{ source: "rule:r-2", effect: "raw", responds: true, status: 502, text: "responded off-contract with 502" }],
      [
        {
          source: "rule:r-1",
          effect: "settings",
          settings: { auth: "strict" },
          text: "changed settings for this request: auth strict",
        },
      ],
      [{ source: "scenario:concurrent-writer", effect: "conflict", text: "makes another client write first" }],
    ]);
  });

  test.each<[string, RequestInit, object]>([
    ["invalid JSON", { body: "{", headers: { "Content-Type": "application/json" } }, { bytes: 1, text: "{" }],
    [
      "a form",
      { body: new URLSearchParams({ a: "1", client_secret: "hush" }) },
      { bytes: 22, text: "a=1&client_secret=[redacted]" },
    ],
    [
      "bytes",
      { body: new Uint8Array([0xff, 0, 1]), headers: { "Content-Type": "application/octet-stream" } },
      { bytes: 3, base64: "/wAB" },
    ],
    [
      "a number that is cut to another number",
      { body: "1".repeat(65_537), headers: { "Content-Type": "application/json" } },
      { bytes: 65_537, cut: true, text: "1".repeat(65_536) },
    ],
    [
      "more JSON than the journal keeps",
      json("POST", { text: "ü".repeat(40_000) }),
      { bytes: 80_011, cut: true, text: expect.stringMatching(/^\{"text":"ü{32763}$/) },
    ],
    [
      "JSON that is nested too deep",
      { body: "[".repeat(60_000), headers: { "Content-Type": "text/plain" } },
      { bytes: 60_000, text: "[".repeat(60_000) },
    ],
  ])("shows a body of %s", async (_name, init, body) => {
    const project = newProject();
    await configure(mock, project, { validation: "report" });
    await mock.resource(project, "", { method: "POST", ...init });
    expect((await list(project)).requests[0]?.request.body).toEqual(body);
  });

  test.each<[string, object, object]>([
    ["text", { body: "<html>client_secret=hush</html>" }, { bytes: 31, text: "<html>client_secret=[redacted]" }],
    ["JSON", { body: { a: 1 } }, { bytes: 7, json: { a: 1 } }],
    ["bytes", { bodyBase64: "/wAB" }, { bytes: 3, base64: "/wAB" }],
    [
      "more bytes than the journal keeps",
      { bodyBase64: Buffer.alloc(65_537, 0xff).toString("base64") },
      { bytes: 65_537, cut: true, base64: Buffer.alloc(65_536, 0xff).toString("base64") },
    ],
  ])("shows an off-contract response of %s", async (_name, content, body) => {
    const project = newProject();
    await inProject(mock, project, "POST", "/rules", { raw: { status: 502, ...content } });
    await mock.resource(project);
    expect((await list(project)).requests).toMatchObject([{ offContract: true, response: { status: 502, body } }]);
  });

  test("shows no response body for HEAD and for a broken connection", async () => {
    const project = newProject();
    await mock.resource(project, "", { method: "HEAD" });
    await inProject(mock, project, "POST", "/rules", { fault: "CONNECTION_RESET_BY_PEER" });
    await expect(mock.resource(project)).rejects.toThrow();
    const { requests } = await list(project);
    expect(requests.map(({ request }) => request.method)).toEqual(["GET", "HEAD"]);
    for (const { request, response } of requests) {
      expect(request).not.toHaveProperty("body");
      expect(response).not.toHaveProperty("body");
    }
  });

  test("shows no credentials and tokens, wherever the client sent them", async () => {
    const project = newProject();
    const secrets = ["bearer-secret", "cookie-secret", "query-secret", "body-secret", "deep-secret", "basic-secret"];
    await mock.resource(project, "?access_token=query-secret&facet=seen", {
      ...json("POST", { ...draft, client_secret: "body-secret", list: [{ refresh_token: "deep-secret", seen: 1 }] }),
      headers: { "Content-Type": "application/json", Authorization: "Bearer bearer-secret", Cookie: "a=cookie-secret" },
    });
    await mock.resource(project, "", { headers: { Authorization: `Basic ${btoa("client:basic-secret")}` } });
    const { requests } = await list(project);
    const text = JSON.stringify(requests);
    for (const secret of [...secrets, btoa("client:basic-secret")]) expect(text).not.toContain(secret);
    expect(requests[1]?.request).toMatchObject({
      headers: { authorization: "Bearer [redacted]" },
      query: { access_token: ["[redacted]"], facet: ["seen"] },
      body: { json: { ...draft, client_secret: "[redacted]", list: [{ refresh_token: "[redacted]", seen: 1 }] } },
    });
    expect(requests[0]?.request.headers.authorization).toBe("Basic [redacted]");

    const match = { headers: { authorization: "Bearer expected-token" }, body: { client_secret: "expected-secret" } };
    const { body } = await inProject(mock, project, "POST", "/requests/verify", { match });
    const ordered = await inProject(mock, project, "POST", "/requests/verify", { order: [{}, match] });
    for (const secret of [...secrets, "expected-token", "expected-secret"]) {
      expect(JSON.stringify([body, ordered.body])).not.toContain(secret);
    }
    expect(JSON.stringify(body)).toContain('"actual":"Bearer [redacted]"');
    const { status } = await inProject(mock, project, "POST", "/requests/verify", {
      match: { headers: { Authorization: "Bearer bearer-secret" }, body: { client_secret: "body-secret" } },
    });
    expect(status).toBe(200);
  });

  test("redacts cookies that the client receives", async () => {
    const project = newProject();
    const cookie = "session=cookie-secret; Path=/";
    const respond = { status: 503, headers: { "Set-Cookie": cookie } };
    await inProject(mock, project, "POST", "/rules", { respond });
    const response = await mock.resource(project, "", { headers: { "Set-Cookie": cookie } });
    expect(response.headers.getSetCookie()).toEqual([cookie]);
    const [entry] = (await list(project)).requests;
    expect(entry?.request.headers).toMatchObject({ "set-cookie": "[redacted]" });
    expect(Object.entries(entry?.response.headers ?? {})).toContainEqual(["Set-Cookie", "[redacted]"]);
    expect(JSON.stringify(entry)).not.toContain("cookie-secret");
  });

  describe("a filter of the journal", () => {
    /** Returns a project with six requests, one minute apart, oldest first. */
    async function sixRequests(): Promise<string> {
      const project = newProject();
      now = START;
      const send: [string, RequestInit?][] = [
        [""],
        ["", json("POST", draft)],
        ["", json("POST", { objectTypeProperty: 1 })],
        ["/key=a%20b"],
        ["/a", update(9)],
        ["/", { method: "PUT" }],
      ];
      for (const [path, init] of send) {
        await mock.resource(project, path, init);
        now += 60_000;
      }
      now = START;
      return project;
    }

    test.each<[string, number[]]>([
      ["", [5, 4, 3, 2, 1, 0]],
      ["?operation=createResource", [2, 1]],
      ["?method=get", [3, 0]],
      ["?status=400", [2]],
      ["?status=4xx", [5, 4, 2]],
      ["?path=PROJECT/resource", [2, 1, 0]],
      ["?path=PROJECT/resource/key%3Da%2520b", [3]],
      ["?path=PROJECT/resource/*", [5, 4, 3]],
      ["?source=state", [1]],
      ["?source=fixture", [3, 0]],
      ["?source=fixture:getResourceByKey/200.json", [3]],
      ["?violations=true", [2]],
      ["?violations=false", [5, 4, 3, 1, 0]],
      ["?since=2025-06-01T12:03:00Z", [5, 4, 3]],
      [`?since=${START + 240_001}`, [5]],
      ["?operation=createResource&status=2xx", [1]],
      ["?limit=2", [5, 4]],
      ["?operation=getResourceByKey,createResource", [3, 2, 1]],
      ["?status=409,2xx", [4, 3, 1, 0]],
      ["?source=state,fixture:getResourceByKey/200.json", [3, 1]],
      ["?from=2025-06-01T12:01:00Z&to=2025-06-01T12:02:00Z", [2, 1]],
      [`?from=${START + 60_001}`, [5, 4, 3, 2]],
      [`?to=${START + 59_999}`, [0]],
    ])("the query %j selects the expected requests", async (query, expected) => {
      const project = await sixRequests();
      const all = (await list(project)).requests.map(({ id }) => id).reverse();
      const { requests, total } = await list(project, query.replace("PROJECT", `/${project}`));
      expect(requests.map(({ id }) => all.indexOf(id))).toEqual(expected);
      expect(total).toBe(query.includes("limit") ? 6 : expected.length);
    });

    test.each([
      ["operation=getCarts", 'Did you mean "getCart"?'],
      ["operation=getCart,getCarts", 'Did you mean "getCart"?'],
      [`source=${Array.from({ length: 21 }, (_, index) => `rule:r-${index}`)}`, "at most 20 values, found 21"],
      ["status=4x", "such as 4xx"],
      ["from=today", 'found "today"'],
      ["to=2025-06-01T12:00:00Z&from=2025-06-01T12:00:01Z", "at or after from"],
      [`q=${Array.from({ length: 21 }, (_, index) => index).join("+")}`, "at most 20 words, found 21"],
      ["before=00000000-1", 'found "00000000-1"'],
      ["violations=maybe", "true or false"],
      ["since=yesterday", "date-time"],
      ["limit=1001", "from 0 to 1000"],
      ["opration=getCart", 'Did you mean "operation"?'],
      ["source=nope", 'found "nope"'],
      ["method=G%20T", 'found "G T"'],
    ])("returns 400 for %s", async (query, detail) => {
      const [parameter] = query.split("=");
      const reply = await inProject(mock, newProject(), "GET", `/requests?${query}`);
      expect(expectProblem(reply, 400, "InvalidField", detail)).toMatchObject([{ parameter }]);
    });
  });

  test("can be filtered by every source, and by its kind", async () => {
    const project = newProject();
    const rule = { operation: "getCart", times: 1, respond: { status: 500 } };
    await inProject(mock, project, "POST", "/rules", rule);
    await mock.resource(project, "/namespace-action-with-example");
    await inProject(mock, project, "PUT", "/scenarios/server-error", { times: 1 });
    await mock.resource(project);
    await mock.resource(project, "/a", { headers: { Prefer: "code=200, dynamic=true" } });
    await mock.resource(project, "/a", { headers: { Prefer: "code=404" } });
    await mock.resource(project, "", json("POST", draft));
    await mock.resource(project, "/a", { method: "PUT" });
    const { requests } = await list(project);
    const sources = requests.map(({ source }) => source);
    expect(sources).toEqual([
      "error",
      "state",
      "fixture:getResourceById/404.json",
      "generated",
      "scenario:server-error",
      "rule:r-1",
    ]);
    for (const source of sources.flatMap((each) => [each, each.split(":", 1)[0]])) {
      expect((await list(project, `?source=${source}`)).total).toBe(1);
    }
    // No request has this source, as each defect is fixed when it is found.
    expect((await list(project, "?source=defect")).total).toBe(0);
  });

  test("can be filtered by off-contract responses", async () => {
    const project = newProject();
    await inProject(mock, project, "POST", "/rules", { operation: "getCart", raw: { status: 200 } });
    await mock.resource(project, "/namespace-action-with-example");
    await mock.resource(project);
    const operations = async (query: string) => (await list(project, query)).requests.map(({ operation }) => operation);
    expect(await operations("?offContract=true")).toEqual(["getCart"]);
    expect(await operations("?offContract=false")).toEqual(["queryResources"]);
  });

  test("records requests again after it is cleared", async () => {
    const project = newProject();
    await mock.resource(project);
    expect((await inProject(mock, project, "DELETE", "/requests")).status).toBe(204);
    expect(await list(project)).toEqual({ requests: [], total: 0, searched: 0, dropped: 0 });
    await mock.resource(project);
    expect((await list(project)).total).toBe(1);
  });

  test("contains no requests of other projects and of the control API", async () => {
    const [project, other] = [newProject(), newProject()];
    const response = await mock.resource(project);
    expect((await list(other)).total).toBe(0);
    const id = response.headers.get("Mock-Request-Id");
    expectProblem(await inProject(mock, other, "GET", `/requests/${id}`), 404, "ResourceNotFound", `"${id}"`);
    expect((await list(project)).total).toBe(1);
  });
});
