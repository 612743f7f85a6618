import { ServiceError } from "../contract/service-error.ts";
import { DEFAULT_MAX_STATE_BYTES } from "../settings/limits.ts";
import { cut } from "../text/shown.ts";

/** The memory budget in bytes for the state of all projects together. Writes beyond the limit fail. */
export class StateBudget {
  readonly limit: number;
  readonly #accounts = new Set<StateAccount>();
  #bytes = 0;

  constructor(limit = DEFAULT_MAX_STATE_BYTES) {
    this.limit = limit;
  }

  /** The sum of all accounts, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds bytes to the sum; a negative number removes bytes. */
  change(account: StateAccount, by: number): void {
    this.#bytes += by;
    if (account.bytes === 0) this.#accounts.delete(account);
    else this.#accounts.add(account);
  }

  /** Throws InsufficientStorage if this many additional bytes do not fit. */
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

/** The share of one project in the budget. A reset project keeps its account. */
export class StateAccount {
  readonly projectKey: string;
  readonly #budget: StateBudget;
  #bytes = 0;

  constructor(projectKey: string, budget: StateBudget) {
    this.projectKey = projectKey;
    this.#budget = budget;
  }

  /** The memory of the project's state, in bytes. State that several projects share counts once. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Throws InsufficientStorage if this many additional bytes do not fit. */
  require(bytes: number): void {
    this.#budget.require(bytes);
  }

  /** Adds bytes to the account. Throws InsufficientStorage if they do not fit. */
  reserve(bytes: number): void {
    this.require(bytes);
    this.change(bytes);
  }

  /** Adds bytes to the account without a check of the limit; a negative number removes bytes. */
  change(by: number): void {
    this.#bytes += by;
    this.#budget.change(this, by);
  }
}
