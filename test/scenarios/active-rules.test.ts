import { describe, expect, test } from "vitest";
import { ServiceError } from "../../src/contract/service-error.ts";
import { createEngine } from "../../src/engine/engine.ts";
import { readFiles } from "../../src/mock.ts";
import { activateScenario, addRule } from "../../src/scenarios/activate.ts";
import { ActiveRules } from "../../src/scenarios/active-rules.ts";
import type { Activation, Rule } from "../../src/scenarios/scenario.ts";

const engine = createEngine(await readFiles());

describe("scenarios", () => {
  test("are listed newest first", async () => {
    const activeRules = new ActiveRules();
    expect(activeRules.active).toEqual([]);
    await activateScenario(activeRules, "conflict", {}, engine);
    const slow = await activateScenario(activeRules, "slow", { times: 3, probability: 0.5 }, engine);
    expect(slow).toMatchObject({ name: "slow", times: 3, probability: 0.5, used: 0, inline: false });
    expect(slow.rules).toEqual([{ latency: { fixed: 2000 } }]);
    expect(activeRules.scenarios().map(({ name }) => name)).toEqual(["slow", "conflict"]);
    await activateScenario(activeRules, "conflict", {}, engine);
    expect(activeRules.scenarios().map(({ name }) => name)).toEqual(["conflict", "slow"]);
    expect([activeRules.deactivate("slow"), activeRules.deactivate("slow"), activeRules.active.length]).toEqual([
      true,
      false,
      1,
    ]);
    activeRules.deactivateAll();
    expect([activeRules.scenarios(), activeRules.active]).toEqual([[], []]);
  });

  test("can be defined inline, also under the name of a bundled scenario", async () => {
    const activeRules = new ActiveRules();
    const rules: Rule[] = [{ respond: { status: 503 } }];
    const options: Activation = { $schema: "…", description: "Mine.", rules };
    const shown = await activateScenario(activeRules, "conflict", options, engine);
    expect(shown).toMatchObject({ name: "conflict", description: "Mine.", inline: true, rules });
  });

  test.each<[string, string, Activation, string, string | undefined]>([
    ["an unknown name", "confict", {}, "ResourceNotFound", "name"],
    ["an invalid name", "my own", { rules: [{ respond: { status: 500 } }] }, "InvalidField", "name"],
    [
      "a status of no operation",
      "x",
      { rules: [{ respond: { status: 418 } }] },
      "InvalidField",
      "/rules/0/respond/status",
    ],
  ])("rejects %s", async (_name, name, options, code, field) => {
    const activeRules = new ActiveRules();
    const error = await activateScenario(activeRules, name, options, engine).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect((error as ServiceError).details[0]).toMatchObject({ code, field });
    expect(activeRules.active).toEqual([]);
  });
});

describe("rules", () => {
  test("have ids in the order of adding, and never reuse an id", async () => {
    const activeRules = new ActiveRules();
    const rule: Rule = { operation: "getCart", respond: { status: 404 } };
    expect(await addRule(activeRules, rule, engine)).toEqual({ id: "r-1", used: 0, rule });
    await addRule(activeRules, { latency: { fixed: 1 } }, engine);
    expect(activeRules.rules().map(({ id }) => id)).toEqual(["r-2", "r-1"]);
    expect([activeRules.removeRule("r-2"), activeRules.removeRule("r-2")]).toEqual([true, false]);
    expect((await addRule(activeRules, rule, engine)).id).toBe("r-3");
    activeRules.clearRules();
    expect([activeRules.rules(), activeRules.active]).toEqual([[], []]);
    expect((await addRule(activeRules, rule, engine)).id).toBe("r-4");
  });

  test("that violate the contract are rejected with their locations", async () => {
    const activeRules = new ActiveRules();
    const rule: Rule = { operation: "getCart", when: { path: { id: "x" } }, respond: { status: 200, body: 1 } };
    const error = await addRule(activeRules, rule, engine).catch((thrown: unknown) => thrown);
    expect((error as ServiceError).details).toMatchObject([{ code: "InvalidField", field: "/when/path/id" }]);
  });
});

describe("for all projects", () => {
  test("scenarios of the start are active, the last one newest, also after a reset of all projects", async () => {
    const named = createEngine({ ...(await readFiles()), scenario: ["conflict", "slow"] });
    const names = () => named.activeRules.scenarios().map(({ name }) => name);
    expect(names()).toEqual(["slow", "conflict"]);
    named.activeRules.deactivate("slow");
    await activateScenario(named.activeRules, "flaky", {}, named);
    await named.resetAll();
    expect(names()).toEqual(["slow", "conflict"]);
  });

  test("a reset succeeds if the file of an active scenario was deleted", async () => {
    const files = await readFiles();
    const engine = createEngine({ ...files, scenario: ["conflict", "slow"] });
    engine.useScenarios(new Map([...files.scenarios].filter(([name]) => name === "slow")));
    await engine.resetAll();
    expect(engine.activeRules.scenarios().map(({ name }) => name)).toEqual(["slow"]);
  });

  test("an unknown scenario name is rejected at the start", async () => {
    const files = await readFiles();
    expect(() => createEngine({ ...files, scenario: ["confict"] })).toThrow('Did you mean "conflict"?');
  });
});
