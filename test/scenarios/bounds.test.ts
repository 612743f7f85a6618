import { describe, expect, test } from "vitest";
import { readFiles } from "../../src/library/mock.ts";
import type { Rule } from "../../src/rules/scenario.ts";
import { type FileProblem, FilesError } from "../../src/state/fixtures/files-error.ts";
import { activate, addRule, lastDecisions, reset } from "../setup/activation.ts";
import { control, expectProblem, inProject } from "../setup/control.ts";
import { folderOf } from "../setup/folder.ts";
import { json, type MockUnderTest, newProject, onTransports } from "../setup/mock.ts";

const respond = (status: number): Rule => ({ respond: { status } });
const KiB = 1024;

/** Returns a rule of about this many bytes in memory: two for each character. */
const large = (bytes: number): Rule => ({
  operation: "getCart",
  respond: { status: 200, body: { cartId: "x".repeat(bytes / 2) } },
});

async function addRules(mock: MockUnderTest, project: string, count: number, rule: (index: number) => Rule) {
  for (let index = 0; index < count; index++) await addRule(mock, project, rule(index));
}

onTransports("the limits of rules", { inOneProcess: "each of 1,000 rules stores all rules" }, (mock) => {
  const add = (project: string, rule: Rule) => inProject(mock, project, "POST", "/rules", rule);
  const use = (project: string, name: string, rules: Rule[]) =>
    inProject(mock, project, "PUT", `/scenarios/${name}`, { rules });

  test("a project has at most 1,000: the next returns 409 until one is removed", { tags: ["slow"] }, async () => {
    const [project, other] = [newProject(), newProject()];
    await addRules(mock, project, 1000, () => respond(500));
    expectProblem(await add(project, respond(503)), 409, "LimitReached", "rules: expected at most 1000, found 1001");
    expect((await inProject<{ total: number }>(mock, project, "GET", "/rules")).body.total).toBe(1000);
    expect((await add(other, respond(503))).status).toBe(201);
    await inProject(mock, project, "DELETE", "/rules/r-1");
    expect((await add(project, respond(503))).body).toMatchObject({ id: "r-1001" });
    expect((await mock.resource(project)).status).toBe(503);
  });

  test("active scenarios have at most 1,000: the next scenario returns 409, unless it replaces one", {
    tags: ["slow"],
  }, async () => {
    const project = newProject();
    for (let index = 0; index < 900; index++) await activate(mock, project, `one-${index}`, { rules: [respond(500)] });
    const hundred = Array.from({ length: 100 }, () => respond(503));
    await activate(mock, project, "hundred", { rules: hundred });
    const message = "rules of active scenarios: expected at most 1000, found 1001";
    expectProblem(await use(project, "more", [respond(500)]), 409, "LimitReached", message);
    expectProblem(await inProject(mock, project, "PUT", "/scenarios/conflict"), 409, "LimitReached", message);
    await activate(mock, project, "hundred", { rules: hundred });
    expect((await mock.resource(project)).status).toBe(503);
    await reset(mock, project);
    await activate(mock, project, "conflict");
  });

  test("rules and inline scenarios of a project use at most 16 MiB", { tags: ["slow"] }, async () => {
    const project = newProject();
    await addRules(mock, project, 4, () => large(3.5 * KiB * KiB));
    const message = "rules: expected at most 16777216 bytes of rules and inline scenarios in memory, found ";
    expectProblem(await add(project, large(3 * KiB * KiB)), 409, "LimitReached", message);
    expectProblem(await use(project, "large", [large(3 * KiB * KiB)]), 409, "LimitReached", message);
    await activate(mock, project, "small", { rules: [large(KiB * KiB)] });
    expectProblem(await add(project, large(KiB * KiB)), 409, "LimitReached", message);
    await inProject(mock, project, "DELETE", "/rules");
    await addRule(mock, project, large(3.9 * KiB * KiB));
  });

  test("a body with values from the request has at most 64 Ki characters", async () => {
    const body = (length: number) => ({ a: { $from: "/path/projectKey" }, b: "x".repeat(length - 41) });
    for (const effect of ["raw", "respond"] as const) {
      const rule = (length: number) =>
        ({ operation: "getCart", [effect]: { status: 500, body: body(length) } }) as Rule;
      expect(JSON.stringify(body(100)).length).toBe(100);
      const message = "expected at most 65536 characters of JSON in a body with $from, found 65537";
      const errors = expectProblem(await add(newProject(), rule(65_537)), 400, "InvalidField", message);
      expect(errors[0]).toMatchObject({ pointer: `/${effect}/body` });
    }
    const project = newProject();
    await addRule(mock, project, { operation: "getCart", raw: { status: 500, body: body(65_536) } });
    await addRule(mock, project, { operation: "getCart", raw: { status: 500, body: "x".repeat(70_000) } });
  });

  test("returns a small 400 for a rule whose body has 130,000 errors", async () => {
    const rule = {
      operation: "getCart",
      respond: { status: 200, body: { lineItems: Array(130_000).fill(1) } },
    } as Rule;
    const reply = await add(newProject(), rule);
    expect(expectProblem(reply, 400, "InvalidField")).toHaveLength(20);
    expect(JSON.stringify(reply.body).length).toBeLessThan(10_000);
  });

  test("returns 400 for more than 100 headers", async () => {
    const headers = Object.fromEntries(Array.from({ length: 101 }, (_, index) => [`X-${index}`, "a"]));
    const reply = await add(newProject(), { respond: { status: 500, headers } });
    expect(expectProblem(reply, 400, "InvalidField")).toMatchObject([{ pointer: "/respond/headers" }]);
  });

  test("the sequences of a scenario have at most 1,000 steps", async () => {
    const rules = (last: number) =>
      [250, 250, 250, last].map((length) => ({ sequence: Array<object>(length).fill({}) }));
    const project = newProject();
    await activate(mock, project, "long", { rules: rules(250) });
    const reply = await use(project, "longer", [...rules(250), { sequence: [{}] }]);
    const message = "expected at most 1000 steps in all sequences, found 1001";
    expect(expectProblem(reply, 400, "InvalidField", message)).toMatchObject([{ pointer: "/rules" }]);
  });
});

onTransports("the limits of scenarios for all projects", {}, (mock) => {
  test("allows 1,000 rules of all active scenarios", async () => {
    const rules = Array.from({ length: 100 }, () => ({ operation: "getCart", ...respond(500) }));
    for (let index = 0; index < 10; index++) await control(mock, "PUT", `/scenarios/all-${index}`, { rules });
    const message = "rules of active scenarios: expected at most 1000, found 1001";
    expectProblem(await control(mock, "PUT", "/scenarios/conflict"), 409, "LimitReached", message);
  });
});

onTransports("a request in a project with many rules", { inOneProcess: "a reset waits for the request" }, (mock) => {
  const skippedIn = async (project: string) =>
    (await lastDecisions(mock, project)).filter((each) => each.includes(" skipped: "));

  test("lists every effect and 100 skipped rules, and counts the other rules", async () => {
    const project = newProject();
    await addRule(mock, project, respond(500));
    await addRules(mock, project, 500, (index) => ({ when: { query: { q: `${index}` } }, latency: { fixed: 0 } }));
    await addRule(mock, project, { when: { query: { q: "none" } }, settings: { auth: "off" } });
    expect((await mock.resource(project, "?q=7")).status).toBe(500);
    const decisions = await lastDecisions(mock, project);
    expect(await skippedIn(project)).toHaveLength(100);
    expect(decisions[0]).toBe('rule r-502 skipped: query parameter q is "7", expected "none"');
    expect(decisions).toEqual(
      expect.arrayContaining(["rule r-1 responded with 500", "and 400 more rules had no effect"]),
    );
  });

  test("lists rules of the operation rather than those of other operations", async () => {
    const project = newProject();
    await addRule(mock, project, { when: { query: { q: "a" } }, ...respond(500) });
    await addRules(mock, project, 150, () => ({ operation: "getCart", ...respond(500) }));
    expect((await mock.resource(project, "?q=b")).status).toBe(200);
    expect(await skippedIn(project)).toEqual(['rule r-1 skipped: query parameter q is "b", expected "a"']);
    expect(await lastDecisions(mock, project)).toContain("and 150 more rules had no effect");
  });

  test("keeps decisions short, however large the rule is", async () => {
    const project = newProject();
    const name = "n".repeat(100_000);
    await addRule(mock, project, { operation: "createResource", when: { body: { [name]: 1 } }, ...respond(500) });
    await mock.resource(project, "", json("POST", { objectTypeProperty: {}, [name]: 2 }));
    const [decision = ""] = await skippedIn(project);
    expect(decision).toMatch(/^rule r-1 skipped: body member n+… is 2, expected 1$/);
    expect(decision.length).toBeLessThanOrEqual(1001);
  });
});

describe("scenario files", () => {
  /** Returns the problems of a folder with these files. */
  async function problemsOf(files: Record<string, unknown>): Promise<readonly FileProblem[]> {
    const error = await readFiles({ scenarios: folderOf(files) }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FilesError);
    return (error as FilesError).problems;
  }

  test("are rejected at the start if there are more than 1,000", async () => {
    const rules = [respond(500)];
    const files = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`s${index}.json`, { rules }]));
    const message = expect.stringContaining("expected at most 1000 scenarios, found ");
    expect(await problemsOf(files)).toMatchObject([{ pointer: "", message }]);
  });

  test("are rejected at the start if their rules use more than 16 MiB", async () => {
    const rules = [large(9 * KiB * KiB), large(9 * KiB * KiB)];
    expect(await problemsOf({ "large.json": { description: "Large.", rules } })).toEqual([
      {
        file: expect.stringMatching(/large\.json$/),
        pointer: "/rules",
        message: expect.stringContaining("expected at most 16777216 bytes in memory, found "),
      },
    ]);
  });
});
