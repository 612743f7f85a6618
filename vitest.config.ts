import { existsSync, globSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { SlowFirst } from "./test/setup/slow-first.ts";

const tags = [
  { name: "slow", description: "takes half a second or more" },
  { name: "browser", description: "opens a page in a browser" },
  { name: "tools", description: "needs other people's tools, which npm run tools installs" },
  { name: "container", description: "needs a container engine or Docker Compose" },
  { name: "process", description: "starts other programs" },
  { name: "isolated", description: "needs a process of its own, for its memory or for globals that it changes" },
  { name: "smoke", description: "the short test of a part whose other tests have one of these tags" },
];

/** The tests of `npm test`: quick, and with nothing but Node; and one short file for each of the other parts. */
const QUICK = "smoke || !(slow || browser || container || process)";

/** `npm test` runs the quick tests, `npm run test:rest` the others. Without a mode, Vitest runs all tests. */
const filters: Readonly<Record<string, string[]>> = { quick: [QUICK], rest: [`!(${QUICK})`] };

const LIBRARIES = "test/libraries/environments";

/** Returns the test files with a tag in their first comment, such as `@module-tag isolated`. */
function filesWith(tag: string): string[] {
  const files = globSync("test/**/*.test.ts", { cwd: import.meta.dirname, exclude: ["**/node_modules/**"] });
  const hasTag = (file: string) => readFileSync(join(import.meta.dirname, file), "utf8").includes(`@module-tag ${tag}`);
  // Patterns have slashes on Windows too.
  return files.filter(hasTag).map((file) => file.replaceAll("\\", "/"));
}

/** The files that need the packages of test/tools, if `npm run tools` has not installed them. */
const hasTools = existsSync(join(import.meta.dirname, "node_modules/@biomejs/biome"));
const withoutTools = hasTools ? [] : ["tools", "browser"].flatMap(filesWith);
const exclude = ["**/node_modules/**", ...withoutTools];

/** Projects that run the library suites in each environment of Vitest, and the MSW suite with both versions of MSW. */
const environments = ["node", "jsdom", "happy-dom"].flatMap((environment) => [
  { name: environment, environment, include: [`${LIBRARIES}/*.test.ts`] },
  { name: `${environment}, msw 2`, environment, include: [`${LIBRARIES}/msw.test.ts`], alias: { msw: "msw2" } },
]);

const tools = (...names: string[]) => names.map((name) => `test/setup/look-for-${name}.ts`);

export default defineConfig(({ mode }) => ({
  test: {
    tags,
    tagsFilter: filters[mode],
    // More than the cores, because tests also wait: for pages, child processes and containers.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    // The quick tests run in a random order, which `--sequence.seed` changes. Of the others, the slow files start first.
    sequence: mode === "quick" ? { shuffle: { files: true }, seed: 1 } : { sequencer: SlowFirst },
    // Child processes compile each module only once.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/compile") },
    // Imports of CommonJS packages work as in Node, where the mock runs.
    deps: { interopDefault: false },
    testTimeout: 60_000,
    // Polled conditions may become true late on a busy machine. Only a missing result is a failure.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 60_000,
    reporters: process.env.CI === "true" ? ["default", ["json", { outputFile: `reports/${mode}.json` }]] : ["default"],
    projects: [
      {
        extends: true,
        test: {
          name: "mock",
          include: ["test/**/*.test.ts"],
          exclude: [...exclude, "test/package/**", `${LIBRARIES}/**`, ...filesWith("isolated")],
          // The files of a worker share its modules. It halves the time of the run.
          isolate: false,
          globalSetup: [...tools("tools", "browser", "tls-tools", "redis", "haproxy"), "test/setup/start-redis.ts"],
        },
      },
      { extends: true, test: { name: "isolated", include: filesWith("isolated"), exclude } },
      ...environments
        .filter(({ environment }) => environment === "node" || (mode !== "quick" && hasTools))
        .map((test) => ({ extends: true as const, test: { ...test, exclude } })),
      {
        extends: true,
        test: {
          name: "package",
          include: ["test/package/**/*.test.ts"],
          globalSetup: [...tools("browser", "engine", "compose"), "test/package/setup.ts"],
          // A test may run a test runner several times, on a machine that is busy with other tests.
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
    ].filter(({ test }) => test.name !== "package" || (mode !== "quick" && hasTools)),
  },
}));
