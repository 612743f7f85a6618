import {
  type Contract,
  cut,
  declaredStatuses,
  errorCatalogue,
  MAX_NAMED_OPERATIONS,
  MAX_TEXT,
  MAX_VIOLATION_LOCATIONS,
} from "../contract/index.ts";
import { emptyTree, type Tree } from "../state/index.ts";
import { type CoverageReport, combined, type OperationParts, reportOf } from "./coverage-report.ts";
import { decisionNamed } from "./decisions.ts";
import { failureNames, failuresOf, isForeign, possibleFailures } from "./failures.ts";
import { type Exchange, type Mutable, violationsOf } from "./kept-exchange.ts";

type Violation = CoverageReport["violations"][number];
type Counts = Readonly<Record<string, number>>;

/** The counts of one operation. The members without a number have a number for each name. */
export interface OperationCounts {
  readonly requests: number;
  readonly offContract: number;
  readonly failures?: Counts;
  /** By status, as `s200`: V8 would reserve a slot for each number up to a key such as `200`. */
  readonly statuses?: Counts;
  readonly actions?: Counts;
  readonly errorCodes?: Counts;
}

/** The exercised parts of the contract. The counts stay when the journal drops requests. */
export interface Coverage {
  /** The operations with requests. The empty name is for requests that match no operation. */
  readonly operations: Tree<string, OperationCounts>;
  /** The violations of the contract, by location. */
  readonly violations: Readonly<Record<string, Violation>>;
  readonly otherViolations: number;
}

const noCounts: OperationCounts = { requests: 0, offContract: 0 };

export const noCoverage: Coverage = { operations: emptyTree(), violations: {}, otherViolations: 0 };

/** Returns the counts with those of a request. With `isOwn`, nobody else has the tree, so it changes in place. */
export function withRequest(before: Coverage, exchange: Exchange, isOwn = false): Coverage {
  const { operationId: operation = "", status, actions, source, decisions } = exchange;
  const counts: Mutable<OperationCounts> = { ...(before.operations.get(operation) ?? noCounts) };
  counts.requests++;
  if (isForeign(exchange)) counts.offContract++;
  // The status is 0 if the connection was broken without a response.
  else if (status > 0) counts.statuses = increased(counts.statuses, `s${status}`);
  for (const failure of failuresOf(exchange)) counts.failures = increased(counts.failures, failure);
  for (const action of actions) counts.actions = increased(counts.actions, action);
  const rejected = source === "error" ? decisionNamed(decisions, "rejected") : undefined;
  if (rejected) counts.errorCodes = increased(counts.errorCodes, rejected.code);
  const coverage = isOwn ? before : { ...before, operations: before.operations.clone() };
  coverage.operations.set(operation, counts);
  const violations = violationsOf(exchange);
  if (violations.length === 0) return coverage;
  const added = violations.map(({ code, field, message }): Violation => {
    const location = field && cut(field.replace(/\/\d+(?=\/|$)/g, "/*"), MAX_TEXT);
    const violation = { operation, code, message: cut(message, MAX_TEXT), count: 1 };
    return location === undefined ? violation : { ...violation, field: location };
  });
  return withViolations(coverage, added);
}

function increased(counts: Counts = {}, name: string): Counts {
  return { ...counts, [name]: countOf(counts, name) + 1 };
}

/** Returns the sum of two coverages. */
export function sumOf(a: Coverage, b: Coverage): Coverage {
  if (b === noCoverage) return a;
  const operations = a.operations.clone();
  for (const [operation, counts] of b.operations.entries()) {
    const sum = combined(operations.get(operation) ?? noCounts, counts, (mine, others) => mine + others);
    operations.set(operation, sum);
  }
  const otherViolations = a.otherViolations + b.otherViolations;
  return withViolations({ operations, violations: a.violations, otherViolations }, Object.values(b.violations));
}

export function reportOfCoverage(coverage: Coverage, contract: Contract): CoverageReport {
  const isUsed = (id: string) => coverage.operations.get(id) !== undefined;
  const isLarge = contract.ids.length > MAX_NAMED_OPERATIONS;
  const listed = contract.operations.filter(({ id }) => !isLarge || isUsed(id));
  const operations = listed.map((operation): OperationParts => {
    const counts = coverage.operations.get(operation.id) ?? noCounts;
    const statuses = Object.entries(counts.statuses ?? {}).map(([name, times]) => [name.slice("s".length), times]);
    const possible = possibleFailures(operation, contract);
    // A rule can cause failures that nobody expects.
    const failures = failureNames.filter((name) => possible.includes(name) || counts.failures?.[name]);
    return {
      operation: operation.id,
      requests: counts.requests,
      offContract: counts.offContract,
      statuses: filled(declaredStatuses(operation), Object.fromEntries(statuses)),
      exposures: Object.fromEntries(failures.map((name) => [name, counts.failures?.[name] ?? 0])),
      ...(operation.actions && { actions: filled(operation.actions, counts.actions) }),
      errorCodes: filled([], counts.errorCodes),
    };
  });
  // Only errors of the built-in service have these codes. For others, they are the reasons of the mock.
  const errorCodes = filled(contract.errorBody ? Object.keys(errorCatalogue) : [], undefined);
  for (const { errorCodes: own = {} } of coverage.operations.values()) {
    for (const [code, times] of Object.entries(own)) errorCodes[code] = countOf(errorCodes, code) + times;
  }
  return reportOf({
    operations,
    unused: contract.ids.filter((id) => !isUsed(id)),
    errorCodes,
    unmatched: coverage.operations.get("")?.requests ?? 0,
    violations: Object.values(coverage.violations),
    otherViolations: coverage.otherViolations,
  });
}

function withViolations(coverage: Coverage, added: readonly Violation[]): Coverage {
  if (added.length === 0) return coverage;
  const violations = { ...coverage.violations };
  let { otherViolations } = coverage;
  let room = MAX_VIOLATION_LOCATIONS - Object.keys(violations).length;
  for (const violation of added) {
    const location = JSON.stringify([violation.operation, violation.code, violation.field]);
    const known = violations[location];
    if (known) violations[location] = { ...known, count: known.count + violation.count };
    else if (room-- > 0) violations[location] = violation;
    else otherViolations += violation.count;
  }
  return { ...coverage, violations, otherViolations };
}

/** Returns a count by name. An archive can have names such as `constructor`. */
function countOf(counts: Counts, name: string): number {
  return Object.hasOwn(counts, name) ? (counts[name] ?? 0) : 0;
}

/** Returns the counts by name, with 0 for each of `names` that was not counted. */
function filled(names: readonly (string | number)[], counted: Counts | undefined): Record<string, number> {
  return { ...Object.fromEntries(names.map((name) => [name, 0])), ...counted };
}
