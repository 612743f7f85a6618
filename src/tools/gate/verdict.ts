import { counted, cut, MAX_LISTED, MAX_SHOWN_TEXT } from "../../contract/index.ts";
import type { CoverageReport, Failure } from "../../journal/index.ts";
import { type JunitCase, textTable } from "../../journal/reports/index.ts";
import type { CommandRequirements } from "./requirements.ts";

/** The parts of the report of a sweep that decide. */
export interface Survival {
  readonly runs: readonly (Cell & { readonly outcome: string })[];
  readonly summary: { readonly percent: number | null; readonly strict: boolean; readonly notRun: readonly Cell[] };
}

interface Cell {
  readonly operation: string;
  readonly failure: string;
}

/** A failure that is possible for an operation with requests, and that was not tried on the client. */
export interface MissingCell extends Cell {
  /** The line of a test that tries the failure. `mock` is the project of the test. */
  readonly line: string;
}

/** A requirement that the coverage does not meet. */
export interface Missed {
  readonly requirement: keyof CommandRequirements;
  /** What was expected and found, and the first missing parts, one in each line. */
  readonly message: string;
}

/** The bundled scenario that tries the failure on the client of any operation. */
const scenarios: { readonly [Name in Failure]?: string } = {
  "401/403": "unauthorized",
  "409": "conflict",
  "429": "rate-limited",
  "5xx": "server-error",
  broken: "connection-reset",
  drift: "evolved",
  "off-contract": "bad-gateway",
  slow: "slow",
};

/** Returns the line of a test that tries the failure on the client of the operation. */
export function lineFor(operation: string, failure: string): string {
  const scenario = scenarios[failure as Failure];
  if (scenario) return `await mock.use("${scenario}")`;
  return `await mock.rule({ operation: "${operation}", respond: { status: ${failure} } })`;
}

/** Returns the missing cells of the failure matrix, in the order of its rows and columns. */
export function missingCells({ operations }: CoverageReport): MissingCell[] {
  return operations
    .filter(({ used }) => used)
    .flatMap(({ operation, failures }) =>
      Object.keys(failures)
        .filter((failure) => !failures[failure])
        .sort()
        .map((failure) => ({ operation, failure, line: lineFor(operation, failure) })),
    );
}

/**
 * Returns the requirements that the coverage does not meet, in the order of the requirements.
 *
 * @param sweep the report of a sweep, for `survived`
 */
export function missedRequirements(
  report: CoverageReport,
  requirements: CommandRequirements,
  sweep?: Survival,
): Missed[] {
  const { survived, operations, failures, violations } = requirements;
  const { summary } = report;
  const missed: Missed[] = [];
  if (survived !== undefined && sweep) {
    const { percent, strict, notRun } = sweep.summary;
    const passed = ["survived", "not-reached", ...(strict ? [] : ["wrote-twice"])];
    const others = sweep.runs.filter(({ outcome }) => !passed.includes(outcome));
    const list = [...others, ...notRun.map((cell) => ({ ...cell, outcome: "not-run" }))].map(
      ({ operation, failure, outcome }) => `${operation} ${failure}: ${outcome}`,
    );
    if (percent === null || percent < survived || notRun.length > 0) {
      const found = percent === null ? "no run that reached its failure" : `${percent} %`;
      const message = expected(`at least ${survived} % of all runs`, found, list.length > 0 ? "Not survived:" : "");
      missed.push({ requirement: "survived", message: [message.trim(), ...first(list)].join("\n") });
    }
  }
  if (operations !== undefined && summary.operations < operations) {
    const unused = report.operations.filter(({ used }) => !used).map(({ operation }) => operation);
    const message = expected(`at least ${operations} %`, `${summary.operations} %`, "Without requests:");
    missed.push({ requirement: "operations", message: [message, ...first(unused)].join("\n") });
  }
  if (failures !== undefined && summary.failures < failures) {
    const cells = missingCells(report);
    const rows = cells.slice(0, MAX_LISTED).map(({ operation, failure, line }) => [operation, failure, line]);
    const [, ...lines] = textTable([{ title: "" }, { title: "" }, { title: "" }], rows);
    const heading = cells.length > 0 ? "Not tried, with the line of a test for each:" : "No operation has requests.";
    const message = expected(`at least ${failures} %`, `${summary.failures} %`, heading);
    missed.push({ requirement: "failures", message: [message, ...first(lines, cells.length)].join("\n") });
  }
  if (violations !== undefined && summary.violations > violations) {
    const list = report.violations.map(({ count, operation, message }) =>
      cut(`${count} × ${operation || "no operation"}: ${message.replaceAll(/\s+/g, " ")}`, MAX_SHOWN_TEXT),
    );
    const message = expected(`at most ${violations}`, String(summary.violations), "Contract violations:");
    missed.push({ requirement: "violations", message: [message, ...first(list)].join("\n") });
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
export function junitCases(report: CoverageReport, requirements: CommandRequirements, sweep?: Survival): JunitCase[] {
  const missed = new Map(
    missedRequirements(report, requirements, sweep).map((each) => [each.requirement, each.message]),
  );
  const required = Object.keys(requirements).map((name): JunitCase => {
    const message = missed.get(name as keyof CommandRequirements);
    return { name, classname: "requirements", seconds: 0, outcome: message ? "failed" : "passed", message };
  });
  const cells = report.operations
    .filter(({ used }) => used)
    .flatMap(({ operation, failures }) =>
      Object.keys(failures)
        .sort()
        .map((failure): JunitCase => {
          const common = { name: failure, classname: operation, seconds: 0 };
          if (failures[failure]) return { ...common, outcome: "passed" };
          return { ...common, outcome: "skipped", message: `not tried: ${lineFor(operation, failure)}` };
        }),
    );
  return [...required, ...cells];
}

function expected(least: string, found: string, heading: string): string {
  return `expected ${least}, found ${found}. ${heading}`;
}

function first(lines: readonly string[], total = lines.length): string[] {
  const shown = lines.slice(0, MAX_LISTED).map((line) => `  ${line}`);
  return total > MAX_LISTED ? [...shown, `  … and ${counted(total - MAX_LISTED, "other")}`] : shown;
}
