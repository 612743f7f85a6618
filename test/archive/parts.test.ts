import { describe, expect, test } from "vitest";
import {
  exchangeOf,
  restoreCore,
  restoreCoverage,
  restoreRules,
  savedCore,
  savedCoverage,
  savedExchange,
  savedRules,
} from "../../src/archive/parts.ts";
import type { Exchange } from "../../src/journal/exchange.ts";
import type { Project } from "../../src/projects/project.ts";
import { json, newProject, useMock } from "../setup/mock.ts";

/** Returns the value as another process reads it. */
const sent = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value));

const { rate, ...options } = { rate: { limit: 100, window: 60_000 }, seed: 7, now: () => 1_700_000_000_000 };
const original = useMock("in process", options);
const other = useMock("in process", { ...options, seed: 8 });

/** Sends requests that use rules, scenarios, random numbers, ids and the rate limit. Returns the project. */
async function withHistory(key: string): Promise<Project> {
  const control = async (method: string, path: string, body: unknown) => {
    const response = await original.fetch(`/__admin/projects/${key}${path}`, json(method, body));
    expect([path, response.ok]).toEqual([path, true]);
  };
  await control("PATCH", "/settings", { rateLimit: rate });
  await control("PUT", "/clock", { advance: 5000 });
  await control("POST", "/rules", { operation: "getResourceById", respond: { status: 404 }, times: 2, after: 1 });
  await control("POST", "/rules", { operation: "*", respond: { status: 500 }, probability: 0.5 });
  await control("PUT", "/scenarios/conflict", { times: 3 });
  await control("PUT", "/scenarios/own", { rules: [{ operation: "*", latency: { fixed: 0 }, times: 4 }] });
  for (let index = 0; index < 5; index++) await original.resource(key, "/42");
  return original.engine.projects.get(key);
}

async function copyOf(project: Project): Promise<Project> {
  const copy = other.engine.projects.get(newProject());
  copy.settings = sent(project.settings);
  await restoreRules(copy, sent(savedRules(project)), other.engine);
  restoreCore(copy, sent(savedCore(project)));
  restoreCoverage(copy, sent(savedCoverage(project)));
  return copy;
}

describe("the parts of a project", () => {
  test("are equal in a copy on a server with another seed", async () => {
    const project = await withHistory(newProject());
    const copy = await copyOf(project);
    expect(savedCore(copy)).toEqual(savedCore(project));
    expect(savedRules(copy)).toEqual(savedRules(project));
    expect(savedCoverage(copy)).toEqual(savedCoverage(project));
    expect(savedCore(project).uses.map(({ name, count }) => [name, count > 0])).toContainEqual(["r-1", true]);
  });

  test("continue the ids, the random numbers, the clock and the rate window", async () => {
    const project = await withHistory(newProject());
    const copy = await copyOf(project);
    const next = async (each: Project) => [
      await each.newId(),
      each.stubbedId(),
      each.newRequestId(),
      each.random(),
      each.clock.timestamp(),
      each.countRequest(each.clock.now()),
      each.seedText("generated"),
    ];
    await copy.store.replace(await project.store.contents());
    expect(await next(copy)).toEqual(await next(project));
  });

  test("restore in place: unchanged rules keep their uses, and functions stay", async () => {
    const project = await withHistory(newProject());
    project.activeRules.addFunction("getResourceById", { respond: () => undefined, offContract: false });
    const before = savedCore(project);
    const [rule] = project.activeRules.active.filter(({ name }) => name === "r-1");
    await restoreRules(project, sent(savedRules(project)), original.engine);
    expect(savedCore(project)).toEqual(before);
    expect(project.activeRules.active).toContain(rule);
    expect(project.activeRules.active.map(({ name }) => name)).toContain("f-1");
  });

  test("a scenario that the server does not know becomes an inline one", async () => {
    const project = await withHistory(newProject());
    const copy = other.engine.projects.get(newProject());
    await restoreRules(copy, savedRules(project), { ...other.engine, scenarios: new Map() });
    const [, scenario] = copy.activeRules.scenarios();
    const [, source] = project.activeRules.scenarios();
    expect(scenario).toEqual({ ...source, inline: true, used: 0 });
  });

  test("invalid definitions change nothing, and are reported by pointer", async () => {
    const project = await withHistory(newProject());
    const { scenarios, ...saved } = savedRules(project);
    const invalid = { id: "r-1", rule: { operation: "getResourceById", respond: { status: 418 } } } as const;
    const restored = restoreRules(
      project,
      { ...saved, scenarios, rules: [invalid, invalid], added: 0 },
      original.engine,
    );
    const pointers = ["/rules/0/rule/respond/status", "/rules/1/id", "/rules/1/rule/respond/status", "/added"];
    await expect(restored).rejects.toMatchObject({ details: pointers.map((field) => ({ field })) });
    expect(savedRules(project)).toEqual({ ...saved, scenarios });
  });

  test("a request keeps its bodies as text or as bytes", async () => {
    const [exchange] = (await withHistory(newProject())).exchanges() as [Exchange];
    const { serial, arrival } = exchange;
    const bodies: Pick<Exchange, "requestBody" | "responseBody">[] = [
      { requestBody: undefined, responseBody: null },
      { requestBody: new Uint8Array([0xef, 0xbb, 0xbf, 0x7b]), responseBody: "\ud800" },
      { requestBody: new Uint8Array([0xff, 0]), responseBody: new Uint8Array([0x61]) },
    ];
    for (const each of bodies) {
      const whole = { ...exchange, ...each };
      expect(exchangeOf(sent(savedExchange(whole)), { serial, arrival })).toEqual({ ...whole });
    }
  });
});
