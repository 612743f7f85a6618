import { spawnSync } from "node:child_process";
import { describe, inject } from "vitest";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    containerEngine: boolean;
  }
}

/**
 * Looks once per run for what some tests need from the machine (Vitest's global setup).
 *
 * @throws when it is missing where nothing may be skipped: with `CI=true` or `RESOURCE_MOCK_REQUIRE=engine`.
 */
export default function setup(project: Pick<TestProject, "provide">): void {
  const found = spawnSync("docker", ["info"], { stdio: "ignore", timeout: 10_000 }).status === 0;
  if (!found) {
    const missing = "no container engine (`docker info` fails)";
    if (process.env.CI === "true" || process.env.RESOURCE_MOCK_REQUIRE === "engine") {
      throw new Error(`${missing}, and here no test may be skipped`);
    }
    console.log(`${missing}: the tests that need one are skipped`);
  }
  project.provide("containerEngine", found);
}

/** Whether `docker` reaches an engine. */
export function hasContainerEngine(): boolean {
  return inject("containerEngine");
}

/** A `describe` that is skipped on a machine without a container engine. In CI, the run has failed before. */
export function describeWithEngine(name: string, tests: () => void): void {
  describe.skipIf(!hasContainerEngine())(name, tests);
}
