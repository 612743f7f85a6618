import { count, type FromSchema, type OperationId, object, type Schema } from "../../contract/index.ts";
import type { SweepOptions } from "./sweep.ts";
import { type FailureName, failureNames } from "./transient-failures.ts";

const seconds = { type: "number", minimum: 0 } as const satisfies Schema;

const cell = {
  operation: { type: "string", description: "The operation whose first request got the failure." },
  failure: { type: "string", enum: failureNames, description: "The failure." },
} as const;

const Run = object(["operation", "failure", "outcome", "seconds", "output"], {
  ...cell,
  outcome: {
    type: "string",
    enum: ["wrote-twice", "survived", "failed", "not-reached", "timed-out"],
    description:
      "wrote-twice: the command succeeded, but the client repeated the request after its effect had taken place, so that it had its effect twice. survived: the command succeeded. failed: it did not. not-reached: no request got the failure. timed-out: the command did not end in time.",
  },
  seconds: { ...seconds, description: "The time that the command took." },
  output: {
    type: ["string", "null"],
    description:
      "The file with the output of the command, relative to the folder of the report; null if the command succeeded.",
  },
});

/** The report of a sweep: the runs that ended, in the order of the contract and of the failures. */
export const SweepReport = object(["runs", "summary"], {
  runs: { type: "array", items: Run },
  summary: object(
    [
      "command",
      "version",
      "strict",
      "planned",
      "wroteTwice",
      "survived",
      "failed",
      "notReached",
      "timedOut",
      "percent",
      "seconds",
      "complete",
      "notRun",
    ],
    {
      command: { type: "array", items: { type: "string" }, description: "The command and its arguments." },
      version: { type: "string", description: "The version of resource-mock." },
      planned: { ...count, description: "The number of runs that the plan has." },
      strict: { type: "boolean", description: "Whether runs that wrote twice count as not survived." },
      wroteTwice: { ...count, description: "The number of runs that succeeded, but wrote twice." },
      survived: { ...count, description: "The number of survived runs. Unless strict, also those that wrote twice." },
      failed: count,
      notReached: count,
      timedOut: count,
      percent: {
        type: ["number", "null"],
        minimum: 0,
        maximum: 100,
        description: "The share of survived runs among the runs that reached their failure; null without such a run.",
      },
      seconds: { ...seconds, description: "The time of all runs together, without the base runs." },
      complete: { type: "boolean", description: "Whether all planned runs ended." },
      notRun: {
        type: "array",
        items: object(["operation", "failure"], cell),
        description: "The planned runs that did not end.",
      },
    },
  ),
});
export type SweepReport = FromSchema<typeof SweepReport>;
export type SweepRun = SweepReport["runs"][number];
export type Outcome = SweepRun["outcome"];
export interface Cell {
  readonly operation: OperationId;
  readonly failure: FailureName;
}

/** Returns the report of the runs in the order of the plan. Planned cells without a run are listed as not run. */
export function sweepReport(
  plan: readonly Cell[],
  runs: ReadonlyMap<string, SweepRun>,
  { command, version, strict }: Pick<SweepOptions, "command" | "version" | "strict">,
): SweepReport {
  const ended = plan.flatMap((each) => runs.get(nameOf(each)) ?? []);
  const number = (outcome: Outcome) => ended.filter((run) => run.outcome === outcome).length;
  const [wroteTwice, failed, timedOut] = [number("wrote-twice"), number("failed"), number("timed-out")];
  const survived = number("survived") + (strict ? 0 : wroteTwice);
  const reached = number("survived") + wroteTwice + failed + timedOut;
  return {
    runs: ended,
    summary: {
      command: [...command],
      version,
      strict,
      planned: plan.length,
      wroteTwice,
      survived,
      failed,
      notReached: number("not-reached"),
      timedOut,
      percent: reached === 0 ? null : Math.floor((survived / reached) * 1000) / 10,
      seconds: rounded(ended.reduce((sum, run) => sum + run.seconds, 0)),
      complete: ended.length === plan.length,
      notRun: plan.filter((each) => !runs.has(nameOf(each))).map(({ operation, failure }) => ({ operation, failure })),
    },
  };
}

/** Returns the name of a cell, which is also the name of the file with its output. */
export function nameOf({ operation, failure }: Pick<SweepRun, "operation" | "failure">): string {
  return `${operation}.${failure}`;
}

export function rounded(value: number): number {
  return Math.round(value * 1000) / 1000;
}
