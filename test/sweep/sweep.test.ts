// @module-tag slow
// @module-tag process
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { read } from "../../scripts/docs.ts";
import { findProblems } from "../../src/contract/validator.ts";
import { reportFiles } from "../../src/tools/sweep/sweep-folder.ts";
import { SweepReport } from "../../src/tools/sweep/sweep-report.ts";
import { commandHere } from "../setup/command.ts";
import { folderOf, writeInto } from "../setup/folder.ts";
import { shellExamples } from "../setup/markdown.ts";
import { bin, repository } from "../setup/run.ts";
import { until } from "../setup/until.ts";
import { scriptOf, stateOf } from "./scripts.ts";

/** Runs a sweep of a script in a folder of its own. */
async function sweepOf(code: string, flags: readonly string[] = [], environment = {}) {
  const folder = folderOf({ "test.cjs": scriptOf(code) });
  const ended = await commandHere(["sweep", ...flags, "--", "node", "test.cjs"], environment, folder);
  return { folder, ...ended, report: reportIn(folder) };
}

/**
 * Runs a sweep of a script, as the function above, without the base runs, which take most of the time: the sweep continues
 * from a state in which the command calls these operations.
 */
async function sweepFromBase(operations: readonly string[], code: string, flags: readonly string[], environment = {}) {
  const folder = folderOf({ "test.cjs": scriptOf(code), ...stateOf(["node", "test.cjs"], operations) });
  const ended = await commandHere(["sweep", "--resume", ...flags, "--", "node", "test.cjs"], environment, folder);
  return { folder, ...ended, report: reportIn(folder) };
}

function reportIn(folder: string, out = "resource-mock-sweep"): SweepReport | undefined {
  const file = join(folder, out, "sweep.json");
  return existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
}

/** Returns whether a server accepts connections at the URL. */
function isReachable(url: string): Promise<boolean> {
  return fetch(url).then(
    () => true,
    () => false,
  );
}

/** Returns whether the process has ended. */
function hasEnded(pid: number): boolean {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
}

/** Returns the outcomes by failure. */
function outcomes(report: SweepReport | undefined): Record<string, string> {
  return Object.fromEntries(report?.runs.map(({ failure, outcome }) => [failure, outcome]) ?? []);
}

describe("a sweep", () => {
  test("finds the failures that a script with curl does not survive, and writes their output", async () => {
    const folder = folderOf({
      // In one stream, as the order of texts in two pipes depends on the machine.
      "test.sh": `exec 2>&1
curl -fsS "$RESOURCE_MOCK_URL/shop/resource/namespace-action-with-example" -o /dev/null
status=$?
echo "the summary of a run" >> "$GITHUB_STEP_SUMMARY"
[ $status = 0 ] || printf '50 %%\\r\\033[31mthe script failed with %s\\033[0m\\n' $status
exit $status`,
    });
    const summary = join(folder, "summary.md");
    const args = ["sweep", "--failures", "503,slow", "--jobs", "2", "--", "bash", "test.sh"];
    const { code, stdout, stderr } = await commandHere(args, { GITHUB_STEP_SUMMARY: summary }, folder);

    expect([code, stderr]).toEqual([0, ""]);
    const report = reportIn(folder);
    expect(outcomes(report)).toEqual({ "503-once": "failed", "slow-once": "survived" });
    expect(await findProblems(SweepReport, report)).toEqual([]);
    const output = report?.runs[0]?.output ?? "";
    expect(output).toBe("runs/getCart.503-once.txt");
    const text = readFileSync(join(folder, "resource-mock-sweep", output), "utf8");
    expect(text).toContain("the script failed with 22\u001b[0m\n");
    expect(stdout).toMatch(/getCart 503-once: failed after .*\n {4}curl: .*503\n {4}the script failed with 22\n/);
    expect(readFileSync(summary, "utf8")).not.toContain("the summary of a run");
  });

  test("runs the script of the recipe, whose curl retries after a status, but not after a broken connection", async () => {
    const [[, script = ""] = []] = shellExamples(read("recipes/sweep.md"));
    const folder = folderOf({ "test.sh": script });
    const contract = ["--contract", `${repository}examples/petstore/petstore.yaml`];
    await commandHere(["sweep", ...contract, "--failures", "429,reset", "--", "bash", "test.sh"], {}, folder);
    expect(outcomes(reportIn(folder))).toEqual({ "429-once": "survived", "reset-once": "failed" });
  });

  test("the first request of all projects and processes gets the failure, and no other", async () => {
    const { report, stdout } = await sweepFromBase(
      ["getCart"],
      `
      const { startResourceMock } = await import(${JSON.stringify(`${repository}src/index.ts`)});
      const mock = await startResourceMock();
      const cart = "/resource/namespace-action-with-example";
      const statuses = await Promise.all([
        ...["a", "b", "a"].map((project) => call("/" + project + cart)),
        ...["a", "b", "c"].map((project) => mock.fetch("/" + project + cart).then(({ status }) => status)),
      ]);
      await call("/__admin/reset", { method: "POST" });
      await call("/__admin/projects/a", { method: "DELETE" });
      statuses.push(await call("/a" + cart));
      await mock.close();
      console.log(statuses.filter((status) => status !== 200).join());
      process.exit(statuses.every((status) => status === 200) ? 0 : 1);`,
      ["--failures", "503"],
    );
    expect(report?.runs).toMatchObject([{ operation: "getCart", failure: "503-once", outcome: "failed" }]);
    expect(stdout).toContain("\n    503\n");
  });

  test("applies each failure once, and the client can repeat the request", async () => {
    const { report, stdout } = await sweepFromBase(
      ["updateResource"],
      `
      const statuses = [await call("/shop/resource/shirt", update)];
      if (statuses[0] !== 200) {
        const { version } = await (await fetch(url + "/shop/resource/shirt")).json();
        statuses.push(await call("/shop/resource/shirt", { ...update, body: update.body.replace("1", version) }));
      }
      console.log(statuses.join());
      process.exit(statuses[0] === 200 ? 0 : 1);`,
      ["--failures", "503,429,reset,truncated,401,conflict", "--only", "updateResource", "--jobs", "2"],
    );
    expect(new Set(report?.runs.map(({ outcome }) => outcome))).toEqual(new Set(["failed"]));
    expect(stdout.match(/(?<=^ {4}).*/gm)).toEqual(["503,200", "429,200", "0,200", "0,200", "401,200", "409,200"]);
  });

  test("finds a client that repeats a request whose effect took place", async () => {
    const { report, stdout } = await sweepFromBase(
      ["createResource"],
      `
      const create = { ...update, body: '{"objectTypeProperty":{}}' };
      let status = await call("/shop/resource", create);
      if (status !== 201) status = await call("/shop/resource", create);
      // Another project, and another body.
      await call("/other/resource", create);
      await call("/shop/resource", { ...create, body: '{"objectTypeProperty":{"arrayOfIntExample":[1]}}' });
      process.exit(status === 201 ? 0 : 1);`,
      ["--failures", "503,reset,truncated"],
    );
    expect(outcomes(report)).toEqual({
      "503-once": "survived",
      "reset-once": "survived",
      "truncated-once": "wrote-twice",
    });
    expect(stdout).toContain("createResource truncated-once: survived, but wrote twice after");
  });

  test("equal requests that the tests send without a failure too are no double write", async () => {
    const create = `{ ...update, body: '{"objectTypeProperty":{}}' }`;
    const code = `for (const project of ["a", "b", "a"]) await call("/" + project + "/resource", ${create});`;
    const { report } = await sweepOf(code, ["--failures", "truncated"]);
    expect(outcomes(report)).toEqual({ "truncated-once": "survived" });
  });

  test("the failure comes after the scenarios and rules of a test, and misses a run whose requests all have them", async () => {
    const { report } = await sweepFromBase(
      ["getCart"],
      `
      await call("/__admin/projects/shop/rules", { method: "POST", headers: { "Content-Type": "application/json" }, body: '{"respond":{"status":500}}' });
      process.exit((await call(cart)) === 500 ? 0 : 1);`,
      ["--failures", "503-once,slow-once"],
    );
    expect(outcomes(report)).toEqual({ "503-once": "not-reached", "slow-once": "survived" });
    expect(report?.summary).toMatchObject({ notReached: 1, percent: 100 });
  });

  test("does not wait for a background process that left the group and keeps the output open", async () => {
    const { folder, report } = await sweepFromBase(
      ["getCart"],
      `
      if (process.argv[2]) { writeFileSync("daemon.pid", String(process.pid)); await forever(); }
      if ((await call(cart)) === 200) return;
      require("node:child_process").spawn("node", ["test.cjs", "daemon"], { stdio: "inherit", detached: true }).unref();
      while (!existsSync("daemon.pid")) await new Promise(setImmediate);
      process.exit(1);`,
      ["--failures", "503"],
    );
    expect(outcomes(report)).toEqual({ "503-once": "failed" });
    process.kill(Number(readFileSync(join(folder, "daemon.pid"), "utf8")), "SIGKILL");
  });

  test("ends all processes of a run that takes too long", async () => {
    const { folder, report } = await sweepFromBase(
      ["getCart"],
      `
      if (process.argv[2]) { writeFileSync("child.pid", String(process.pid)); process.on("SIGTERM", () => {}); await forever(); }
      if ((await call(cart)) === 200) return;
      console.log("the run hangs");
      require("node:child_process").spawn("node", ["test.cjs", "child"], { stdio: "inherit" });
      await forever();`,
      ["--failures", "503", "--timeout", "5s"],
    );
    expect(outcomes(report)).toEqual({ "503-once": "timed-out" });
    expect(readFileSync(join(folder, "resource-mock-sweep/runs/getCart.503-once.txt"), "utf8")).toBe("the run hangs\n");
    const pid = Number(readFileSync(join(folder, "child.pid"), "utf8"));
    await until(() => hasEnded(pid));
  });

  test("runs as many commands at the same time as --jobs allows, and reports them in a stable order", async () => {
    const { report } = await sweepFromBase(
      ["getCart"],
      `
      if ((await call(cart)) === 200) return;
      writeFileSync("started-" + process.pid, "");
      // Ends only if the other run has started too.
      while (readdirSync(".").filter((name) => name.startsWith("started-")).length < 2) await new Promise(setImmediate);`,
      ["--failures", "429,503", "--jobs", "2"],
    );
    expect(report?.runs.map(({ failure, outcome }) => [failure, outcome])).toEqual([
      ["503-once", "survived"],
      ["429-once", "survived"],
    ]);
  });

  test("--dry-run prints the plan without a run, and writes no file", async () => {
    const { code, stdout, folder } = await sweepFromBase(
      ["getCart", "checkResourceExists"],
      `writeFileSync("ran", "");`,
      [...["--dry-run", "--failures", "503,truncated,conflict"]],
    );
    expect([code, stdout]).toEqual([
      0,
      "checkResourceExists 503-once\ngetCart 503-once\ngetCart truncated-once\n3 runs planned\n",
    ]);
    expect([existsSync(join(folder, "ran")), readdirSync(join(folder, "resource-mock-sweep"))]).toEqual([
      false,
      ["state.json"],
    ]);
  });

  test("--in-process starts no server: the mocks of the tests apply the failure", async () => {
    const { code, report, stdout } = await sweepFromBase(
      ["getCart"],
      `
      const { startResourceMock } = await import(${JSON.stringify(`${repository}src/index.ts`)});
      const mock = await startResourceMock();
      const shop = mock.project("shop");
      shop.handle("getCart", () => undefined);
      const read = async () => (await fetch(mock.url + cart)).status;
      const statuses = [await read(), await read()];
      await mock.close();
      console.log(url, statuses.join());
      process.exit(statuses[0] === 200 ? 0 : 1);`,
      ["--in-process", "--failures", "503"],
      { RESOURCE_MOCK_URL: "http://localhost:1" },
    );
    expect([code, outcomes(report)]).toEqual([0, { "503-once": "failed" }]);
    expect(stdout).toContain("\n    undefined 503,200\n");
  });

  test("configures its servers with the variables of resource-mock serve", async () => {
    const { code, report } = await sweepFromBase(
      ["getResourceById"],
      `const status = await call("/shop/resource/nobody"); process.exit([404, 503].includes(status) ? 0 : 1);`,
      ["--failures", "503"],
      { RESOURCE_MOCK_UNKNOWN_IDS: "not-found", RESOURCE_MOCK_PORT: "1", RESOURCE_MOCK_HTTPS_PORT: "2" },
    );
    expect([code, outcomes(report)]).toEqual([0, { "503-once": "survived" }]);
  });
});

test.each<[what: string, environment: (folder: string) => Record<string, string>]>([
  ["keep projects", (folder) => ({ RESOURCE_MOCK_PROJECTS: folder, RESOURCE_MOCK_PROJECTS_READ_ONLY: "true" })],
  [
    "record",
    (folder) => ({
      RESOURCE_MOCK_UPSTREAM: "http://127.0.0.1:1",
      RESOURCE_MOCK_UPSTREAM_MODE: "record",
      RESOURCE_MOCK_RECORD_TO: folder,
    }),
  ],
])(
  "the servers of a sweep start with the variables of a server that can %s, and do not use its folder",
  async (_what, environment) => {
    const folder = join(folderOf({}), "folder");
    const { code, stderr, report } = await sweepFromBase(
      ["getCart"],
      "await call(cart);",
      ["--failures", "503"],
      environment(folder),
    );
    expect([code, stderr, outcomes(report)]).toEqual([0, "", { "503-once": "survived" }]);
    expect(existsSync(folder)).toBe(false);
  },
);

describe("a base run", () => {
  test.each<[what: string, code: string, message: string, flags?: string[]]>([
    [
      "fails",
      `console.log("why it fails"); process.exit(3);`,
      "resource-mock: base run: expected exit code 0, found exit code 3. Without failures, the command must succeed. Its output:\nwhy it fails\n",
      ["--in-process"],
    ],
    [
      "fails only the second time",
      `if (existsSync("ran")) { console.log("ran before"); process.exit(1); } writeFileSync("ran", "");`,
      "resource-mock: flaky base run: expected two runs with the same result, found exit code 0 and exit code 1. Without failures, the result of the command must always be the same. Its output:\nran before\n",
      ["--in-process"],
    ],
    [
      "calls other operations the second time",
      `await call(existsSync("ran") ? "/shop/resource" : cart); writeFileSync("ran", "");`,
      "resource-mock: flaky base run: expected two runs that call the same operations, found a difference: getCart, queryResources. ",
    ],
    [
      "calls no operation",
      "",
      "resource-mock: base run: expected requests to the mock at RESOURCE_MOCK_URL, found none. ",
    ],
  ])("that %s ends the sweep with exit code 2", async (_what, code, message, flags) => {
    const ended = await sweepOf(code, flags);
    expect([ended.code, ended.stdout, ended.report]).toEqual([2, "", undefined]);
    expect(ended.stderr.startsWith(message)).toBe(true);
  });

  test("that takes longer than --max-time ends the sweep with exit code 2", async () => {
    const { code, stderr } = await sweepOf("await forever();", ["--in-process", "--max-time", "1s"]);
    expect([code, stderr]).toEqual([2, "resource-mock: --max-time is over before the base runs ended\n"]);
  });
});

test.each([
  [["sweep"], "sweep: expected a command after --, found none"],
  [["sweep", "--failures", "resett", "--", "true"], "--failures: expected some of 503-once, "],
  [
    ["sweep", "--only", "getCard", "--", "true"],
    '--only: expected operations and failures, found "getCard". Did you mean "getCart"?',
  ],
  [["sweep", "--", "no-such-program"], 'expected a program that can be started, found "no-such-program": not found.'],
  [
    ["sweep", "--", "npm test | cat"],
    'expected a program that can be started, found "npm test | cat": not found. Pass each word of the command on its own. For shell syntax, use sh -c.',
  ],
])("the command line %j prints one line, and exits with code 2", async (args, line) => {
  const { code, stdout, stderr } = await commandHere(args, {}, folderOf({}));
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr.startsWith(`resource-mock: ${line}`)).toBe(true);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
});

describe("an interrupted sweep", () => {
  /** Survives the first failure and hangs in the second one, until the file `go` exists. */
  const code = `
    if ((await call(cart)) !== 429) return;
    writeFileSync("url", url);
    writeFileSync("hangs", String(process.pid));
    if (!existsSync("go")) await forever();`;
  const args = ["sweep", "--failures", "503,429,401", "--", "node", "test.cjs"];

  async function interrupted(signal: NodeJS.Signals, hasBase = true) {
    const folder = folderOf({ "test.cjs": scriptOf(code), ...(hasBase && stateOf(["node", "test.cjs"])) });
    const [name = "", ...rest] = args;
    const all = [bin, name, ...(hasBase ? ["--resume"] : []), ...rest];
    // After SIGKILL, the temporary folder of the run stays.
    const child = spawn(process.execPath, all, { cwd: folder, env: { ...process.env, TMPDIR: folder } });
    let [stdout, stderr] = ["", ""];
    child.stdout.on("data", (chunk) => (stdout += chunk));
    child.stderr.on("data", (chunk) => (stderr += chunk));
    await until(() => existsSync(join(folder, "hangs")) && readFileSync(join(folder, "hangs"), "utf8") !== "");
    child.kill(signal);
    const [exitCode] = await once(child, "close");
    return { folder, code: exitCode, stdout, stderr };
  }

  test.each([
    ["SIGTERM", "terminated", 143],
    ["SIGHUP", "hung up", 129],
  ] as const)("by %s reports the runs that have ended, and ends all processes", async (signal, word, exitCode) => {
    const { folder, code, stdout, stderr } = await interrupted(signal);
    expect(code).toBe(exitCode);
    expect(stderr).toBe(
      `resource-mock: ${word}: 2 runs did not end. Run the same command with --resume to continue.\n`,
    );
    expect(stdout).toContain("getCart    survived  not run   not run\n");
    expect(outcomes(reportIn(folder))).toEqual({ "503-once": "survived" });
    expect(reportIn(folder)?.summary).toMatchObject({
      complete: false,
      notRun: [
        { operation: "getCart", failure: "429-once" },
        { operation: "getCart", failure: "401-once" },
      ],
    });
    const pid = Number(readFileSync(join(folder, "hangs"), "utf8"));
    await until(() => hasEnded(pid));
  });

  test("by SIGKILL continues with --resume, and leaves no server", async () => {
    const { folder } = await interrupted("SIGKILL");
    const url = readFileSync(join(folder, "url"), "utf8");
    while (await isReachable(url));
    process.kill(Number(readFileSync(join(folder, "hangs"), "utf8")), "SIGKILL");
    writeInto(folder, "go", "");
    const { code, stdout } = await commandHere(["sweep", "--resume", ...args.slice(1)], {}, folder);
    expect([code, stdout]).toEqual([0, expect.stringContaining("survived 3 of 3 runs")]);
  });

  test("by SIGINT continues with --resume, without the runs that have ended, and only for the same command", async () => {
    const first = await interrupted("SIGINT", false);
    const { folder } = first;
    expect([first.code, first.stderr]).toEqual([130, expect.stringContaining("interrupted: 2 runs did not end.")]);
    const before = reportIn(folder)?.runs[0];
    const resume = (...flags: string[]) => commandHere(["sweep", "--resume", ...flags], {}, folder);
    const other = await resume("--", "node", "other.cjs");
    expect([other.code, other.stdout, other.stderr]).toEqual([
      2,
      "",
      'resource-mock: --resume: expected the command ["node","other.cjs"] in resource-mock-sweep/state.json, found ["node","test.cjs"]. Run without --resume.\n',
    ]);

    writeInto(folder, "go", "");
    const { code, stderr } = await resume(...args.slice(1));

    expect([code, stderr]).toEqual([0, ""]);
    expect(outcomes(reportIn(folder))).toEqual({
      "503-once": "survived",
      "429-once": "survived",
      "401-once": "survived",
    });
    expect(reportIn(folder)?.runs[0]).toEqual(before);
  });

  const damaged = "expected the state of a sweep in resource-mock-sweep/state.json";
  test.each([
    ["another version", `"version":"${manifest.version}"`, '"version":"0.0.1"', 'found "0.0.1"'],
    ["an invalid run", '"runs":[]', '"runs":[null]', damaged],
    ["a run of an unknown failure", '"runs":[]', '"runs":[{"operation":"getCart","failure":"x"}]', damaged],
    ["no calls", '"seconds":1,', '"seconds":1},"other":{', damaged],
    ["no base", '"base":', '"base":null,"other":', damaged],
    ["an invalid call", '["getCart","shop"]', "{}", damaged],
    ["an invalid count", '"repeated":[]', '"repeated":[1]', damaged],
  ])("does not continue from a state with %s", async (_what, found, replaced, message) => {
    const calls = { operations: [["getCart", "shop"]], tests: [] };
    const state = { version: manifest.version, command: ["true"], base: { seconds: 1, calls, repeated: [] }, runs: [] };
    const folder = folderOf({ "resource-mock-sweep/state.json": JSON.stringify(state).replace(found, replaced) });
    const { code, stderr } = await commandHere(["sweep", "--resume", "--", "true"], {}, folder);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

test.each([
  ["exit code 0", [], 0, ""],
  [
    "exit code 1 with --require",
    ["--require", "0"],
    1,
    "resource-mock: --require: expected at least 0 % survived, found ",
  ],
])("--max-time ends the runs, and reports those that did not end, with %s", async (_what, flags, expected, message) => {
  const folder = folderOf(stateOf(["sleep", "1000"]));
  const all = ["--in-process", "--resume", "--failures", "503", "--max-time", "1s", ...flags];
  const { code, stdout, stderr } = await commandHere(["sweep", ...all, "--", "sleep", "1000"], {}, folder);
  expect([code, stdout]).toEqual([expected, expect.stringContaining("getCart    not run\n")]);
  const [line, next = ""] = stderr.split("\n");
  expect(line).toBe(
    "resource-mock: --max-time is over: 1 run did not end. Run the same command with --resume to continue.",
  );
  expect(next.startsWith(message)).toBe(true);
});

test("a mock with RESOURCE_MOCK_SWEEP outside of a sweep does not start", async () => {
  const { code, stderr } = await commandHere(["--port", "0"], { RESOURCE_MOCK_SWEEP: "/gone" });
  expect([code, stderr]).toEqual([
    2,
    'resource-mock: RESOURCE_MOCK_SWEEP: expected the folder of a running sweep, found "/gone". Unset the variable.\n',
  ]);
});

test("a second sweep with the same --out ends at once, and does not disturb the first one", async () => {
  const code = `writeFileSync("hangs", ""); while (!existsSync("go")) await new Promise(setImmediate); await call(cart);`;
  const folder = folderOf({ "test.cjs": scriptOf(code), ...stateOf(["node", "test.cjs"]) });
  const args = ["sweep", "--resume", "--failures", "503", "--", "node", "test.cjs"];
  const first = spawn(process.execPath, [bin, ...args], { cwd: folder, stdio: "ignore" });
  await until(() => existsSync(join(folder, "hangs")));
  for (const second of [args, args.toSpliced(1, 1)]) {
    expect(await commandHere(second, {}, folder)).toEqual({
      code: 2,
      stdout: "",
      stderr: `resource-mock: resource-mock-sweep: expected a folder that no other process uses, found the process id ${first.pid}. Stop it, or use another folder.\n`,
    });
  }
  writeInto(folder, "go", "");
  expect(await once(first, "exit")).toEqual([0, null]);
  expect(outcomes(reportIn(folder))).toEqual({ "503-once": "survived" });
  expect(readdirSync(join(folder, "resource-mock-sweep")).sort()).toEqual(
    ["state.json", ...Object.values(reportFiles)].sort(),
  );
});

test("a new sweep deletes the outputs of the last one, and no other file", async () => {
  const folder = folderOf({
    "out/runs/getCart.503-once.txt": "old",
    "out/runs/notes.txt": "kept",
    "out/notes.txt": "kept",
    "out/state.json": "old",
    ...Object.fromEntries(Object.values(reportFiles).map((file) => [`out/${file}`, "old"])),
  });
  const { code } = await commandHere(["sweep", "--in-process", "--out", "out", "--", "true"], {}, folder);
  const left = ["out", "out/runs"].map((path) => readdirSync(join(folder, path)).sort());
  expect([code, left]).toEqual([2, [["notes.txt", "runs"], ["notes.txt"]]]);
});
