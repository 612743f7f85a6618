import { availableParallelism } from "node:os";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { SlowFirst } from "./test/setup/slow-first.ts";

const LIBRARIES = "test/libraries/environments";

/** Projects that run the library suites in each environment of Vitest, and the MSW suite with both versions of MSW. */
const environments = ["node", "jsdom", "happy-dom"].flatMap((environment) => [
  { name: environment, environment, include: [`${LIBRARIES}/*.test.ts`] },
  { name: `${environment}, msw 2`, environment, include: [`${LIBRARIES}/msw.test.ts`], alias: { msw: "msw2" } },
]);

export default defineConfig({
  test: {
    // More than the cores, because tests also wait: for pages, child processes and containers.
    maxWorkers: Math.ceil(availableParallelism() * 1.5),
    sequence: { sequencer: SlowFirst },
    // Child processes compile each module only once.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, "node_modules/.cache/compile") },
    // Imports of CommonJS packages work as in Node, where the mock runs.
    deps: { interopDefault: false },
    testTimeout: 60_000,
    // Polled conditions may become true late on a busy machine. Only a missing result is a failure.
    expect: { poll: { timeout: 30_000 } },
    hookTimeout: 60_000,
    reporters: process.env.CI === "true" ? ["default", ["json", { outputFile: "reports/tests.json" }]] : ["default"],
    projects: [
      {
        extends: true,
        test: {
          name: "mock",
          include: ["test/**/*.test.ts"],
          exclude: ["test/package/**", `${LIBRARIES}/**`],
          globalSetup: [
            ...["browser", "tls-tools", "redis", "haproxy"].map((tool) => `test/setup/look-for-${tool}.ts`),
            "test/setup/start-redis.ts",
          ],
        },
      },
      ...environments.map((test) => ({ extends: true as const, test })),
      {
        extends: true,
        test: {
          name: "package",
          include: ["test/package/**/*.test.ts"],
          globalSetup: [
            ...["browser", "engine", "compose"].map((tool) => `test/setup/look-for-${tool}.ts`),
            "test/package/setup.ts",
          ],
          testTimeout: 120_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
