import { type Coverage, CoverageReport, reportOfCoverage, withRequest } from "../journal/index.ts";
import { coverageOf } from "../project/index.ts";
import { type ControlResponse, ok } from "./control-response.ts";
import { type ControlCall, inProject, json, onServer } from "./define-operation.ts";

const coverage = { 200: json("The coverage.", CoverageReport, { textType: "text/plain" }) };

/** The operations that return the coverage. */
export const operations = {
  getCoverage: onServer("GET", "/coverage", {
    reach: "all projects",
    summary: "Return the coverage of the contract and of failures, over all projects",
    description:
      "Includes projects that were reset or deleted. Each request counts once: the requests in a restored archive or a copy of a project do not count again. `POST /__admin/reset` clears the coverage.",
    responses: coverage,
    handle: (call) => coverageResponse(call.engine.projects.coverage(), call),
  }),

  getProjectCoverage: inProject("GET", "/coverage", {
    summary: "Return the coverage of the contract and of failures by the project",
    responses: coverage,
    handle: (call) => coverageResponse(coverageOf(call.project.value), call),
  }),
};

async function coverageResponse(answered: Coverage, call: ControlCall): Promise<ControlResponse> {
  const { engine, header, project } = call;
  const coverage = engine.inProgress
    .of(project?.key, true)
    .reduce((before, request) => withRequest(before, request), answered);
  const report = reportOfCoverage(coverage, engine.contract);
  const accept = header("accept") ?? "";
  if (!accept.includes("text/plain") || accept.includes("json")) return ok(report);
  const { coverageText } = await import("../journal/reports/index.ts");
  return { status: 200, content: coverageText(report), headers: { "Content-Type": "text/plain; charset=utf-8" } };
}
