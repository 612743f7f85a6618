import type { Problem } from "../contract/problems.ts";
import { isObject } from "../text/json.ts";

/** Longer patterns are refused, as their programs grow with them. */
export const MAX_PATTERN = 500;

/** Longer texts match no pattern, so that one client's pattern does not delay the requests of others. In UTF-16 units. */
const MAX_MATCHED_TEXT = 4096;

/**
 * The size of all patterns in one match together, in RE2 instructions. Matching takes time in proportion to it times
 * the text's length; at this bound, at worst about a second. Counted repetitions are written out: 500 characters can
 * contain 76,000 instructions.
 */
const MAX_INSTRUCTIONS = 2000;

export type TextTest = (text: string) => boolean;

/** Turns a pattern into its test. An invalid or too large pattern becomes a problem at the pointer, and fits no text. */
export type PatternCompiler = (pattern: string, pointer: string) => TextTest;

/** Whether an expected value is a pattern, not the value itself. */
export function isPattern(expected: unknown): expected is { matches: string } {
  return isObject(expected) && typeof expected.matches === "string" && Object.keys(expected).length === 1;
}

const fitsNothing = () => false;

/**
 * Returns a compiler for the patterns of the match with this JSON. Patterns run in time linear in the text, by an
 * engine that is loaded only for a match that has one.
 */
export async function patternCompiler(json: string, problems: Problem[]): Promise<PatternCompiler> {
  if (!json.includes('"matches":')) return () => fitsNothing;
  const { RE2JS } = await import("re2js");
  let instructions = 0;
  return (pattern, pointer) => {
    const refuse = (message: string): TextTest => {
      problems.push({ pointer, message });
      return fitsNothing;
    };
    if (pattern.length > MAX_PATTERN) {
      return refuse(`expected at most ${MAX_PATTERN} characters, found ${pattern.length}`);
    }
    // Compiling takes time too.
    if (instructions > MAX_INSTRUCTIONS) return fitsNothing;
    try {
      const compiled = RE2JS.compile(pattern);
      instructions += compiled.programSize();
      if (instructions > MAX_INSTRUCTIONS) {
        return refuse(
          `expected patterns of at most ${MAX_INSTRUCTIONS} instructions together, found ${instructions}: counted repetitions such as {1,500} are long`,
        );
      }
      return (text) => text.length <= MAX_MATCHED_TEXT && compiled.test(text);
    } catch (error) {
      return refuse(`is no regular expression in RE2 syntax: ${(error as Error).message}`);
    }
  };
}
