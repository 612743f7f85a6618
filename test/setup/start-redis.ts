import type { TestProject } from "vitest/node";
import { startRedis } from "./redis.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The URL of the store that all test files share, each with keys of its own. Empty without a store. */
    sharedRedis: string;
  }
}

/** Starts the store that all test files share, for the whole run. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const program = project.getProvidedContext().redis;
  const redis = program === "" ? undefined : await startRedis({}, program);
  project.provide("sharedRedis", redis?.url ?? "");
  return async () => redis?.remove();
}
