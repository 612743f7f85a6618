import { count, cut, type FromSchema, MAX_LISTED, object } from "../../contract/index.ts";
import { type JunitCase, junitXml } from "../../journal/reports/index.ts";
import { EVERY_OPERATION, type Outcome, type Result } from "./options.ts";

const text = { type: "string" } as const;

/** The JSON Schema of the report of `--report`. */
export const Report = object(["upstream", "project", "startedAt", "checks", "summary"], {
  upstream: { ...text, description: "The base address of the service." },
  project: { ...text, description: "The project key." },
  startedAt: { ...text, format: "date-time" },
  checks: {
    type: "array",
    items: object(["name", "operation", "kind", "outcome", "expected", "seen", "why"], {
      name: { ...text, description: "The name of the check, which is unique and stable." },
      operation: { ...text, description: "The id of the operation, or `*` for checks that concern every operation." },
      kind: { ...text, enum: ["contract", "behaviour", "assumption"] },
      outcome: { ...text, enum: ["pass", "fail", "differs", "skipped"] },
      expected: { ...text, description: "The expected behaviour." },
      seen: { ...text, description: "The observed behaviour; empty if the check was skipped." },
      why: {
        ...text,
        description:
          "Why the check was skipped; otherwise the source of the expectation: the interface, or the question that the interface leaves open.",
      },
    }),
  },
  summary: object(["pass", "fail", "differs", "skipped"], { pass: count, fail: count, differs: count, skipped: count }),
});
export type Report = FromSchema<typeof Report>;

/** Returns the number of results of each outcome. */
function summaryOf(results: readonly Pick<Result, "outcome">[]): Readonly<Record<Outcome, number>> {
  const summary = { pass: 0, fail: 0, differs: 0, skipped: 0 };
  for (const { outcome } of results) summary[outcome]++;
  return summary;
}

/** Returns the report of a run. `startedAt`: RFC 3339. */
export function reportOf(
  { upstream, project, startedAt }: Pick<Report, "upstream" | "project" | "startedAt">,
  results: readonly Result[],
): Report {
  const checks = results.map(({ seconds: _seconds, ...check }) => check);
  return { upstream, project, startedAt, checks, summary: summaryOf(results) };
}

/**
 * Returns the results as JUnit XML, with one suite for each operation. `fails`: the outcomes that count as failures.
 */
export function junitOf(results: readonly Result[], fails: readonly Outcome[]): string {
  const suites = [...Map.groupBy(results, ({ operation }) => nameOf(operation))].map(([name, group]) => ({
    name,
    cases: group.map(({ name, operation, outcome, expected, seen, why, seconds, kind }): JunitCase => {
      const failed = fails.includes(outcome);
      const details = `expected: ${expected}\nseen: ${seen}`;
      return {
        name,
        classname: nameOf(operation),
        seconds,
        outcome: failed ? "failed" : outcome === "skipped" ? "skipped" : "passed",
        message: failed ? `${outcome} (${kind})\n${details}` : why,
        output: outcome === "differs" && !failed ? `differs\n${details}` : undefined,
      };
    }),
  }));
  return junitXml({ name: "resource-mock verify", suites });
}

function nameOf(operation: Result["operation"]): string {
  return operation === EVERY_OPERATION ? "every operation" : operation;
}

/** Returns the line of a result for `--log`. */
export function lineOf({ outcome, name, seen, why }: Result): string {
  const detail = outcome === "pass" ? "" : `  (${cut(outcome === "skipped" ? why : seen, 200)})`;
  return `${outcome.padEnd(7)}  ${name}${detail}`;
}

/** Returns the results as a text: a row for each operation, the deviations, and the reasons of skipped checks. */
export function tableOf(results: readonly Result[]): string {
  const groups = [...Map.groupBy(results, ({ operation }) => nameOf(operation)), ["total", results] as const];
  const width = Math.max(...["operation", ...groups.map(([name]) => name)].map(({ length }) => length));
  const row = (name: string, cells: readonly unknown[]) =>
    `${name.padEnd(width)}${cells.map((cell) => String(cell).padStart(9)).join("")}`;
  const rows = groups.map(([name, group]) => row(name, Object.values(summaryOf(group))));
  const deviations = results.filter(({ outcome }) => outcome === "fail" || outcome === "differs");
  const details = deviations.flatMap(({ outcome, name, kind, expected, seen }) => [
    "",
    `${outcome}  ${name} (${kind})`,
    `  expected  ${expected}`,
    `  seen      ${seen}`,
  ]);
  const skipped = results.filter(({ outcome }) => outcome === "skipped");
  const skips = [...Map.groupBy(skipped, ({ why }) => why)].flatMap(([why, group]) => [
    "",
    `skipped  ${why}`,
    ...group.slice(0, MAX_LISTED).map(({ name }) => `  ${name}`),
    ...(group.length > MAX_LISTED ? [`  … and ${group.length - MAX_LISTED} more; --log prints all`] : []),
  ]);
  return [row("operation", Object.keys(summaryOf([]))), ...rows, ...details, ...skips, ""].join("\n");
}
