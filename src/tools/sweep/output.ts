import { MAX_OUTPUT_PART } from "../../contract/index.ts";

/** Collects the output of a process. If it is long, keeps its start and its end. */
export class Output {
  readonly #head: Buffer[] = [];
  #headBytes = 0;
  #tail: Buffer[] = [];
  #tailBytes = 0;
  #dropped = 0;

  add(chunk: Buffer): void {
    const toHead = chunk.subarray(0, MAX_OUTPUT_PART - this.#headBytes);
    if (toHead.length > 0) this.#head.push(toHead);
    this.#headBytes += toHead.length;
    const rest = chunk.subarray(toHead.length);
    if (rest.length === 0) return;
    this.#tail.push(rest);
    this.#tailBytes += rest.length;
    // Joined only now and then, as each time copies the whole part.
    if (this.#tailBytes > 2 * MAX_OUTPUT_PART) this.#shorten();
  }

  get text(): string {
    this.#shorten();
    const [head, tail] = [Buffer.concat(this.#head).toString(), Buffer.concat(this.#tail).toString()];
    return this.#dropped === 0 ? head + tail : `${head}\n… ${this.#dropped} bytes omitted …\n${tail}`;
  }

  #shorten(): void {
    const all = Buffer.concat(this.#tail);
    const kept = all.subarray(Math.max(0, all.length - MAX_OUTPUT_PART));
    this.#dropped += all.length - kept.length;
    this.#tail = [kept];
    this.#tailBytes = kept.length;
  }
}
