import { type ErrorCode, errorCatalogue } from "../contract/errors.ts";
import { isObject } from "../contract/json.ts";
import { declaredStatuses } from "../contract/operation.ts";
import { type OperationId, serviceOperations } from "../contract/operations.ts";
import type { FromSchema, Schema } from "../contract/schema.ts";
import { updateActionNames } from "../contract/schemas.ts";
import type { Exchange } from "./exchange.ts";

const count = { type: "integer", minimum: 0 } as const satisfies Schema;
const counts = { type: "object", additionalProperties: count } as const satisfies Schema;
const share = {
  type: "object",
  required: ["exercised", "declared"],
  properties: { exercised: count, declared: count },
} as const satisfies Schema;

/** What of the contract requests have exercised; what was declared and not exercised has the count 0. */
export const CoverageReport = {
  type: "object",
  required: ["requests", "totals", "operations", "errorCodes", "unmatched", "violations", "otherViolations"],
  properties: {
    requests: { ...count, description: "Requests in all." },
    totals: {
      type: "object",
      required: ["operations", "statuses", "actions", "errorCodes"],
      properties: { operations: share, statuses: share, actions: share, errorCodes: share },
    },
    operations: {
      type: "array",
      items: {
        type: "object",
        required: ["operation", "requests", "statuses", "errorCodes"],
        properties: {
          operation: { type: "string" },
          requests: count,
          statuses: { ...counts, description: "Answers by status: every one that the operation declares." },
          actions: { ...counts, description: "Update actions that were applied, by name." },
          errorCodes: { ...counts, description: "Error codes that were answered." },
        },
      },
    },
    errorCodes: { ...counts, description: "Every code of the catalogue, over all operations." },
    unmatched: { ...count, description: "Requests whose path or method is no operation's." },
    violations: {
      type: "array",
      description:
        "Where requests broke the contract, most often first. Places that differ by an index are one, with *.",
      items: {
        type: "object",
        required: ["operation", "code", "message", "count"],
        properties: {
          operation: { type: "string" },
          code: { type: "string" },
          field: { type: "string" },
          message: { type: "string", description: "Of the first such violation." },
          count,
        },
      },
    },
    otherViolations: { ...count, description: "Violations at further places than are told apart." },
  },
} as const satisfies Schema;
export type CoverageReport = FromSchema<typeof CoverageReport>;

/** Counts what requests exercise. They are counted for good: what the journal forgets stays counted. */
export interface Coverage {
  count(exchange: Exchange): void;
  /** Adds all that another one has counted. */
  add(other: Coverage): void;
  report(): CoverageReport;
  readonly counted: Counted;
}

/** What there was none of has no map. */
interface OperationCounts {
  requests: number;
  statuses?: Map<number, number>;
  actions?: Map<string, number>;
  errorCodes?: Map<ErrorCode, number>;
}

type Violation = CoverageReport["violations"][number];

interface Counted {
  /** Under `undefined`, the requests that are no operation's. */
  readonly operations: Map<OperationId | undefined, OperationCounts>;
  violations?: Map<string, Violation>;
  otherViolations: number;
}

/** More places than this are not told apart: a client can make up any number of them. */
const MAX_VIOLATION_PLACES = 1000;

export function createCoverage(): Coverage {
  return new ContractCoverage();
}

class ContractCoverage implements Coverage {
  readonly counted: Counted = { operations: new Map(), otherViolations: 0 };

  count(exchange: Exchange): void {
    countExchange(this.counted, exchange);
  }

  add(other: Coverage): void {
    addCounted(this.counted, other.counted);
  }

  report(): CoverageReport {
    return reportOf(this.counted);
  }
}

function countExchange(counted: Counted, exchange: Exchange): void {
  const { operationId, status, actions, violations, responseBody } = exchange;
  const operation = countsOf(counted, operationId);
  operation.requests++;
  // Of a connection that was broken instead of an answer, there is none, and nothing was done.
  if (status > 0) operation.statuses = increased(operation.statuses, status);
  if (status > 0 && status < 400) {
    for (const action of actions) operation.actions = increased(operation.actions, action);
  } else if (responseBody !== null) {
    for (const code of errorCodesIn(responseBody)) operation.errorCodes = increased(operation.errorCodes, code);
  }
  for (const { code, field, message } of violations) {
    addViolation(counted, {
      operation: operationId ?? "",
      code,
      field: field?.replace(/\/\d+(?=\/|$)/g, "/*"),
      message,
      count: 1,
    });
  }
}

function countsOf({ operations }: Counted, operationId: OperationId | undefined): OperationCounts {
  let known = operations.get(operationId);
  if (!known) {
    known = { requests: 0, statuses: undefined, actions: undefined, errorCodes: undefined };
    operations.set(operationId, known);
  }
  return known;
}

/** The codes in an error's body. Errors are rarer than answers, and small. */
function errorCodesIn(body: string): Set<ErrorCode> {
  const codes = new Set<ErrorCode>();
  try {
    const { errors } = JSON.parse(body);
    for (const { code } of Array.isArray(errors) ? errors.filter(isObject) : []) {
      if (typeof code === "string" && Object.hasOwn(errorCatalogue, code)) codes.add(code as ErrorCode);
    }
  } catch {
    // A scenario may answer an error with a body of another shape: it has no code.
  }
  return codes;
}

function addViolation(counted: Counted, violation: Violation): void {
  const place = JSON.stringify([violation.operation, violation.code, violation.field]);
  counted.violations ??= new Map();
  const known = counted.violations.get(place);
  if (known) known.count += violation.count;
  else if (counted.violations.size < MAX_VIOLATION_PLACES) counted.violations.set(place, { ...violation });
  else counted.otherViolations += violation.count;
}

function addCounted(counted: Counted, other: Counted): void {
  for (const [operationId, { requests, statuses, actions, errorCodes }] of other.operations) {
    const sum = countsOf(counted, operationId);
    sum.requests += requests;
    sum.statuses = summed(sum.statuses, statuses);
    sum.actions = summed(sum.actions, actions);
    sum.errorCodes = summed(sum.errorCodes, errorCodes);
  }
  for (const violation of other.violations?.values() ?? []) addViolation(counted, violation);
  counted.otherViolations += other.otherViolations;
}

/** The map, made now if need be, with one more of this. */
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

function reportOf({ operations: counted, violations, otherViolations }: Counted): CoverageReport {
  const operations = serviceOperations.map((operation) => {
    const { requests = 0, statuses, actions, errorCodes } = counted.get(operation.id) ?? {};
    return {
      operation: operation.id,
      requests,
      statuses: filled(declaredStatuses(operation), statuses),
      ...(operation.id === "updateResource" && { actions: filled(updateActionNames, actions) }),
      errorCodes: filled([], errorCodes),
    };
  });
  const codes = filled(Object.keys(errorCatalogue), undefined);
  for (const { errorCodes } of counted.values()) {
    for (const [code, times] of errorCodes ?? []) codes[code] = (codes[code] ?? 0) + times;
  }
  const unmatched = counted.get(undefined)?.requests ?? 0;
  return {
    requests: operations.reduce((sum, { requests }) => sum + requests, unmatched),
    totals: {
      operations: shareOf(operations.map(({ requests }) => requests)),
      statuses: shareOf(operations.flatMap(({ statuses }) => Object.values(statuses))),
      actions: shareOf(operations.flatMap(({ actions }) => Object.values(actions ?? {}))),
      errorCodes: shareOf(Object.values(codes)),
    },
    operations,
    errorCodes: codes,
    unmatched,
    violations: [...(violations?.values() ?? [])].sort((a, b) => b.count - a.count),
    otherViolations,
  };
}

/** Counts by name: of each of these names, and of whatever else was counted. */
function filled<Name extends string | number>(
  names: readonly Name[],
  counted: ReadonlyMap<Name, number> | undefined,
): Record<string, number> {
  return Object.fromEntries([...names.map((name) => [name, 0] as const), ...(counted ?? [])]);
}

function shareOf(times: readonly number[]): FromSchema<typeof share> {
  return { exercised: times.filter((each) => each > 0).length, declared: times.length };
}
