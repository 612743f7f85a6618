/**
 * Increasing numbers for the order of requests. With `floor`, the numbers of several processes increase together: each
 * number is at least `floor()`, and above every number that the process knows from the others.
 */
export class Sequence {
  readonly #floor: (() => number) | undefined;
  /** The last number; 0 before the first one. */
  last = 0;

  constructor(floor?: () => number) {
    this.#floor = floor;
  }

  /** Returns the next number, which is above `after`. */
  next(after: number): number {
    this.last = Math.max(this.last + 1, after + 1, this.#floor?.() ?? 0);
    return this.last;
  }

  /** Continues above the number of another process. */
  follow(number: number): void {
    this.last = Math.max(this.last, number);
  }
}
