import type { Reporter, TestRunEndReason, TestSpecification, Vitest } from "vitest/node";
import { type CoverageRun, createCoverageRun, type ReporterOptions } from "../../tools/gate/index.ts";

export type { Requirements } from "../../tools/gate/index.ts";
export type { ReporterOptions };

/**
 * A reporter of Vitest. After each run, prints the failures that the client was exposed to, over all workers and mocks.
 * Fails a whole run that misses a requirement. It does not fail shards, runs in watch mode, and runs
 * whose options select tests.
 */
export default class ResourceMockReporter implements Reporter {
  readonly #run: CoverageRun;
  #vitest: Vitest | undefined;
  #areAllFiles = true;

  /** Throws an Error for invalid options. */
  constructor(options?: ReporterOptions) {
    this.#run = createCoverageRun("resource-mock/vitest/reporter", options);
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  async onTestRunStart(specifications: readonly TestSpecification[]): Promise<void> {
    this.#run.start();
    const all = await this.#vitest?.globTestSpecifications();
    this.#areAllFiles = specifications.length >= (all?.length ?? 0);
  }

  async onTestRunEnd(_modules: unknown, _errors: unknown, reason: TestRunEndReason): Promise<void> {
    const { logger, config } = this.#vitest ?? {};
    const shard = config?.shard;
    const partial = reason === "interrupted" ? "the run was interrupted" : this.#partial(shard !== undefined);
    const failure = await this.#run.finish({ partial, shard, isWatching: config?.watch }, (text) =>
      logger?.log(text.trimEnd()),
    );
    if (failure) process.exitCode = 1;
  }

  #partial(isShard: boolean): string | undefined {
    const { config } = this.#vitest ?? {};
    if (config?.watch) return "watch mode";
    if (this.#vitest?.getGlobalTestNamePattern() || config?.tagsFilter?.length) return "only some tests ran";
    if (!isShard && !this.#areAllFiles) return "only some test files ran";
    return undefined;
  }
}
