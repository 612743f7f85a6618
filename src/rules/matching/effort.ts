import { ServiceError, TimeSlice } from "../../contract/index.ts";
import type { Pattern } from "./pattern.ts";

interface EffortOptions {
  /** The limit for all pattern tests: instructions times characters. Unlimited by default. */
  readonly maxSteps?: number;
  /** Called after each pause. Can throw to cancel the work. */
  readonly check?: () => void;
}

/**
 * The work of comparing requests for one call. Pauses let the server handle other requests:
 *
 *     for (const request of requests) {
 *       if (effort.isOver) await effort.next();
 *       …
 *     }
 */
export class Effort {
  readonly #slice = new TimeSlice();
  readonly #maxSteps: number;
  readonly #check: (() => void) | undefined;
  #steps = 0;

  constructor({ maxSteps = Number.POSITIVE_INFINITY, check }: EffortOptions = {}) {
    this.#maxSteps = maxSteps;
    this.#check = check;
  }

  /** Whether a pause is due. */
  get isOver(): boolean {
    return this.#slice.isOver;
  }

  /** Lets other requests run. State can change meanwhile. */
  async next(): Promise<void> {
    await this.#slice.next();
    this.#check?.();
  }

  /** Tests a text of at most `MAX_MATCHED_TEXT`. Throws LimitReached if the tests of this call exceed the limit. */
  test(pattern: Pattern, text: string): boolean {
    this.#steps += pattern.size * text.length;
    if (this.#steps > this.#maxSteps) throw tooMuch(this.#maxSteps);
    return pattern.test(text);
  }
}

function tooMuch(maxSteps: number): ServiceError {
  const message = `matches: expected patterns that take at most ${maxSteps} steps (instructions times characters) over the journal, found more. Add the operation to the match, or shorten the patterns.`;
  return new ServiceError({ code: "LimitReached", message });
}
