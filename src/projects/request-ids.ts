/** The numbers of at least so many projects are remembered. */
const MAX_REMEMBERED = 100_000;

/**
 * The ids of requests: eight digits of the project, and a number that goes on when the project is reset or closed, so
 * that no id occurs twice in the life of a server. They follow from the seed, the project key and the order of calls.
 *
 * The numbers of the last 100,000 projects are remembered. Any other project goes on from the highest number that has
 * been forgotten.
 */
export class RequestIds {
  /** The last numbers by the digits of the project, which two projects may share. */
  #recent = new Map<string, number>();
  #older: ReadonlyMap<string, number> = new Map();
  #forgotten = 0;

  /** Returns a new id for the project with these digits. */
  next(prefix: string): string {
    const number = (this.#recent.get(prefix) ?? this.#older.get(prefix) ?? this.#forgotten) + 1;
    this.#recent.set(prefix, number);
    if (this.#recent.size > MAX_REMEMBERED) this.#forgetOlder();
    return `${prefix}-${number}`;
  }

  #forgetOlder(): void {
    for (const number of this.#older.values()) this.#forgotten = Math.max(this.#forgotten, number);
    this.#older = this.#recent;
    this.#recent = new Map();
  }
}
