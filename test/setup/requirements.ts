import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { describe, inject } from "vitest";
import type { TestProject } from "vitest/node";
import { repository } from "./run.ts";

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

type Provider = Pick<TestProject, "provide">;

/**
 * The tools that some tests need, by their names in `MOCK_TEST_REQUIRE`. Each function provides the tool to the tests, and
 * returns why the tool cannot be used, or undefined.
 */
const requirements = {
  tools(_project: Provider) {
    const hint = "`npm run tools` installs them";
    return existsSync(`${repository}node_modules/@biomejs/biome`) ? undefined : `no tools of test/tools (${hint})`;
  },
  engine(project: Provider, timeout: number) {
    const result = resultOf("docker", ["info"], timeout);
    project.provide("containerEngine", result === "success");
    if (result === "timeout") return `the container engine is too slow (\`docker info\` took more than ${timeout} ms)`;
    return result === "failure" ? "no container engine (`docker info` fails)" : undefined;
  },
  compose(project: Provider, timeout: number) {
    // Compose is a plugin of Docker. Older versions are a separate program.
    const commands = [["docker", "compose"], ["docker-compose"]];
    const found = commands.find(
      ([program = "", ...first]) => resultOf(program, [...first, "version"], timeout) === "success",
    );
    project.provide("compose", found ?? []);
    return found ? undefined : "no Docker Compose (`docker compose version` and `docker-compose version` fail)";
  },
  browser(project: Provider) {
    // The first one is Chromium without windows, which needs half the time.
    const names = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"];
    const found = process.env.MOCK_TEST_BROWSER || findOnPath(names);
    project.provide("browser", found ?? "");
    return found ? undefined : "no browser (Chromium or Chrome, on the path or named by MOCK_TEST_BROWSER)";
  },
  tls(project: Provider, timeout: number) {
    const commands = [["curl", "--http2", "--version"] as const, ["openssl", "version"] as const];
    const found = commands.every(([program, ...parameters]) => resultOf(program, parameters, timeout) === "success");
    project.provide("tlsTools", found);
    return found ? undefined : "no curl with HTTP/2, or no openssl";
  },
  redis(project: Provider) {
    const found = findOnPath(["redis-server", "valkey-server"]);
    project.provide("redis", found ?? "");
    return found ? undefined : "no redis-server and no valkey-server";
  },
  haproxy(project: Provider) {
    const found = findOnPath(["haproxy"]);
    project.provide("haproxy", found ?? "");
    return found ? undefined : "no haproxy";
  },
} satisfies Record<string, (project: Provider, timeout: number) => string | undefined>;

/**
 * Returns a global setup for Vitest. It looks for a tool once per run, and provides the result to the tests.
 *
 * @param timeout the time in milliseconds within which the tool must respond
 * @throws (the setup) if the tool cannot be used and is required: with `CI=true`, or if MOCK_TEST_REQUIRE names it
 */
export function lookFor(name: keyof typeof requirements, timeout = 30_000): (project: Provider) => void {
  return (project) => {
    const problem = requirements[name](project, timeout);
    if (problem === undefined) return;
    const required = process.env.MOCK_TEST_REQUIRE?.split(",") ?? [];
    if (process.env.CI === "true" || required.includes(name))
      throw new Error(`${problem}: CI=true and MOCK_TEST_REQUIRE do not allow skipped tests`);
    console.log(`${problem}: skipping the tests that need it`);
  };
}

/** Runs a program that prints its version or state. Kills it after the timeout. */
function resultOf(program: string, parameters: readonly string[], timeout: number): "success" | "failure" | "timeout" {
  const { status, error } = spawnSync(program, parameters, { stdio: "ignore", timeout });
  if ((error as NodeJS.ErrnoException | undefined)?.code === "ETIMEDOUT") return "timeout";
  return status === 0 ? "success" : "failure";
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
  describe.skipIf(!hasContainerEngine())(name, { tags: ["container"] }, tests);
}

/** A `describe` that is skipped without a container engine or Docker Compose. */
export function describeWithCompose(name: string, tests: () => void): void {
  describe.skipIf(!hasContainerEngine() || inject("compose").length === 0)(name, { tags: ["container"] }, tests);
}

/** A `describe` that is skipped without a browser. */
export function describeWithBrowser(name: string, tests: () => void): void {
  describe.skipIf(inject("browser") === "")(name, { tags: ["browser"] }, tests);
}

/** A `describe` that is skipped without curl or openssl. */
export function describeWithTlsTools(name: string, tests: () => void): void {
  describe.skipIf(!inject("tlsTools"))(name, { tags: ["process"] }, tests);
}

/** Returns whether `redis-server` or `valkey-server` is installed. */
export function hasRedis(): boolean {
  return inject("redis") !== "";
}

/** A `describe` that is skipped without `redis-server` and `valkey-server`. */
export function describeWithRedis(name: string, tests: () => void): void {
  describe.skipIf(!hasRedis())(name, { tags: ["process"] }, tests);
}

/** A `describe` that is skipped without HAProxy, or without `redis-server` and `valkey-server`. */
export function describeWithHaproxy(name: string, tests: () => void): void {
  describe.skipIf(!hasRedis() || inject("haproxy") === "")(name, { tags: ["process"] }, tests);
}
