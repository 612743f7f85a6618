import { MAX_JOURNAL_BYTES } from "../contract/index.ts";

/** A part of a shared budget: one journal, or the kept events of one project. */
export interface BudgetMember {
  /** The memory in use, in bytes. */
  readonly bytes: number;
  /** Drops the oldest entries until the rest takes at most this many bytes. */
  shrinkTo(bytes: number): void;
}

/**
 * The share of the limit that stays in use after the largest members have shrunk. The rest is free, so that the members
 * are not sorted again at each request.
 */
const SHARE_AFTER_SHRINKING = 7 / 8;

/**
 * A memory limit that several members share, in bytes. Beyond the limit, the largest members drop their oldest entries.
 */
export class FairBudget {
  readonly #members = new Set<BudgetMember>();
  readonly #limit: number;
  #bytes = 0;

  constructor(limit = MAX_JOURNAL_BYTES) {
    this.#limit = limit;
  }

  /** The memory that all members use together, in bytes. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Notes that a member uses `by` more bytes. A negative number means fewer bytes. */
  change(member: BudgetMember, by: number): void {
    this.#bytes += by;
    if (member.bytes > 0) this.#members.add(member);
    else this.#members.delete(member);
    if (by > 0 && this.#bytes > this.#limit) this.#makeRoom();
  }

  #makeRoom(): void {
    const bySize = [...this.#members].sort((a, b) => b.bytes - a.bytes);
    const sizes = bySize.map(({ bytes }) => bytes);
    const goal = this.#limit * SHARE_AFTER_SHRINKING;
    const level = levelOf(sizes, this.#bytes - goal);
    for (const member of bySize) {
      // Members drop whole entries, so the first ones may free enough: if each member has one entry, most keep theirs.
      if (member.bytes <= level || this.#bytes <= goal) break;
      member.shrinkTo(level);
    }
  }
}

/**
 * Returns the size to which the largest members must shrink to free `excess` bytes together. The result is the same as
 * taking one byte after the other, each from the member that is the largest at that moment. `sizes` is in descending
 * order.
 */
function levelOf(sizes: readonly number[], excess: number): number {
  let sum = 0;
  for (const [index, size] of sizes.entries()) {
    sum += size;
    const level = (sum - excess) / (index + 1);
    if (level >= (sizes[index + 1] ?? 0)) return level;
  }
  return 0;
}
