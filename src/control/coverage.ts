import type { Coverage } from "../journal/coverage.ts";
import { coverageTable } from "../journal/coverage-table.ts";
import { type ControlAnswer, type ControlCall, type Handler, ok, type ProjectHandler } from "./control.ts";

export const getCoverage: Handler = (call) => answer(call, call.engine.coverage());

export const getProjectCoverage: ProjectHandler = (call) => answer(call, call.project.coverage);

function answer(call: ControlCall, coverage: Coverage): ControlAnswer {
  const report = coverage.report(call.engine.contract);
  const accept = call.header("accept") ?? "";
  if (!accept.includes("text/plain") || accept.includes("json")) return ok(report);
  return { status: 200, content: coverageTable(report), headers: { "Content-Type": "text/plain; charset=utf-8" } };
}
