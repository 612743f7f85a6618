import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { loadCheck } from "../../src/contract/validator.ts";
import { Report } from "../../src/tools/compare/comparison-report.ts";
import { junitProblems } from "../reports/validate-junit.ts";
import { commandHere } from "../setup/command.ts";
import { inProject } from "../setup/control.ts";
import { folderOf } from "../setup/folder.ts";
import { type MockUnderTest, newProject, useMock } from "../setup/mock.ts";
import { bin } from "../setup/run.ts";
import { tokenFor } from "../setup/tokens.ts";

/** Runs the command against a mock. */
function run(mock: MockUnderTest, project: string, ...flags: string[]) {
  return commandHere(["compare", "--upstream", mock.httpsUrl ?? mock.url ?? "", "--project", project, ...flags]);
}

async function idsIn(mock: MockUnderTest, project: string): Promise<string[]> {
  const { body } = await inProject<{ resources: { id: string }[] }>(mock, project, "GET", "/resources?limit=500");
  return body.resources.map(({ id }) => id);
}

/** Returns the checks that did not pass, without those that need credentials. */
function notPassed({ checks }: Report): string[] {
  const others = checks.filter(({ outcome, why }) => outcome !== "pass" && !/--(token|client)/.test(why));
  return others.map(({ name, outcome, why }) => `${outcome} ${name}: ${why}`);
}

function readReport(file: string): Report {
  return JSON.parse(readFileSync(file, "utf8")) as Report;
}

const respond = (operation: string, status: number) => ({ operation, respond: { status } });

describe("resource-mock compare", () => {
  const mock = useMock("over a socket");

  test("passes against the mock, twice in one project, writes both reports, and deletes its resources", {
    tags: ["slow"],
  }, async () => {
    const project = newProject();
    const before = await idsIn(mock, project);
    const folder = folderOf({});
    const [json, junit] = [join(folder, "report.json"), join(folder, "report.xml")];
    for (let time = 0; time < 2; time++) {
      const { code, stdout, stderr } = await run(mock, project, "--report", json, "--junit", junit);
      expect([code, stderr]).toEqual([0, ""]);
      expect(stdout).toMatch(/^operation +pass +fail +differs +skipped\n(?:\w.*\n)+total +\d+ +0 +0 +\d+\n/);
      // The reason is that of the first skipped check, and the list of its names is short.
      expect(stdout).toMatch(
        /\nskipped {2}needs --token or --client\n(?: {2}\w+: .*\n){10} {2}… and \d+ more; --log prints all\n/,
      );
      expect(stdout).not.toContain("which did not pass");
    }
    const report = readReport(json);
    expect((await loadCheck(Report))(report)).toEqual([]);
    expect(report).toMatchObject({ upstream: mock.url, project, summary: { fail: 0, differs: 0 } });
    expect(notPassed(report)).toEqual([]);
    expect(report.summary.pass).toBeGreaterThan(110);
    const xml = readFileSync(junit, "utf8");
    expect(await junitProblems(xml)).toEqual([]);
    expect(xml).toContain(`tests="${report.checks.length}" failures="0"`);
    expect(await idsIn(mock, project)).toEqual(before);
  });

  test("exits with 1 if a check fails, and prints what was expected and seen", async () => {
    const project = newProject();
    await inProject(mock, project, "POST", "/rules", respond("getCart", 404));
    const junit = join(folderOf({}), "report.xml");
    const { code, stdout } = await run(mock, project, "--only", "getCart", "--junit", junit);
    expect(code).toBe(1);
    expect(stdout).toContain(`
fail  getCart: a valid request succeeds (contract)
  expected  A valid request returns a status from 200 to 299.
  seen      GET /${project}/resource/namespace-action-with-example returned 404`);
    const xml = readFileSync(junit, "utf8");
    expect(await junitProblems(xml)).toEqual([]);
    expect(xml).toContain('failures="1"');
  });

  test("exits with 1 if an assumption differs, and with 0 if --allow names it", async () => {
    const project = newProject();
    await inProject(mock, project, "POST", "/rules", respond("runComplexOperation", 201));
    const flags = ["--only", "runComplexOperation", "--junit", join(folderOf({}), "report.xml")];
    const { code, stdout } = await run(mock, project, ...flags);
    expect(code).toBe(1);
    expect(stdout).toContain("\ndiffers  runComplexOperation: the status is 200 (assumption complex-status)\n");
    expect((await run(mock, project, "--allow", "location,paging", ...flags)).code).toBe(1);
    const allowed = await run(mock, project, "--allow", "location,complex-status", ...flags);
    expect(allowed.code).toBe(0);
    expect(allowed.stdout).toContain("the status is 200 (assumption complex-status, allowed)\n");
  });

  test("with --read-only, sends only GET and HEAD, and checks the reads", async () => {
    const project = newProject();
    const { code, stdout } = await run(mock, project, "--read-only");
    expect(code).toBe(0);
    const { body } = await inProject<{ requests: { request: { method: string } }[] }>(
      mock,
      project,
      "GET",
      "/requests?limit=1000",
    );
    const methods = new Set(body.requests.map(({ request }) => request.method));
    expect([...methods].sort()).toEqual(["GET", "HEAD"]);
    expect(stdout).toMatch(/^getResourceById +[1-9]/m);
    expect(stdout).toMatch(/^createResource +0 +0 +0 +[1-9]/m);
  });

  test("with --log, prints one line for each check", async () => {
    const { stdout } = await run(mock, newProject(), "--only", "getCart", "--log");
    const lines = stdout.split("\n").filter((line) => /^(pass|skipped) +(getCart|every operation): /.test(line));
    expect(lines).toHaveLength(10);
    expect(lines).toContain("pass     getCart: a valid request succeeds");
    expect(stdout).toMatch(/^skipped {2}getCart: a missing token is 401 {2}\(needs --token or --client\)$/m);
  });

  test("reads environment variables", async () => {
    const environment = {
      RESOURCE_MOCK_UPSTREAM: mock.url,
      RESOURCE_MOCK_PROJECT: newProject(),
      RESOURCE_MOCK_COMPARE_ONLY: "getCart,searchResources",
      RESOURCE_MOCK_COMPARE_JOBS: "1",
      RESOURCE_MOCK_COMPARE_TIMEOUT: "9s",
      RESOURCE_MOCK_COMPARE_LOG: "true",
    };
    const { code, stdout, stderr } = await commandHere(["compare"], environment);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("pass     searchResources: a valid request succeeds");
  });

  test.each([
    ["SIGINT", 130],
    ["SIGTERM", 143],
    ["SIGHUP", 129],
  ] as const)(
    "after %s, deletes its resources and writes the report",
    { tags: ["process", "slow"] },
    async (signal, code) => {
      const project = newProject();
      const before = await idsIn(mock, project);
      // The requests of the run wait, so that it is still in progress when the signal arrives.
      await inProject(mock, project, "PATCH", "/settings", { latency: { fixed: 20 } });
      const file = join(folderOf({}), "report.json");
      const flags = ["--upstream", mock.url ?? "", "--project", project, "--report", file];
      const child = spawn(process.execPath, [bin, "compare", ...flags]);
      const [stdout, stderr, exited] = [text(child.stdout), text(child.stderr), once(child, "exit")];
      const arrived = await inProject(
        mock,
        project,
        "GET",
        "/requests/wait?operation=createResource&count=3&timeout=30000",
      );
      expect(arrived.status).toBe(200);
      expect(await idsIn(mock, project)).not.toEqual(before);

      child.kill(signal);

      expect(await exited).toEqual([code, null]);
      expect(await stderr).toContain("stopping; deleting the created resources");
      expect(await stderr).not.toContain("could not delete");
      expect(await stdout).toContain("skipped  interrupted");
      expect(readReport(file).checks.some(({ why }) => why === "interrupted")).toBe(true);
      expect(await idsIn(mock, project)).toEqual(before);
    },
  );
});

describe("a mock with strict authorization", () => {
  const mock = useMock("over a socket", { settings: { auth: "strict" } });

  test("compare passes with --token, and skips the checks of scopes", async () => {
    const token = await tokenFor(mock);
    const file = join(folderOf({}), "report.json");
    const { code } = await run(mock, newProject(), "--token", token, "--only", "createResource", "--report", file);
    expect(code).toBe(0);
    expect(notPassed(readReport(file))).toEqual([]);
    expect(readReport(file).checks).toContainEqual(
      expect.objectContaining({ name: "createResource: a missing token is 401", outcome: "pass" }),
    );
  });

  test("passes with --client and --token-url", async () => {
    const flags = ["--client", "ci:secret", "--token-url", `${mock.url}/oauth/token`, "--only", "createResource"];
    const { code, stdout } = await run(mock, newProject(), ...flags);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^total +\d+ +0 +0 +0$/m)]);
  });
});

describe("a mock over HTTPS", () => {
  const mock = useMock("over HTTPS");

  test("passes with --upstream-ca", async () => {
    const ca = join(folderOf({ "ca.pem": mock.ca }), "ca.pem");
    const { code, stderr, stdout } = await run(mock, newProject(), "--upstream-ca", ca, "--only", "getCart");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^total +\d+ +0 +0 +\d+$/m);
  });

  test("a mock over HTTPS is unreachable without its CA", async () => {
    const { code, stderr } = await run(mock, newProject());
    expect(code).toBe(2);
    expect(stderr).toMatch(
      /^resource-mock: --upstream: https:\S+ is unreachable: .*; --upstream-ca FILE trusts another authority\n$/,
    );
  });
});

describe("the flags of compare", () => {
  const needed = ["--upstream", "http://127.0.0.1:1", "--project", "demo"];

  test.each<[string[], string]>([
    [[], "--upstream: expected the URL of the service, found nothing"],
    [["--upstream", "http://127.0.0.1:1"], "--project: expected a project key, found nothing"],
    [
      ["--upstream", "ftp://a.test"],
      '--upstream: expected an http or https URL without a query, such as https://api.example.com, found "ftp://a.test"',
    ],
    [
      ["--upstream", "http://me:s3cret@a.test"],
      "--upstream: expected a URL without credentials, found one with credentials; use --token or --client",
    ],
    [
      ["--upstream", "http://a.test/?key=1"],
      '--upstream: expected an http or https URL without a query, such as https://api.example.com, found "http://a',
    ],
    [
      [...needed, "--only", "getCrat"],
      '--only: expected the id of an operation, found "getCrat". Did you mean "getCart"?',
    ],
    [
      [...needed, "--allow", "paging,lokation"],
      '--allow: expected the name of an assumption, found "lokation". Did you mean "location"?',
    ],
    [[...needed, "--allow", "all"], '--allow: expected the name of an assumption, found "all". Known: location,'],
    [[...needed, "--client", "a:b"], "--client: expected together with --token-url, found alone"],
    [
      [...needed, "--client", "a:b", "--token-url", "http://a.test", "--token", "t"],
      "--token: expected without --client, found both",
    ],
    [[...needed, "--client", "secret"], "--client: expected ID:SECRET, found no colon"],
    [[...needed, "--jobs", "0"], '--jobs: expected a whole number from 1 to 64, found "0"'],
    [[...needed, "--upstream-ca", "nowhere.pem"], "--upstream-ca: expected a PEM file, found ENOENT"],
    [[...needed, "--junit", "src"], "src: expected a file, found a folder"],
  ])("the flags %j lead to exit code 2 and one line", async (flags, message) => {
    const { code, stdout, stderr } = await commandHere(["compare", ...flags]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(`resource-mock: ${message}`);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });
});
