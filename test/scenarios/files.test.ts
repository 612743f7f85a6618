import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { scenarioFileSchema, scenarioTable } from "../../scripts/scenarios.ts";
import { createResourceMock } from "../../src/index.ts";
import { readFiles } from "../../src/library/mock.ts";
import { FilesError, problemLine } from "../../src/state/fixtures/files-error.ts";
import { commandHere } from "../setup/command.ts";
import { folderOf, writeInto } from "../setup/folder.ts";
import { json } from "../setup/mock.ts";
import { serving } from "../setup/serving.ts";

const scenario = (...rules: object[]) => ({ description: "Mine.", rules });
const ok = scenario({ respond: { status: 500 } });

/** An invalid scenario file and the expected problem: pointer and reason. */
const broken: [name: string, content: unknown, problem: string][] = [
  ["no JSON", "{", "expected JSON: "],
  ["no description", { rules: ok.rules }, "/description: is required, found nothing"],
  ["no rules", { description: "Mine.", rules: [] }, "/rules: "],
  ["a misspelt key", { ...ok, rule: [] }, '/rule: unknown member. Did you mean "rules"?'],
  ["a misspelt key in a rule", scenario({ responds: { status: 500 } }), 'Did you mean "respond"?'],
  [
    "an unknown operation",
    scenario({ operation: "updateRessource", respond: { status: 409 } }),
    'found "updateRessource". Did you mean "updateResource"?',
  ],
  [
    "an operation inside when",
    scenario({ when: { operation: "getCart" }, respond: { status: 500 } }),
    "/rules/0/when/operation: is not allowed here. Set the operation in the rule itself, beside `when`.",
  ],
  [
    "a member that only responses have",
    scenario({ when: { status: 409 }, respond: { status: 500 } }),
    "/rules/0/when/status: unknown member. Known: method, path, query, headers, cookies, body.",
  ],
  [
    "a status that the operation does not declare",
    scenario({ operation: "getCart", respond: { status: 409 } }),
    "/rules/0/respond/status: expected a status of the operation (200, 400, 401, 403, 404, 429, 500, 503, 507), found 409",
  ],
  [
    "a body that violates the contract",
    scenario({ operation: "getCart", respond: { status: 200, body: { sum: { centAmount: "12" } } } }),
    '/rules/0/respond/body/sum/centAmount: expected integer, found "12"',
  ],
  [
    "a body that violates the contract of one of the operations",
    scenario({ respond: { status: 201, body: { version: 1 } } }),
    "/rules/0/respond/body/objectTypeProperty: is required",
  ],
  [
    "a body for a response without one",
    scenario({ operation: "checkResourceExists", respond: { status: 404, body: {} } }),
    "/rules/0/respond/body: expected no body, as this response has none",
  ],
  [
    "an unknown fixture",
    scenario({ operation: "getCart", respond: { status: 200, fixture: "gitf" } }),
    "/rules/0/respond/fixture: fixture 200.gitf.json not found. Known variants: empty, gift, large",
  ],
  [
    "a body and a fixture",
    scenario({ operation: "getCart", respond: { status: 200, fixture: "gift", body: {} } }),
    "/rules/0/respond/body: expected body or fixture, found both",
  ],
  ["no effect", scenario({ operation: "getCart", times: 1 }), "/rules/0: expected at least one effect"],
  [
    "effects beside a sequence",
    scenario({ latency: { fixed: 1 }, sequence: [{ respond: { status: 500 } }] }),
    "/rules/0/sequence: expected all effects inside sequence, found effects beside it",
  ],
  [
    "a response and a fault",
    scenario({ respond: { status: 500 }, fault: "EMPTY_RESPONSE" }),
    "/rules/0/fault: expected fault or respond, found both",
  ],
  [
    "a conflict for an operation without a version",
    scenario({ operation: "getCart", conflict: true }),
    "/rules/0/conflict: expected the operation updateResource or deleteResource, found getCart",
  ],
  ["a setting that a rule cannot override", scenario({ settings: { journalSize: 1 } }), "/journalSize: "],
];

describe("an invalid scenario file", () => {
  test.each(broken)("%s", async (_name, content, problem) => {
    const folder = folderOf({ "mine.json": content });
    const error = await readFiles({ scenarios: folder }).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(FilesError);
    const lines = (error as FilesError).problems.map(problemLine);
    expect(lines[0]?.startsWith(`${folder}/mine.json: `)).toBe(true);
    expect(lines.join("\n")).toContain(problem);
  });

  test("rejects file names that are invalid in paths and headers", async () => {
    const error = await readFiles({ scenarios: folderOf({ "my own.json": ok }) }).catch((thrown: unknown) => thrown);
    expect(String(error)).toContain("my own.json: expected a file name of up to 100 letters, digits, _ and -");
  });

  test.each([
    ["mine.JSON", "mine.JSON: expected a JSON file with the extension .json"],
    ["mine.yaml", "mine.yaml: expected a JSON file with the extension .json"],
    ["below/mine.json", "below: expected a scenario file, found a folder"],
  ])("reports %s, which is no scenario", async (path, problem) => {
    const folder = folderOf({ [path]: ok });
    const { code, stderr } = await commandHere(["check", "--scenarios", folder]);
    expect([code, stderr]).toEqual([2, `${folder}/${problem}\n1 problem\n`]);
  });

  test("stops the server with one line and exit code 2, and check reports it", async () => {
    const folder = folderOf({
      "one.json": scenario({ operation: "updateRessource", respond: { status: 409 } }),
      "two.json": scenario({ respond: { status: 418 } }, { respond: { status: 419 } }),
      "good.json": ok,
    });
    const served = await commandHere(["--port", "0", "--scenarios", folder]);
    expect([served.code, served.stdout]).toEqual([2, ""]);
    expect(served.stderr).toMatch(/^resource-mock: \S+\/one\.json: \/rules\/0\/operation: .*\(and 2 more; /);
    expect(served.stderr.trimEnd().split("\n")).toHaveLength(1);
    const checked = await commandHere(["check"], { RESOURCE_MOCK_SCENARIOS: folder });
    expect([checked.code, checked.stdout]).toEqual([2, ""]);
    expect(checked.stderr.trimEnd().split("\n")).toHaveLength(4);
    expect(checked.stderr).toMatch(/\/two\.json: \/rules\/1\/respond\/status: .*\n3 problems\n$/);
  });
});

describe("a folder of scenarios", () => {
  test("overrides the bundled scenarios, file by file", async () => {
    const folder = folderOf({ "conflict.json": ok, "mine.json": ok, "notes.txt": "not one", ".hidden.json": "{" });
    const { scenarios } = await readFiles({ scenarios: folder });
    expect(scenarios.size).toBe((await readFiles()).scenarios.size + 1);
    expect(scenarios.get("conflict")?.description).toBe("Mine.");
  });

  test("can use variants of the user's own fixtures", async () => {
    const fixtures = folderOf({ "getCart/200.mine.json": { cartId: "mine" } });
    const scenarios = folderOf({
      "mine.json": scenario({ operation: "getCart", respond: { status: 200, fixture: "mine" } }),
    });
    await using mock = await createResourceMock({ fixtures, scenarios, scenario: ["mine"] });
    expect(await (await mock.fetch("/p/resource/namespace-action-with-example")).json()).toEqual({ cartId: "mine" });
  });

  test("is reported if it does not exist", async () => {
    const { code, stderr } = await commandHere(["--scenarios", "/does/not/exist"]);
    expect([code, stderr]).toEqual([2, "resource-mock: /does/not/exist: not found\n"]);
  });

  test("with --watch loads changes, also of active scenarios, and keeps the last valid files", {
    tags: ["process"],
  }, async () => {
    const folder = folderOf({ "mine.json": ok });
    const args = ["--watch", "--log", "off", "--scenarios", folder, "--scenario", "mine"];
    const server = await serving({ args });
    const status = async () => (await fetch(`${server.url}/demo/resource`)).status;
    expect(await status()).toBe(500);

    writeInto(folder, "mine.json", scenario({ respond: { status: 418 } }));
    await server.line(/^resource-mock: kept the last valid fixtures and scenarios$/);
    expect(server.output()).toContain("/mine.json: /rules/0/respond/status: expected a status of the operation");
    expect(await status()).toBe(500);

    writeInto(folder, "mine.json", scenario({ respond: { status: 503 } }));
    await server.line(/^resource-mock: fixtures and scenarios reloaded$/);
    expect(await status()).toBe(503);
    expect(await server.stop()).toBe(0);
  });
});

describe("--scenario", () => {
  test("activates scenarios for all projects in the server, the container and the library", {
    tags: ["process"],
  }, async () => {
    const args = ["conflict", "non-authoritative", "empty-head"].flatMap((name) => ["--scenario", name]);
    const server = await serving({ args: [...args, "--log", "off"] });
    for (const project of ["one", "two"]) {
      const url = `${server.url}/${project}/resource`;
      const complex = `${url}/artificially-complex/path/uri-parameter-one=a/b`;
      expect((await fetch(`${url}/x`, json("POST", { version: 1, actions: [] }))).status).toBe(409);
      expect((await fetch(complex, json("POST", {}))).status).toBe(203);
      expect((await fetch(url, { method: "HEAD" })).status).toBe(404);
      expect((await fetch(url)).status).toBe(200);
    }
    expect(await server.stop()).toBe(0);
  });

  test.each([
    [["--scenario", "confict"], '--scenario: scenario "confict" not found. Did you mean "conflict"?'],
    [["--latency", "soon"], "--latency: expected MS, or JSON such as "],
    [["--latency", '{"fixd":1}'], "--latency: "],
  ])("the command line %j leads to exit code 2 and one clear line", async (args, line) => {
    const { code, stderr } = await commandHere(["--port", "0", ...args]);
    expect([code, stderr.startsWith(`resource-mock: ${line}`)]).toEqual([2, true]);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});

describe("generated files", () => {
  test("the schema for editors equals the schema of the server (node scripts/scenarios.ts)", () => {
    const schema = readFileSync(new URL("../../scenarios/scenario.schema.json", import.meta.url), "utf8");
    expect(JSON.parse(schema)).toEqual(JSON.parse(JSON.stringify(scenarioFileSchema())));
  });

  test("the table of scenarios contains each scenario with its description", async () => {
    const { scenarios } = await readFiles();
    const rows = [...scenarios.values()].map(({ name, description }) => `| \`${name}\` | ${description} |`);
    expect(scenarioTable().split("\n").slice(2)).toEqual(rows);
  });
});
