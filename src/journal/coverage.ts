import type { Contract, OperationId } from "../contract/contract.ts";
import { type ErrorCode, errorCatalogue } from "../contract/errors.ts";
import { declaredStatuses } from "../contract/operation.ts";
import { count, type FromSchema, object, type Schema } from "../contract/schema.ts";
import { isObject } from "../text/json.ts";
import type { Exchange } from "./exchange.ts";

const counts = { type: "object", additionalProperties: count } as const satisfies Schema;
const share = object(["exercised", "declared"], { exercised: count, declared: count });

/** The parts of the contract that requests have exercised. A declared part without requests has the count 0. */
export const CoverageReport = object(
  ["requests", "totals", "operations", "errorCodes", "unmatched", "violations", "otherViolations"],
  {
    requests: { ...count, description: "The number of all requests." },
    totals: object(["operations", "statuses", "actions", "errorCodes"], {
      operations: share,
      statuses: share,
      actions: share,
      errorCodes: share,
    }),
    operations: {
      type: "array",
      items: object(["operation", "requests", "offContract", "statuses", "errorCodes"], {
        operation: { type: "string" },
        requests: count,
        offContract: {
          ...count,
          description:
            "Off-contract responses, from the effect `raw` or a function. They exercise no status and no error code.",
        },
        statuses: { ...counts, description: "Responses by status, with every status that the operation declares." },
        actions: { ...counts, description: "Applied update actions, by name." },
        errorCodes: { ...counts, description: "Error codes in the operation's responses." },
      }),
    },
    errorCodes: { ...counts, description: "Every known error code, over all operations." },
    unmatched: { ...count, description: "Requests that match no operation, by path or by method." },
    violations: {
      type: "array",
      description:
        "Contract violations by location, the most frequent first. Locations that differ only in an array index count as one, with * as the index.",
      items: object(["operation", "code", "message", "count"], {
        operation: { type: "string" },
        code: { type: "string" },
        field: { type: "string" },
        message: { type: "string", description: "The message of the first violation at this location." },
        count,
      }),
    },
    otherViolations: { ...count, description: "Violations beyond the first 1,000 locations." },
  },
);
export type CoverageReport = FromSchema<typeof CoverageReport>;

/** The counts of one operation. The first count creates a map. */
interface OperationCounts {
  requests: number;
  offContract: number;
  statuses?: Map<number, number>;
  actions?: Map<string, number>;
  errorCodes?: Map<ErrorCode, number>;
}

type Violation = CoverageReport["violations"][number];

/** The limit of locations with a count of their own. A client can send violations at any number of locations. */
const MAX_VIOLATION_LOCATIONS = 1000;

/** Counts the exercised parts of the contract. The counts stay when the journal drops requests. */
export class Coverage {
  /** The key `undefined` is for requests that match no operation. */
  #operations: Map<OperationId | undefined, OperationCounts> | undefined;
  #violations: Map<string, Violation> | undefined;
  #otherViolations = 0;

  count({ operationId, status, actions, violations, responseBody, offContract }: Exchange): void {
    const operation = this.#countsOf(operationId);
    operation.requests++;
    if (offContract) operation.offContract++;
    // The status is 0 if the connection was broken without a response.
    else if (status > 0) operation.statuses = increased(operation.statuses, status);
    for (const action of actions) operation.actions = increased(operation.actions, action);
    if (status >= 400 && typeof responseBody === "string" && !offContract) {
      for (const code of errorCodesIn(responseBody)) operation.errorCodes = increased(operation.errorCodes, code);
    }
    for (const { code, field, message } of violations) {
      const location = field?.replace(/\/\d+(?=\/|$)/g, "/*");
      this.#addViolation({ operation: operationId ?? "", code, field: location, message, count: 1 });
    }
  }

  /** Adds the counts of another coverage. */
  add(other: Coverage): void {
    for (const [operationId, { requests, offContract, statuses, actions, errorCodes }] of other.#operations ?? []) {
      const sum = this.#countsOf(operationId);
      sum.requests += requests;
      sum.offContract += offContract;
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
      const { requests = 0, offContract = 0, statuses, actions, errorCodes } = counted.get(operation.id) ?? {};
      return {
        operation: operation.id,
        requests,
        offContract,
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
      known = { requests: 0, offContract: 0, statuses: undefined, actions: undefined, errorCodes: undefined };
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

function shareOf(times: readonly number[]): FromSchema<typeof share> {
  return { exercised: times.filter((each) => each > 0).length, declared: times.length };
}
