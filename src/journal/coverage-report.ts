import { count, declaredStatuses, type FromSchema, type Operation, object, type Schema } from "../contract/index.ts";
import { evolvedIn } from "./decisions.ts";
import { objectExcept } from "./entry.ts";
import type { Exchange } from "./kept-exchange.ts";

/** The failures of the failure coverage, in the order of its columns: sorted, as pages and reports only have the names. */
export const failureNames = [
  "400",
  "401/403",
  "404",
  "409",
  "429",
  "5xx",
  "broken",
  "drift",
  "off-contract",
  "slow",
] as const;
export type Failure = (typeof failureNames)[number];

/** The delay from which a response counts as slow, in milliseconds. */
const SLOW = 1000;

/** Returns whether a failure with this status is in the column; undefined for columns that are not about the status. */
const statusTests: { readonly [Name in Failure]?: (status: number) => boolean } = {
  "400": (status) => status === 400,
  "401/403": (status) => status === 401 || status === 403,
  "404": (status) => status === 404,
  "409": (status) => status === 409,
  "429": (status) => status === 429,
  "5xx": (status) => status >= 500,
};

/** Returns the failures that the response exposed the client to. An off-contract response does not count by its status. */
export function failuresOf(exchange: Exchange): Failure[] {
  const { status, offContract = false, isBroken, source, delayed = 0, decisions } = exchange;
  const evolved = evolvedIn(decisions);
  // Most responses are no failures.
  if (status > 0 && status < 400 && delayed < SLOW && !isBroken && !offContract && !evolved) return [];
  const others: Partial<Record<Failure, boolean>> = {
    // Only the simulated delay counts: a slow machine must not change the coverage.
    slow: delayed >= SLOW,
    // The source is `error` if the client closed the connection.
    broken: isBroken && source !== "error",
    "off-contract": offContract,
    drift: evolved !== undefined && !isBroken,
  };
  return failureNames.filter((name) => others[name] ?? (!offContract && statusTests[name]?.(status)));
}

/** Returns the failures that a client of the operation can be exposed to, as its contract declares them. */
export function possibleFailures(operation: Operation): Failure[] {
  const statuses = declaredStatuses(operation);
  const hasBody = Object.values(operation.responses).some(({ schema }) => schema !== undefined);
  return failureNames.filter((name) => {
    const test = statusTests[name];
    // A later version of the service can only differ in its bodies.
    return test ? statuses.some(test) : name !== "drift" || hasBody;
  });
}

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
});
export type CoverageReport = FromSchema<typeof CoverageReport>;

type OperationReport = CoverageReport["operations"][number];
/** The counts of an operation. The other members of its report are derived from them. */
export type OperationParts = Omit<OperationReport, "used" | "failures">;
/** The counts of a report. The other members are derived from them. */
export interface CoverageParts
  extends Pick<CoverageReport, "errorCodes" | "unmatched" | "violations" | "otherViolations"> {
  readonly operations: readonly OperationParts[];
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
  const totals = {
    operations: shareOf(operations.map(({ requests }) => requests)),
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
