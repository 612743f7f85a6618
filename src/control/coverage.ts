import { type Coverage, CoverageReport } from "../journal/coverage.ts";
import { coverageTable } from "../journal/coverage-table.ts";
import { type ControlCall, inProject, json, onServer } from "./operation.ts";
import { type ControlResponse, ok } from "./response.ts";

const responses = { 200: json("The coverage.", CoverageReport, { textType: "text/plain" }) };

export const coverageOperations = {
  getCoverage: onServer("GET", "/coverage", {
    summary: "Return the contract coverage of all projects",
    description: "Includes projects that were reset or closed. `POST /__admin/reset` clears the coverage.",
    responses,
    handle: async (call) => coverageResponse(await call.engine.coverage(), call),
  }),

  getProjectCoverage: inProject("GET", "/coverage", {
    summary: "Return the contract coverage of the project",
    responses,
    handle: (call) => coverageResponse(call.project.coverage, call),
  }),
};

function coverageResponse(
  coverage: Coverage,
  { engine, header }: Pick<ControlCall, "engine" | "header">,
): ControlResponse {
  const report = coverage.report(engine.contract);
  const accept = header("accept") ?? "";
  if (!accept.includes("text/plain") || accept.includes("json")) return ok(report);
  return { status: 200, content: coverageTable(report), headers: { "Content-Type": "text/plain; charset=utf-8" } };
}
