// @module-tag process
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { read } from "../../scripts/docs.ts";
import type { SweepReport } from "../../src/tools/sweep/sweep-report.ts";
import { type Consumer, useConsumer } from "./consumer.ts";

/** Runs the script `sweep` of an example. Returns the printed matrix and the report. */
async function sweepIn(consumer: Consumer) {
  const output = await consumer.run("npm", ["run", "--silent", "sweep"]);
  const report: SweepReport = JSON.parse(readFileSync(join(consumer.folder, "resource-mock-sweep/sweep.json"), "utf8"));
  const [matrix = ""] = output.split("\n\n", 1);
  return { matrix, report };
}

describe("the sweep of an example, with the packed package", () => {
  it("fails nearly everywhere for the naive client, a shell script", async () => {
    const consumer = await useConsumer([], "sweep/naive");
    const { report } = await sweepIn(consumer);
    const survived = report.runs.filter(({ outcome }) => outcome !== "failed");
    expect(survived.map(({ failure, outcome }) => [failure, outcome])).toEqual(
      Array(3).fill(["slow-once", "survived"]),
    );
  });

  it("shows the weakness of the forgetful client, with Jest", async () => {
    const consumer = await useConsumer(["jest", "@jest/globals"], "sweep/forgetful");
    consumer.write("jest.config.json", `{ "testTimeout": 60000 }`);
    const { matrix, report } = await sweepIn(consumer);
    expect(read("recipes/sweep.md")).toContain(`\`\`\`text\n${matrix}\n\n`);
    const failed = report.runs.filter(({ outcome }) => outcome !== "survived");
    expect(failed.map(({ operation, failure, outcome }) => [operation, failure, outcome])).toEqual([
      ["getResourceById", "401-once", "failed"],
      ["updateResource", "401-once", "failed"],
    ]);
    const output = readFileSync(join(consumer.folder, "resource-mock-sweep/runs/updateResource.401-once.txt"), "utf8");
    expect(output).toContain("the service returned 401");
    // The report of the failed test names the failure. The mock has stopped, so the report has no link to it.
    expect(output).toContain("why: 401: the scenario 401-once responded");
    expect(output).not.toContain("dashboard,");
    const [again = ""] = /(?<=Run the test again: ).*/.exec(output) ?? [];
    expect(again).toMatch(/--only updateResource,401-once -- npx jest test\/forgetful-client\.test\.js -t /);
    // A sweep without the flag --require succeeds.
    expect(await consumer.run("sh", ["-c", again])).toContain("updateResource 401-once: failed");
    expect(existsSync(join(consumer.folder, "resource-mock-sweep/runs/updateResource.401-once.txt"))).toBe(true);
  });

  it("survives everywhere for the patient client, with Vitest, and runs only the test files that call the operation", async () => {
    const consumer = await useConsumer(["vitest"], "sweep/patient");
    consumer.write("vitest.config.js", `export default { test: { testTimeout: 60000 } };`);
    consumer.write(
      "test/other.test.js",
      `import { appendFileSync } from "node:fs";
import { test } from "vitest";
test("notes that it ran", () => appendFileSync("ran", "x"));
`,
    );
    const { report } = await sweepIn(consumer);
    expect(new Set(report.runs.map(({ outcome }) => outcome))).toEqual(new Set(["survived"]));
    expect(report.summary).toMatchObject({ planned: 19, percent: 100, complete: true });
    // Only the two base runs run all files.
    expect(readFileSync(join(consumer.folder, "ran"), "utf8")).toBe("xx");
    expect(existsSync(join(consumer.folder, "resource-mock-sweep/runs"))).toBe(false);
  });
});
