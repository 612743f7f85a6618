import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { inject, onTestFinished } from "vitest";
import { repository, run } from "../setup/run.ts";

/** A folder outside the repository with the packed package installed, as a user of it has. */
export interface Consumer {
  readonly folder: string;
  write(path: string, content: string): void;
  /** Runs a program in the folder, the tools' commands among them. Throws with its outputs unless it ends with 0. */
  run(program: string, parameters: readonly string[], environment?: Record<string, string>): Promise<string>;
  remove(): void;
}

/**
 * Makes a consumer, from an example's folder or of nothing. The package comes from its tarball; the tools it is used
 * with are those of the repository, as there may be no registry to get them from.
 *
 * @param tools the names of packages
 */
export async function createConsumer(tools: readonly string[], example?: string): Promise<Consumer> {
  const folder = mkdtempSync(join(tmpdir(), "resource-mock-consumer-"));
  if (example) cpSync(join(repository, "examples", example), folder, { recursive: true });
  const manifest = join(folder, "package.json");
  // With the example's own dependencies, npm would ask the registry for the tools.
  writeFileSync(manifest, "{}");
  await run("npm", ["install", "--offline", "--no-audit", "--no-fund", inject("tarball")], folder);
  if (example) cpSync(join(repository, "examples", example, "package.json"), manifest);
  for (const tool of tools) {
    const link = join(folder, "node_modules", tool);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(repository, "node_modules", tool), link);
  }
  // Runners take CI for a terminal with colours, and what they print is compared.
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
    run: (program, parameters, more) => run(program, parameters, folder, { ...environment, ...more }),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** A consumer for the test that runs now. */
export async function useConsumer(tools: readonly string[], example?: string): Promise<Consumer> {
  const consumer = await createConsumer(tools, example);
  onTestFinished(consumer.remove);
  return consumer;
}

/** What a consumer may have beside the package: all that its entries plug into, and what checks and runs their users. */
export const everyTool = [
  "vitest",
  "jest",
  "@jest/globals",
  "expect",
  "testcontainers",
  "msw",
  "jsdom",
  "typescript",
  "@types/node",
  "undici-types",
];

/** This process's environment without what the test run has put into it: a consumer's runner is none of its workers. */
function outsideEnvironment(): NodeJS.ProcessEnv {
  const inside = /^(VITEST|RESOURCE_MOCK_|NODE_ENV$|NODE_OPTIONS$|TEST$|FORCE_COLOR$)/;
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !inside.test(name)));
}
