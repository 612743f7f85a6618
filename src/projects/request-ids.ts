/** The minimum number of recent projects whose last request numbers are kept. */
const MAX_REMEMBERED = 100_000;

/**
 * The ids of requests: eight digits of the project, and a number. The number continues after a reset or close, so that
 * each id is unique as long as the server runs. Ids depend on the seed, the project key and the order of calls.
 *
 * The numbers of the last 100,000 projects are kept. Any other project continues from the highest discarded number.
 */
export class RequestIds {
  /** The last numbers, by the digits of the project. Two projects may have the same digits. */
  #recent = new Map<string, number>();
  #older: ReadonlyMap<string, number> = new Map();
  #forgotten = 0;

  /** Returns a new id for the project with these digits. With `sequence`, the id is from this sequence of numbers. */
  next(prefix: string, sequence = prefix): string {
    const number = this.last(sequence) + 1;
    this.continueAt(sequence, number);
    return `${prefix}-${number}`;
  }

  /** Returns the last number of a sequence. */
  last(sequence: string): number {
    return this.#recent.get(sequence) ?? this.#older.get(sequence) ?? this.#forgotten;
  }

  /** Sets the last number of a sequence. */
  continueAt(sequence: string, number: number): void {
    this.#recent.set(sequence, number);
    if (this.#recent.size > MAX_REMEMBERED) this.#forgetOlder();
  }

  #forgetOlder(): void {
    for (const number of this.#older.values()) this.#forgotten = Math.max(this.#forgotten, number);
    this.#older = this.#recent;
    this.#recent = new Map();
  }
}
