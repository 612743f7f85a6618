import {
  count,
  type FromSchema,
  isObject,
  MAX_NAMED_OPERATIONS,
  object,
  objectExcept,
  type Schema,
  string,
} from "../contract/index.ts";
import { failureNames } from "./failures.ts";

const counts = { type: "object", additionalProperties: count } as const satisfies Schema;
const share = object(["exercised", "declared"], { exercised: count, declared: count });
const percent = { type: "number", minimum: 0, maximum: 100 } as const satisfies Schema;

const failuresMeaning =
  "401/403: one of the two; slow: held back for 1,000 ms or more by latency, chunks or a function; broken: a broken connection; off-contract: from the effect `raw` or a function; drift: changed by the effect `evolve`.";

/** The parts of the contract that requests have exercised. A declared part without requests has the count 0. */
export const CoverageReport = objectExcept([], {
  requests: { ...count, description: "The number of all requests." },
  summary: {
    ...object(["operations", "failures", "violations"], {
      operations: { ...percent, description: "The percentage of operations with requests." },
      failures: {
        ...percent,
        description:
          "The percentage of possible failures that the client was exposed to, over the operations with requests. 0 without requests.",
      },
      violations: { ...count, description: "The number of contract violations." },
    }),
    description: "Percentages are rounded down to two decimals.",
  },
  totals: objectExcept([], {
    operations: share,
    failures: { ...share, description: "Failures of the operations with requests." },
    statuses: share,
    actions: share,
    errorCodes: share,
  }),
  operations: {
    type: "array",
    items: objectExcept(["actions"], {
      operation: { type: "string" },
      used: { type: "boolean", description: "Whether the operation has received requests." },
      requests: count,
      offContract: {
        ...count,
        description:
          "Off-contract responses, from the effect `raw` or a function. They exercise no status and no error code.",
      },
      statuses: { ...counts, description: "Responses by status, with every status that the operation declares." },
      failures: {
        type: "object",
        propertyNames: { enum: failureNames },
        additionalProperties: { type: "boolean" },
        description: `Whether the client was exposed to each failure that is possible for the operation. ${failuresMeaning}`,
      },
      exposures: {
        type: "object",
        propertyNames: { enum: failureNames },
        additionalProperties: count,
        description: "The number of responses by failure.",
      },
      actions: { ...counts, description: "Applied update actions, by name." },
      errorCodes: { ...counts, description: "The mock's errors by their codes, as in the decision `rejected`." },
    }),
    description: `All operations; those with requests if the contract has more than ${MAX_NAMED_OPERATIONS}.`,
  },
  unused: { type: "array", items: string, description: "The ids of all operations without requests." },
  errorCodes: { ...counts, description: "Error codes over all operations, with every code of the built-in service." },
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
});
export type CoverageReport = FromSchema<typeof CoverageReport>;

type OperationReport = CoverageReport["operations"][number];
/** The counts of an operation. The other members of its report are derived from them. */
export type OperationParts = Omit<OperationReport, "used" | "failures">;
/** The counts of a report. The other members are derived from them. */
export interface CoverageParts
  extends Pick<CoverageReport, "errorCodes" | "unmatched" | "violations" | "otherViolations"> {
  readonly operations: readonly OperationParts[];
  /** Operations without requests. */
  readonly unused?: readonly string[];
}

/** Returns the report with these counts. */
export function reportOf(parts: CoverageParts): CoverageReport {
  const { errorCodes, unmatched, otherViolations } = parts;
  const operations = parts.operations.map(({ operation, ...rest }): OperationReport => {
    const used = rest.requests > 0;
    const failures = Object.entries(rest.exposures).map(([name, times]) => [name, times > 0] as const);
    return { operation, used, ...rest, failures: Object.fromEntries(failures) };
  });
  const used = operations.filter((operation) => operation.used);
  const all = new Set([...operations.map(({ operation }) => operation), ...(parts.unused ?? [])]);
  const unused = [...all.difference(new Set(used.map(({ operation }) => operation)))];
  const totals = {
    operations: { exercised: used.length, declared: all.size },
    failures: shareOf(used.flatMap(({ exposures }) => Object.values(exposures))),
    statuses: shareOf(operations.flatMap(({ statuses }) => Object.values(statuses))),
    actions: shareOf(operations.flatMap(({ actions }) => Object.values(actions ?? {}))),
    errorCodes: shareOf(Object.values(errorCodes)),
  };
  const violations = [...parts.violations].sort((a, b) => b.count - a.count);
  return {
    requests: operations.reduce((sum, { requests }) => sum + requests, unmatched),
    summary: {
      operations: percentOf(totals.operations),
      failures: percentOf(totals.failures),
      violations: violations.reduce((sum, { count }) => sum + count, otherViolations),
    },
    totals,
    operations,
    unused,
    errorCodes,
    unmatched,
    violations,
    otherViolations,
  };
}

function shareOf(times: readonly number[]): FromSchema<typeof share> {
  return { exercised: times.filter((each) => each > 0).length, declared: times.length };
}

/** Rounded down, so that 100 means all. */
function percentOf({ exercised, declared }: FromSchema<typeof share>): number {
  return declared === 0 ? 0 : Math.floor((exercised * 10_000) / declared) / 100;
}

type Combine = (a: number, b: number) => number;

/**
 * Combines two values of the same shape: their numbers, member by member, and the items of lists by what they count. A
 * number that one of the values lacks is 0. Other values are those of the first one. Leaves out members with these names.
 */
export function combined<T>(first: T, second: T | undefined, combine: Combine, without?: readonly string[]): T;
export function combined(first: unknown, second: unknown, combine: Combine, without: readonly string[] = []): unknown {
  const some = first ?? second;
  if (typeof some === "number") return combine(Number(first ?? 0), Number(second ?? 0));
  const [ofFirst, ofSecond] = [membersOf(first), membersOf(second)];
  const names = [...new Set([...ofFirst.keys(), ...ofSecond.keys()])].filter((name) => !without.includes(name));
  const members = names.map(
    (name) => [name, combined(ofFirst.get(name), ofSecond.get(name), combine, without)] as const,
  );
  if (Array.isArray(some)) return members.map(([, item]) => item);
  return isObject(some) ? Object.fromEntries(members) : some;
}

/** Returns the members of an object, or the items of a list by what they count. */
function membersOf(value: unknown): ReadonlyMap<string, unknown> {
  if (!Array.isArray(value)) return new Map(isObject(value) ? Object.entries(value) : []);
  const keyOf = ({ operation, code, field }: CoverageReport["violations"][number]) => [operation, code, field];
  return new Map(value.map((item) => [JSON.stringify(isObject(item) ? keyOf(item as never) : item), item]));
}
