import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadService } from "../../src/library/mock.ts";
import { type StartedResourceMock, startResourceMock } from "../../src/library/resource-mock.ts";
import { documentOf, jsonResponse, objectOf, send } from "../setup/documents.ts";
import { type Agent, agentOf } from "./agent.ts";

const PLACES = 300;

/** Collections of many types, with two operations each, and comments below the first one. */
const paths = Object.fromEntries(
  Array.from({ length: PLACES }, (_, number) => {
    const name = `place${number}`;
    const Place = { $ref: `#/components/schemas/Place${number}` };
    const list = jsonResponse({ type: "array", items: Place });
    const tags = [number < 10 ? "islands" : "harbours"];
    return [
      [
        `/${name}s`,
        { get: { operationId: `${name}/list`, tags, summary: "Lists havens. ".repeat(50), responses: { 200: list } } },
      ],
      [
        `/${name}s/{id}`,
        {
          get: { operationId: `${name}/get`, tags, responses: { 200: jsonResponse(Place) } },
          delete: { operationId: `${name}/delete`, tags, responses: { 204: { description: "Deleted." } } },
        },
      ],
    ] as const;
  }).flat(),
);
const Comment = objectOf({ id: { type: "integer" }, text: { type: "string" } });
const comments = {
  "/place0s/{placeId}/comments": {
    get: { operationId: "listComments", responses: { 200: jsonResponse({ type: "array", items: Comment }) } },
    post: {
      operationId: "comment",
      requestBody: { content: { "application/json": { schema: Comment } } },
      responses: { 201: jsonResponse(Comment) },
    },
  },
  "/place0s/{placeId}/comments/{commentId}": {
    get: { operationId: "getComment", responses: { 200: jsonResponse(Comment) } },
  },
};
const schemas = Object.fromEntries(
  Array.from({ length: PLACES }, (_, number) => [
    `Place${number}`,
    objectOf({ id: { type: "integer" }, [`name${number}`]: { type: "string" } }),
  ]),
);
const contract = documentOf({ ...paths, ...comments }, { components: { schemas } });
const TOTAL = 3 * PLACES + 3;

let mock: StartedResourceMock;
let agent: Agent;
beforeAll(async () => {
  mock = await startResourceMock({ contract });
  agent = await agentOf(mock.url, undefined, (await loadService({ contract })).contract);
});
afterAll(async () => {
  await agent.close();
  await mock.close();
});

describe("an agent with a large contract", () => {
  test("reads the operations in pages, each of which is short", async () => {
    const operations: string[] = [];
    let offset: number | undefined = 0;
    while (offset !== undefined) {
      const { text, content } = await agent.call("read_contract", offset === 0 ? {} : { offset });
      expect(text.length).toBeLessThan(40_000);
      expect(content.total).toBe(TOTAL);
      if (offset === 0) {
        expect(content.mock).toBe(mock.url);
        expect(content.scenarios.length).toBeGreaterThan(10);
        expect(content.types).toHaveLength(100);
        expect(content.types[0]).toEqual({ type: "Place0", path: "/place0s", operations: 3 });
      }
      operations.push(...content.operations.map(({ id }: { id: string }) => id));
      const { note = "" } = content;
      offset = /Call again with offset (\d+)/.exec(note) ? Number(/offset (\d+)/.exec(note)?.[1]) : undefined;
    }
    expect(new Set(operations).size).toBe(TOTAL);
    expect(operations).toHaveLength(TOTAL);
  });

  test.each([
    ["comment", ["listComments", "comment", "getComment"]],
    ["PLACE7/ get", ["place7/get"]],
    ["islands place3", ["place3/list", "place3/get", "place3/delete"]],
    ["Place299", ["place299/list", "place299/get", "place299/delete"]],
    ["lists havens place42s", ["place42/list"]],
  ])("finds operations by the words %j", async (q, expected) => {
    const { content } = await agent.call("read_contract", { q });
    expect(content.operations.map(({ id }: { id: string }) => id)).toEqual(expected);
    expect([content.total, content.note, content.scenarios]).toEqual([expected.length, undefined, undefined]);
  });

  test("gets the nearest name for an unknown operation and type", async () => {
    await agent.call("seed", { project: "p", type: "Place0", generate: 1 });
    const errors = await Promise.all([
      agent.call("read_contract", { operation: "getComent" }),
      agent.call("use", { project: "p", rule: { operation: "getComent", respond: { status: 503 } } }),
      agent.call("verify", { project: "p", match: { operation: "getComent" } }),
      agent.call("seed", { project: "p", type: "Coment", resources: [{}] }),
      agent.call("seed", { project: "p", type: "/place0s/1/comment", resources: [{}] }),
    ]);
    for (const { isError, text } of errors) expect([isError, text.length < 300, text]).toEqual([true, true, text]);
    for (const { text } of errors.slice(0, 3)) expect(text).toContain('Did you mean "getComment"?');
    expect(errors[3]?.text).toContain('Did you mean "Comment"?');
    expect(errors[4]?.text).toContain("Nearest: /place0s/{placeId}/comments");
  });

  test("seeds and reads by type, follows a request and goes back", async () => {
    const project = "comments";
    const type = "/place0s/1/comments";
    const seeded = await agent.call("seed", { project, type, resources: [{ text: "first" }] });
    expect(seeded.content).toEqual({ added: 1, resources: [{ id: 1, version: 1 }] });
    await send(
      { fetch: (path, init) => fetch(mock.url + path, init) },
      `POST /${project}${type}`,
      {},
      { id: 2, text: "second" },
    );
    const read = async (args: object = { type }) => {
      const { content } = await agent.call("read_state", { project, ...args });
      return content.resources.map(({ text }: { text?: string }) => text).filter(Boolean);
    };
    expect(await read()).toEqual(["first", "second"]);
    const verified = await agent.call("verify", { project, match: { operation: "comment" }, count: 1 });
    expect(verified.content).toMatchObject({ pass: true, matched: 1 });
    const { content: journal } = await agent.call("read_journal", { project });
    const request = journal.requests[0].id;
    expect(await read({ request })).toEqual(["first"]);
    await agent.call("rewind", { project, request });
    expect(await read()).toEqual(["first"]);
  });

  test("names the type, as a document has no default", async () => {
    for (const [tool, values] of [
      ["seed", { resources: [{ text: "a" }] }],
      ["read_state", {}],
    ] as const) {
      const { isError, text } = await agent.call(tool, { project: "comments", ...values });
      expect([isError, text]).toEqual([true, expect.stringContaining("expected type, such as Place0, Place1, ")]);
      expect(text).toMatch(/Place9, found none$/);
    }
  });

  test("reads the coverage without the names of all operations", async () => {
    await send({ fetch: (path, init) => fetch(mock.url + path, init) }, "GET /covered/place5s");
    const { content, text } = await agent.call("coverage", { project: "covered" });
    expect(content.operations).toMatchObject([{ operation: "place5/list", requests: 1 }]);
    expect([content.unused.length, content.totals.operations.declared]).toEqual([20, TOTAL]);
    expect(text.length).toBeLessThan(3000);
  });

  test("has short schemas of the tools", async () => {
    const { tools } = await agent.client.listTools();
    expect(JSON.stringify(tools).length).toBeLessThan(34_000);
  });
});
