import type { Contract } from "../contract/index.ts";
import type { Project } from "../project/index.ts";
import { list, notFound, ok } from "./control-response.ts";
import { ProjectList, ProjectSummary } from "./control-schemas.ts";
import { json, onServer, PAGE, paging, problem } from "./define-operation.ts";
import { ProjectFilter } from "./request-selection.ts";
import { projectsNamed, timeOf, unknownProject } from "./search.ts";
import { clockOf } from "./settings-operations.ts";
import { countIn } from "./state-operations.ts";

type Order = (a: Project, b: Project) => number;

/** The orders of the list. Without a comparison, projects are in the order of their creation. */
const orders: Readonly<Record<"created" | "activity" | "failures", Order | undefined>> = {
  created: undefined,
  activity: (a, b) => b.value.counts.lastSerial - a.value.counts.lastSerial,
  failures: ({ value: { counts: a } }, { value: { counts: b } }) =>
    (b.unexpected ?? 0) - (a.unexpected ?? 0) || b.errors - a.errors || b.lastSerial - a.lastSerial,
};

export const operations = {
  listProjects: onServer("GET", "/projects", {
    reach: "all projects",
    summary: "List the projects, in the order of their first use",
    query: { ...ProjectFilter.properties, ...paging },
    responses: { 200: json("The projects.", ProjectList) },
    handle({ engine, query }) {
      const projects = [...projectsNamed(engine, query.q)];
      const order = orders[query.sort ?? "created"];
      const { limit = PAGE, offset = 0 } = query;
      const page = (order ? projects.sort(order) : projects).slice(offset, offset + limit);
      const { bytes, limit: most } = engine.budget;
      const summaries = page.map((each) => summaryOf(each, engine.contract));
      return list("projects", summaries, projects.length, { state: { bytes, limit: most } });
    },
  }),

  getProject: onServer("GET", "/projects/{projectKey}", {
    reach: "project",
    summary: "Return a summary of the project",
    responses: { 200: json("The summary.", ProjectSummary), 404: problem("The project does not exist.") },
    handle({ engine, path: { projectKey } }) {
      const project = engine.projects.find(projectKey);
      if (!project) throw notFound(unknownProject(engine, projectKey));
      return ok(summaryOf(project, engine.contract));
    },
  }),

  closeProject: onServer("DELETE", "/projects/{projectKey}", {
    summary: "Delete the project with all its data, including snapshots",
    description:
      "Requests in progress fail with 503, and their changes are discarded. Deleting an unknown project succeeds.",
    async handle({ engine, path: { projectKey } }) {
      await (engine.home.restoreInitial(projectKey) ?? engine.closeProject(projectKey));
    },
  }),

  resetProject: onServer("POST", "/projects/{projectKey}/reset", {
    summary: "Reset the project to its initial state",
    description:
      "Resets state, scenarios, rules, journal, coverage, clock, settings and tokens. Keeps snapshots and the setting `start`. Requests in progress fail with 503, and their changes are discarded.",
    async handle({ engine, path: { projectKey } }) {
      await (engine.home.restoreInitial(projectKey) ?? engine.resetProject(projectKey));
    },
  }),
};

function summaryOf(project: Project, contract: Contract): ProjectSummary {
  const { key, size, state, snapshots, activeRules } = project;
  const { counts, archive } = project.value;
  const { requests, errors, unexpected = 0, violations, lastRequestAt } = counts;
  return {
    key,
    resources: countIn(state, contract),
    bytes: size,
    requests,
    errors,
    unexpected,
    violations,
    failedVerifications: project.verifications.length,
    lastRequestAt: timeOf(lastRequestAt),
    snapshots: snapshots.size,
    scenarios: activeRules.scenarios.toReversed().map(({ name }) => name),
    rules: activeRules.rules.length,
    clock: clockOf(project),
    archive: archive && { ...archive.source, file: archive.file, restoredAt: timeOf(archive.restoredAt) },
  };
}
