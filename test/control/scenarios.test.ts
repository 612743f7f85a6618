import { describe, expect, test } from "vitest";
import { control, expectProblem, inProject } from "../setup/control.ts";
import { newProject, onTransports, useMock } from "../setup/mock.ts";
import { update } from "../setup/resources.ts";

interface Scenarios {
  scenarios: { name: string; on: boolean; used: number }[];
  total: number;
}

onTransports("scenarios and rules through the control API", {}, (mock) => {
  const conflicting = async (project: string) => (await mock.resource(project, "/a", update(1))).status === 409;
  const active = async (project: string) => (await inProject<Scenarios>(mock, project, "GET", "/scenarios")).body;
  const known = async () => (await control<Scenarios>(mock, "GET", "/scenarios")).body;

  test("lists all scenarios with their description, and whether they are active for all projects", async () => {
    const { scenarios, total } = await known();
    expect(scenarios).toHaveLength(total);
    expect(scenarios).toContainEqual({
      name: "conflict",
      description: expect.stringMatching(/\w+ \w+/),
      on: false,
      inline: false,
    });
  });

  test("activates a scenario in one project only, and deactivates it", async () => {
    const [project, other] = [newProject(), newProject()];
    const { status, body } = await inProject(mock, project, "PUT", "/scenarios/conflict", { times: 5 });
    expect([status, body]).toMatchObject([200, { name: "conflict", times: 5, used: 0, inline: false, rules: [{}] }]);
    expect([await conflicting(project), await conflicting(other)]).toEqual([true, false]);
    expect(await active(project)).toMatchObject({ scenarios: [{ name: "conflict", used: 1 }], total: 1 });
    expect((await inProject(mock, project, "DELETE", "/scenarios/conflict")).status).toBe(204);
    expect(await active(project)).toEqual({ scenarios: [], total: 0 });
  });

  test("activates a scenario for all projects, and deactivates it", async () => {
    expect((await control(mock, "PUT", "/scenarios/conflict", { probability: 1 })).status).toBe(200);
    expect((await known()).scenarios).toContainEqual(
      expect.objectContaining({ name: "conflict", on: true, probability: 1 }),
    );
    expect(await conflicting(newProject())).toBe(true);
    expect((await control(mock, "DELETE", "/scenarios/conflict")).status).toBe(204);
    expect(await conflicting(newProject())).toBe(false);
  });

  test("returns a scenario with its rules, also an inline one", async () => {
    const { body } = await control(mock, "GET", "/scenarios/conflict");
    expect(body).toEqual({
      name: "conflict",
      description: expect.stringContaining("409"),
      on: false,
      inline: false,
      rules: [expect.objectContaining({ operation: "updateResource" })],
    });
    const rules = [{ operation: "getCart", respond: { status: 503 } }];
    await control(mock, "PUT", "/scenarios/own", { rules, times: 3, description: "Own rules" });
    const own = await control(mock, "GET", "/scenarios/own");
    expect(own.body).toEqual({ name: "own", description: "Own rules", on: true, inline: true, times: 3, rules });
    await control(mock, "DELETE", "/scenarios/own");
    expectProblem(await control(mock, "GET", "/scenarios/own"), 404, "ResourceNotFound");
  });

  test("a project lists the scenarios for all projects with its own number of uses", async () => {
    const [project, other] = [newProject(), newProject()];
    await control(mock, "PUT", "/scenarios/conflict", { times: 2 });
    await inProject(mock, project, "PUT", "/scenarios/slow", { probability: 0 });
    expect([await conflicting(project), await conflicting(other)]).toEqual([true, true]);
    expect((await active(project)).scenarios).toMatchObject([{ name: "slow" }]);
    const { body } = await inProject<Scenarios>(mock, project, "GET", "/scenarios?forAll=true");
    expect(body).toMatchObject({
      scenarios: [
        { name: "slow", used: 0 },
        { name: "conflict", times: 2, used: 1, forAll: true },
      ],
      total: 2,
    });
    expect(body.scenarios[0]).not.toHaveProperty("forAll");
    await control(mock, "DELETE", "/scenarios/conflict");
  });

  test("activates a scenario with inline rules", async () => {
    const project = newProject();
    const rules = [{ operation: "getCart", respond: { status: 503 } }];
    const { body } = await inProject(mock, project, "PUT", "/scenarios/no-cart", { description: "No cart.", rules });
    expect(body).toMatchObject({ name: "no-cart", description: "No cart.", inline: true, rules });
    expect((await mock.resource(project, "/namespace-action-with-example")).status).toBe(503);
    await control(mock, "PUT", "/scenarios/no-cart-for-all", { rules });
    expect((await known()).scenarios.at(-1)).toEqual({ name: "no-cart-for-all", on: true, inline: true });
    await control(mock, "DELETE", "/scenarios/no-cart-for-all");
    expectProblem(await control(mock, "DELETE", "/scenarios/no-cart-for-all"), 404, "ResourceNotFound");
  });

  test.each([
    ["PUT", "/scenarios/slow", { tmies: 1 }, "/tmies", 'Did you mean "times"?'],
    ["POST", "/rules", { operaton: "getCart" }, "/operaton", 'Did you mean "operation"?'],
    ["POST", "/rules", { latency: { fixed: -1 } }, "/latency/fixed"],
  ])(
    "the call %s %s with the body %j returns 400 with the location %s, and activates nothing",
    async (method, path, body, pointer, hint = "") => {
      const project = newProject();
      await mock.resource(project);
      const errors = expectProblem(await inProject(mock, project, method, path, body), 400, "InvalidField", hint);
      expect(errors).toEqual([expect.objectContaining({ pointer })]);
      const { body: summary } = await control(mock, "GET", `/projects/${project}`);
      expect(summary).toMatchObject({ scenarios: [], rules: 0 });
    },
  );

  test("deactivating an inactive scenario succeeds, and an unknown scenario returns 404", async () => {
    const project = newProject();
    expect((await inProject(mock, project, "DELETE", "/scenarios/conflict")).status).toBe(204);
    for (const [method, path] of [
      ["PUT", "/scenarios/conflct"],
      ["DELETE", "/scenarios/conflct"],
    ] as const) {
      for (const reply of [await inProject(mock, project, method, path), await control(mock, method, path)]) {
        expectProblem(reply, 404, "ResourceNotFound", 'Did you mean "conflict"?');
      }
    }
  });

  describe("a rule", () => {
    const rule = { operation: "getCart", respond: { status: 503 } };
    const cart = async (project: string) => (await mock.resource(project, "/namespace-action-with-example")).status;

    test("is added, listed and removed", async () => {
      const project = newProject();
      const { status, body } = await inProject(mock, project, "POST", "/rules", rule);
      expect([status, body]).toEqual([201, { id: "r-1", used: 0, rule }]);
      expect([await cart(project), await cart(newProject())]).toEqual([503, 200]);
      expect((await inProject(mock, project, "GET", "/rules")).body).toEqual({
        rules: [{ id: "r-1", used: 1, rule }],
        total: 1,
      });
      expect((await inProject(mock, project, "DELETE", "/rules/r-1")).status).toBe(204);
      expect(await cart(project)).toBe(200);
      expectProblem(await inProject(mock, project, "DELETE", "/rules/r-1"), 404, "ResourceNotFound");
    });

    test("is only checked, against the recorded requests", async () => {
      const project = newProject();
      await cart(project);
      await mock.resource(project, "/other-id");
      const checked = await inProject(mock, project, "POST", "/rules/check", rule);
      expect(checked).toMatchObject({ status: 200, body: { requests: 2, matched: 1 } });
      expect(checked.body.nearest).toMatchObject({
        request: { operation: "getResourceById" },
        differences: [{ pointer: "/operation", expected: "getCart", actual: "getResourceById" }],
      });
      const invalid = { ...rule, respond: { status: 418 } };
      expectProblem(await inProject(mock, project, "POST", "/rules/check", invalid), 400, "InvalidField");
      expect((await inProject(mock, project, "GET", "/rules")).body).toEqual({ rules: [], total: 0 });
    });

    test("is removed without a change to the order of other rules", async () => {
      const project = newProject();
      for (let number = 0; number < 4; number++) await inProject(mock, project, "POST", "/rules", rule);
      expect((await inProject(mock, project, "DELETE", "/rules/r-2")).status).toBe(204);
      const { body } = await inProject(mock, project, "GET", "/rules");
      expect(body).toMatchObject({ rules: [{ id: "r-4" }, { id: "r-3" }, { id: "r-1" }], total: 3 });
    });

    test("is removed together with all other rules", async () => {
      const project = newProject();
      for (let number = 0; number < 3; number++) await inProject(mock, project, "POST", "/rules", rule);
      expect((await inProject(mock, project, "DELETE", "/rules")).status).toBe(204);
      expect((await inProject(mock, project, "GET", "/rules")).body).toEqual({ rules: [], total: 0 });
      expect((await inProject(mock, project, "POST", "/rules", rule)).body).toMatchObject({ id: "r-4" });
      expect((await inProject(mock, newProject(), "DELETE", "/rules")).status).toBe(204);
    });

    test.each<[unknown, string]>([
      [{ ...rule, operation: "getCarts" }, "/operation"],
      [{ ...rule, respond: { status: 299 } }, "/respond/status"],
      [[rule], ""],
    ])("cannot be %j", async (body, pointer) => {
      const reply = await inProject(mock, newProject(), "POST", "/rules", body);
      expect(expectProblem(reply, 400, "InvalidField")).toMatchObject([{ pointer }]);
    });
  });
});

onTransports("scenarios of the start", { scenario: ["conflict", "slow"] }, (mock) => {
  test("are active, the last one newest, also after a reset of all projects", async () => {
    const names = async () => {
      const { body } = await inProject<Scenarios>(mock, newProject(), "GET", "/scenarios?forAll=true");
      return body.scenarios.map(({ name }) => name);
    };
    expect(await names()).toEqual(["slow", "conflict"]);
    await control(mock, "DELETE", "/scenarios/slow");
    await control(mock, "PUT", "/scenarios/flaky");
    expect(await names()).toEqual(["flaky", "conflict"]);
    await control(mock, "PUT", "/scenarios/conflict");
    expect(await names()).toEqual(["conflict", "flaky"]);
    await control(mock, "POST", "/reset");
    expect(await names()).toEqual(["slow", "conflict"]);
  });
});

describe("a scenario of the start whose file was deleted", () => {
  const mock = useMock("in process", { scenario: ["conflict", "slow"] });

  test("is not active after a reset of all projects", async () => {
    mock.engine.useScenarios(new Map([...mock.engine.scenarios].filter(([name]) => name === "slow")));
    expect((await control(mock, "POST", "/reset")).status).toBe(204);
    const { body } = await inProject(mock, "p", "GET", "/scenarios?forAll=true");
    expect(body).toMatchObject({ scenarios: [{ name: "slow" }], total: 1 });
  });
});
