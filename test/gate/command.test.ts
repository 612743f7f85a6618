import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, onTestFinished, test } from "vitest";
import { type StartedResourceMock, startResourceMock } from "../../src/index.ts";
import { CoverageReport } from "../../src/journal/coverage-report.ts";
import { type Cell, nameOf, type SweepRun, sweepReport } from "../../src/tools/sweep/sweep-report.ts";
import { failureNames } from "../../src/tools/sweep/transient-failures.ts";
import { junitProblems } from "../reports/validate-junit.ts";
import { commandHere } from "../setup/command.ts";
import { folderOf } from "../setup/folder.ts";

const cart = "/resource/namespace-action-with-example";

/** Starts a mock whose project `shop` has received a request to getCart with each of these scenarios. */
async function used(...scenarios: string[]): Promise<StartedResourceMock> {
  const mock = await startResourceMock();
  onTestFinished(mock.close);
  const shop = mock.project("shop");
  await fetch(shop.baseUrl + cart);
  for (const scenario of scenarios) {
    await shop.use(scenario);
    await fetch(shop.baseUrl + cart);
    await shop.scenarios.off(scenario);
  }
  return mock;
}

describe("resource-mock coverage", () => {
  test("prints the failure matrix, at most 100 columns wide, and passes without requirements", async () => {
    const { url } = await used("rate-limited");
    const { code, stdout, stderr } = await commandHere(["coverage", "--url", url]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(
      "2 requests, 1 of 16 operations (6.25 %), 1 of 9 failures tried (11.11 %), 0 contract violations",
    );
    expect(stdout).toMatch(/^getCart +· +· +· +✓ +· +· +· +· +·$/m);
    expect(stdout.split("\n").filter((line) => line.length > 100)).toEqual([]);
  });

  test("fails if a requirement is missed, and names the first missing cells with the line for each", async () => {
    const { url } = await used("rate-limited");
    const { code, stdout } = await commandHere(["coverage", "--url", url, "--require", "operations=80, failures=50"]);
    expect(code).toBe(1);
    expect(stdout).toContain("operations: expected at least 80 %, found 6.25 %. Without requests:\n  queryResources\n");
    expect(stdout).toContain(
      "failures: expected at least 50 %, found 11.11 %. Not tried, with the line of a test for each:",
    );
    expect(stdout).toMatch(/^ {2}getCart {2}401\/403 +await mock\.use\("unauthorized"\)$/m);
    expect(stdout).toMatch(
      /^ {2}getCart {2}404 +await mock\.rule\(\{ operation: "getCart", respond: \{ status: 404 \} \}\)$/m,
    );
  });

  test("fails for a contract violation, and shows it", async () => {
    const mock = await used();
    await fetch(`${mock.project("shop").baseUrl}/resource?floatParameter=x`);
    const { code, stdout } = await commandHere(["coverage", "--url", mock.url, "--require", "violations=0"]);
    expect(code).toBe(1);
    expect(stdout).toContain('1 × queryResources: floatParameter: expected a decimal number, found "x"');
  });

  test("fails for a mock without requests, and says so", async () => {
    await using mock = await startResourceMock();
    const { code, stdout } = await commandHere(["coverage", "--url", mock.url, "--require", "failures=1"]);
    expect(code).toBe(1);
    expect(stdout).toContain("The mock received no requests.");
  });

  test("--project selects one project; an unknown project is an error", async () => {
    const mock = await used("rate-limited");
    await fetch(`${mock.project("other").baseUrl}/resource`);
    const { stdout } = await commandHere(["coverage", "--url", mock.url, "--project", "other"]);
    expect(stdout).toContain("1 request, 1 of 16 operations");
    expect((await commandHere(["coverage", "--url", mock.url])).stdout).toContain("3 requests, 2 of 16 operations");
    const { code, stderr } = await commandHere(["coverage", "--url", mock.url, "--project", "othr"]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('Did you mean "other"?')]);
  });

  test("--merge joins the reports of several processes, also with the coverage of a mock", async () => {
    const folder = folderOf({});
    const paths = ["a", "b"].map((name) => join(folder, `${name}.json`));
    for (const [index, scenario] of ["rate-limited", "server-error"].entries()) {
      const { url } = await used(scenario);
      await commandHere(["coverage", "--url", url, "--report", paths[index] ?? ""]);
    }
    const merged = await commandHere(["coverage", "--merge", ...paths, "--require", "failures=22"]);
    expect(merged).toMatchObject({ code: 0, stderr: "" });
    expect(merged.stdout).toMatch(/^getCart +· +· +· +✓ +✓ +· +· +· +·$/m);
    const { url } = await used("bad-gateway");
    const all = await commandHere(["coverage", "--merge", paths[0] ?? "", "--merge", paths[1] ?? "", "--url", url]);
    expect(all.stdout).toMatch(/^getCart +· +· +· +✓ +✓ +· +· +✓ +·$/m);
  });

  test("--merge expands patterns that the shell does not expand", async () => {
    const { url } = await used("rate-limited");
    const folder = folderOf({});
    for (const name of ["a", "b", "[c]"])
      await commandHere(["coverage", "--url", url, "--report", join(folder, `${name}.json`)]);
    const merged = await commandHere(["coverage", "--merge", join(folder, "?.json"), join(folder, "[c].json")]);
    expect(merged).toMatchObject({ code: 0, stdout: expect.stringContaining("6 requests") });
    const none = await commandHere(["coverage", "--merge", join(folder, "*.xml")]);
    expect(none).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("expected coverage reports, found no file"),
    });
  });

  test("writes reports as JSON, Markdown and JUnit, which follow their schemas", async () => {
    const folder = folderOf({});
    const [json = "", markdown = "", junit = ""] = ["r/c.json", "r/c.md", "r/c.xml"].map((file) => join(folder, file));
    const { url } = await used("rate-limited");
    const files = ["--report", json, "--markdown", markdown, "--junit", junit];
    const { code } = await commandHere(["coverage", "--url", url, "--require", "failures=50,violations=0", ...files]);
    expect(code).toBe(1);
    const report = JSON.parse(readFileSync(json, "utf8"));
    const ajv = new Ajv2020({ strict: false });
    addFormats.default(ajv);
    const published = JSON.parse(readFileSync(new URL("../../schemas/coverage.schema.json", import.meta.url), "utf8"));
    expect([ajv.validate(published, report), ajv.errors]).toEqual([true, null]);
    expect(published).toMatchObject(JSON.parse(JSON.stringify(CoverageReport)));
    expect(report.operations.at(-1)).toMatchObject({ operation: "getCart", used: true, failures: { "429": true } });
    expect(readFileSync(markdown, "utf8")).toContain("| getCart | · | · | · | ✓ | · | · | · | · | · |");
    const xml = readFileSync(junit, "utf8");
    expect(await junitProblems(xml)).toEqual([]);
    expect(xml).toContain('<testsuites name="resource-mock coverage" tests="11" failures="1" errors="0"');
  });

  test("appends the report to the job summary of GitHub Actions", async () => {
    const folder = folderOf({ "summary.md": "# Before\n" });
    const path = join(folder, "summary.md");
    const { url } = await used();
    await commandHere(["coverage", "--url", url], { GITHUB_STEP_SUMMARY: path });
    expect(readFileSync(path, "utf8")).toMatch(/^# Before\n## Tried failures\n.*\| getCart \|/s);
  });

  test.each([
    ["operation=80", 'found "operation". Did you mean "operations"?'],
    ["failures=101", "failures: expected a percentage from 0 to 100, found 101"],
    ["violations=0.5", "violations: expected a whole number of at least 0, found 0.5"],
    ["failures=50%", 'failures: expected a percentage from 0 to 100, found "50%"'],
    ["failures", 'expected NAME=NUMBER, such as operations=80, found "failures"'],
    ["", "expected NAME=NUMBER"],
  ])("rejects the requirement %j with exit code 2", async (require, message) => {
    const { code, stdout, stderr } = await commandHere([
      "coverage",
      "--url",
      "http://localhost:9",
      "--require",
      require,
    ]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toMatch(/^resource-mock: --require: /);
    expect(stderr).toContain(message);
  });

  test.each([
    [[], "--url: expected the address of a mock, --merge FILE or --sweep-report FILE, found none"],
    [["--url", "localhost:8080"], "--url: expected an address such as http://localhost:8080"],
    [["--merge", "missing.json"], "missing.json: expected a coverage report, found ENOENT"],
    [["--merge", "a.json", "--project", "p"], "--project: expected together with --url, found alone"],
    [["file.json"], 'unknown argument "file.json"'],
  ])("rejects the arguments %j with exit code 2", async (args, message) => {
    const { code, stdout, stderr } = await commandHere(["coverage", ...args]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.trim().split("\n")).toEqual([expect.stringContaining(message)]);
  });

  describe("with the report of a sweep", () => {
    const cells = (...outcomes: (SweepRun["outcome"] | undefined)[]) => {
      const plan = outcomes.map(
        (_, index): Cell => ({ operation: "getCart", failure: failureNames[index] ?? "503-once" }),
      );
      const runs = outcomes.flatMap((outcome, index): SweepRun[] => {
        const cell = plan[index];
        return cell && outcome ? [{ ...cell, outcome, seconds: 1, output: null }] : [];
      });
      return [plan, new Map(runs.map((run) => [nameOf(run), run]))] as const;
    };
    const gate = (report: object, require: string, ...more: string[]) => {
      const file = join(folderOf({ "sweep.json": report }), "sweep.json");
      return commandHere(["coverage", "--sweep-report", file, "--require", require, ...more]);
    };
    const options = { command: ["npm", "test"], version: "0.1.0", strict: false };

    test.each([
      ["survived=50", 0],
      ["survived=66.6", 0],
      ["survived=67", 1],
    ])("requires a share of survived failures: %s", async (require, expected) => {
      const report = sweepReport(...cells("survived", "failed", "not-reached", "wrote-twice"), options);
      const { code, stdout, stderr } = await gate(report, require);
      expect([code, stderr]).toEqual([expected, ""]);
      expect(stdout).toContain("\nsweep: survived 2 of 3 runs (66.6 %)");
      expect(stdout).not.toContain("operation");
      const line =
        "survived: expected at least 67 % of all runs, found 66.6 %. Not survived:\n  getCart 429-once: failed\n";
      expect(stdout.includes(line)).toBe(expected === 1);
    });

    test.each([
      [
        "that wrote twice, with --strict",
        sweepReport(...cells("survived", "wrote-twice"), { ...options, strict: true }),
        "found 50 %. Not survived:\n  getCart 429-once: wrote-twice\n",
      ],
      [
        "that did not end",
        sweepReport(...cells("survived", undefined), options),
        "found 100 %. Not survived:\n  getCart 429-once: not-run\n",
      ],
      [
        "that reached no failure",
        sweepReport(...cells("not-reached"), options),
        "found no run that reached its failure.\n",
      ],
    ])("fails for a run %s", async (_name, report, message) => {
      const { code, stdout } = await gate(report, "survived=50.1");
      expect([code, stdout]).toEqual([1, expect.stringContaining(message)]);
    });

    test("the report of a sweep decides together with the coverage of a mock, also in the written reports", async () => {
      const { url } = await used("rate-limited");
      const [junit = "", markdown = ""] = ["c.xml", "c.md"].map((name) => join(folderOf({}), name));
      const report = sweepReport(...cells("failed"), options);
      const files = ["--junit", junit, "--markdown", markdown];
      const { code, stdout } = await gate(report, "survived=100,failures=50", "--url", url, ...files);
      expect(code).toBe(1);
      expect(stdout).toMatch(/^survived: .*^failures: /ms);
      const xml = readFileSync(junit, "utf8");
      expect(await junitProblems(xml)).toEqual([]);
      expect(xml).toMatch(/<testcase name="survived" classname="requirements"[^>]*>\s*<failure/);
      expect(readFileSync(markdown, "utf8")).toMatch(
        /^## Survived failures\n\n0 %\n\n## Tried failures\n.*\n- \*\*survived\*\*: .*getCart 503-once: failed/s,
      );
    });

    test("writes only the share of survived runs into the job summary, without an empty coverage", async () => {
      const folder = folderOf({ "sweep.json": sweepReport(...cells("survived"), options), "summary.md": "" });
      const path = join(folder, "summary.md");
      const { code } = await commandHere(
        ["coverage", "--sweep-report", join(folder, "sweep.json"), "--require", "survived=100"],
        { GITHUB_STEP_SUMMARY: path },
      );
      expect(code).toBe(0);
      expect(readFileSync(path, "utf8").trim()).toBe("## Survived failures\n\n100 %");
    });

    test.each<[args: string[], message: string]>([
      [
        ["--url", "http://localhost:9", "--require", "survived=1"],
        "--require: survived: expected together with --sweep-report, found alone",
      ],
      [
        ["--sweep-report", "FILE", "--require", "violations=0"],
        "--require: violations: expected together with --url or --merge, found alone",
      ],
      [["--sweep-report", "missing.json"], "missing.json: expected the report of a sweep, found ENOENT"],
      [["--sweep-report", "FILE"], "sweep.json: expected the report of a sweep, found /runs: is required"],
    ])("rejects the arguments %j with exit code 2", async (args, message) => {
      const file = join(folderOf({ "sweep.json": {} }), "sweep.json");
      const { code, stdout, stderr } = await commandHere([
        "coverage",
        ...args.map((arg) => (arg === "FILE" ? file : arg)),
      ]);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr.trim().split("\n")).toEqual([expect.stringContaining(message)]);
    });
  });

  test("exits with 2 if the mock cannot be reached, the token is wrong or the server is not a mock", async () => {
    await using mock = await startResourceMock({ adminToken: "right" });
    const wrong = await commandHere(["coverage", "--url", mock.url, "--admin-token", "wrong"]);
    expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining("401")]);
    const { code } = await commandHere(["coverage", "--url", mock.url], { RESOURCE_MOCK_ADMIN_TOKEN: "right" });
    expect(code).toBe(0);
    const stopped = await startResourceMock();
    await stopped.close();
    const unreachable = await commandHere(["coverage", "--url", stopped.url]);
    expect([unreachable.code, unreachable.stderr]).toEqual([2, expect.stringContaining("cannot be reached")]);
    const other = createServer((_request, response) => response.end("<html>")).listen(0, "127.0.0.1");
    onTestFinished(() => void other.close());
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as { port: number };
    const html = await commandHere(["coverage", "--url", `http://127.0.0.1:${port}`]);
    expect([html.code, html.stderr]).toEqual([2, expect.stringContaining("expected a mock, found another response")]);
  });
});
