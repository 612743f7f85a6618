import { getHeapStatistics } from "node:v8";
import { cut, DEFAULT_MAX_STATE_BYTES, MAX_MEMORY_PERCENT, ServiceError } from "../contract/index.ts";

/** The added bytes after which the memory of the process is measured again. */
const MEASURED_EACH = 1024 * 1024;

/** The part of the limit that Node 24 reserves for new objects. Objects that stay cannot use it. */
const YOUNG_BYTES = 192 * 1024 * 1024;

/** The share of one project in the budget. */
interface Account {
  readonly key: string;
  /** In bytes. */
  readonly size: number;
}

/**
 * The budget for the state of all projects together. It counts the characters of JSON and the bytes of images that the
 * projects have written. Snapshots, forks and restored states share their contents, so they count nothing; the memory
 * of the whole process has a limit of its own. Writes beyond a limit fail.
 */
export class StateBudget {
  readonly limit: number;
  readonly #memoryShare: (bytes: number) => number;
  readonly #accounts = new Set<Account>();
  #bytes = 0;
  #unmeasured = 0;
  #isFull = false;

  /**
   * `memoryShare` returns the share of the memory that the process can have, from 0 to 1, with these bytes in use too.
   */
  constructor(limit = DEFAULT_MAX_STATE_BYTES, memoryShare = shareWith) {
    this.limit = limit;
    this.#memoryShare = memoryShare;
  }

  /** The sum of all accounts, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Notes that the size of an account has changed by this many bytes. */
  change(account: Account, by: number): void {
    this.#bytes += by;
    if (account.size === 0) this.#accounts.delete(account);
    else this.#accounts.add(account);
  }

  /** Throws InsufficientStorage if this many additional bytes do not fit. */
  require(bytes: number): void {
    if (bytes <= 0) return;
    this.requireMemory(bytes);
    const found = this.#bytes + bytes;
    if (found <= this.limit) return;
    throw this.#full(
      `State of all projects: expected at most ${this.limit} bytes, found ${found} with this request.`,
      "raise --max-state-bytes (RESOURCE_MOCK_MAX_STATE_BYTES, option maxStateBytes)",
    );
  }

  /** Throws InsufficientStorage if the process does not have this much memory left, in bytes. */
  requireMemory(bytes: number): void {
    this.#unmeasured += bytes;
    if (this.#isFull || this.#unmeasured > MEASURED_EACH) {
      this.#unmeasured = 0;
      this.#isFull = 100 * this.#memoryShare(bytes) > MAX_MEMORY_PERCENT;
    }
    if (!this.#isFull) return;
    throw this.#full(
      `Memory of the process: expected at most ${MAX_MEMORY_PERCENT} % of Node's limit, found more.`,
      "start Node with a higher --max-old-space-size",
    );
  }

  #full(problem: string, hint: string): ServiceError {
    const advice = `Reset or delete projects, delete snapshots, or ${hint}.`;
    return new ServiceError({ code: "InsufficientStorage", message: `${problem} ${this.#largest()}${advice}` });
  }

  #largest(): string {
    let largest: Account | undefined;
    for (const account of this.#accounts) if (account.size > (largest?.size ?? 0)) largest = account;
    return largest ? `Project "${cut(largest.key, 100)}" uses most: ${largest.size} bytes. ` : "";
  }
}

function shareWith(bytes: number): number {
  const { used_heap_size, external_memory, heap_size_limit } = getHeapStatistics();
  return (used_heap_size + external_memory + bytes) / Math.max(heap_size_limit - YOUNG_BYTES, 0.6 * heap_size_limit);
}
