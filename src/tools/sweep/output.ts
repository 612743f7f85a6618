import { MAX_OUTPUT_PART } from "../../contract/index.ts";

/** Collects the output of a process. If it is long, keeps its start and its end. */
export class Output {
  #head = "";
  #tail = "";
  #dropped = 0;

  add(chunk: string): void {
    const rest = chunk.slice(Math.max(0, MAX_OUTPUT_PART - this.#head.length));
    this.#head += chunk.slice(0, chunk.length - rest.length);
    const all = this.#tail + rest;
    this.#tail = all.slice(-MAX_OUTPUT_PART);
    this.#dropped += all.length - this.#tail.length;
  }

  get text(): string {
    const omitted = this.#dropped === 0 ? "" : `\n… ${this.#dropped} characters omitted …\n`;
    return this.#head + omitted + this.#tail;
  }
}
