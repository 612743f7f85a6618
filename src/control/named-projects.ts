import { didYouMean, isObject } from "../contract/index.ts";
import type { Engine } from "../engine/index.ts";
import type { Project } from "../project/index.ts";
import { invalid } from "./control-response.ts";

/** Returns the projects with this text in their key, ignoring case; all projects without a text. */
export function* projectsNamed({ projects }: Engine, text = ""): Generator<Project> {
  const searched = text.toLowerCase();
  for (const project of projects.all()) if (project.key.toLowerCase().includes(searched)) yield project;
}

/** Returns the message for an unknown project, with the most similar project key. */
export function unknownProject({ projects }: Engine, projectKey: string): string {
  return `Project "${projectKey.slice(0, 100)}" not found.${didYouMean(projectKey, projects.keys())}`;
}

/** Returns the key in a body with `from`, the project to copy. */
export function copiedProjects(body: unknown): string[] {
  return isObject(body) && typeof body.from === "string" ? [body.from] : [];
}

/** Returns the project to copy. Throws InvalidField for an unknown key. */
export function projectToCopy(engine: Engine, from: string): Project {
  const project = engine.projects.find(from);
  if (!project) throw invalid("/from", unknownProject(engine, from));
  return project;
}
