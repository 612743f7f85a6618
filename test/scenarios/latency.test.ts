import { describe, expect, test } from "vitest";
import { wait } from "../../src/engine/call/wait.ts";
import { createRandom } from "../../src/project/random.ts";
import { sampleLatency } from "../../src/rules/effects/rule-effects.ts";
import { collectionIn } from "../../src/state/index.ts";
import { addRule, lastDecisions } from "../setup/activation.ts";
import { json, newProject, onTransports } from "../setup/mock.ts";
import { openSocket } from "../setup/raw-socket.ts";
import { configure, draft } from "../setup/resources.ts";
import { serving } from "../setup/serving.ts";
import { until } from "../setup/until.ts";

/** Waits that end only when a signal aborts, and the callbacks for their start. */
let begun: (ms: number) => void = () => {};
const untilAborted = (ms: number, ...signals: AbortSignal[]) =>
  new Promise<void>((resolve) => {
    for (const signal of signals) signal.addEventListener("abort", () => resolve(), { once: true });
    begun(ms);
  });
const waiting = () =>
  new Promise<number>((resolve) => {
    begun = resolve;
  });

onTransports("the latency", { wait: untilAborted, inOneProcess: "watches the project in the engine" }, (mock) => {
  test("ends when the client disconnects: nothing is written, and the journal says why", async () => {
    const project = newProject();
    await configure(mock, project, { latency: { fixed: 5000 } });
    const client = new AbortController();
    const isWaiting = waiting();
    const response = mock.resource(project, "", { ...json("POST", draft), signal: client.signal });
    await isWaiting;
    const journaled = new Promise<void>((resolve) => {
      mock.engine.onExchange = () => resolve();
    });
    client.abort();
    await expect(response).rejects.toThrow();
    await journaled;
    mock.engine.onExchange = undefined;
    const sandbox = mock.engine.projects.get(project);
    expect(collectionIn(sandbox.state, "Resource").facts.lastWritten).toBeUndefined();
    expect(sandbox.journal.list()).toEqual([expect.objectContaining({ status: 0, source: "error" })]);
    expect(await lastDecisions(mock, project)).toContain("the client disconnected: the request was not handled");
  });

  test("of a rule overrides the setting, and null means no latency", async () => {
    const project = newProject();
    await configure(mock, project, { latency: { fixed: 5000 } });
    await addRule(mock, project, { latency: null });
    expect((await mock.resource(project)).status).toBe(200);
  });
});

describe("a server that stops", { tags: ["process"] }, () => {
  test("sends delayed responses at once", async () => {
    const server = await serving({ args: ["--latency", "600000", "--log", "off"] });
    const client = await openSocket(server.url);
    client.send("GET /demo/resource HTTP/1.1\r\nHost: mock\r\n\r\n");
    const verify = json("POST", { match: {}, count: 0 });
    await until(async () => {
      const response = await fetch(`${server.url}/__admin/projects/demo/requests/verify`, verify);
      return ((await response.json()) as { inProgress?: number }).inProgress === 1;
    });
    expect(await server.stop()).toBe(0);
    expect((await client.closed()).text).toContain("HTTP/1.1 200 OK");
  });
});

describe("wait", () => {
  test("ends when a signal aborts, before or during the wait, or when the time is over", async () => {
    const gone = new AbortController();
    const other = new AbortController();
    const meanwhile = wait(1e8, other.signal, gone.signal);
    gone.abort();
    await meanwhile;
    await wait(1e8, gone.signal);
    await wait(0, other.signal);
  });
});

describe("sampleLatency", () => {
  const samples = (latency: Parameters<typeof sampleLatency>[0]) => {
    const random = createRandom("latency");
    return Array.from({ length: 1001 }, () => sampleLatency(latency, random)).sort((a, b) => a - b);
  };

  test("uniform returns evenly distributed times", () => {
    const all = samples({ uniform: [100, 200] });
    expect(all.at(0)).toBeOneOf([100, 101]);
    expect(all.at(-1)).toBeOneOf([199, 200]);
    expect(all[500]).toBeGreaterThan(143);
    expect(all[500]).toBeLessThan(157);
  });

  test("lognormal returns times with this median and a long tail", () => {
    const all = samples({ lognormal: { median: 100, sigma: 1 } });
    expect(all[500]).toBeGreaterThan(85);
    expect(all[500]).toBeLessThan(115);
    expect(all.at(-1)).toBeGreaterThan(1000);
  });

  test("the same random numbers return the same times", () => {
    const latency = { lognormal: { median: 100, sigma: 1 } };
    expect(samples(latency)).toEqual(samples(latency));
    expect(samples(latency).slice(0, 3)).toMatchInlineSnapshot(`
      [
        5,
        5,
        6,
      ]
    `);
  });

  test("no time is longer than ten minutes", () => {
    expect(samples({ lognormal: { median: 600_000, sigma: 10 } }).at(-1)).toBe(600_000);
  });
});
