import { ServiceError } from "../contract/service-error.ts";
import { type InitialProject, Project } from "./project.ts";

/** The sandboxes of an engine, by project key. */
export interface Projects {
  /** The project of this key; it exists from its first use. */
  get(key: string): Project;
  /** The project of this key, if it has been used. */
  find(key: string): Project | undefined;
  keys(): Iterable<string>;
  /** In the order of their first use. */
  all(): Iterable<Project>;
  /** Puts the project back to its beginning; requests under way belong to the old one. */
  reset(key: string): Project;
  /** Ends the project and forgets it. Whether there was one. */
  close(key: string): boolean;
  resetAll(): void;
  closeAll(): void;
}

/** Longer keys are refused: they end up in ids of tests, logs and headers. */
export const MAX_PROJECT_KEY = 256;

/** Why no project may have this key, if so: the control API and the token endpoint answer under some. */
export function projectKeyProblem(projectKey: string): ServiceError | undefined {
  if (projectKey.startsWith("__") || projectKey === "oauth") {
    const message = `"${projectKey.slice(0, 100)}" is a reserved project key: choose one that is not "oauth" and does not begin with "__"`;
    return new ServiceError({ code: "EndpointNotFound", message });
  }
  if (projectKey.length > MAX_PROJECT_KEY) {
    const message = `projectKey: expected at most ${MAX_PROJECT_KEY} characters, found ${projectKey.length}`;
    return new ServiceError({ code: "InvalidField", message, field: "projectKey" });
  }
  return undefined;
}

/** The projects of an engine, each created from `initial`; calls `onEnd` for each that is reset or closed. */
export function createProjects(
  initial: () => InitialProject,
  { onEnd }: { onEnd?: (project: Project) => void } = {},
): Projects {
  const projects = new Map<string, Project>();

  function end(project: Project): void {
    project.end();
    onEnd?.(project);
  }

  function close(key: string): boolean {
    const project = projects.get(key);
    if (project) end(project);
    return projects.delete(key);
  }

  function reset(key: string): Project {
    const old = projects.get(key);
    if (old) end(old);
    const project = new Project(key, initial(), old?.snapshots);
    projects.set(key, project);
    return project;
  }

  function get(key: string): Project {
    let project = projects.get(key);
    if (!project) {
      project = new Project(key, initial());
      projects.set(key, project);
    }
    return project;
  }

  return {
    get,
    find: (key) => projects.get(key),
    keys: () => projects.keys(),
    all: () => projects.values(),
    reset,
    close,
    resetAll() {
      for (const key of [...projects.keys()]) reset(key);
    },
    closeAll() {
      for (const key of [...projects.keys()]) close(key);
    },
  };
}
