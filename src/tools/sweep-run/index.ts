/** The part of a mock in a run of the sweep: the failure of one request, and notes of calls and writes. */

import { createHash } from "node:crypto";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { MAX_NOTED_CALLS, type Problem } from "../../contract/index.ts";
import {
  type ActiveItem,
  compileRule,
  type RuleContext,
  type SweepRun,
  type SweptExchange,
} from "../../rules/index.ts";
import { type PlannedFailure, SWEEP_VARIABLE, sweepFiles } from "./sweep-files.ts";

/** Returns the run in the folder. Throws an error if the folder does not exist, or if its failure is no valid rule. */
export async function openSweepRun(folder: string, context: RuleContext): Promise<SweepRun> {
  const planned = readFailure(folder);
  // Tests can mock several services.
  const isOwn = planned !== null && context.contract.ids.includes(String(planned.rule.operation));
  const failure = isOwn && (await activeFailure(planned, context, join(folder, sweepFiles.applied)));
  const noted = new Set<string>();
  let writes = 0;
  // A process can outlive the run and its folder.
  const note = (file: keyof typeof sweepFiles, line: string) =>
    ignoring(["ENOENT"], () => appendFileSync(join(folder, sweepFiles[file]), `${line}\n`));
  return {
    get failure() {
      return failure && !failure.isOver() ? failure : undefined;
    },
    recorded(exchange, projectKey) {
      const { operationId, method, changes = [], decisions } = exchange;
      if (operationId === undefined) return;
      const line = JSON.stringify([operationId, noted.size < MAX_NOTED_CALLS ? projectKey : null]);
      if (!noted.has(line)) {
        noted.add(line);
        note("calls", line);
      }
      // A repeated PUT or DELETE has no second effect (RFC 9110, 9.2.2).
      if (changes.length === 0 || isIdempotent.test(method) || writes++ >= MAX_NOTED_CALLS) return;
      const isFailed = decisions.some(
        ({ kind, source }) => kind === "effect" && source === `scenario:${planned?.name}`,
      );
      note("writes", JSON.stringify([projectKey, hashOf(exchange, context), isFailed]));
    },
  };
}

const isIdempotent = /^(GET|HEAD|PUT|DELETE|OPTIONS)$/;

/** Returns a hash of the request without its project key, which can differ between runs. */
function hashOf(exchange: SweptExchange, { contract }: RuleContext): string {
  const { operationId, pathParameters, query, requestBody = "" } = exchange;
  const parameters = Object.entries(pathParameters).filter(([name]) => name !== contract.addresses.project);
  const target = `${JSON.stringify([operationId, parameters])}?${query}\n`;
  return createHash("sha256").update(target).update(requestBody).digest("base64url");
}

function readFailure(folder: string): PlannedFailure | null {
  try {
    return JSON.parse(readFileSync(join(folder, sweepFiles.failure), "utf8"));
  } catch {
    const found = JSON.stringify(folder);
    throw new Error(`${SWEEP_VARIABLE}: expected the folder of a running sweep, found ${found}. Unset the variable.`);
  }
}

async function activeFailure(
  { name, rule }: PlannedFailure,
  context: RuleContext,
  applied: string,
): Promise<ActiveItem & { isOver(): boolean }> {
  const problems: Problem[] = [];
  const compiled = await compileRule(rule, "", context, problems);
  const [problem] = problems;
  if (!compiled) throw new Error(`the failure ${name} of the sweep: ${problem?.pointer}: ${problem?.message}`);
  const rules = [compiled];
  let isOver = false;
  return {
    kind: "scenario",
    name,
    rules: () => rules,
    isOver: () => isOver,
    claim() {
      isOver = true;
      // Of all processes, only one can create the file.
      return ignoring(["EEXIST", "ENOENT"], () => writeFileSync(applied, "", { flag: "wx" }));
    },
  };
}

/** Runs a function. Returns false if it throws an error with one of these codes. */
function ignoring(codes: readonly string[], run: () => void): boolean {
  try {
    run();
    return true;
  } catch (error) {
    if (!codes.includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    return false;
  }
}
