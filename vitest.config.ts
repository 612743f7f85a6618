import { defineConfig } from "vitest/config";

const LIBRARIES = "test/libraries/environments";

/** The libraries' suites run in each environment of Vitest, and those of MSW with both of its versions. */
const environments = ["node", "jsdom", "happy-dom"].flatMap((environment) => [
  { name: environment, environment, include: [`${LIBRARIES}/*.test.ts`] },
  { name: `${environment}, msw 2`, environment, include: [`${LIBRARIES}/msw.test.ts`], alias: { msw: "msw2" } },
]);

export default defineConfig({
  test: {
    // The default leaves a core to Vitest itself, which on two cores would run the files one by one.
    maxWorkers: "100%",
    // CommonJS packages are imported as Node imports them, which is how the mock runs.
    deps: { interopDefault: false },
    testTimeout: 60_000,
    // What is polled for comes at once, or on a busy machine later: only that it never comes is a failure.
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
          globalSetup: "test/setup/look-for-browser.ts",
        },
      },
      ...environments.map((test) => ({ extends: true as const, test })),
      {
        extends: true,
        test: {
          name: "package",
          include: ["test/package/**/*.test.ts"],
          globalSetup: ["test/setup/look-for-engine.ts", "test/setup/look-for-compose.ts", "test/package/setup.ts"],
          // Builds keep every core busy: they wait for the others, so that these need no generous timeouts.
          sequence: { groupOrder: 1 },
          testTimeout: 120_000,
          hookTimeout: 300_000,
        },
      },
    ],
  },
});
