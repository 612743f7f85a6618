import type { Contract, OperationId } from "../contract/contract.ts";
import { type ErrorCode, errorCatalogue } from "../contract/errors.ts";
import { declaredStatuses } from "../contract/operation.ts";
import { count, type FromSchema, object, type Schema } from "../contract/schema.ts";
import { isObject } from "../text/json.ts";
import type { Exchange } from "./exchange.ts";

const counts = { type: "object", additionalProperties: count } as const satisfies Schema;
const share = object(["exercised", "declared"], { exercised: count, declared: count });

/** What of the contract requests have exercised; what was declared and not exercised has the count 0. */
export const CoverageReport = object(
  ["requests", "totals", "operations", "errorCodes", "unmatched", "violations", "otherViolations"],
  {
    requests: { ...count, description: "Requests in all." },
    totals: object(["operations", "statuses", "actions", "errorCodes"], {
      operations: share,
      statuses: share,
      actions: share,
      errorCodes: share,
    }),
    operations: {
      type: "array",
      items: object(["operation", "requests", "statuses", "errorCodes"], {
        operation: { type: "string" },
        requests: count,
        statuses: { ...counts, description: "Answers by status: every one that the operation declares." },
        actions: { ...counts, description: "Update actions that were applied, by name." },
        errorCodes: { ...counts, description: "Error codes that were answered." },
      }),
    },
    errorCodes: { ...counts, description: "Every code of the catalogue, over all operations." },
    unmatched: { ...count, description: "Requests whose path or method is no operation's." },
    violations: {
      type: "array",
      description:
        "Where requests broke the contract, most often first. Places that differ by an index are one, with *.",
      items: object(["operation", "code", "message", "count"], {
        operation: { type: "string" },
        code: { type: "string" },
        field: { type: "string" },
        message: { type: "string", description: "Of the first such violation." },
        count,
      }),
    },
    otherViolations: { ...count, description: "Violations at further places than are told apart." },
  },
);
export type CoverageReport = FromSchema<typeof CoverageReport>;

/** The counts of one operation; maps are created by the first count. */
interface OperationCounts {
  requests: number;
  statuses?: Map<number, number>;
  actions?: Map<string, number>;
  errorCodes?: Map<ErrorCode, number>;
}

type Violation = CoverageReport["violations"][number];

/** More places than this are not told apart: a client can make up any number of them. */
const MAX_VIOLATION_PLACES = 1000;

/** Counts what requests exercise. Counts stay when the journal drops requests. A class, as every project has one. */
export class Coverage {
  /** Under `undefined`: requests that no operation matches. */
  #operations: Map<OperationId | undefined, OperationCounts> | undefined;
  #violations: Map<string, Violation> | undefined;
  #otherViolations = 0;

  count({ operationId, status, actions, violations, responseBody }: Exchange): void {
    const operation = this.#countsOf(operationId);
    operation.requests++;
    // Without a response, as the connection was broken, nothing was done.
    if (status > 0) operation.statuses = increased(operation.statuses, status);
    for (const action of actions) operation.actions = increased(operation.actions, action);
    if (status >= 400 && responseBody !== null) {
      for (const code of errorCodesIn(responseBody)) operation.errorCodes = increased(operation.errorCodes, code);
    }
    for (const { code, field, message } of violations) {
      const place = field?.replace(/\/\d+(?=\/|$)/g, "/*");
      this.#addViolation({ operation: operationId ?? "", code, field: place, message, count: 1 });
    }
  }

  /** Adds all that another one has counted. */
  add(other: Coverage): void {
    for (const [operationId, { requests, statuses, actions, errorCodes }] of other.#operations ?? []) {
      const sum = this.#countsOf(operationId);
      sum.requests += requests;
      sum.statuses = summed(sum.statuses, statuses);
      sum.actions = summed(sum.actions, actions);
      sum.errorCodes = summed(sum.errorCodes, errorCodes);
    }
    for (const violation of other.#violations?.values() ?? []) this.#addViolation(violation);
    this.#otherViolations += other.#otherViolations;
  }

  report(contract: Contract): CoverageReport {
    const counted = this.#operations ?? new Map<OperationId | undefined, OperationCounts>();
    const operations = contract.operations.map((operation) => {
      const { requests = 0, statuses, actions, errorCodes } = counted.get(operation.id) ?? {};
      return {
        operation: operation.id,
        requests,
        statuses: filled(declaredStatuses(operation), statuses),
        ...(operation.actions && { actions: filled(operation.actions, actions) }),
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
      violations: [...(this.#violations?.values() ?? [])].sort((a, b) => b.count - a.count),
      otherViolations: this.#otherViolations,
    };
  }

  #countsOf(operationId: OperationId | undefined): OperationCounts {
    this.#operations ??= new Map();
    let known = this.#operations.get(operationId);
    if (!known) {
      known = { requests: 0, statuses: undefined, actions: undefined, errorCodes: undefined };
      this.#operations.set(operationId, known);
    }
    return known;
  }

  #addViolation(violation: Violation): void {
    const place = JSON.stringify([violation.operation, violation.code, violation.field]);
    this.#violations ??= new Map();
    const known = this.#violations.get(place);
    if (known) known.count += violation.count;
    else if (this.#violations.size < MAX_VIOLATION_PLACES) this.#violations.set(place, { ...violation });
    else this.#otherViolations += violation.count;
  }
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
