import {
  counted,
  cut,
  didYouMean,
  MAX_LISTED,
  MAX_SHOWN_TEXT,
  type Scalar,
  scalarProblem,
  shown,
} from "../../contract/index.ts";
import type { CoverageReport, Failure } from "../../journal/index.ts";
import { type JunitCase, textTable } from "../../journal/reports/index.ts";
import type { SweepReport } from "../sweep/index.ts";

/** The least that the coverage of a run must reach. */
export interface Requirements {
  /** The percentage of operations with requests, from 0 to 100. */
  readonly operations?: number;
  /** The percentage of possible failures that were tried on the client, over the operations with requests, from 0 to 100. */
  readonly failures?: number;
  /** The most contract violations. */
  readonly violations?: number;
}

/** The requirements of the command, which can also read the report of a sweep. */
export interface CommandRequirements extends Requirements {
  /** The percentage of failures that the client survives in a sweep, from 0 to 100. */
  readonly survived?: number;
}

const percentage = { type: "number", minimum: 0, maximum: 100, title: "a percentage from 0 to 100" } as const;

const schemas: Readonly<Record<string, Scalar>> = {
  operations: percentage,
  failures: percentage,
  violations: { type: "integer", minimum: 0 },
} satisfies { readonly [Name in keyof Required<Requirements>]: Scalar };

const ofCommand: typeof schemas = { survived: percentage, ...schemas };

/** Validates requirements, as the options of the reporters hold them. Throws an Error with the first problem. */
export function checkedRequirements(value: unknown, known = schemas): Requirements {
  const names = Object.keys(known);
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`expected an object such as { failures: 50 }, found ${shown(value)}`);
  const entries = Object.entries(value);
  if (entries.length === 0) throw new Error(`expected at least one of ${names.join(", ")}, found none`);
  for (const [name, number] of entries) {
    const schema = new Map(Object.entries(known)).get(name);
    const hint = didYouMean(name, names);
    if (!schema) throw new Error(`expected ${names.join(", ")}, found ${shown(name)}${hint && `.${hint}`}`);
    const problem = scalarProblem(schema, number);
    if (problem) throw new Error(`${name}: ${problem}`);
  }
  return value as Requirements;
}

/** Parses requirements such as `survived=100,violations=0`. Throws an Error with the first problem. */
export function readRequirements(text: string): CommandRequirements {
  const found: Record<string, unknown> = {};
  for (const part of text.split(",")) {
    const [name = "", number, ...rest] = part.split("=").map((each) => each.trim());
    if (number === undefined || rest.length > 0)
      throw new Error(`expected NAME=NUMBER, such as operations=80, found ${shown(part)}`);
    if (Object.hasOwn(found, name)) throw new Error(`${name}: expected once, found several times`);
    // A text that is no number stays, so that the problem shows it.
    found[name] = /^[+-]?\d+(\.\d+)?$/.test(number) ? Number(number) : number;
  }
  return checkedRequirements(found, ofCommand);
}

/** A requirement that the coverage does not meet. */
export interface Missed {
  readonly requirement: keyof CommandRequirements;
  /** What was expected and found, and the first missing parts, one in each line. */
  readonly message: string;
}

/** The bundled scenario that tries the failure on the client of any operation of any service. */
const scenarios: { readonly [Name in Failure]?: string } = {
  "401/403": "unauthorized",
  "429": "rate-limited",
  "5xx": "server-error",
  broken: "connection-reset",
  drift: "evolved",
  "off-contract": "bad-gateway",
  slow: "slow",
};

/** Returns the line of a test, with its project as `mock`, that tries the failure on the client of the operation. */
function lineFor(operation: string, failure: string): string {
  const scenario = scenarios[failure as Failure];
  if (scenario) return `await mock.use("${scenario}")`;
  return `await mock.rule({ operation: "${operation}", respond: { status: ${failure} } })`;
}

/** Returns the possible failures of operations with requests, in the order of the failure matrix. */
function cellsOf({ operations }: CoverageReport) {
  return operations
    .filter(({ used }) => used)
    .flatMap(({ operation, failures }) =>
      Object.entries(failures)
        .map(([failure, isTried]) => ({ operation, failure, isTried, line: lineFor(operation, failure) }))
        .sort((a, b) => (a.failure < b.failure ? -1 : 1)),
    );
}

/** Returns the possible failures that were not tried on the client, each with the line of a test. */
export function missingCells(report: CoverageReport) {
  return cellsOf(report).filter(({ isTried }) => !isTried);
}

/** Returns the share of survived runs. */
export function survivalText({ summary: { percent } }: SweepReport): string {
  return percent === null ? "no run that reached its failure" : `${percent} %`;
}

function notSurvived({ runs, summary: { strict, notRun } }: SweepReport): string[] {
  const passed = ["survived", "not-reached", ...(strict ? [] : ["wrote-twice"])];
  return [...runs, ...notRun.map((cell) => ({ ...cell, outcome: "not-run" }))]
    .filter(({ outcome }) => !passed.includes(outcome))
    .map(({ operation, failure, outcome }) => `${operation} ${failure}: ${outcome}`);
}

/**
 * Returns the requirements that the coverage does not meet, in the order of the requirements.
 *
 * @param sweep the report that decides about `survived`
 */
export function missedRequirements(
  report: CoverageReport,
  { survived, operations = 0, failures = 0, violations = Infinity }: CommandRequirements,
  sweep?: SweepReport,
): Missed[] {
  const { summary } = report;
  const missed: Missed[] = [];
  const miss = (requirement: Missed["requirement"], text: string, lines: readonly string[], total = lines.length) => {
    const listed = lines.slice(0, MAX_LISTED).map((line) => `  ${line}`);
    const more = total > MAX_LISTED ? [`  … and ${counted(total - MAX_LISTED, "other")}`] : [];
    missed.push({ requirement, message: [`expected ${text}`, ...listed, ...more].join("\n") });
  };
  if (survived !== undefined && sweep && ((sweep.summary.percent ?? -1) < survived || !sweep.summary.complete)) {
    const list = notSurvived(sweep);
    const heading = list.length > 0 ? " Not survived:" : "";
    miss("survived", `at least ${survived} % of all runs, found ${survivalText(sweep)}.${heading}`, list);
  }
  if (summary.operations < operations) {
    const text = `at least ${operations} %, found ${summary.operations} %. Without requests:`;
    miss("operations", text, report.unused);
  }
  if (summary.failures < failures) {
    const cells = missingCells(report);
    const rows = cells.slice(0, MAX_LISTED).map(({ operation, failure, line }) => [operation, failure, line]);
    const [, ...lines] = textTable([{ title: "" }, { title: "" }, { title: "" }], rows);
    const heading = cells.length > 0 ? "Not tried, with the line of a test for each:" : "No operation has requests.";
    miss("failures", `at least ${failures} %, found ${summary.failures} %. ${heading}`, lines, cells.length);
  }
  if (summary.violations > violations) {
    const list = report.violations.map(({ count, operation, message }) =>
      cut(`${count} × ${operation || "no operation"}: ${message.replaceAll(/\s+/g, " ")}`, MAX_SHOWN_TEXT),
    );
    miss("violations", `at most ${violations}, found ${summary.violations}. Contract violations:`, list);
  }
  return missed;
}

/** Returns the missed requirements as text, and a hint if the mock received no requests at all. */
export function missedText(report: CoverageReport, missed: readonly Missed[]): string {
  const lines = missed.map(({ requirement, message }) => `${requirement}: ${message}`);
  if (report.requests === 0 && missed.some(({ requirement }) => requirement !== "survived"))
    lines.push("The mock received no requests. Does the client send them to the mock?");
  return `${lines.join("\n")}\n`;
}

/**
 * Returns the cases of a JUnit report: one for each requirement, and one for each possible failure of an operation with
 * requests. A missing failure counts as skipped, because only requirements decide whether a run passes.
 */
export function junitCases(
  report: CoverageReport,
  requirements: CommandRequirements,
  missed: readonly Missed[],
): JunitCase[] {
  const messages = new Map<string, string>(missed.map((each) => [each.requirement, each.message]));
  const required = Object.keys(requirements).map((name): JunitCase => {
    const message = messages.get(name);
    return { name, classname: "requirements", seconds: 0, outcome: message ? "failed" : "passed", message };
  });
  const cells = cellsOf(report).map(({ operation, failure, isTried, line }): JunitCase => {
    const common = { name: failure, classname: operation, seconds: 0 };
    return isTried
      ? { ...common, outcome: "passed" }
      : { ...common, outcome: "skipped", message: `not tried: ${line}` };
  });
  return [...required, ...cells];
}
