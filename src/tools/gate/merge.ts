import { loadCheck, shown } from "../../contract/index.ts";
import { type CoverageParts, CoverageReport, type OperationParts, reportOf } from "../../journal/index.ts";

/** Returns a coverage report. Throws an Error with the first problem if the value is not such a report. */
export async function readReport(value: unknown): Promise<CoverageReport> {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`expected a coverage report, found ${shown(value)}`);
  const [problem] = (await loadCheck(CoverageReport, "first"))(value);
  if (problem) throw new Error(`expected a coverage report, found ${problem.pointer || "/"}: ${problem.message}`);
  return value as CoverageReport;
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
  const counts = (x: Record<string, number> = {}, y: Record<string, number> = {}) => {
    const [ofX, ofY] = [new Map(Object.entries(x)), new Map(Object.entries(y))];
    const names = new Set([...ofX.keys(), ...ofY.keys()]);
    return Object.fromEntries([...names].map((name) => [name, combine(ofX.get(name) ?? 0, ofY.get(name) ?? 0)]));
  };
  const operations = paired(a.operations, b.operations, ({ operation }) => operation);
  const locations = paired(a.violations, b.violations, ({ operation, code, field }) =>
    JSON.stringify([operation, code, field]),
  );
  return {
    operations: operations.map(
      ([operation, x = noRequests, y = noRequests]): OperationParts => ({
        operation,
        requests: combine(x.requests, y.requests),
        offContract: combine(x.offContract, y.offContract),
        statuses: counts(x.statuses, y.statuses),
        exposures: counts(x.exposures, y.exposures),
        ...((x.actions || y.actions) && { actions: counts(x.actions, y.actions) }),
        errorCodes: counts(x.errorCodes, y.errorCodes),
      }),
    ),
    errorCodes: counts(a.errorCodes, b.errorCodes),
    unmatched: combine(a.unmatched, b.unmatched),
    violations: locations.flatMap(([, first, second]) => {
      const violation = first ?? second;
      return violation ? [{ ...violation, count: combine(first?.count ?? 0, second?.count ?? 0) }] : [];
    }),
    otherViolations: combine(a.otherViolations, b.otherViolations),
  };
}

/** Returns the items of both lists by their key. */
function paired<Item>(
  first: readonly Item[],
  second: readonly Item[],
  keyOf: (item: Item) => string,
): [key: string, first: Item | undefined, second: Item | undefined][] {
  const [ofFirst, ofSecond] = [first, second].map((items) => new Map(items.map((item) => [keyOf(item), item])));
  const keys = new Set([...first, ...second].map(keyOf));
  return [...keys].map((key) => [key, ofFirst?.get(key), ofSecond?.get(key)]);
}
