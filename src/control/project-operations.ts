import { MAX_LIST_ITEMS } from "../contract/index.ts";
import type { Project, RestoredArchive } from "../project/index.ts";
import { clockOf } from "./clock-operations.ts";
import { listed, notFound, ok, requireShort, selected } from "./control-response.ts";
import { ProjectList, ProjectSummary } from "./control-schemas.ts";
import { insufficientStorage, json, onServer, paging, problem } from "./define-operation.ts";
import { projectsNamed, unknownProject } from "./named-projects.ts";
import { projectList } from "./request-selection.ts";

/** The number of projects in a page. */
const PROJECT_PAGE = { default: 500, maximum: MAX_LIST_ITEMS };

type Order = (a: Project, b: Project) => number;
const lastRequestFirst: Order = (a, b) => b.value.counts.lastSerial - a.value.counts.lastSerial;

/** The orders of the list. Without a comparison, projects are in the order of their creation. */
const orders: Readonly<Record<"created" | "activity" | "failures", Order | undefined>> = {
  created: undefined,
  activity: lastRequestFirst,
  failures: (a, b) => b.value.counts.errors - a.value.counts.errors || lastRequestFirst(a, b),
};

export const operations = {
  listProjects: onServer("GET", "/projects", {
    reach: "all projects",
    summary: "List the projects, in the order of their first use",
    query: {
      ...projectList,
      ...paging(PROJECT_PAGE),
    },
    responses: {
      200: json("The projects.", ProjectList),
      507: insufficientStorage,
    },
    handle({ engine, query }) {
      const projects = [...projectsNamed(engine, query.q)];
      const order = orders[query.sort ?? "created"];
      const inOrder = order ? projects.sort(order) : projects;
      const summaries: ProjectSummary[] = [];
      let characters = 0;
      for (const project of selected(inOrder, query, PROJECT_PAGE)) {
        const summary = summaryOf(project);
        summaries.push(summary);
        characters += summary.scenarios.reduce((sum, name) => sum + name.length, 0);
        requireShort(characters);
      }
      const { bytes, limit } = engine.budget;
      return ok({ ...listed("projects", summaries, projects.length), state: { bytes, limit } });
    },
  }),

  getProject: onServer("GET", "/projects/{projectKey}", {
    reach: "project",
    summary: "Return a summary of the project",
    responses: { 200: json("The summary.", ProjectSummary), 404: problem("The project does not exist.") },
    handle({ engine, path: { projectKey } }) {
      const project = engine.projects.find(projectKey);
      if (!project) throw notFound(unknownProject(engine, projectKey));
      return ok(summaryOf(project));
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
      "Resets state, scenarios, rules, journal, coverage, clock, settings and tokens. Keeps snapshots. Requests in progress fail with 503, and their changes are discarded.",
    async handle({ engine, path: { projectKey } }) {
      await (engine.home.restoreInitial(projectKey) ?? engine.resetProject(projectKey));
    },
  }),
};

function summaryOf(project: Project): ProjectSummary {
  const { key, size, state, snapshots, activeRules } = project;
  const { counts, archive } = project.value;
  const { requests, errors, violations, lastRequestAt } = counts;
  return {
    key,
    resources: state.resources.size,
    bytes: size,
    requests,
    errors,
    violations,
    ...(lastRequestAt !== undefined && { lastRequestAt: new Date(lastRequestAt).toISOString() }),
    snapshots: snapshots.size,
    scenarios: activeRules.scenarios.toReversed().map(({ name }) => name),
    rules: activeRules.rules.length,
    clock: clockOf(project),
    ...(archive && { archive: archiveOf(archive) }),
  };
}

function archiveOf({ source, file, restoredAt }: RestoredArchive): ProjectSummary["archive"] {
  return {
    ...source,
    ...(file !== undefined && { file }),
    ...(restoredAt !== undefined && { restoredAt: new Date(restoredAt).toISOString() }),
  };
}
