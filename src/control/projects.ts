import type { Engine } from "../engine/engine.ts";
import type { Project } from "../projects/project.ts";
import { didYouMean } from "../text/nearest.ts";
import { clockOf } from "./clock.ts";
import { done, type Handler, ok, page } from "./control.ts";
import { PROJECT_PAGE } from "./operations.ts";
import { notFound } from "./problem.ts";
import type { ProjectSummary } from "./schemas.ts";

export const resetAll: Handler = ({ engine }) => {
  engine.resetAll();
  return done;
};

export const listProjects: Handler = async (call) => {
  const { projects, total } = page("projects", [...call.engine.projects.all()], call, PROJECT_PAGE.default);
  return ok({ projects: await Promise.all(projects.map(summaryOf)), total });
};

export const getProject: Handler = async ({ engine, path: { projectKey = "" } }) => {
  const project = engine.projects.find(projectKey);
  if (!project) throw notFound(unknownProject(engine, projectKey));
  return ok(await summaryOf(project));
};

export const closeProject: Handler = ({ engine, path: { projectKey = "" } }) => {
  engine.closeProject(projectKey);
  return done;
};

export const resetProject: Handler = ({ engine, path: { projectKey = "" } }) => {
  engine.resetProject(projectKey);
  return done;
};

/** Says that there is no such project, and which one may have been meant. */
export function unknownProject({ projects }: Engine, projectKey: string): string {
  return `Nobody has used a project "${projectKey.slice(0, 100)}".${didYouMean(projectKey, projects.keys())}`;
}

async function summaryOf(project: Project): Promise<ProjectSummary> {
  const { key, store, requests, snapshots, switches } = project;
  return {
    key,
    resources: await store.size(),
    requests,
    snapshots: snapshots.size,
    scenarios: switches.scenarios().map(({ name }) => name),
    rules: switches.rules().length,
    clock: clockOf(project),
  };
}
