import { ServiceError } from "../contract/service-error.ts";
import { TimeSlice } from "../schedule/time-slice.ts";
import type { Pattern } from "./pattern.ts";

/** What the patterns of one call may cost over the whole journal: instructions times characters. */
export const MAX_STEPS = 500_000_000;

export interface EffortOptions {
  /** What the patterns may cost: instructions times characters tested. Unbounded by default. */
  readonly maxSteps?: number;
  /** Throws if nobody needs the result any more. Called after each pause. */
  readonly check?: () => void;
}

/**
 * The work of comparing requests, on behalf of one call. Lets other requests be answered while it takes long:
 *
 *     for (const request of requests) {
 *       if (effort.isDue) await effort.pause();
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

  /** Whether others are due. */
  get isDue(): boolean {
    return this.#slice.isOver;
  }

  /** Resolves when others have had their turn. State may have changed meanwhile. */
  async pause(): Promise<void> {
    await this.#slice.next();
    this.#check?.();
  }

  /** Tests one text of at most `MAX_MATCHED_TEXT`. Throws LimitReached when the patterns of this call have cost too much together. */
  async test(pattern: Pattern, text: string): Promise<boolean> {
    this.#steps += pattern.size * text.length;
    if (this.#steps > this.#maxSteps) throw tooMuch(this.#maxSteps);
    if (this.isDue) await this.pause();
    return pattern.test(text);
  }
}

function tooMuch(maxSteps: number): ServiceError {
  const message = `matches: expected patterns that take at most ${maxSteps} steps (instructions times characters) over the journal, found more. Name the operation too, so that fewer requests are tested, or shorten the patterns`;
  return new ServiceError({ code: "LimitReached", message });
}
