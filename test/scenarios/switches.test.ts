import { describe, expect, test } from "vitest";
import { ServiceError } from "../../src/contract/service-error.ts";
import { createEngine } from "../../src/engine/engine.ts";
import { readFiles } from "../../src/mock.ts";
import type { Activation, Rule } from "../../src/scenarios/scenario.ts";
import { addRule, turnOnScenario } from "../../src/scenarios/switch-on.ts";
import { Switches } from "../../src/scenarios/switches.ts";

const engine = createEngine(await readFiles());

describe("scenarios", () => {
  test("are listed newest first, as they were turned on", async () => {
    const switches = new Switches();
    expect(switches.active).toEqual([]);
    await turnOnScenario(switches, "conflict", {}, engine);
    const slow = await turnOnScenario(switches, "slow", { times: 3, probability: 0.5 }, engine);
    expect(slow).toMatchObject({ name: "slow", times: 3, probability: 0.5, used: 0, inline: false });
    expect(slow.rules).toEqual([{ latency: { fixed: 2000 } }]);
    expect(switches.scenarios().map(({ name }) => name)).toEqual(["slow", "conflict"]);
    await turnOnScenario(switches, "conflict", {}, engine);
    expect(switches.scenarios().map(({ name }) => name)).toEqual(["conflict", "slow"]);
    expect([switches.turnOff("slow"), switches.turnOff("slow"), switches.active.length]).toEqual([true, false, 1]);
    switches.turnAllOff();
    expect([switches.scenarios(), switches.active]).toEqual([[], []]);
  });

  test("may be written on the spot, under a name that a shipped one has too", async () => {
    const switches = new Switches();
    const rules: Rule[] = [{ respond: { status: 503 } }];
    const how: Activation = { $schema: "…", description: "Mine.", rules };
    const shown = await turnOnScenario(switches, "conflict", how, engine);
    expect(shown).toMatchObject({ name: "conflict", description: "Mine.", inline: true, rules });
  });

  test.each<[string, string, Activation, string, string | undefined]>([
    ["an unknown name", "confict", {}, "ResourceNotFound", "name"],
    ["a name that is none", "my own", { rules: [{ respond: { status: 500 } }] }, "InvalidField", "name"],
    ["a status of none", "x", { rules: [{ respond: { status: 418 } }] }, "InvalidField", "/rules/0/respond/status"],
  ])("%s is refused", async (_name, name, how, code, field) => {
    const switches = new Switches();
    const error = await turnOnScenario(switches, name, how, engine).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ServiceError);
    expect((error as ServiceError).details[0]).toMatchObject({ code, field });
    expect(switches.active).toEqual([]);
  });
});

describe("rules", () => {
  test("have ids in the order of adding, and none twice", async () => {
    const switches = new Switches();
    const rule: Rule = { operation: "getCart", respond: { status: 404 } };
    expect(await addRule(switches, rule, engine)).toEqual({ id: "r-1", used: 0, rule });
    await addRule(switches, { latency: { fixed: 1 } }, engine);
    expect(switches.rules().map(({ id }) => id)).toEqual(["r-2", "r-1"]);
    expect([switches.removeRule("r-2"), switches.removeRule("r-2")]).toEqual([true, false]);
    expect((await addRule(switches, rule, engine)).id).toBe("r-3");
    switches.clearRules();
    expect([switches.rules(), switches.active]).toEqual([[], []]);
    expect((await addRule(switches, rule, engine)).id).toBe("r-4");
  });

  test("that break the contract are refused with their places", async () => {
    const switches = new Switches();
    const rule: Rule = { operation: "getCart", when: { path: { id: "x" } }, respond: { status: 200, body: 1 } };
    const error = await addRule(switches, rule, engine).catch((thrown: unknown) => thrown);
    expect((error as ServiceError).details).toMatchObject([{ code: "InvalidField", field: "/when/path/id" }]);
  });
});

describe("for all projects", () => {
  test("those named at the start are on, the last newest, and again after a reset of everything", async () => {
    const named = createEngine({ ...(await readFiles()), scenario: ["conflict", "slow"] });
    const names = () => named.switches.scenarios().map(({ name }) => name);
    expect(names()).toEqual(["slow", "conflict"]);
    named.switches.turnOff("slow");
    await turnOnScenario(named.switches, "flaky", {}, named);
    await named.resetAll();
    expect(names()).toEqual(["slow", "conflict"]);
  });

  test("one that has gone with its file does not keep a reset from the rest", async () => {
    const files = await readFiles();
    const engine = createEngine({ ...files, scenario: ["conflict", "slow"] });
    engine.useScenarios(new Map([...files.scenarios].filter(([name]) => name === "slow")));
    await engine.resetAll();
    expect(engine.switches.scenarios().map(({ name }) => name)).toEqual(["slow"]);
  });

  test("a name that no scenario has is refused at the start", async () => {
    const files = await readFiles();
    expect(() => createEngine({ ...files, scenario: ["confict"] })).toThrow('Did you mean "conflict"?');
  });
});
