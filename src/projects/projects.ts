import { type Beginning, createProject, type Project } from "./project.ts";

/** The sandboxes of an engine, by project key. */
export interface Projects {
  /** The project of this key; it exists from its first use. */
  get(key: string): Project;
  /** The project of this key, if it has been used. */
  find(key: string): Project | undefined;
  keys(): Iterable<string>;
  readonly size: number;
  /** Puts the project back to its beginning; requests under way belong to the old one. */
  reset(key: string): Project;
  /** Ends the project and forgets it. Whether there was one. */
  close(key: string): boolean;
  closeAll(): void;
}

/** Keys that no project may have: the control API and the token endpoint answer under them. */
export function isReserved(projectKey: string): boolean {
  return projectKey.startsWith("__") || projectKey === "oauth";
}

/** Longer keys are refused: they end up in ids of tests, logs and headers. */
export const MAX_PROJECT_KEY = 256;

export function createProjects(beginning: () => Beginning): Projects {
  const projects = new Map<string, Project>();

  function close(key: string): boolean {
    projects.get(key)?.end();
    return projects.delete(key);
  }

  function get(key: string): Project {
    let project = projects.get(key);
    if (!project) {
      project = createProject(key, beginning());
      projects.set(key, project);
    }
    return project;
  }

  return {
    get,
    find: (key) => projects.get(key),
    keys: () => projects.keys(),
    get size() {
      return projects.size;
    },
    reset(key) {
      close(key);
      return get(key);
    },
    close,
    closeAll() {
      for (const key of [...projects.keys()]) close(key);
    },
  };
}
