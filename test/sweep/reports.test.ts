import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { SweepReport, SweepRun } from "../../src/tools/sweep/sweep-report.ts";
import { junitProblems } from "../reports/validate-junit.ts";
import { commandHere } from "../setup/command.ts";
import { folderOf } from "../setup/folder.ts";
import { stateOf } from "./scripts.ts";

const run = (failure: SweepRun["failure"], outcome: SweepRun["outcome"], output: string | null = null): SweepRun => ({
  operation: "getCart",
  failure,
  outcome,
  seconds: 1.25,
  output,
});

/** Resumes a sweep whose runs have all ended, so that it starts no process, and only writes its reports. */
async function reportsOf(runs: readonly SweepRun[], flags: readonly string[] = [], environment = {}, output = "") {
  const words = ["npm", "test"];
  const out = "resource-mock-sweep";
  const folder = folderOf({ ...stateOf(words, ["getCart"], runs), [`${out}/runs/output.txt`]: output });
  const selected = runs.map(({ failure }) => failure).join();
  const args = ["sweep", "--resume", "--failures", selected, ...flags, "--", ...words];
  const ended = await commandHere(args, environment, folder);
  return { ...ended, read: (file: string) => readFileSync(join(folder, out, file), "utf8"), out: join(folder, out) };
}

const ofEachOutcome = [
  run("503-once", "survived"),
  run("429-once", "failed", "runs/output.txt"),
  run("reset-once", "not-reached"),
  run("truncated-once", "timed-out", "runs/output.txt"),
  run("slow-once", "wrote-twice"),
];

test("the matrix, the problems and the summary show each outcome", async () => {
  const { code, stdout, stderr, read, out } = await reportsOf(ofEachOutcome, [], {}, "first line\n\nsecond line\n");
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toBe(`operation  503-once  429-once  reset-once   truncated-once  slow-once
getCart    survived  failed    not-reached  timed-out       wrote-twice

getCart 429-once: failed after 1.3 s, output in ${join("resource-mock-sweep", "runs/output.txt")}
    first line
    second line

getCart truncated-once: timed-out after 1.3 s, output in ${join("resource-mock-sweep", "runs/output.txt")}
    first line
    second line

getCart slow-once: survived, but wrote twice after 1.3 s

survived 2 of 4 runs (50 %), 1 of them wrote twice, 1 failed, 1 timed out, 1 not reached
`);
  expect(read("sweep.md")).toContain("| getCart | survived | failed | not-reached | timed-out | wrote-twice |\n");
  expect(read("sweep.md")).toContain("- getCart 429-once: failed after 1.3 s\n\n      first line\n      second line\n");
  const { runs, summary }: SweepReport = JSON.parse(read("sweep.json"));
  expect(runs).toEqual(ofEachOutcome);
  expect(summary).toEqual({
    ...{ command: ["npm", "test"], version: expect.any(String), planned: 5, strict: false, complete: true, notRun: [] },
    ...{ wroteTwice: 1, survived: 2, failed: 1, notReached: 1, timedOut: 1, percent: 50, seconds: 6.25 },
  });
  expect(readdirSync(out).sort()).toEqual(["runs", "state.json", "sweep.json", "sweep.junit.xml", "sweep.md"]);
});

test("in the JUnit report, a run that no request reached is skipped", async () => {
  const { read } = await reportsOf(ofEachOutcome, [], {}, "first line\nsecond line\n");
  const xml = read("sweep.junit.xml");
  expect(await junitProblems(xml)).toEqual([]);
  expect(xml).toContain('<testsuite name="getCart" tests="5" failures="2" errors="0" time="6.250" skipped="1">');
  const cases = xml.matchAll(/<testcase name="([^"]+)".*?(?=<testcase|<\/testsuite>)/gs);
  expect(Array.from(cases, ([text, name]) => [name, /<(failure|skipped)\b/.exec(text)?.[1]])).toEqual([
    ["503-once", undefined],
    ["429-once", "failure"],
    ["reset-once", "skipped"],
    ["truncated-once", "failure"],
    ["slow-once", undefined],
  ]);
  expect(xml).toContain("getCart reset-once: not-reached after 1.3 s: no request got the failure");
});

const half = [run("503-once", "survived"), run("429-once", "failed")];

test.each([
  ["50", 0, ""],
  ["50.1", 1, "at least 50.1 % survived, found survived 1 of 2 runs (50 %), 1 failed\n"],
])("--require %s with half of the runs survived has exit code %d", async (percent, expected, line) => {
  const { code, stderr } = await reportsOf(half, ["--require", percent]);
  expect([code, stderr]).toEqual([expected, line && `resource-mock: --require: expected ${line}`]);
});

test("with --strict, a run that wrote twice did not survive, and the exit code is 1", async () => {
  const runs = [run("503-once", "survived"), run("truncated-once", "wrote-twice")];
  const { code, stdout, stderr, read } = await reportsOf(runs, ["--strict", "--require", "51"]);
  const line = "survived 1 of 2 runs (50 %), 1 wrote twice";
  expect([code, stdout]).toEqual([1, expect.stringContaining(`\n${line}\n`)]);
  expect(stderr).toBe(
    `resource-mock: --strict: expected no run that wrote twice, found 1\nresource-mock: --require: expected at least 51 % survived, found ${line}\n`,
  );
  expect(JSON.parse(read("sweep.json")).summary).toMatchObject({
    strict: true,
    wroteTwice: 1,
    survived: 1,
    percent: 50,
  });
  expect(read("sweep.junit.xml")).toContain('failures="1"');
  expect(await reportsOf(runs, ["--require", "100"])).toMatchObject({ code: 0, stderr: "" });
});

test("--require fails without a run that reached its failure", async () => {
  const { code, stderr } = await reportsOf([run("503-once", "not-reached")], ["--require", "0"]);
  const found = "survived 0 of 0 runs, 1 not reached";
  expect([code, stderr]).toEqual([1, `resource-mock: --require: expected at least 0 % survived, found ${found}\n`]);
});

test("the report is appended to the summary of the job; one that cannot be written keeps the exit code", async () => {
  const summary = join(folderOf({ "summary.md": "# Before\n" }), "summary.md");
  const { read } = await reportsOf(half, [], { GITHUB_STEP_SUMMARY: summary });
  expect(readFileSync(summary, "utf8")).toBe(`# Before\n${read("sweep.md")}\n`);
  const { code, stderr } = await reportsOf(half, ["--require", "100"], { GITHUB_STEP_SUMMARY: "missing/summary.md" });
  expect([code, stderr.split("\n")]).toEqual([
    1,
    [
      'resource-mock: GITHUB_STEP_SUMMARY: expected a file that can be written, found "missing/summary.md" (ENOENT). The job has no summary.',
      "resource-mock: --require: expected at least 100 % survived, found survived 1 of 2 runs (50 %), 1 failed",
      "",
    ],
  ]);
});

test("the first lines of a failed run have no control characters, and the JUnit report is valid", async () => {
  const output = "a\0b\u0007\u009b2Jc\td\u001b[31m \ufffd\r\n50 %\rdone";
  const { stdout, read } = await reportsOf([run("503-once", "failed", "runs/output.txt")], [], {}, output);
  expect(stdout).toContain("\n    a�b�c\td �\n    done\n");
  expect(await junitProblems(read("sweep.junit.xml"))).toEqual([]);
});
