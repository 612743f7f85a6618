import {
  type Contract,
  declaredStatuses,
  findProblems,
  fromBase64,
  isObject,
  join,
  MAX_RULE_BYTES,
  MAX_STEPS,
  type OperationId,
  type Problem,
  type ServiceOperation,
  shown,
  tokenOperation,
} from "../contract/index.ts";
import type { FixtureSet, Latency } from "../state/index.ts";
import type { AnyFunction } from "./function.ts";
import { compileMatcher, type Matcher } from "./matching/matcher.ts";
import { type Candidates, keepOperations } from "./matching/possible.ts";
import type { Dribble, Effects, Fault, Raw, RequestSettings, Respond, Rule } from "./scenario.ts";
import { templateProblems, templatesIn } from "./template.ts";

/** A valid rule, ready to be compared with requests. */
export interface CompiledRule {
  readonly source: Rule;
  /** The operations that the rule can take effect on. */
  readonly operations: ReadonlySet<OperationId>;
  readonly matcher: Matcher;
  /** The effects by request, in order. A rule without `sequence` has one step. */
  readonly steps: readonly Step[];
  readonly changesSettings: boolean;
  /** The approximate memory use, in bytes. */
  readonly bytes: number;
}

/** A valid scenario, ready to be activated. */
export interface CompiledScenario {
  readonly name: string;
  /** Required in files, optional in inline scenarios. */
  readonly description?: string;
  readonly rules: readonly CompiledRule[];
}

/** All loaded scenarios by name, in alphabetical order. */
export type ScenarioSet = ReadonlyMap<string, CompiledScenario>;

/** The effects on one request, at most one of each kind. */
export interface Step {
  readonly settings?: RequestSettings;
  readonly latency?: Latency;
  readonly conflict?: true;
  readonly ending?: Ending;
  readonly evolve?: true;
  readonly dribble?: Dribble;
}
export type Kind = keyof Step;

/** The response, or the way in which the connection breaks: one of `EndingMembers`. */
export type Ending = {
  [Name in keyof EndingMembers]: Partial<Record<Exclude<keyof EndingMembers, Name>, undefined>> & {
    readonly [Own in Name]: EndingMembers[Own];
  } & {
    /** Whether the body or a header contains values from the request. */
    readonly hasTemplates?: boolean;
  };
}[keyof EndingMembers];

interface EndingMembers {
  readonly respond: Respond;
  readonly raw: Raw;
  readonly run: AnyFunction;
  readonly fault: Fault;
}

/** The contract and fixtures that rules refer to. With `isChecked`, bodies are known to be valid and are not validated again. */
export interface RuleContext {
  readonly contract: Contract;
  readonly fixtures: FixtureSet;
  readonly isChecked?: boolean;
}

type Context = RuleContext & Candidates;

/**
 * Compiles rules that are valid by the schema `Rule`. Adds contract violations and rules above a limit to `problems`, with
 * pointers below `pointer`.
 */
export async function compileRules(
  rules: readonly Rule[],
  pointer: string,
  known: RuleContext,
  problems: Problem[],
): Promise<CompiledRule[]> {
  if (isTooLarge(rules, pointer, problems)) return [];
  const steps = rules.reduce((sum, { sequence }) => sum + (sequence?.length ?? 0), 0);
  if (steps > MAX_STEPS) {
    problems.push({
      pointer,
      message: `expected at most ${MAX_STEPS} steps in all sequences, found ${steps}`,
    });
    return [];
  }
  return Array.fromAsync(rules, (rule, index) => compile(rule, join(pointer, index), known, problems));
}

/** Compiles a rule that is valid by the schema `Rule`. Adds to `problems` as `compileRules` does. Returns undefined if there are problems. */
export async function compileRule(
  rule: Rule,
  known: RuleContext,
  problems: Problem[],
): Promise<CompiledRule | undefined> {
  if (isTooLarge(rule, "", problems)) return undefined;
  const compiled = await compile(rule, "", known, problems);
  return problems.length > 0 ? undefined : compiled;
}

/** Returns whether the rules exceed the memory limit. This check comes first, as validating large rules is slow. */
function isTooLarge(rules: Rule | readonly Rule[], pointer: string, problems: Problem[]): boolean {
  const bytes = memoryOf(rules);
  if (bytes <= MAX_RULE_BYTES) return false;
  const message = `expected at most ${MAX_RULE_BYTES} bytes in memory, found ${bytes}. Use fixtures for large bodies.`;
  problems.push({ pointer, message });
  return true;
}

/** Compiles one rule. `*` means all operations that can have the effects; without such operations, adds a problem. */
async function compile(rule: Rule, pointer: string, known: RuleContext, problems: Problem[]): Promise<CompiledRule> {
  const { operation = "*", when, after: _after, times: _times, probability: _probability, sequence, ...effects } = rule;
  if (Object.keys(effects).length === 0 && !sequence) {
    problems.push({ pointer, message: "expected at least one effect (respond, raw, latency, fault, …), found none" });
  }
  if (Object.keys(effects).length > 0 && sequence) {
    problems.push({
      pointer: join(pointer, "sequence"),
      message: "expected all effects inside sequence, found effects beside it",
    });
  }
  const { operations } = known.contract;
  const all = sequence ?? [effects];
  const includesToken = operation !== "*" || all.every(canAffectTokens);
  const possible: Candidates = {
    operations: includesToken ? [...operations, tokenOperation] : operations,
    problems: [],
  };
  const matcher = await compileMatcher({ ...when, ...(operation !== "*" && { operation }) }, possible);
  for (const problem of possible.problems) {
    const parent = problem.pointer === "/operation" ? pointer : join(pointer, "when");
    problems.push({ ...problem, pointer: parent + problem.pointer });
  }
  const context: Context = { ...known, operations: possible.operations, problems };
  for (const [index, step] of all.entries()) {
    await checkEffects(step, sequence ? join(join(pointer, "sequence"), index) : pointer, context);
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

/**
 * Returns whether an effect on all operations affects the token endpoint too. The endpoint has no fixtures and error codes
 * of the service, and the errors of tokens (401, 403) are not its errors.
 */
function canAffectTokens({ respond, conflict, evolve }: Effects): boolean {
  if (conflict || evolve) return false;
  if (!respond) return true;
  const { status, body, fixture } = respond;
  return body === undefined && fixture === undefined && status !== 401 && status in tokenOperation.responses;
}

/** Returns the rule of a function: all requests of the operation match. */
export function ruleOfFunction(operation: OperationId, run: AnyFunction): CompiledRule {
  return {
    source: { operation },
    operations: new Set([operation]),
    matcher: { match: {}, size: 0, differences: () => [] },
    steps: [{ ending: { run } }],
    changesSettings: false,
    bytes: FUNCTION_BYTES,
  };
}

/** The approximate memory of a function, in bytes. The values that it refers to belong to the test. */
const FUNCTION_BYTES = 500;

/** Measured memory in bytes: of an object or array, of a member with its compiled form, of an item, of a character. */
const OBJECT_BYTES = 100;
const MEMBER_BYTES = 100;
const ITEM_BYTES = 16;
const CHARACTER_BYTES = 2;

/** Returns the approximate memory of a JSON value in a rule, in bytes. */
function memoryOf(value: unknown): number {
  if (typeof value === "string") return value.length * CHARACTER_BYTES;
  if (Array.isArray(value)) return value.reduce((sum, item) => sum + ITEM_BYTES + memoryOf(item), OBJECT_BYTES);
  if (!isObject(value)) return 0;
  return Object.entries(value).reduce(
    (sum, [name, member]) => sum + MEMBER_BYTES + memoryOf(name) + memoryOf(member),
    OBJECT_BYTES,
  );
}

function stepOf({ settings, latency, conflict, respond, raw, fault, evolve, chunkedDribbleDelay }: Effects): Step {
  return {
    ...(settings && { settings }),
    ...(latency !== undefined && { latency }),
    ...(conflict && { conflict }),
    ...(respond && { ending: { respond, hasTemplates: hasTemplates(respond) } }),
    ...(raw && { ending: { raw, hasTemplates: hasTemplates(raw) } }),
    ...(fault && { ending: { fault } }),
    ...(evolve && { evolve }),
    ...(chunkedDribbleDelay && { dribble: chunkedDribbleDelay }),
  };
}

function hasTemplates({ body, headers }: Respond | Raw): boolean {
  return templatesIn([body, headers]).size > 0;
}

async function checkEffects(effects: Effects, pointer: string, context: Context): Promise<void> {
  const { conflict, respond, raw, fault, evolve, chunkedDribbleDelay } = effects;
  if (fault && (respond || chunkedDribbleDelay)) {
    const other = respond ? "respond" : "chunkedDribbleDelay";
    context.problems.push({ pointer: join(pointer, "fault"), message: `expected fault or ${other}, found both` });
  }
  if (raw && (respond || fault)) {
    const other = respond ? "respond" : "fault";
    context.problems.push({ pointer: join(pointer, "raw"), message: `expected raw or ${other}, found both` });
  }
  if (conflict) {
    const changes = ({ resource }: ServiceOperation) => resource !== undefined && resource.access !== "read";
    const ids = context.contract.operations.filter(changes).map(({ id }) => id);
    const message = `expected the operation ${ids.join(" or ")}, found ${context.operations.map(({ id }) => id).join(", ")}`;
    keepOperations(context, changes, { pointer: join(pointer, "conflict"), message });
  }
  if (evolve) {
    const hasBody = ({ responses }: ServiceOperation) => Object.values(responses).some(({ schema }) => schema);
    const message = "expected an operation whose responses have a body";
    keepOperations(context, hasBody, { pointer: join(pointer, "evolve"), message });
  }
  if (respond) await checkRespond(respond, join(pointer, "respond"), context);
  if (raw) await checkRaw(raw, join(pointer, "raw"), context.problems);
}

async function checkRespond(respond: Respond, pointer: string, context: Context): Promise<void> {
  const { status, fixture } = respond;
  const declared = [...new Set(context.operations.flatMap(declaredStatuses))].sort();
  keepOperations(context, ({ responses }) => responses[status] !== undefined, {
    pointer: join(pointer, "status"),
    message: `expected a status of the operation (${declared.join(", ")}), found ${status}`,
  });
  if (fixture !== undefined) {
    const { fixtures } = context;
    const known = [...new Set(context.operations.flatMap(({ id }) => fixtures.examples(id, status)))];
    keepOperations(context, ({ id }) => fixtures.get(id, status, fixture) !== undefined, {
      pointer: join(pointer, "fixture"),
      message: `fixture ${status}.${fixture}.json not found. Known variants: ${known.join(", ") || "none"}`,
    });
  }
  checkHeaders(respond, pointer, context.problems);
  for (const [name, value] of Object.entries(respond.headers ?? {})) {
    const problem = contentProblem(name, value);
    if (!problem) continue;
    const message = `${problem}. Use raw to send other content.`;
    context.problems.push({ pointer: join(join(pointer, "headers"), name), message });
  }
  if ("body" in respond) await checkBody(respond, pointer, context);
}

/** The statuses whose responses have no body (RFC 9110). */
const bodiless: readonly number[] = [204, 205, 304];

async function checkRaw(raw: Raw, pointer: string, problems: Problem[]): Promise<void> {
  const { status, bodyBase64 } = raw;
  checkHeaders(raw, pointer, problems);
  problems.push(...templateProblems(templatesIn(raw.body), join(pointer, "body"), raw.body));
  const names = ["body", "bodyBase64"].filter((name) => Object.hasOwn(raw, name));
  const bodyPointer = join(pointer, names.at(-1) ?? "");
  if (names.length === 2) problems.push({ pointer: bodyPointer, message: "expected body or bodyBase64, found both" });
  if (names.length > 0 && bodiless.includes(status)) {
    problems.push({ pointer: bodyPointer, message: `expected no body, as responses with ${status} have none` });
  }
  if (bodyBase64 !== undefined && !fromBase64(bodyBase64)) {
    problems.push({ pointer: bodyPointer, message: `expected base64 with padding, found ${shown(bodyBase64)}` });
  }
}

/** Headers that the server sets itself, and headers of the connection. Rules cannot set them. */
const ownHeaders = new Set([
  "connection",
  "content-length",
  "keep-alive",
  "mock-off-contract",
  "mock-request-id",
  "mock-source",
  "preference-applied",
  "proxy-connection",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Returns whether the server sets this header itself. */
export function isOwnHeader(name: string): boolean {
  return ownHeaders.has(name.toLowerCase());
}

/**
 * Returns why a response that is not off-contract cannot have this header, or undefined if it can: the contract describes
 * JSON without an encoding.
 */
export function contentProblem(name: string, value: unknown): string | undefined {
  const header = name.toLowerCase();
  if (header === "content-encoding") return `expected no encoding, found ${shown(value)}`;
  if (header !== "content-type" || /^application\/json[\t ]*(;|$)/i.test(String(value))) return undefined;
  return `expected application/json, found ${shown(value)}`;
}

function checkHeaders({ headers }: Respond | Raw, pointer: string, problems: Problem[]): void {
  for (const name in headers) {
    if (!isOwnHeader(name)) continue;
    const message = "expected another header, as resource-mock sets this one";
    problems.push({ pointer: join(join(pointer, "headers"), name), message });
  }
  problems.push(...templateProblems(templatesIn(headers), join(pointer, "headers")));
}

async function checkBody(respond: Respond, pointer: string, context: Context): Promise<void> {
  const bodyPointer = join(pointer, "body");
  if (respond.fixture !== undefined) {
    context.problems.push({ pointer: bodyPointer, message: "expected body or fixture, found both" });
  }
  const schemas = new Set(context.operations.flatMap(({ responses }) => responses[respond.status]?.schema ?? []));
  // A rule for several operations can include HEAD: its response then has no body.
  if (schemas.size === 0 && context.operations.length > 0) {
    context.problems.push({ pointer: bodyPointer, message: "expected no body, as this response has none" });
  }
  if (context.isChecked) return;
  const templates = templatesIn(respond.body);
  context.problems.push(...templateProblems(templates, bodyPointer, respond.body));
  for (const schema of schemas) {
    const found = await findProblems(schema, respond.body);
    for (const problem of found) {
      // The value of a template is validated in each response.
      if (isWithin(templates, problem.pointer)) continue;
      context.problems.push({ ...problem, pointer: bodyPointer + problem.pointer });
    }
  }
}

/** Returns whether the pointer leads to one of the templates, or into one. */
function isWithin(templates: ReadonlyMap<string, unknown>, pointer: string): boolean {
  if (templates.size === 0) return false;
  if (templates.has(pointer)) return true;
  return pointer !== "" && isWithin(templates, pointer.slice(0, pointer.lastIndexOf("/")));
}
