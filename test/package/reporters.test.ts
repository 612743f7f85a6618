// @module-tag process
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { startResourceMock } from "../../src/index.ts";
import { type Consumer, createConsumer, patient, useConsumer } from "./consumer.ts";

interface Runner {
  readonly name: "Vitest" | "Jest";
  readonly program: readonly string[];
  /** Writes the configuration of the runner with the options of the reporter. */
  configure(consumer: Consumer, options: object, more?: object): void;
  /** What the runner prints when it waits for changed files. */
  readonly watches: string;
  /** Writes a test file with one test, whose client is exposed to the scenario. */
  writeTest(consumer: Consumer, file: string, scenario: string): void;
}

const cart = "/resource/namespace-action-with-example";

const vitest: Runner = {
  name: "Vitest",
  program: ["vitest", "run"],
  watches: "Waiting for file changes",
  configure(consumer, options, more = {}) {
    consumer.write("package.json", `{ "type": "module" }`);
    const reporters = ["default", ["resource-mock/vitest/reporter", options]];
    consumer.write("vitest.config.js", `export default ${JSON.stringify({ test: { reporters, ...more } })};`);
  },
  writeTest: (consumer, file, scenario) =>
    consumer.write(
      `${file}.test.js`,
      `import { test } from "resource-mock/vitest";
test("meets ${scenario}", async ({ mock }) => {
  await mock.use("${scenario}");
  await fetch(mock.baseUrl + "${cart}");
});`,
    ),
};

const jest: Runner = {
  name: "Jest",
  program: ["jest"],
  watches: "Ran all test suites",
  configure(consumer, options, more = {}) {
    const reporters = ["default", ["resource-mock/jest/reporter", options]];
    consumer.write("package.json", JSON.stringify({ jest: { reporters, ...more } }));
  },
  writeTest: (consumer, file, scenario) =>
    consumer.write(
      `${file}.test.js`,
      `const { useResourceMock } = require("resource-mock/jest");
const mock = useResourceMock();
test("meets ${scenario}", async () => {
  await mock.use("${scenario}");
  await fetch(mock.baseUrl + "${cart}");
});`,
    ),
};

describe.each([vitest, jest])("the reporter of $name", ({ name, program: [tool = "", ...flags], ...runner }) => {
  let consumer: Consumer;
  beforeAll(async () => {
    consumer = await createConsumer([tool]);
  });
  afterAll(() => consumer.remove());

  const open = (options: object, more?: object) => {
    rmSync(join(consumer.folder, "reports"), { recursive: true, force: true });
    runner.configure(consumer, options, more);
    // Two files, so that two workers run them.
    runner.writeTest(consumer, "a", "rate-limited");
    runner.writeTest(consumer, "b", "server-error");
    const run = (more: readonly string[] = [], environment = {}) =>
      consumer.run("bash", ["-c", '"$@" 2>&1', "bash", tool, ...flags, ...(patient[tool] ?? []), ...more], environment);
    return { run, read: (file: string) => readFileSync(join(consumer.folder, file), "utf8") };
  };
  const summary = /resource-mock: 2 requests, 1 of 16 operations \(6\.25 %\), 2 of 9 failures tried \(22\.22 %\)/;

  it("passes a run that meets the requirements over all workers, and writes reports", async () => {
    const { run, read } = open({ require: { failures: 22, violations: 0 }, report: "reports" });
    const output = await run(["--maxWorkers=2"], { GITHUB_STEP_SUMMARY: "summary.md" });
    expect(output).toMatch(summary);
    expect(output).toMatch(/^getCart +· +· +· +✓ +✓ +· +· +· +·$/m);
    expect(JSON.parse(read("reports/coverage.json"))).toMatchObject({ requests: 2, summary: { failures: 22.22 } });
    expect(read("reports/coverage.md")).toContain("| getCart |");
    expect(read("reports/coverage.junit.xml")).toContain('failures="0"');
    expect(read("summary.md")).toContain("## Tried failures");
  });

  it("fails a run that misses a requirement, and names the missing failures", async () => {
    const { run } = open({ require: { failures: 50 } });
    const failure: Error = await run().then(
      (output) => expect.fail(`expected exit code 1, found 0\n${output}`),
      (error) => error,
    );
    expect(failure.message).toMatch(summary);
    expect(failure.message).toContain("failures: expected at least 50 %, found 22.22 %.");
    expect(failure.message).toMatch(/getCart +401\/403 +await mock\.use\("unauthorized"\)/);
  });

  it("does not fail a run of some tests", async () => {
    const { run } = open({ require: { failures: 50 } });
    expect(await run(["-t", "rate"])).toContain("The requirements were not checked: only some tests ran.");
    expect(await run(["a.test.js"])).toContain("The requirements were not checked: only some test files ran.");
  });

  it("writes the report of each shard, for a merge", async () => {
    const { run } = open({ require: { failures: 22 }, report: "reports" });
    for (const index of [1, 2]) expect(await run([`--shard=${index}/2`])).toContain(`not checked: shard ${index}`);
    const require = ["--require", "failures=22"];
    const files = [1, 2].map((index) => `reports/coverage.shard-${index}.json`);
    const merged = await consumer.run("npx", ["resource-mock", "coverage", "--merge", ...files, ...require]);
    expect(merged).toMatch(/^2 requests, 1 of 16 operations/m);
    expect(existsSync(join(consumer.folder, "reports/coverage.json"))).toBe(false);
  });

  it("counts the requests of the run to a mock that all workers share, and no earlier ones", async () => {
    await using mock = await startResourceMock({ adminToken: "secret" });
    await fetch(`${mock.url}/earlier/resource`);
    const { run } = open({ require: { failures: 22 } });
    const variables = { RESOURCE_MOCK_URL: mock.url, RESOURCE_MOCK_ADMIN_TOKEN: "secret" };
    expect(await run(["--maxWorkers=2"], variables)).toMatch(summary);
  });
});

describe("the reporter of Vitest", () => {
  it("counts the mocks that tests start themselves, also before a reset", async () => {
    const consumer = await useConsumer(["vitest"]);
    vitest.configure(consumer, { require: { operations: 6 } });
    consumer.write(
      "a.test.js",
      `import { test } from "vitest";
import { createResourceMock } from "resource-mock";
test("reads", async () => {
  const mock = await createResourceMock();
  await mock.fetch("/p/resource");
  await mock.reset();
  await mock.fetch("/p/resource");
  await mock.close();
  await mock.close();
});`,
    );
    expect(await consumer.run("vitest", ["run"])).toContain("2 requests, 1 of 16 operations");
  });
});

describe("watch mode", () => {
  /** Starts a command that watches files. The returned function resolves with the output after the call before, up to the text. */
  const watch = (consumer: Consumer, parameters: readonly string[]) => {
    const { CI: _, VITEST: __, ...environment } = process.env;
    const child = spawn(process.execPath, parameters, { cwd: consumer.folder, env: { ...environment, NO_COLOR: "1" } });
    onTestFinished(async () => {
      child.kill();
      await ended;
    });
    let output = "";
    let added = Promise.withResolvers<void>();
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (chunk) => {
        output += chunk;
        added.resolve();
        added = Promise.withResolvers();
      });
    const ended = once(child, "exit");
    return async (text: string) => {
      while (!output.includes(text)) {
        await Promise.race([added.promise, ended]);
        if (child.exitCode !== null) throw new Error(`expected "${text}", found\n${output}`);
      }
      const end = output.indexOf(text) + text.length;
      const before = output.slice(0, end);
      output = output.slice(end);
      return before;
    };
  };
  const programOf = (tool: string, file: string) =>
    createRequire(import.meta.url)
      .resolve(`${tool}/package.json`)
      .replace("package.json", file);

  it.each([
    [vitest, [programOf("vitest", "vitest.mjs"), "--watch"], { globalSetup: "resource-mock/vitest/server" }],
    // Runs in one process, as workers would outlive the kill of the main process.
    [jest, [programOf("jest", "bin/jest.js"), "--watchAll", "--runInBand", "--no-watchman"], {}],
  ] as const)(
    "of $name runs again for a changed test, not for a report, and never ends",
    async (runner, command, more) => {
      const consumer = await useConsumer([runner.program[0] ?? ""]);
      runner.configure(consumer, { require: { failures: 90 }, report: "reports" }, more);
      runner.writeTest(consumer, "a", "rate-limited");
      const printed = watch(consumer, command);
      expect(await printed("not checked: watch mode")).toMatch(/^getCart +· +· +· +✓ +· /m);
      await printed(runner.watches);
      runner.writeTest(consumer, "a", "server-error");
      const output = await printed("not checked: watch mode");
      expect(output).toMatch(/1 request, 1 of 16 operations/);
      expect(output).toMatch(/^getCart +· +· +· +· +✓ /m);
      // Jest would start another run for each report.
      expect(existsSync(join(consumer.folder, "reports"))).toBe(false);
    },
  );
});
