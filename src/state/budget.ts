import { ServiceError } from "../contract/service-error.ts";
import { DEFAULT_MAX_STATE_BYTES } from "../settings/limits.ts";
import { cut } from "../text/shown.ts";

/** The memory that the state of all projects takes together, in bytes. Writes beyond its limit are refused. */
export class StateBudget {
  readonly limit: number;
  readonly #accounts = new Set<StateAccount>();
  #bytes = 0;

  constructor(limit = DEFAULT_MAX_STATE_BYTES) {
    this.limit = limit;
  }

  /** The bytes of all accounts. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Records that an account holds this many bytes more, or less. */
  change(account: StateAccount, by: number): void {
    this.#bytes += by;
    if (account.bytes === 0) this.#accounts.delete(account);
    else this.#accounts.add(account);
  }

  /** Throws InsufficientStorage when this many more bytes do not fit. */
  require(bytes: number): void {
    const found = this.#bytes + bytes;
    if (bytes <= 0 || found <= this.limit) return;
    throw new ServiceError({
      code: "InsufficientStorage",
      message: `State of all projects: expected at most ${this.limit} bytes, found ${found} with this request. ${this.#largest()}Reset or close projects, delete snapshots, or raise --max-state-bytes (RESOURCE_MOCK_MAX_STATE_BYTES, option maxStateBytes).`,
    });
  }

  #largest(): string {
    let largest: StateAccount | undefined;
    for (const account of this.#accounts) if (account.bytes > (largest?.bytes ?? 0)) largest = account;
    return largest ? `Project "${cut(largest.projectKey, 100)}" uses most: ${largest.bytes} bytes. ` : "";
  }
}

/** What one project adds to the budget. A reset project continues with the account of the one before it. */
export class StateAccount {
  readonly projectKey: string;
  readonly #budget: StateBudget;
  #bytes = 0;

  constructor(projectKey: string, budget: StateBudget) {
    this.projectKey = projectKey;
    this.#budget = budget;
  }

  /** How much memory the project's state takes, in bytes. State that projects share counts once. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Throws InsufficientStorage when this many more bytes do not fit. */
  require(bytes: number): void {
    this.#budget.require(bytes);
  }

  /** Records that the project holds this many bytes more, or less. Throws InsufficientStorage when they do not fit. */
  reserve(bytes: number): void {
    this.require(bytes);
    this.change(bytes);
  }

  /** Records that the project holds this many bytes more, or less. */
  change(by: number): void {
    this.#bytes += by;
    this.#budget.change(this, by);
  }
}
