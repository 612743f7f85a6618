import { ServiceError } from "../contract/service-error.ts";
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

/** The projects of an engine by key, each created from `initial`; calls `onEnd` for each that is reset or closed. */
export class Projects {
  readonly #projects = new Map<string, Project>();
  readonly #initial: () => InitialProject;
  readonly #onEnd: ((project: Project) => void) | undefined;

  constructor(initial: () => InitialProject, onEnd?: (project: Project) => void) {
    this.#initial = initial;
    this.#onEnd = onEnd;
  }

  /** The project of this key; it exists from its first use. */
  get(key: string): Project {
    return this.#projects.get(key) ?? this.#create(key);
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

  /** Puts the project back to its initial state; requests in progress belong to the old one. */
  reset(key: string): Project {
    const old = this.#projects.get(key);
    this.#end(old);
    return this.#create(key, old?.snapshots);
  }

  /** Ends the project and removes it. Returns whether there was one. */
  close(key: string): boolean {
    this.#end(this.#projects.get(key));
    return this.#projects.delete(key);
  }

  resetAll(): void {
    for (const key of [...this.#projects.keys()]) this.reset(key);
  }

  closeAll(): void {
    for (const key of [...this.#projects.keys()]) this.close(key);
  }

  #create(key: string, snapshots?: Project["snapshots"]): Project {
    const project = new Project(key, this.#initial(), snapshots);
    this.#projects.set(key, project);
    return project;
  }

  #end(project: Project | undefined): void {
    project?.end();
    if (project) this.#onEnd?.(project);
  }
}
