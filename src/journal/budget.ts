/** What a journal is to the budget that it shares with others. */
export interface BudgetMember {
  /** How much memory it holds, in bytes. */
  readonly bytes: number;
  /** Forgets its oldest exchanges until it holds no more than this. */
  shrinkTo(bytes: number): void;
}

/** The memory that the journals of all projects share: over its limit, the largest gives up its oldest first. */
export interface JournalBudget {
  /** Bytes, over all members. */
  readonly bytes: number;
  readonly limit: number;
  add(member: BudgetMember): void;
  remove(member: BudgetMember): void;
  /** A member holds this many bytes more, or less. */
  change(by: number): void;
}

export const DEFAULT_JOURNAL_BYTES = 64 * 1024 * 1024;

/** What is left after making room: so that looking at all the journals is paid for by all that fits before the next time. */
const LEFT = 7 / 8;

export function createJournalBudget(limit: number = DEFAULT_JOURNAL_BYTES): JournalBudget {
  const members = new Set<BudgetMember>();
  let bytes = 0;

  function makeRoom(): void {
    const bySize = [...members].sort((a, b) => b.bytes - a.bytes);
    const level = levelOf(
      bySize.map((member) => member.bytes),
      bytes - limit * LEFT,
    );
    for (const member of bySize) {
      if (member.bytes <= level) break;
      member.shrinkTo(level);
    }
  }

  return {
    limit,
    get bytes() {
      return bytes;
    },
    add: (member) => void members.add(member),
    remove: (member) => void members.delete(member),
    change(by) {
      bytes += by;
      if (by > 0 && bytes > limit) makeRoom();
    },
  };
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
