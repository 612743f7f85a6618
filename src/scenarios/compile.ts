import type { Contract, OperationId, ServiceOperation } from "../contract/contract.ts";
import { declaredStatuses } from "../contract/operation.ts";
import type { Problem } from "../contract/problems.ts";
import { findProblems } from "../contract/validator.ts";
import type { FixtureSet } from "../fixtures/fixture-set.ts";
import { compileMatcher, type Matcher } from "../matching/matcher.ts";
import { type Candidates, keepThose } from "../matching/possible.ts";
import { TimeSlice } from "../schedule/time-slice.ts";
import type { Latency } from "../settings/settings.ts";
import { isObject, join } from "../text/json.ts";
import type { Dribble, Effects, Fault, RequestSettings, Respond, Rule } from "./scenario.ts";

/** A rule that fits the contract, ready to be compared with requests. */
export interface CompiledRule {
  readonly source: Rule;
  /** The operations that it can take effect on. */
  readonly operations: ReadonlySet<OperationId>;
  readonly matcher: Matcher;
  /** The effects on one request after another. */
  readonly steps: readonly Step[];
  readonly changesSettings: boolean;
  /** About how much memory it holds, in bytes. */
  readonly bytes: number;
}

/** A scenario that fits the contract, ready to be turned on. */
export interface CompiledScenario {
  readonly name: string;
  /** Every file has one; a scenario that comes with the call may go without. */
  readonly description?: string;
  readonly rules: readonly CompiledRule[];
}

/** The scenarios that can be turned on, by their names in alphabetical order. */
export type ScenarioSet = ReadonlyMap<string, CompiledScenario>;

/** The effects on one request by their kinds: of each kind, a request has one. */
export interface Step {
  readonly settings?: RequestSettings;
  readonly latency?: Latency;
  readonly conflict?: true;
  readonly ending?: Ending;
  readonly dribble?: Dribble;
}
export type Kind = keyof Step;

/** What is answered, or how the connection breaks. */
export type Ending =
  | { readonly respond: Respond; readonly fault?: undefined }
  | { readonly respond?: undefined; readonly fault: Fault };

/** What rules refer to. With `isChecked` their bodies are known to fit the contract, and no validator is loaded. */
export interface RuleContext {
  readonly contract: Contract;
  readonly fixtures: FixtureSet;
  readonly isChecked?: boolean;
}

type Context = RuleContext & Candidates;

/** How much memory the rules and inline scenarios of a project, or the rules of one file, may hold together, in bytes. */
export const MAX_RULE_BYTES = 16 * 1024 * 1024;

/**
 * Compiles rules that fit `Rule`. Adds to the problems everything that breaks the contract, with pointers below
 * `pointer`, and rules that hold too much memory.
 */
export async function compileRules(
  rules: readonly Rule[],
  pointer: string,
  known: RuleContext,
  problems: Problem[],
): Promise<CompiledRule[]> {
  if (isTooLarge(rules, pointer, problems)) return [];
  return Array.fromAsync(rules, (rule, index) => compile(rule, join(pointer, index), known, problems));
}

/** Compiles a rule that fits `Rule`. Adds to the problems as `compileRules` does; with any, returns nothing. */
export async function compileRule(
  rule: Rule,
  known: RuleContext,
  problems: Problem[],
): Promise<CompiledRule | undefined> {
  if (isTooLarge(rule, "", problems)) return undefined;
  const compiled = await compile(rule, "", known, problems);
  return problems.length > 0 ? undefined : compiled;
}

/** Checked first: what is too large takes too long to validate. */
function isTooLarge(rules: Rule | readonly Rule[], pointer: string, problems: Problem[]): boolean {
  const bytes = memoryOf(rules);
  if (bytes <= MAX_RULE_BYTES) return false;
  const message = `expected at most ${MAX_RULE_BYTES} bytes in memory, found ${bytes}. Use fixtures for large bodies.`;
  problems.push({ pointer, message });
  return true;
}

/** A rule for `*` is one for all operations that can have its effects; without any, that is a problem. */
async function compile(rule: Rule, pointer: string, known: RuleContext, problems: Problem[]): Promise<CompiledRule> {
  const { operation = "*", when, after: _after, times: _times, probability: _probability, sequence, ...effects } = rule;
  if (Object.keys(effects).length === 0 && !sequence) {
    problems.push({ pointer, message: "expected at least one effect (respond, latency, fault, …), found none" });
  }
  if (Object.keys(effects).length > 0 && sequence) {
    problems.push({
      pointer: join(pointer, "sequence"),
      message: "expected all effects within it, found others beside",
    });
  }
  const meant: Candidates = { operations: known.contract.operations, problems: [] };
  const matcher = await compileMatcher({ ...when, ...(operation !== "*" && { operation }) }, meant);
  for (const problem of meant.problems) {
    const place = problem.pointer === "/operation" ? pointer : join(pointer, "when");
    problems.push({ ...problem, pointer: place + problem.pointer });
  }
  const context: Context = { ...known, operations: meant.operations, problems };
  const all = sequence ?? [effects];
  const slice = new TimeSlice();
  for (const [index, step] of all.entries()) {
    await checkEffects(step, sequence ? join(join(pointer, "sequence"), index) : pointer, context);
    if (slice.isOver) await slice.next();
  }
  return {
    source: rule,
    operations: new Set(context.operations.map(({ id }) => id)),
    matcher,
    steps: all.map(stepOf),
    changesSettings: all.some(({ settings }) => settings !== undefined),
    bytes: memoryOf(rule),
  };
}

/** In bytes, by measurement: objects and arrays, members with what is compiled for them, items, and characters. */
const OBJECT_BYTES = 100;
const MEMBER_BYTES = 100;
const ITEM_BYTES = 16;
const CHARACTER_BYTES = 2;

/** Returns about how much memory a JSON value holds as part of a rule, in bytes. */
function memoryOf(value: unknown): number {
  if (typeof value === "string") return value.length * CHARACTER_BYTES;
  if (Array.isArray(value)) return value.reduce((sum, item) => sum + ITEM_BYTES + memoryOf(item), OBJECT_BYTES);
  if (!isObject(value)) return 0;
  return Object.entries(value).reduce(
    (sum, [name, member]) => sum + MEMBER_BYTES + memoryOf(name) + memoryOf(member),
    OBJECT_BYTES,
  );
}

function stepOf({ settings, latency, conflict, respond, fault, chunkedDribbleDelay }: Effects): Step {
  return {
    ...(settings && { settings }),
    ...(latency !== undefined && { latency }),
    ...(conflict && { conflict }),
    ...(respond && { ending: { respond } }),
    ...(fault && { ending: { fault } }),
    ...(chunkedDribbleDelay && { dribble: chunkedDribbleDelay }),
  };
}

async function checkEffects(effects: Effects, pointer: string, context: Context): Promise<void> {
  const { conflict, respond, fault, chunkedDribbleDelay } = effects;
  if (fault && (respond || chunkedDribbleDelay)) {
    const other = respond ? "respond" : "chunkedDribbleDelay";
    context.problems.push({ pointer: join(pointer, "fault"), message: `expected it or ${other}, found both` });
  }
  if (conflict) {
    const changes = ({ resource }: ServiceOperation) => resource !== undefined && resource.access !== "read";
    const ids = context.contract.operations.filter(changes).map(({ id }) => id);
    const message = `takes effect on ${ids.join(" and ")} only`;
    keepThose(context, changes, { pointer: join(pointer, "conflict"), message });
  }
  if (respond) await checkRespond(respond, join(pointer, "respond"), context);
}

async function checkRespond(respond: Respond, pointer: string, context: Context): Promise<void> {
  const { status, fixture, headers } = respond;
  const declared = [...new Set(context.operations.flatMap(declaredStatuses))].sort();
  keepThose(context, ({ responses }) => responses[status] !== undefined, {
    pointer: join(pointer, "status"),
    message: `expected one that the operation declares (${declared.join(", ")}), found ${status}`,
  });
  if (fixture !== undefined) {
    const { fixtures } = context;
    const known = [...new Set(context.operations.flatMap(({ id }) => fixtures.examples(id, status)))];
    keepThose(context, ({ id }) => fixtures.get(id, status, fixture) !== undefined, {
      pointer: join(pointer, "fixture"),
      message: `there is no fixture ${status}.${fixture}.json; the variants are: ${known.join(", ") || "none"}`,
    });
  }
  for (const name in headers) {
    if (ownHeaders.has(name.toLowerCase())) {
      context.problems.push({
        pointer: join(join(pointer, "headers"), name),
        message: "is set by resource-mock itself",
      });
    }
  }
  if ("body" in respond) await checkBody(respond, pointer, context);
}

/** Headers that say how the answer is sent, or how it came about. */
const ownHeaders = new Set([
  "content-length",
  "transfer-encoding",
  "trailer",
  "mock-source",
  "mock-request-id",
  "preference-applied",
]);

async function checkBody(respond: Respond, pointer: string, context: Context): Promise<void> {
  const place = join(pointer, "body");
  if (respond.fixture !== undefined) {
    context.problems.push({ pointer: place, message: "expected it or fixture, found both" });
  }
  const schemas = new Set(context.operations.flatMap(({ responses }) => responses[respond.status]?.schema ?? []));
  // Among several operations, HEAD simply leaves the body out.
  if (schemas.size === 0 && context.operations.length > 0) {
    context.problems.push({ pointer: place, message: `expected none: this answer has no body` });
  }
  if (context.isChecked) return;
  for (const schema of schemas) {
    const found = await findProblems(schema, respond.body);
    for (const problem of found) context.problems.push({ ...problem, pointer: place + problem.pointer });
  }
}
