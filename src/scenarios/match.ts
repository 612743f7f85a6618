import type { Problem } from "../contract/validator.ts";
import { isObject, join } from "../text/json.ts";
import { shown } from "../text/shown.ts";
import { MAX_PATTERN, type When } from "./scenario.ts";

/** What of a request can be matched. */
export interface Matchable {
  /** The path's parameters, decoded. */
  readonly path: Readonly<Record<string, string>>;
  /** The query as sent, without `?`. */
  readonly query: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly json: { readonly value: unknown } | undefined;
}

/** Why the request does not match, or nothing when it does. */
export type Matcher = (request: Matchable) => string | undefined;

/** Longer texts match no pattern, so that nobody's pattern holds up the requests of others. In UTF-16 units. */
export const MAX_MATCHED_TEXT = 4096;

/**
 * What the patterns of one rule may come to together, in instructions of RE2: the time that they take grows with this
 * times the length of the text, at worst to about a second. A counted repetition is as long as what it repeats, written
 * out: 500 characters can say 76,000 instructions.
 */
const MAX_INSTRUCTIONS = 2000;

type TextTest = (text: string) => boolean;
type ValueTest = (value: unknown) => boolean;

/**
 * The matcher of a rule's `when` (or of anything else that is told apart so). Notes patterns that are none, with their
 * pointers. Patterns run in time linear in the text, in an engine that is loaded with the first of them.
 */
export async function compileWhen(when: When, pointer: string, problems: Problem[]): Promise<Matcher> {
  const compile = patternCompiler(problems);
  const path = await textTests(when.path, join(pointer, "path"), compile);
  const query = await textTests(when.query, join(pointer, "query"), compile);
  const header = await textTests(when.header, join(pointer, "header"), compile);
  const fitsBody = "body" in when ? await valueTest(when.body, join(pointer, "body"), compile) : undefined;
  return (request) => {
    for (const [name, test] of path) {
      const text = ownOf(request.path, name);
      if (text === undefined || !test(text)) return `path parameter ${name} is ${shown(text)}`;
    }
    if (query.length > 0) {
      const sent = new URLSearchParams(request.query);
      for (const [name, test] of query) {
        const texts = sent.getAll(name);
        if (!texts.some(test)) return `query parameter ${name} is ${shown(texts[0])}`;
      }
    }
    for (const [name, test] of header) {
      const sent = ownOf(request.headers, name.toLowerCase());
      const text = Array.isArray(sent) ? sent.join(", ") : sent;
      // The value itself may be a secret: it is in the journal's headers, and not here again.
      if (text === undefined || !test(text)) return `header ${name} is ${text === undefined ? "missing" : "another"}`;
    }
    if (!fitsBody) return undefined;
    if (!request.json) return "there is no JSON body";
    return fitsBody(request.json.value) ? undefined : "the body is another";
  };
}

async function textTests(
  texts: When["path"],
  pointer: string,
  compile: PatternCompiler,
): Promise<[string, TextTest][]> {
  const tests = Object.entries(texts ?? {}).map(
    async ([name, expected]): Promise<[string, TextTest]> => [
      name,
      isPattern(expected)
        ? await compile(expected.matches, join(join(pointer, name), "matches"))
        : (text) => text === String(expected),
    ],
  );
  return Promise.all(tests);
}

async function valueTest(expected: unknown, pointer: string, compile: PatternCompiler): Promise<ValueTest> {
  if (isPattern(expected)) {
    const test = await compile(expected.matches, join(pointer, "matches"));
    return (value) => value !== undefined && test(typeof value === "string" ? value : JSON.stringify(value));
  }
  if (Array.isArray(expected)) {
    const tests = await Promise.all(expected.map((item, index) => valueTest(item, join(pointer, index), compile)));
    return (value) =>
      Array.isArray(value) && value.length === tests.length && tests.every((test, index) => test(value[index]));
  }
  if (isObject(expected)) {
    const tests: [string, ValueTest][] = [];
    for (const name in expected) tests.push([name, await valueTest(expected[name], join(pointer, name), compile)]);
    return (value) => isObject(value) && tests.every(([name, test]) => Object.hasOwn(value, name) && test(value[name]));
  }
  return (value) => value === expected;
}

/** The member of this name, if it is the object's own: `constructor` is a name like any other. */
export function ownOf<Value>(object: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** Whether an expected value is a pattern and not the value itself. */
export function isPattern(expected: unknown): expected is { matches: string } {
  return isObject(expected) && typeof expected.matches === "string" && Object.keys(expected).length === 1;
}

/** Makes a pattern its test. What is no pattern, or too large, is noted with its pointer, and nothing fits it. */
export type PatternCompiler = (pattern: string, pointer: string) => Promise<TextTest>;

/** A compiler for the patterns of one rule (or of anything else that is told apart so), which are bounded together. */
export function patternCompiler(problems: Problem[]): PatternCompiler {
  let instructions = 0;
  return async (pattern, pointer) => {
    const { RE2JS } = await import("re2js");
    const refuse = (message: string): TextTest => {
      problems.push({ pointer, message });
      return () => false;
    };
    if (pattern.length > MAX_PATTERN) {
      return refuse(`expected at most ${MAX_PATTERN} characters, found ${pattern.length}`);
    }
    // Compiling takes time too: no more of it once there is too much.
    if (instructions > MAX_INSTRUCTIONS) return () => false;
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
