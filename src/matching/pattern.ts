import type { Problem } from "../contract/problems.ts";
import { TimeSlice } from "../schedule/time-slice.ts";
import { isObject } from "../text/json.ts";

/** Longer patterns are refused, as their programs grow with them. */
export const MAX_PATTERN = 500;

/** Longer texts match no pattern. In UTF-16 units. */
export const MAX_MATCHED_TEXT = 4096;

/**
 * The size of one pattern, in RE2 instructions. A test takes time in proportion to it times the text's length, and
 * nothing interrupts a test: at both bounds it takes about 50 ms on slow cores. Counted repetitions are written out:
 * 500 characters can contain 460,000 instructions.
 */
const MAX_INSTRUCTIONS = 600;

/** The size of all patterns in one match together. */
const MAX_TOGETHER = 2000;

/** The size of all patterns that each request of a project is compared with: those of its rules, and of its waits. */
export const MAX_PATTERNS_SIZE = 30_000;

/** A pattern whose repetitions alone come to more is not compiled: compiling takes time too. */
const MAX_COMPILED = 3000;

/** What the states of one pattern's automaton may hold, in bytes. Beyond it, a test runs without keeping states. */
const MAX_AUTOMATON = 64 * 1024;

/** A pattern that is ready to be tested. */
export interface Pattern {
  /** In RE2 instructions. */
  readonly size: number;
  /** Tests a text of at most `MAX_MATCHED_TEXT`. Takes time in proportion to `size` times the text's length. */
  test(text: string): boolean;
}

/** A pattern in a match, and the JSON pointer to it. */
export interface PatternPlace {
  readonly pattern: string;
  readonly pointer: string;
}

/** Whether an expected value is a pattern, not the value itself. */
export function isPattern(expected: unknown): expected is { matches: string } {
  return isObject(expected) && typeof expected.matches === "string" && Object.keys(expected).length === 1;
}

/**
 * Compiles the patterns of a match. Patterns run in time linear in the text, by an engine that is loaded for the first
 * pattern. Adds invalid and too large patterns to the problems and leaves them out.
 */
export async function compilePatterns<Place extends PatternPlace>(
  places: readonly Place[],
  problems: Problem[],
): Promise<Map<Place, Pattern>> {
  const compiled = new Map<Place, Pattern>();
  if (places.length === 0) return compiled;
  const { RE2Set } = await import("re2js");
  const slice = new TimeSlice();
  let together = 0;
  for (const place of places) {
    const { pattern, pointer } = place;
    if (slice.isOver) await slice.next();
    const refuse = (message: string) => problems.push({ pointer, message });
    if (pattern.length > MAX_PATTERN) {
      refuse(`expected at most ${MAX_PATTERN} characters, found ${pattern.length}`);
      continue;
    }
    const repeated = repetitionsIn(pattern);
    if (repeated > MAX_COMPILED) {
      refuse(tooLarge(`more than ${MAX_COMPILED}`));
      continue;
    }
    try {
      const set = new RE2Set(RE2Set.UNANCHORED, 0, MAX_AUTOMATON);
      set.add(pattern);
      set.compile();
      const size = set.prog.numInst();
      if (size > MAX_INSTRUCTIONS) {
        refuse(tooLarge(`${size}`));
        continue;
      }
      together += size;
      if (together > MAX_TOGETHER) {
        refuse(`expected patterns of at most ${MAX_TOGETHER} RE2 instructions together, found ${together} or more`);
        break;
      }
      compiled.set(place, { size, test: (text) => set.match(text).length > 0 });
    } catch (error) {
      refuse(`is no regular expression in RE2 syntax: ${(error as Error).message}`);
    }
  }
  return compiled;
}

function tooLarge(found: string): string {
  return `expected a pattern of at most ${MAX_INSTRUCTIONS} RE2 instructions, found ${found}: counted repetitions such as {1,500} are long`;
}

/** Quoted text, an escape, a class, a count, a parenthesis or a character: one instruction or none, but for counts. */
const token = /\\Q.*?(?:\\E|$)|\\[xpP]\{[^}]*\}|\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|./gsu;

/** About how many instructions a pattern has when its counted repetitions are written out, without compiling it. */
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
