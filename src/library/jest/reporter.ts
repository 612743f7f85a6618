import { type CoverageRun, createCoverageRun, type ReporterOptions } from "../../tools/gate/index.ts";

/** The members of Jest's global configuration that select tests. Jest's own type is in a package that users may lack. */
interface JestConfig {
  readonly watch?: boolean;
  readonly watchAll?: boolean;
  readonly shard?: { readonly shardIndex: number; readonly shardCount: number };
  readonly testNamePattern?: string;
  readonly testPathPatterns?: { isSet(): boolean };
  readonly onlyChanged?: boolean;
  readonly onlyFailures?: boolean;
  readonly findRelatedTests?: boolean;
  readonly runTestsByPath?: boolean;
}

/**
 * A reporter of Jest. After each run, prints the failures that the client was exposed to, over all workers and mocks.
 * Fails a whole run that misses a requirement. It does not fail shards, runs in watch mode, and runs
 * whose options select tests.
 */
export default class ResourceMockReporter {
  readonly #config: JestConfig;
  readonly #run: CoverageRun;
  #failure: Error | undefined;

  /** Throws an Error for invalid options. */
  constructor(config: JestConfig, options?: ReporterOptions) {
    this.#config = config;
    this.#run = createCoverageRun("resource-mock/jest/reporter", options);
  }

  onRunStart(): void {
    this.#run.start();
  }

  async onRunComplete(_contexts?: unknown, results?: { readonly wasInterrupted?: boolean }): Promise<void> {
    const { shard, watch, watchAll } = this.#config;
    const partial = results?.wasInterrupted ? "the run was interrupted" : partialReason(this.#config);
    const isWatching = watch || watchAll;
    const selection = { partial, shard: shard && { index: shard.shardIndex, count: shard.shardCount }, isWatching };
    this.#failure = await this.#run.finish(selection, (text) => process.stderr.write(text));
  }

  /** Jest fails the run if this returns an error. */
  getLastError(): Error | undefined {
    return this.#failure;
  }
}

function partialReason(config: JestConfig): string | undefined {
  if (config.watch || config.watchAll) return "watch mode";
  if (config.testNamePattern) return "only some tests ran";
  const { testPathPatterns, onlyChanged, onlyFailures, findRelatedTests, runTestsByPath } = config;
  const isFiltered = onlyChanged || onlyFailures || findRelatedTests || runTestsByPath || testPathPatterns?.isSet();
  return isFiltered ? "only some test files ran" : undefined;
}
