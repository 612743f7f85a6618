import { ServiceError } from "../contract/service-error.ts";
import { TimeSlice } from "../schedule/time-slice.ts";
import { DEFAULT_MAX_PROJECTS } from "../settings/limits.ts";
import { detached } from "../text/detached.ts";
import { cut } from "../text/shown.ts";
import { type InitialProject, Project } from "./project.ts";

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

export interface ProjectsOptions {
  /** What each project begins with. */
  readonly initial: () => InitialProject;
  /** How many projects there may be. */
  readonly max?: number;
  /** Called with each project that is reset or closed. */
  readonly onEnd?: (project: Project) => void;
}

/** The projects of an engine by key. */
export class Projects {
  readonly #projects = new Map<string, Project>();
  readonly #initial: () => InitialProject;
  readonly #max: number;
  readonly #onEnd: ((project: Project) => void) | undefined;

  constructor({ initial, max = DEFAULT_MAX_PROJECTS, onEnd }: ProjectsOptions) {
    this.#initial = initial;
    this.#max = max;
    this.#onEnd = onEnd;
  }

  get size(): number {
    return this.#projects.size;
  }

  /** Returns the project of this key; it exists from its first use. Throws InsufficientStorage when there are too many. */
  get(key: string): Project {
    return this.#projects.get(key) ?? this.#add(key);
  }

  /** The project of this key, if it has been used. */
  find(key: string): Project | undefined {
    return this.#projects.get(key);
  }

  keys(): Iterable<string> {
    return this.#projects.keys();
  }

  /** In the order of their first use. */
  all(): Iterable<Project> {
    return this.#projects.values();
  }

  /** Puts a project back to its initial state; requests in progress belong to the old one. Returns whether there was one. */
  reset(key: string): boolean {
    const old = this.#projects.get(key);
    if (!old) return false;
    old.end();
    this.#onEnd?.(old);
    this.#projects.set(old.key, new Project(old.key, this.#initial(), old));
    return true;
  }

  /** Ends the project and removes it. Returns whether there was one. */
  close(key: string): boolean {
    const old = this.#projects.get(key);
    if (!old) return false;
    old.close();
    this.#onEnd?.(old);
    return this.#projects.delete(key);
  }

  /** Resets the projects that exist now. Other requests are answered meanwhile. */
  async resetAll(): Promise<void> {
    const slice = new TimeSlice();
    for (const key of [...this.#projects.keys()]) {
      this.reset(key);
      if (slice.isOver) await slice.next();
    }
  }

  /** Closes the projects that exist now. Other requests are answered meanwhile. */
  async closeAll(): Promise<void> {
    const slice = new TimeSlice();
    for (const key of [...this.#projects.keys()]) {
      this.close(key);
      if (slice.isOver) await slice.next();
    }
  }

  #add(given: string): Project {
    if (this.#projects.size >= this.#max) {
      throw new ServiceError({
        code: "InsufficientStorage",
        message: `Projects: expected at most ${this.#max}, found ${this.#projects.size}, so "${cut(given, 100)}" cannot be created. Close projects (DELETE /__admin/projects/{projectKey}), or raise --max-projects (RESOURCE_MOCK_MAX_PROJECTS, option maxProjects).`,
      });
    }
    const key = detached(given);
    const project = new Project(key, this.#initial());
    this.#projects.set(key, project);
    return project;
  }
}
