import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { repository, run } from "../setup/run.ts";

/** A folder outside the repository with the packed package installed, as a user has it. */
export interface Consumer {
  readonly folder: string;
  write(path: string, content: string): void;
  /** Runs a program or a tool in the folder, and returns its output. Throws with its output if it exits with an error. */
  run(program: string, parameters: readonly string[], environment?: Record<string, string>): Promise<string>;
  remove(): void;
}

/** Options for longer time limits. A busy machine exceeds the limits that the runners have by default. */
export const patient: Readonly<Record<string, readonly string[]>> = {
  vitest: ["--testTimeout=60000", "--hookTimeout=60000"],
  jest: ["--testTimeout=60000"],
};

/**
 * Creates a consumer from the folder of an example, or an empty one. Its package is a copy of the installed package. The
 * tools are links to packages of the repository, so that the tests need no network.
 *
 * @param tools the names of the packages to link
 */
export async function createConsumer(tools: readonly string[], example?: string): Promise<Consumer> {
  const folder = mkdtempSync(join(tmpdir(), "resource-mock-consumer-"));
  cpSync(inject("installed"), folder, { recursive: true, verbatimSymlinks: true });
  if (example) cpSync(join(repository, "examples", example), folder, { recursive: true });
  for (const tool of tools) {
    const link = join(folder, "node_modules", tool);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(repository, "node_modules", tool), link);
  }
  // Test runners print colours in CI, but the tests compare their output as plain text.
  const environment = {
    ...outsideEnvironment(),
    NO_COLOR: "1",
    PATH: `${repository}node_modules/.bin:${process.env.PATH}`,
  };
  return {
    folder,
    write(path, content) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    },
    run: (program, parameters, more) =>
      run(program, [...parameters, ...(patient[program] ?? [])], folder, { ...environment, ...more }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Creates a consumer, and removes it at the end of the running test. */
export async function useConsumer(tools: readonly string[], example?: string): Promise<Consumer> {
  const consumer = await createConsumer(tools, example);
  onTestFinished(consumer.remove);
  return consumer;
}

/** The tools for all entries of the package: test runners, libraries, and TypeScript. */
export const everyTool = [
  "vitest",
  "jest",
  "@jest/globals",
  "expect",
  "testcontainers",
  "msw",
  "@playwright/test",
  "playwright",
  "playwright-core",
  "@opentelemetry/api",
  "@opentelemetry/core",
  "jsdom",
  "typescript",
  "@types/node",
  "undici-types",
];

/** Returns the environment without the variables of the test run, which would affect the test runner of a consumer. */
function outsideEnvironment(): NodeJS.ProcessEnv {
  const ofTestRun = /^(VITEST|RESOURCE_MOCK_|NODE_ENV$|NODE_OPTIONS$|TEST$|FORCE_COLOR$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !ofTestRun.test(name)));
}
