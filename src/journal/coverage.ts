import type { Contract, OperationId } from "../contract/contract.ts";
import { type ErrorCode, errorCatalogue } from "../contract/errors.ts";
import { declaredStatuses } from "../contract/operation.ts";
import { isObject } from "../text/json.ts";
import { type CoverageReport, type OperationParts, reportOf } from "./coverage-report.ts";
import { type Exchange, violationsOf } from "./exchange.ts";
import { type Failure, failuresOf, possibleFailures } from "./failures.ts";

/** The counts of one operation. The first count creates a map. */
interface OperationCounts {
  requests: number;
  offContract: number;
  failures?: Map<Failure, number>;
  statuses?: Map<number, number>;
  actions?: Map<string, number>;
  errorCodes?: Map<ErrorCode, number>;
}

type Violation = CoverageReport["violations"][number];

/** The counts of a coverage, as JSON. */
export interface SavedCoverage {
  /** The operations with requests. Without `operation`, the requests that match no operation. */
  readonly operations: readonly SavedCounts[];
  readonly violations: readonly Violation[];
  readonly otherViolations: number;
}

/** The counts of one operation. The members without a number have a number for each name. */
export interface SavedCounts {
  readonly operation?: string;
  readonly requests: number;
  readonly offContract: number;
  readonly failures?: Readonly<Record<string, number>>;
  readonly statuses?: Readonly<Record<string, number>>;
  readonly actions?: Readonly<Record<string, number>>;
  readonly errorCodes?: Readonly<Record<string, number>>;
}

/** The limit of locations with a count of their own. A client can send violations at any number of locations. */
const MAX_VIOLATION_LOCATIONS = 1000;

/** Counts the exercised parts of the contract. The counts stay when the journal drops requests. */
export class Coverage {
  /** The key `undefined` is for requests that match no operation. */
  #operations: Map<OperationId | undefined, OperationCounts> | undefined;
  #violations: Map<string, Violation> | undefined;
  #otherViolations = 0;

  count(exchange: Exchange): void {
    const { operationId, status, actions, responseBody, offContract } = exchange;
    const operation = this.#countsOf(operationId);
    operation.requests++;
    if (offContract) operation.offContract++;
    // The status is 0 if the connection was broken without a response.
    else if (status > 0) operation.statuses = increased(operation.statuses, status);
    for (const failure of failuresOf(exchange)) operation.failures = increased(operation.failures, failure);
    for (const action of actions) operation.actions = increased(operation.actions, action);
    if (status >= 400 && typeof responseBody === "string" && !offContract) {
      for (const code of errorCodesIn(responseBody)) operation.errorCodes = increased(operation.errorCodes, code);
    }
    for (const { code, field, message } of violationsOf(exchange)) {
      const location = field?.replace(/\/\d+(?=\/|$)/g, "/*");
      this.#addViolation({ operation: operationId ?? "", code, field: location, message, count: 1 });
    }
  }

  /** Adds the counts of another coverage. */
  add(other: Coverage): void {
    for (const [operationId, counts] of other.#operations ?? []) {
      const { requests, offContract, failures, statuses, actions, errorCodes } = counts;
      const sum = this.#countsOf(operationId);
      sum.requests += requests;
      sum.offContract += offContract;
      sum.failures = summed(sum.failures, failures);
      sum.statuses = summed(sum.statuses, statuses);
      sum.actions = summed(sum.actions, actions);
      sum.errorCodes = summed(sum.errorCodes, errorCodes);
    }
    for (const violation of other.#violations?.values() ?? []) this.#addViolation(violation);
    this.#otherViolations += other.#otherViolations;
  }

  /** The counts as JSON. Setting them replaces all counts. */
  get saved(): SavedCoverage {
    return {
      operations: Array.from(this.#operations ?? [], ([operation, counts]) => ({
        ...(operation !== undefined && { operation }),
        requests: counts.requests,
        offContract: counts.offContract,
        ...(counts.failures && { failures: Object.fromEntries(counts.failures) }),
        ...(counts.statuses && { statuses: Object.fromEntries(counts.statuses) }),
        ...(counts.actions && { actions: Object.fromEntries(counts.actions) }),
        ...(counts.errorCodes && { errorCodes: Object.fromEntries(counts.errorCodes) }),
      })),
      violations: Array.from(this.#violations?.values() ?? [], (violation) => ({ ...violation })),
      otherViolations: this.#otherViolations,
    };
  }

  set saved({ operations, violations, otherViolations }: SavedCoverage) {
    this.#operations = undefined;
    this.#violations = undefined;
    for (const { operation, requests, offContract, failures, statuses, actions, errorCodes } of operations) {
      Object.assign(this.#countsOf(operation as OperationId | undefined), {
        requests,
        offContract,
        failures: failures && new Map(Object.entries(failures)),
        statuses: statuses && new Map(Object.entries(statuses).map(([status, times]) => [Number(status), times])),
        actions: actions && new Map(Object.entries(actions)),
        errorCodes: errorCodes && new Map(Object.entries(errorCodes)),
      });
    }
    for (const violation of violations) this.#addViolation(violation);
    this.#otherViolations = otherViolations;
  }

  report(contract: Contract): CoverageReport {
    const counted = this.#operations ?? new Map<OperationId | undefined, OperationCounts>();
    const operations = contract.operations.map((operation): OperationParts => {
      const {
        requests = 0,
        offContract = 0,
        failures,
        statuses,
        actions,
        errorCodes,
      } = counted.get(operation.id) ?? {};
      return {
        operation: operation.id,
        requests,
        offContract,
        statuses: filled(declaredStatuses(operation), statuses),
        exposures: picked(possibleFailures(operation), failures),
        ...(operation.actions && { actions: filled(operation.actions, actions) }),
        errorCodes: filled([], errorCodes),
      };
    });
    const errorCodes = filled(Object.keys(errorCatalogue), undefined);
    for (const { errorCodes: own } of counted.values()) {
      for (const [code, times] of own ?? []) errorCodes[code] = (errorCodes[code] ?? 0) + times;
    }
    return reportOf({
      operations,
      errorCodes,
      unmatched: counted.get(undefined)?.requests ?? 0,
      violations: [...(this.#violations?.values() ?? [])],
      otherViolations: this.#otherViolations,
    });
  }

  #countsOf(operationId: OperationId | undefined): OperationCounts {
    this.#operations ??= new Map();
    let known = this.#operations.get(operationId);
    if (!known) {
      known = {
        requests: 0,
        offContract: 0,
        failures: undefined,
        statuses: undefined,
        actions: undefined,
        errorCodes: undefined,
      };
      this.#operations.set(operationId, known);
    }
    return known;
  }

  #addViolation(violation: Violation): void {
    const location = JSON.stringify([violation.operation, violation.code, violation.field]);
    this.#violations ??= new Map();
    const known = this.#violations.get(location);
    if (known) known.count += violation.count;
    else if (this.#violations.size < MAX_VIOLATION_LOCATIONS) this.#violations.set(location, { ...violation });
    else this.#otherViolations += violation.count;
  }
}

/** Returns the known error codes in the body of an error response. */
function errorCodesIn(body: string): Set<ErrorCode> {
  const codes = new Set<ErrorCode>();
  try {
    const { errors } = JSON.parse(body);
    for (const { code } of Array.isArray(errors) ? errors.filter(isObject) : []) {
      if (typeof code === "string" && Object.hasOwn(errorCatalogue, code)) codes.add(code as ErrorCode);
    }
  } catch {
    // A scenario can return an error whose body is not JSON. Such a body has no code.
  }
  return codes;
}

/** Returns the map with the count of `key` raised by `by`. Creates a missing map. */
function increased<Key>(map = new Map<Key, number>(), key: Key, by = 1): Map<Key, number> {
  return map.set(key, (map.get(key) ?? 0) + by);
}

function summed<Key>(
  sum: Map<Key, number> | undefined,
  more: ReadonlyMap<Key, number> | undefined,
): Map<Key, number> | undefined {
  for (const [key, times] of more ?? []) sum = increased(sum, key, times);
  return sum;
}

/** Returns the counts by name, with 0 for each of `names` that was not counted. */
function filled<Name extends string | number>(
  names: readonly Name[],
  counted: ReadonlyMap<Name, number> | undefined,
): Record<string, number> {
  return Object.fromEntries([...names.map((name) => [name, 0] as const), ...(counted ?? [])]);
}

/** Returns the counts of `names` by name. */
function picked<Name extends string>(
  names: readonly Name[],
  counted: ReadonlyMap<Name, number> | undefined,
): Record<string, number> {
  return Object.fromEntries(names.map((name) => [name, counted?.get(name) ?? 0]));
}
