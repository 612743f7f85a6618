/** @module-tag isolated */
// @module-tag slow
import { describe, expect, test } from "vitest";
import type { ServiceRequest } from "../../src/engine/call/service-request.ts";
import { createEngine } from "../../src/engine/engine.ts";
import { serve } from "../../src/engine/serve-request.ts";
import { reportOfCoverage } from "../../src/journal/coverage.ts";
import { readFiles } from "../../src/library/mock.ts";
import { addRule } from "../../src/rules/activate.ts";
import type { Rule } from "../../src/rules/scenario.ts";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import type { Settings } from "../../src/state/settings-schema.ts";
import { emptyState } from "../../src/state/state-value.ts";
import { effort, endurance, heldBytes } from "../setup/memory.ts";

const KiB = 1024;
const MiB = 1024 * KiB;
const REQUESTS = 20_000 * effort;
const PROJECTS = 10;

/** Returns the memory in use after a garbage collection, in bytes. */
async function used(): Promise<number> {
  await heldBytes();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

describe("the counted size of a journal is close to its memory, for requests with", () => {
  const items = JSON.stringify({ objectTypeProperty: { arrayOfIntExample: Array.from({ length: 30 }, String) } });
  const names = (count: number) => Array.from({ length: count }, (_, index) => `name${index}=v`).join("&");

  const draft = '{"objectTypeProperty":{}}';

  interface Shape {
    settings?: Partial<Settings>;
    query?: string;
    /** Called for each request, so that headers and bodies are new objects, as on a socket. */
    headers?: () => ServiceRequest["headers"];
    body?: () => Uint8Array;
    /** The decoded id of a `getResourceById` request. Without it, the request is `createResource`. */
    id?: string;
    /** An active rule. */
    rule?: object;
  }
  /** Returns a copy of the text that shares no memory with it. */
  const copy = (text: string): string => JSON.parse(JSON.stringify(text));
  const texts = (count: number, text: string) => Array.from({ length: count }, (_, index) => copy(`${index}${text}`));

  test.each<[what: string, shape: Shape]>([
    ["bodies of 1 MiB", { body: () => Buffer.from(JSON.stringify({ text: "x".repeat(MiB) })) }],
    ["30 violations that are rejected", { body: () => Buffer.from(items) }],
    ["500 unknown parameters", { query: names(500) }],
    ["a header with many values", { headers: () => ({ "set-cookie": texts(300, "x".repeat(50)) }) }],
    ["a long header", { headers: () => ({ "x-name": copy("x".repeat(8000)) }) }],
    [
      "small bodies, each in a large buffer",
      {
        body: () =>
          Buffer.from(Buffer.alloc(100 * KiB).buffer)
            .fill(draft, 0, draft.length)
            .subarray(0, draft.length),
      },
    ],
    ["headers from a rule", { rule: { respond: { status: 201, headers: { "x-a": "x".repeat(5000) } } } }],
  ])("%s", async (_what, { settings, query = "", headers, body = () => Buffer.from(draft), id, rule }) => {
    const engine = createEngine({ ...(await readFiles()), settings });
    const operation = serviceContract.find(id === undefined ? "createResource" : "getResourceById");
    if (!operation) throw new Error("unknown operation");
    const send = async (projectKey: string) => {
      const bytes = body();
      const request: ServiceRequest = {
        origin: "http://mock",
        method: operation.method,
        path: `/${projectKey}/resource`,
        query: copy(query),
        headers: { "content-type": "application/json", ...headers?.() },
        readBody: async () => bytes,
        readStart: async () => ({ bytes }),
        signal: () => new AbortController().signal,
      };
      const path = { projectKey, ...(id !== undefined && { id: copy(id) }) };
      await serve(engine, projectKey, { operation, path }, request);
      engine.projects.get(projectKey).replaceState(emptyState, { isShared: true });
    };
    const prepare = async (projectKey: string) => {
      if (rule) await addRule(engine.projects.get(projectKey), rule as Rule, engine);
    };
    await prepare("warm-up");
    for (let number = 0; number < 20; number++) await send("warm-up");
    await engine.resetAll();
    // The runtime also allocates for itself, once and at any time: the smallest of three equal rounds has the least of it.
    const rounds = [];
    for (const projectKey of ["first", "second", "third"]) {
      await prepare(projectKey);
      const before = await used();
      for (let number = 0; number < 100; number++) await send(projectKey);
      rounds.push((await used()) - before);
    }
    const held = Math.min(...rounds);
    const counted = engine.projects.get("third").journal.bytes;
    expect(held).toBeLessThan(1.5 * counted + 200 * KiB);
  });
});

test("requests with bodies use no more memory than the limit of the journals", endurance, async () => {
  const journalBytes = 4 * MiB;
  const engine = createEngine({ ...(await readFiles()), journalBytes });
  const operation = serviceContract.find("writeNamespaceAction");
  if (!operation) throw new Error("unknown operation");
  const headers = { "content-type": "application/json", "user-agent": "test", host: "localhost:8080" };

  const before = await used();
  let largest = 0;
  for (let number = 0; number < REQUESTS; number++) {
    const projectKey = `p-${number % PROJECTS}`;
    // Some bodies are longer than the limit for kept bodies.
    const text = "x".repeat(number % 1000 === 0 ? 200_000 : 200 + (number % 700));
    const request: ServiceRequest = {
      origin: "http://mock",
      method: "POST",
      path: `/${projectKey}/resource/namespace-action`,
      query: "",
      headers: { ...headers, "x-request": `${number}` },
      readBody: async () => Buffer.from(JSON.stringify({ number, text })),
      readStart: async () => ({ bytes: Buffer.alloc(0) }),
      signal: () => new AbortController().signal,
    };
    const { response } = await serve(engine, projectKey, { operation, path: { projectKey } }, request);
    if (response.status !== 200) throw new Error(`${response.status}: ${response.body}`);
    if (number % 5000 === 4999) largest = Math.max(largest, (await used()) - before);
  }

  const projects = [...engine.projects.all()];
  const sum = (sizes: number[]) => sizes.reduce((sum, size) => sum + size, 0);
  expect(sum(projects.map(({ journal, history }) => journal.bytes + history.bytes))).toBeLessThanOrEqual(journalBytes);
  // The journals share the limit with the changes of the requests, and evenly between the projects.
  expect(sum(projects.map(({ journal }) => journal.bytes))).toBeGreaterThan(journalBytes / 4);
  const lengths = projects.map(({ journal }) => journal.length);
  expect(Math.min(...lengths)).toBeGreaterThan(50);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(1000);
  // The counted sizes are estimates, so the memory in use is checked as well.
  expect(largest).toBeLessThan(2.5 * journalBytes + 4 * MiB);
  expect(reportOfCoverage(engine.projects.coverage(), engine.contract).requests).toBe(REQUESTS);

  await engine.resetAll();
  expect((await used()) - before).toBeLessThan(8 * MiB);
});
