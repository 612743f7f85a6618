import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, inject } from "vitest";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    containerEngine: boolean;
    /** The command of Docker Compose and its first parameters; empty where there is none. */
    compose: string[];
    /** The program's path; empty where there is none. */
    browser: string;
  }
}

/** What some tests need from the machine, by the names that `MOCK_TEST_REQUIRE` takes. */
const requirements = {
  engine: {
    missing: "no container engine (`docker info` fails)",
    provide(project: Provider) {
      const found = succeeds("docker", ["info"]);
      project.provide("containerEngine", found);
      return found;
    },
  },
  compose: {
    missing: "no Docker Compose (`docker compose version` and `docker-compose version` fail)",
    provide(project: Provider) {
      // Compose is a plugin of Docker or, in older versions, a program of its own.
      const commands = [["docker", "compose"], ["docker-compose"]];
      const found = commands.find(([program = "", ...first]) => succeeds(program, [...first, "version"]));
      project.provide("compose", found ?? []);
      return found !== undefined;
    },
  },
  browser: {
    missing: "no browser (Chromium or Chrome, on the path or named by MOCK_TEST_BROWSER)",
    provide(project: Provider) {
      const found = process.env.MOCK_TEST_BROWSER || findOnPath(["chromium", "chromium-browser", "google-chrome"]);
      project.provide("browser", found ?? "");
      return found !== undefined;
    },
  },
};

type Provider = Pick<TestProject, "provide">;

/**
 * A global setup of Vitest's that looks once per run for what the tests of a project need from the machine.
 *
 * @throws (the setup) when it is missing where nothing may be skipped: with `CI=true`, or where MOCK_TEST_REQUIRE
 * names it.
 */
export function lookFor(name: keyof typeof requirements): (project: Provider) => void {
  const { missing, provide } = requirements[name];
  return (project) => {
    if (provide(project)) return;
    const required = process.env.MOCK_TEST_REQUIRE?.split(",") ?? [];
    if (process.env.CI === "true" || required.includes(name))
      throw new Error(`${missing}: and here no test may be skipped`);
    console.log(`${missing}: the tests that need one are skipped`);
  };
}

function succeeds(program: string, parameters: readonly string[]): boolean {
  return spawnSync(program, parameters, { stdio: "ignore", timeout: 10_000 }).status === 0;
}

function findOnPath(names: readonly string[]): string | undefined {
  const folders = process.env.PATH?.split(delimiter).filter(Boolean) ?? [];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

/** Whether `docker` reaches an engine. */
export function hasContainerEngine(): boolean {
  return inject("containerEngine");
}

/** A `describe` that is skipped on a machine without a container engine. In CI, the run has failed before. */
export function describeWithEngine(name: string, tests: () => void): void {
  describe.skipIf(!hasContainerEngine())(name, tests);
}

/** A `describe` that is skipped on a machine without a container engine or without Docker Compose, likewise. */
export function describeWithCompose(name: string, tests: () => void): void {
  describe.skipIf(!hasContainerEngine() || inject("compose").length === 0)(name, tests);
}

/** A `describe` that is skipped on a machine without a browser, likewise. */
export function describeWithBrowser(name: string, tests: () => void): void {
  describe.skipIf(inject("browser") === "")(name, tests);
}
