import { count, type FromSchema, object, objectExcept, type Schema } from "../contract/index.ts";
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
