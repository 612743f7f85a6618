import { count, cut, type FromSchema, MAX_LISTED, object } from "../../contract/index.ts";
import { type JunitCase, junitXml, textTable } from "../../journal/reports/index.ts";

/** The operation of checks that concern every operation. */
export const EVERY_OPERATION = "*";

const text = { type: "string" } as const;

const CheckReport = object(["name", "operation", "kind", "outcome", "expected", "seen", "why"], {
  name: { ...text, description: "The name of the check, which is unique and stable." },
  operation: { ...text, description: "The id of the operation, or `*` for checks that concern every operation." },
  kind: { ...text, enum: ["contract", "behaviour", "assumption"] },
  assumption: { ...text, description: "The name of the assumption that the check tries. `--allow` takes it." },
  outcome: { ...text, enum: ["pass", "fail", "differs", "skipped"] },
  expected: { ...text, description: "The expected behaviour." },
  seen: { ...text, description: "The observed behaviour; empty if the check was skipped." },
  why: {
    ...text,
    description:
      "Why the check was skipped; otherwise the source of the expectation: the interface, or an assumption of the mock.",
  },
});

/** The JSON Schema of the report of `--report`. */
export const Report = object(["upstream", "project", "startedAt", "checks", "summary"], {
  upstream: { ...text, description: "The base address of the service." },
  project: { ...text, description: "The project key." },
  startedAt: { ...text, format: "date-time" },
  checks: { type: "array", items: CheckReport },
  summary: object(["pass", "fail", "differs", "skipped"], { pass: count, fail: count, differs: count, skipped: count }),
});
export type Report = FromSchema<typeof Report>;

/** The result of one check. An assumption `differs` if it is not true of this service. */
export interface Result extends FromSchema<typeof CheckReport> {
  readonly seconds: number;
}

/** Returns the number of results by their outcome. */
export function summaryOf(results: readonly Pick<Result, "outcome">[]): Report["summary"] {
  const summary = { pass: 0, fail: 0, differs: 0, skipped: 0 };
  for (const { outcome } of results) summary[outcome]++;
  return summary;
}

/** Returns whether the result fails the run. `allowed`: the assumptions that may differ. */
export function isFailure({ outcome, assumption = "" }: Result, allowed: readonly string[]): boolean {
  return outcome === "fail" || (outcome === "differs" && !allowed.includes(assumption));
}

/** Returns the results as JUnit XML, with one suite for each operation. */
export function junitOf(results: readonly Result[], allowed: readonly string[]): string {
  const suites = [...Map.groupBy(results, nameOf)].map(([name, group]) => ({
    name,
    cases: group.map((result): JunitCase => {
      const { name: check, outcome, expected, seen, why, seconds } = result;
      const failed = isFailure(result, allowed);
      const details = `expected: ${expected}\nseen: ${seen}`;
      return {
        name: check,
        classname: name,
        seconds,
        outcome: failed ? "failed" : outcome === "skipped" ? "skipped" : "passed",
        message: failed ? `${outcome} (${sourceOf(result)})\n${details}` : why,
        output: outcome === "differs" && !failed ? `differs\n${details}` : undefined,
      };
    }),
  }));
  return junitXml({ name: "resource-mock compare", suites });
}

function nameOf({ operation }: Result): string {
  return operation === EVERY_OPERATION ? "every operation" : operation;
}

function sourceOf({ kind, assumption }: Result): string {
  return kind === "assumption" ? `assumption ${assumption}` : kind;
}

export function lineOf({ outcome, name, seen, why }: Result): string {
  const detail = outcome === "pass" ? "" : `  (${cut(outcome === "skipped" ? why : seen, 200)})`;
  return `${outcome.padEnd(7)}  ${name}${detail}`;
}

/** Returns the results as a text: a row for each operation, the deviations, and the reasons of skipped checks. */
export function tableOf(results: readonly Result[], allowed: readonly string[]): string {
  const groups = [...Map.groupBy(results, nameOf), ["total", results] as const];
  const titles = Object.keys(summaryOf([])).map((title) => ({ title, align: "right" }) as const);
  const rows = groups.map(([name, group]) => [name, ...Object.values(summaryOf(group)).map(String)]);
  const deviations = results.filter(({ outcome }) => outcome === "fail" || outcome === "differs");
  const details = deviations.flatMap((result) => [
    "",
    `${result.outcome}  ${result.name} (${sourceOf(result)}${isFailure(result, allowed) ? "" : ", allowed"})`,
    `  expected  ${result.expected}`,
    `  seen      ${result.seen}`,
  ]);
  const skipped = results.filter(({ outcome }) => outcome === "skipped");
  const skips = [...Map.groupBy(skipped, ({ why }) => why)].flatMap(([why, group]) => [
    "",
    `skipped  ${why}`,
    ...group.slice(0, MAX_LISTED).map(({ name }) => `  ${name}`),
    ...(group.length > MAX_LISTED ? [`  … and ${group.length - MAX_LISTED} more; --log prints all`] : []),
  ]);
  return [...textTable([{ title: "operation" }, ...titles], rows), ...details, ...skips, ""].join("\n");
}
