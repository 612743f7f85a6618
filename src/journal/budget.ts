/** What shares a budget: a journal, or the events of a project. */
export interface BudgetMember {
  /** How much memory it holds, in bytes. */
  readonly bytes: number;
  /** Drops its oldest entries until it holds no more than this. */
  shrinkTo(bytes: number): void;
}

/** What the journals of all projects may hold together by default. */
export const JOURNAL_BYTES = 64 * 1024 * 1024;

/** The share of the limit that is left after making room: sorting all journals then pays off for many requests. */
const LEFT = 7 / 8;

/** Memory that several share, in bytes. Beyond its limit, the largest drop their oldest entries. */
export class FairBudget {
  readonly #members = new Set<BudgetMember>();
  readonly #limit: number;
  #bytes = 0;

  constructor(limit = JOURNAL_BYTES) {
    this.#limit = limit;
  }

  /** What all members hold together. */
  get bytes(): number {
    return this.#bytes;
  }

  add(member: BudgetMember): void {
    this.#members.add(member);
  }

  remove(member: BudgetMember): void {
    this.#members.delete(member);
  }

  /** Records that a member holds this many bytes more, or less. */
  change(by: number): void {
    this.#bytes += by;
    if (by > 0 && this.#bytes > this.#limit) this.#makeRoom();
  }

  #makeRoom(): void {
    const bySize = [...this.#members].sort((a, b) => b.bytes - a.bytes);
    const sizes = bySize.map(({ bytes }) => bytes);
    const goal = this.#limit * LEFT;
    const level = levelOf(sizes, this.#bytes - goal);
    for (const member of bySize) {
      // Dropping whole entries makes more room than needed: many members with one entry each must not all lose it.
      if (member.bytes <= level || this.#bytes <= goal) break;
      member.shrinkTo(level);
    }
  }
}

/**
 * The size that the largest are to shrink to, so that together they give up `excess`: what taking from whichever is the
 * largest, over and over, comes to. `sizes` descending.
 */
export function levelOf(sizes: readonly number[], excess: number): number {
  let sum = 0;
  for (const [index, size] of sizes.entries()) {
    sum += size;
    const level = (sum - excess) / (index + 1);
    if (level >= (sizes[index + 1] ?? 0)) return level;
  }
  return 0;
}
