import { describe, expect, test } from "vitest";
import type { RequestEntry } from "../../src/control/client/types.ts";
import { addFunction } from "../../src/engine/add-function.ts";
import { hrefOf } from "../../src/journal/reasons/address.ts";
import { type Sentence, textOf, whyOf } from "../../src/journal/reasons/why.ts";
import { inProject } from "../setup/control.ts";
import { json, type MockUnderTest, newProject, useMock } from "../setup/mock.ts";
import { image } from "../setup/requests.ts";
import { forwardingTo, openService } from "../upstream/services.ts";

/** Sends requests to a project. The last one is explained. */
type Act = (mock: MockUnderTest, project: string) => Promise<unknown>;

const stale = json("POST", { version: 9, actions: [{ action: "doSomeThing" }] });
const draft = { objectTypeProperty: { arrayOfStringExample: ["linen"] } };

/** Sends a request, and ignores a broken connection. */
const send = (sent: Promise<unknown>) => sent.catch(() => {});

async function whyAfter(mock: MockUnderTest, project: string, act: Act) {
  await act(mock, project);
  // A broken connection can reach the client before the journal.
  const waiting = inProject<{ requests: RequestEntry[] }>(mock, project, "GET", "/requests/wait?timeout=60000");
  const [entry] = (await waiting).body.requests;
  if (!entry) throw new Error("expected a request in the journal, found none");
  const why = whyOf(project, entry);
  const withoutKey = (text: string) => text.replaceAll(project, "PROJECT").replaceAll(uuid, "ID");
  return {
    reason: withoutKey(textOf(why.reason)),
    more: why.more.map(textOf),
    links: [why.reason, ...why.more].flatMap(linksOf).map((link) => withoutKey(link).replace("#/projects/PROJECT", "")),
  };
}

const uuid = /[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g;

function linksOf(sentence: Sentence): string[] {
  return sentence.flatMap((part) => (typeof part === "string" ? [] : hrefOf(part.to)));
}

const use = (mock: MockUnderTest, project: string, scenario: string, options: object = {}) =>
  inProject(mock, project, "PUT", `/scenarios/${scenario}`, options);
const addRule = (mock: MockUnderTest, project: string, rule: object) =>
  inProject(mock, project, "POST", "/rules", rule);
const set = (mock: MockUnderTest, project: string, settings: object) =>
  inProject(mock, project, "PATCH", "/settings", settings);

describe("the reason for a response in words", () => {
  const mock = useMock("over a socket");

  test.each<[reason: string, act: Act, links: string[], more?: string[]]>([
    [
      "409: the client sent version 9, the stored version is 1",
      (mock, project) => mock.resource(project, "/my-id", stale),
      ["/data/my-id"],
    ],
    [
      "409: the client sent version 1; version 2 was written just before by the effect conflict of a rule or scenario",
      async (mock, project) => {
        await use(mock, project, "concurrent-writer");
        await mock.resource(project, "/my-id", json("POST", { version: 1, actions: [{ action: "doSomeThing" }] }));
      },
      ["/mocks/concurrent-writer"],
      ["The scenario concurrent-writer makes another client write first."],
    ],
    [
      "409: the scenario conflict responded",
      async (mock, project) => {
        await use(mock, project, "conflict");
        await mock.resource(project, "/my-id", stale);
      },
      ["/mocks/conflict"],
      ["The response says: Version mismatch: expected 9, actual 10."],
    ],
    [
      '404: no resource with the key "x y": it was never created',
      async (mock, project) => {
        await set(mock, project, { unknownIds: "not-found" });
        await mock.resource(project, "/key=x%20y");
      },
      ["/settings"],
      ["The setting unknownIds is not-found: an unknown id is not created from the fixture."],
    ],
    [
      '404: no resource with the id "my-id": it was deleted',
      async (mock, project) => {
        await mock.resource(project, "/my-id", { method: "DELETE" });
        await mock.resource(project, "/my-id");
      },
      [],
    ],
    [
      "404: no operation matches GET /PROJECT/nowhere",
      async (mock, project) => {
        await mock.resource(project, "/my-id");
        await mock.fetch(`/${project}/nowhere`);
      },
      [],
      [expect.stringMatching(/^Nearest: GET /)],
    ],
    [
      "405: Method: expected one of POST, GET for this path, found PUT",
      async (mock, project) => {
        await mock.resource(project, "/my-id");
        await mock.resource(project, "/namespace-action", { method: "PUT" });
      },
      [],
    ],
    [
      '400: /version: expected number, found "one"',
      (mock, project) => mock.resource(project, "/my-id", json("POST", { version: "one", actions: [] })),
      [],
    ],
    [
      "400: /version: is required, found nothing (and 1 more)",
      (mock, project) => mock.resource(project, "/my-id", json("POST", {})),
      [],
    ],
    [
      '401: Authorization: expected "Bearer <ACCESS_TOKEN>", found no Authorization header',
      async (mock, project) => {
        await addRule(mock, project, { settings: { auth: "strict" } });
        await mock.resource(project, "/my-id");
      },
      ["/mocks/r-1"],
      ["The rule r-1 changed settings for this request: auth strict."],
    ],
    [
      // Responses to HEAD have no body.
      '401: Authorization: expected "Bearer <ACCESS_TOKEN>", found no Authorization header',
      async (mock, project) => {
        await set(mock, project, { auth: "strict" });
        await mock.resource(project, "", { method: "HEAD" });
      },
      [],
    ],
    [
      "429: Rate limit: expected at most 1 request in 60000 ms, found 2. Retry after 60 seconds.",
      async (mock, project) => {
        await inProject(mock, project, "PUT", "/clock", { frozen: true });
        await set(mock, project, { rateLimit: { limit: 1, window: 60_000 } });
        await mock.resource(project, "/my-id");
        await mock.resource(project, "/my-id");
      },
      [],
    ],
    [
      "503: the scenario maintenance responded",
      async (mock, project) => {
        await use(mock, project, "maintenance");
        await mock.resource(project, "/my-id");
      },
      ["/mocks/maintenance", "/mocks/maintenance"],
      ["The scenario maintenance changed settings for this request: auth off, validation off."],
    ],
    [
      "Connection broken: rule r-1 resets the connection",
      async (mock, project) => {
        await addRule(mock, project, { operation: "getCart", fault: "CONNECTION_RESET_BY_PEER" });
        await send(mock.resource(project, "/namespace-action-with-example"));
      },
      ["/mocks/r-1"],
    ],
    [
      "Connection broken: rule r-1 sends a truncated body",
      async (mock, project) => {
        await addRule(mock, project, { fault: "TRUNCATED_BODY" });
        await send(mock.resource(project, "/my-id").then((response) => response.text()));
      },
      ["/mocks/r-1"],
    ],
    [
      "200: the stored resource, version 1",
      async (mock, project) => {
        await mock.resource(project, "/my-id");
        await addRule(mock, project, {
          latency: { fixed: 1 },
          chunkedDribbleDelay: { numberOfChunks: 1, totalDuration: 0 },
        });
        await mock.resource(project, "/my-id").then((response) => response.text());
      },
      ["/data/my-id", "/mocks/r-1", "/mocks/r-1"],
      ["The rule r-1 delayed the response by 1 ms.", "The rule r-1 sends the body in 1 chunk."],
    ],
    [
      "200: the stored resource a b, version 1",
      async (mock, project) => {
        await mock.resource(project, "/key=a%20b");
        await mock.resource(project, "/key=a%20b");
      },
      ["/data?q=a+b"],
    ],
    [
      "200: created the resource from the fixture getResourceById/200.json",
      (mock, project) => mock.resource(project, "/my%20id"),
      ["/data/my%20id?type=Resource"],
    ],
    [
      "200: updated the resource to version 2",
      (mock, project) =>
        mock.resource(project, "/my-id", json("POST", { version: 1, actions: [{ action: "doSomeThing" }] })),
      ["/data/my-id?type=Resource"],
    ],
    [
      "200: deleted the resource, which was at version 1",
      (mock, project) => mock.resource(project, "/my-id", { method: "DELETE" }),
      [],
    ],
    [
      "404: selected by the request header Prefer: code=404",
      (mock, project) => mock.resource(project, "/my-id", { headers: { Prefer: "code=404" } }),
      [],
      [expect.stringContaining("no resource")],
    ],
    [
      "200: selected by the request header Prefer: dynamic=true, seed=1",
      async (mock, project) => mock.resource(project, "/my-id", { headers: { Prefer: "dynamic=true, seed=1" } }),
      [],
    ],
    [
      "200: the fixture getCart/200.json",
      (mock, project) => mock.resource(project, "/namespace-action-with-example"),
      [],
    ],
    ["200: the project has resources", (mock, project) => mock.resource(project, "", { method: "HEAD" }), []],
    [
      "201: created the resource ID, now at version 1",
      async (mock, project) => {
        await set(mock, project, { validation: "report" });
        await mock.resource(project, "", json("POST", { ...draft, objectTypeProperty: 1 }));
      },
      ["/data/ID?type=Resource", "/settings"],
      [
        "The request violates the contract: /objectTypeProperty: expected object, found 1. The setting validation lets it pass.",
      ],
    ],
    [
      "201: overwrote the resource ID, now at version 2",
      async (mock, project) => {
        await mock.resource(project, "", json("POST", draft));
        await mock.resource(project, "", json("PUT", draft));
      },
      ["/data/ID?type=Resource"],
    ],
    ["200: stored the Image ID", (mock, project) => mock.resource(project, "/images", image("image/png")), []],
    [
      '404: no resource with the id "deleted the resource": it was deleted',
      async (mock, project) => {
        const name = encodeURIComponent("deleted the resource");
        await mock.resource(project, `/${name}`, { method: "DELETE" });
        await use(mock, project, "concurrent-writer");
        await mock.resource(project, `/${name}`, json("POST", { version: 1, actions: [{ action: "doSomeThing" }] }));
      },
      ["/mocks/concurrent-writer"],
      ["The scenario concurrent-writer makes another client write first."],
    ],
    [
      "200: the function f-1 responded",
      async (mock, project) => {
        addFunction(mock.engine, project, "getCart", () => ({ status: 200 }));
        await mock.resource(project, "/namespace-action-with-example");
      },
      [],
    ],
  ])("%s", async (reason, act, links, more = []) => {
    const project = newProject();
    const why = await whyAfter(mock, project, act);
    expect(why).toEqual({ reason, links, more });
  });
});

describe("the reason for a response of the upstream", async () => {
  const service = await openService((request, response) => {
    if (request.url?.endsWith("/broken")) {
      response.writeHead(200, { "Content-Type": "application/json", "Content-Length": 100 });
      response.write("{", () => response.destroy());
    } else if (request.url?.endsWith("/gone")) response.destroy();
    else response.writeHead(500, { "Content-Type": "application/json" }).end(`{ "fault": true }`);
  });
  const mock = useMock("over a socket", await forwardingTo(service.url));

  test.each<[path: string, reason: string, more: unknown[]]>([
    ["/my-id", "500: the upstream responded in ", [expect.stringContaining("The upstream violates the contract. ")]],
    ["/gone", "502: The upstream: expected a response, found none: ", []],
    ["/broken", "200: the response of the upstream broke off after ", []],
  ])("%s: %s", async (path, reason, more) => {
    const why = await whyAfter(mock, newProject(), (_, project) =>
      send(mock.resource(project, path).then((response) => response.text())),
    );
    expect(why).toMatchObject({ reason: expect.stringContaining(reason), more });
  });
});
