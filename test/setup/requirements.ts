import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, inject } from "vitest";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    containerEngine: boolean;
    /** The command of Docker Compose and its first parameters. Empty without Docker Compose. */
    compose: string[];
    /** The path of the browser. Empty without a browser. */
    browser: string;
    /** Whether curl with HTTP/2, and openssl, are installed. */
    tlsTools: boolean;
    /** The path of `redis-server` or `valkey-server`. Empty without one. */
    redis: string;
    /** The path of HAProxy. Empty without HAProxy. */
    haproxy: string;
  }
}

/** The tools that some tests need, by their names in `MOCK_TEST_REQUIRE`. */
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
      // Compose is a plugin of Docker. Older versions are a separate program.
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
  tls: {
    missing: "no curl with HTTP/2, or no openssl",
    provide(project: Provider) {
      const found = succeeds("curl", ["--http2", "--version"]) && succeeds("openssl", ["version"]);
      project.provide("tlsTools", found);
      return found;
    },
  },
  redis: {
    missing: "no redis-server and no valkey-server",
    provide(project: Provider) {
      const found = findOnPath(["redis-server", "valkey-server"]);
      project.provide("redis", found ?? "");
      return found !== undefined;
    },
  },
  haproxy: {
    missing: "no haproxy",
    provide(project: Provider) {
      const found = findOnPath(["haproxy"]);
      project.provide("haproxy", found ?? "");
      return found !== undefined;
    },
  },
};

type Provider = Pick<TestProject, "provide">;

/**
 * Returns a global setup for Vitest. It looks for a tool once per run, and provides the result to the tests.
 *
 * @throws (the setup) if the tool is missing and required: with `CI=true`, or if MOCK_TEST_REQUIRE names it
 */
export function lookFor(name: keyof typeof requirements): (project: Provider) => void {
  const { missing, provide } = requirements[name];
  return (project) => {
    if (provide(project)) return;
    const required = process.env.MOCK_TEST_REQUIRE?.split(",") ?? [];
    if (process.env.CI === "true" || required.includes(name))
      throw new Error(`${missing}: CI=true and MOCK_TEST_REQUIRE do not allow skipped tests`);
    console.log(`${missing}: skipping the tests that need it`);
  };
}

function succeeds(program: string, parameters: readonly string[]): boolean {
  return spawnSync(program, parameters, { stdio: "ignore", timeout: 10_000 }).status === 0;
}

function findOnPath(names: readonly string[]): string | undefined {
  const folders = process.env.PATH?.split(delimiter).filter(Boolean) ?? [];
  return names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
}

/** Returns whether `docker` can connect to a container engine. */
export function hasContainerEngine(): boolean {
  return inject("containerEngine");
}

/** A `describe` that is skipped without a container engine. In CI, the global setup has already failed. */
export function describeWithEngine(name: string, tests: () => void): void {
  describe.skipIf(!hasContainerEngine())(name, tests);
}

/** A `describe` that is skipped without a container engine or Docker Compose. */
export function describeWithCompose(name: string, tests: () => void): void {
  describe.skipIf(!hasContainerEngine() || inject("compose").length === 0)(name, tests);
}

/** A `describe` that is skipped without a browser. */
export function describeWithBrowser(name: string, tests: () => void): void {
  describe.skipIf(inject("browser") === "")(name, tests);
}

/** A `describe` that is skipped without curl or openssl. */
export function describeWithTlsTools(name: string, tests: () => void): void {
  describe.skipIf(!inject("tlsTools"))(name, tests);
}

/** Returns whether `redis-server` or `valkey-server` is installed. */
export function hasRedis(): boolean {
  return inject("redis") !== "";
}

/** A `describe` that is skipped without `redis-server` and `valkey-server`. */
export function describeWithRedis(name: string, tests: () => void): void {
  describe.skipIf(!hasRedis())(name, tests);
}

/** A `describe` that is skipped without HAProxy, or without `redis-server` and `valkey-server`. */
export function describeWithHaproxy(name: string, tests: () => void): void {
  describe.skipIf(!hasRedis() || inject("haproxy") === "")(name, tests);
}
