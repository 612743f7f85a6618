import type { RE2Set } from "re2js";
import {
  isObject,
  MAX_INSTRUCTIONS,
  MAX_PATTERN_LENGTH,
  MAX_PATTERNS_SIZE,
  type Problem,
  ServiceError,
  TimeSlice,
} from "../../contract/index.ts";

/** A pattern with a larger estimated size is not compiled, as that would be slow. In RE2 instructions. */
const COMPILED_SIZE = 3000;

/** The memory limit for the cached states of a pattern's automaton, in bytes. Above it, tests run without the cache. */
const AUTOMATON_BYTES = 64 * 1024;

/** A compiled pattern. */
export interface Pattern {
  /** In RE2 instructions. */
  readonly size: number;
  /** Tests a text of at most `MAX_MATCHED_TEXT`. Takes time in proportion to `size` times the text's length. */
  test(text: string): boolean;
}

/** A pattern in a match, and the JSON pointer to it. */
export interface PatternLocation {
  /** The object in the match: `{ "matches": "…" }`, or the whole path with its parameters. */
  readonly node: object;
  readonly pattern: string;
  readonly pointer: string;
}

/** Returns whether an expected value is a pattern: `{ "matches": "…" }`. */
export function isPattern(expected: unknown): expected is { matches: string } {
  return isObject(expected) && typeof expected.matches === "string" && Object.keys(expected).length === 1;
}

/** Returns whether an expected value is the condition that a request has no value: `{ "absent": true }`. */
export function isAbsent(expected: unknown): expected is { absent: true } {
  return isObject(expected) && expected.absent === true && Object.keys(expected).length === 1;
}

/** Returns whether an expected value is a condition for one item of an array: `{ "contains": … }`. */
export function isContains(expected: unknown): expected is { contains: unknown } {
  return isObject(expected) && Object.hasOwn(expected, "contains") && Object.keys(expected).length === 1;
}

/**
 * Compiles the patterns of a match with RE2, whose tests take linear time. The first pattern loads the engine. Returns
 * the patterns by node. Adds invalid patterns, and patterns above a limit, to `problems` and omits them from the result.
 */
export async function compilePatterns(
  locations: readonly PatternLocation[],
  problems: Problem[],
): Promise<ReadonlyMap<object, Pattern>> {
  const compiled = new Map<object, Pattern>();
  if (locations.length === 0) return compiled;
  const { RE2Set } = await import("re2js");
  let together = 0;
  for (const { node, pattern, pointer } of locations) {
    const result = compile(pattern, new RE2Set(RE2Set.UNANCHORED, 0, AUTOMATON_BYTES));
    if (typeof result === "string") {
      problems.push({ pointer, message: result });
      continue;
    }
    together += result.size;
    if (together > MAX_PATTERNS_SIZE) {
      const message = `expected patterns of at most ${MAX_PATTERNS_SIZE} RE2 instructions together, found ${together} or more`;
      problems.push({ pointer, message });
      break;
    }
    compiled.set(node, result);
  }
  return compiled;
}

function compile(pattern: string, set: RE2Set): Pattern | string {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    return `expected at most ${MAX_PATTERN_LENGTH} characters, found ${pattern.length}`;
  }
  if (repetitionsIn(pattern) > COMPILED_SIZE) return tooLarge(`more than ${COMPILED_SIZE}`);
  try {
    set.add(pattern);
    set.compile();
  } catch (error) {
    return `expected a regular expression in RE2 syntax, found an invalid one: ${(error as Error).message}`;
  }
  const size = set.prog.numInst();
  return size > MAX_INSTRUCTIONS ? tooLarge(`${size}`) : { size, test: (text) => set.match(text).length > 0 };
}

function tooLarge(found: string): string {
  return `expected a pattern of at most ${MAX_INSTRUCTIONS} RE2 instructions, found ${found}. Counted repetitions such as {1,500} take many.`;
}

/** Matches quoted text, an escape, a class, a count, a parenthesis or a character. Except for counts, each is at most one instruction. */
const token = /\\Q.*?(?:\\E|$)|\\[xpP]\{[^}]*\}|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|./gsu;

/** Returns the approximate number of instructions with counted repetitions expanded, without compiling the pattern. */
function repetitionsIn(pattern: string): number {
  const outer: number[] = [];
  let sum = 0;
  let last = 0;
  for (const [text, from, to] of pattern.matchAll(token)) {
    if (text === "(") {
      outer.push(sum);
      sum = last = 0;
    } else if (text === ")") {
      last = sum;
      sum += outer.pop() ?? 0;
    } else if (from !== undefined) {
      const times = Math.max(Number(from), Number(to || 0));
      sum += last * (times - 1);
      last *= times;
    } else if (!"|?*+".includes(text)) {
      sum += 1;
      last = 1;
    }
  }
  return sum;
}

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
  readonly #options: EffortOptions;
  #steps = 0;

  constructor(options: EffortOptions = {}) {
    this.#options = options;
  }

  /** Whether a pause is due. */
  get isOver(): boolean {
    return this.#slice.isOver;
  }

  /** Lets other requests run. State can change meanwhile. */
  async next(): Promise<void> {
    await this.#slice.next();
    this.#options.check?.();
  }

  /** Tests a text of at most `MAX_MATCHED_TEXT`. Throws LimitReached if the tests of this call exceed the limit. */
  test(pattern: Pattern, text: string): boolean {
    const { maxSteps = Number.POSITIVE_INFINITY } = this.#options;
    this.#steps += pattern.size * text.length;
    if (this.#steps <= maxSteps) return pattern.test(text);
    const message = `matches: expected patterns that take at most ${maxSteps} steps (instructions times characters) over the journal, found more. Add the operation to the match, or shorten the patterns.`;
    throw new ServiceError({ code: "LimitReached", message });
  }
}
