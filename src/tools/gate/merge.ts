import { count, loadCheck, object, type Schema, shown } from "../../contract/index.ts";
import { type CoverageParts, type CoverageReport, type OperationParts, reportOf } from "../../journal/index.ts";

const counts = { type: "object", additionalProperties: count } as const satisfies Schema;

/** The members of a coverage report that a merge reads. Reports of other versions may lack the others. */
const MergeableReport = object(["operations"], {
  operations: {
    type: "array",
    items: object(["operation", "used", "failures"], {
      operation: { type: "string", minLength: 1 },
      used: { type: "boolean" },
      requests: count,
      offContract: count,
      statuses: counts,
      failures: { type: "object", additionalProperties: { type: "boolean" } },
      exposures: counts,
      actions: counts,
      errorCodes: counts,
    }),
  },
  summary: object([], { violations: count }),
  errorCodes: counts,
  unmatched: count,
  violations: {
    type: "array",
    items: object(["operation", "code", "message", "count"], {
      operation: { type: "string" },
      code: { type: "string" },
      field: { type: "string" },
      message: { type: "string" },
      count,
    }),
  },
  otherViolations: count,
} as const satisfies Record<string, Schema>);

/** Returns the counts of a coverage report. Throws an Error with the first problem if the value is not such a report. */
export async function readReport(value: unknown): Promise<CoverageParts> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`expected a coverage report, found ${shown(value)}`);
  const [problem] = (await loadCheck(MergeableReport, "first"))(value);
  if (problem) throw new Error(`expected a coverage report, found ${problem.pointer || "/"}: ${problem.message}`);
  const report = value as Partial<CoverageReport> & Pick<CoverageReport, "operations">;
  const { violations = [], summary } = report;
  const listed = violations.reduce((sum, { count }) => sum + count, 0);
  return {
    operations: report.operations.map((operation) => {
      const { used, failures, requests = Number(used), exposures = {} } = operation;
      const times = Object.keys(failures).map((name) => [name, exposures[name] ?? Number(failures[name])]);
      const { offContract = 0, statuses = {}, errorCodes = {} } = operation;
      const { operation: id, actions } = operation;
      return {
        operation: id,
        requests,
        offContract,
        statuses,
        exposures: Object.fromEntries(times),
        ...(actions && { actions }),
        errorCodes,
      };
    }),
    errorCodes: report.errorCodes ?? {},
    unmatched: report.unmatched ?? 0,
    violations,
    otherViolations: report.otherViolations ?? Math.max(0, (summary?.violations ?? 0) - listed),
  };
}

/** Returns the report of several mocks or processes together: everything that one of them received. */
export function mergedReport(reports: readonly CoverageParts[]): CoverageReport {
  return reportOf(reports.reduce((sum, report) => combined(sum, report, (a, b) => a + b), nothing));
}

/** Returns the report of the requests since `before`. If the mock was reset meanwhile, no count is below 0. */
export function reportSince(report: CoverageParts, before: CoverageParts): CoverageReport {
  const left = combined(report, before, (a, b) => Math.max(0, a - b));
  return reportOf({ ...left, violations: left.violations.filter(({ count }) => count > 0) });
}

const nothing: CoverageParts = { operations: [], errorCodes: {}, unmatched: 0, violations: [], otherViolations: 0 };
const noRequests: Omit<OperationParts, "operation"> = {
  requests: 0,
  offContract: 0,
  statuses: {},
  exposures: {},
  errorCodes: {},
};

type Combine = (a: number, b: number) => number;

/** Returns the parts of both reports. A count that one of them lacks is 0. */
function combined(a: CoverageParts, b: CoverageParts, combine: Combine): CoverageParts {
  const ids = new Set([...a.operations, ...b.operations].map(({ operation }) => operation));
  const [ofA, ofB] = [a, b].map(({ operations }) => new Map(operations.map((each) => [each.operation, each])));
  const both = (x: Record<string, number> = {}, y: Record<string, number> = {}) =>
    Object.fromEntries(
      Object.keys({ ...x, ...y }).map((name) => [name, combine(timesOf(x, name), timesOf(y, name))] as const),
    );
  const locations = new Map<string, CoverageParts["violations"][number]>();
  for (const [report, isFirst] of [
    [a, true],
    [b, false],
  ] as const) {
    for (const violation of report.violations) {
      const key = JSON.stringify([violation.operation, violation.code, violation.field]);
      const known = locations.get(key);
      const count = known ? combine(known.count, violation.count) : combine(...pair(violation.count, isFirst));
      locations.set(key, { ...(known ?? violation), count });
    }
  }
  return {
    operations: [...ids].map((operation) => {
      const [x = noRequests, y = noRequests] = [ofA?.get(operation), ofB?.get(operation)];
      return {
        operation,
        requests: combine(x.requests, y.requests),
        offContract: combine(x.offContract, y.offContract),
        statuses: both(x.statuses, y.statuses),
        exposures: both(x.exposures, y.exposures),
        ...((x.actions || y.actions) && { actions: both(x.actions, y.actions) }),
        errorCodes: both(x.errorCodes, y.errorCodes),
      };
    }),
    errorCodes: both(a.errorCodes, b.errorCodes),
    unmatched: combine(a.unmatched, b.unmatched),
    violations: [...locations.values()],
    otherViolations: combine(a.otherViolations, b.otherViolations),
  };
}

function pair(count: number, isFirst: boolean): [number, number] {
  return isFirst ? [count, 0] : [0, count];
}

function timesOf(counts: Record<string, number>, name: string): number {
  return Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0;
}
