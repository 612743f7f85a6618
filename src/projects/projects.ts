import { ServiceError } from "../contract/service-error.ts";
import { FairBudget } from "../journal/budget.ts";
import { TimeSlice } from "../schedule/time-slice.ts";
import { DEFAULT_MAX_PROJECTS } from "../settings/limits.ts";
import { StateBudget } from "../state/budget.ts";
import { detached } from "../text/detached.ts";
import { cut } from "../text/shown.ts";
import { type InitialProject, Project } from "./project.ts";

/** The maximum length of a project key, in UTF-16 code units. Keys appear in logs and headers. */
export const MAX_PROJECT_KEY = 256;

/** Returns the error for a project key that is too long or reserved for the control API and the token endpoint. */
export function projectKeyProblem(projectKey: string): ServiceError | undefined {
  if (projectKey.startsWith("__") || projectKey === "oauth") {
    const message = `projectKey: expected a key that is not reserved, found "${projectKey.slice(0, 100)}". "oauth" and keys that start with "__" are reserved.`;
    return new ServiceError({ code: "EndpointNotFound", message });
  }
  if (projectKey === "" || projectKey.length > MAX_PROJECT_KEY) {
    const message = `projectKey: expected 1 to ${MAX_PROJECT_KEY} characters, found ${projectKey.length}`;
    return new ServiceError({ code: "InvalidField", message, field: "projectKey" });
  }
  return undefined;
}

export interface ProjectsOptions {
  /** Returns the initial state of a project. */
  readonly initial: () => InitialProject;
  /** The maximum number of projects. */
  readonly max?: number;
  /** Called for each project that is reset or closed. */
  readonly onEnd?: (project: Project) => void;
}

/** The projects of an engine, by key. */
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

  /** Returns the project with this key, and creates it at its first use. Throws InsufficientStorage if the limit is reached. */
  get(key: string): Project {
    return this.#projects.get(key) ?? this.#add(key);
  }

  /** Returns the project with this key, if it exists. */
  find(key: string): Project | undefined {
    return this.#projects.get(key);
  }

  /**
   * Returns the project with this key or, if it does not exist, a project in its initial state that is not kept: for
   * reads, which create no project.
   */
  peek(key: string): Project {
    const unshared = () => ({
      journals: new FairBudget(),
      budget: new StateBudget(),
      feed: undefined,
      changeLog: undefined,
    });
    return this.#projects.get(key) ?? new Project(key, { ...this.#initial(), ...unshared() });
  }

  keys(): Iterable<string> {
    return this.#projects.keys();
  }

  /** Returns all projects in the order of their first use. */
  all(): Iterable<Project> {
    return this.#projects.values();
  }

  /** Returns a project to its initial state. The result says whether the project existed. */
  reset(key: string): boolean {
    const old = this.#projects.get(key);
    if (!old) return false;
    this.renew(key);
    this.#onEnd?.(old);
    return true;
  }

  /**
   * Returns a project in its initial state that nobody sees yet, for `replace`. Throws InsufficientStorage if the limit
   * is reached.
   */
  draft(given: string): Project {
    this.#requireRoom(given);
    return new Project(detached(given), this.#initial()).markAsDraft();
  }

  /** Replaces the project with the key of a draft, if it exists, by the draft. Throws InsufficientStorage. */
  replace(draft: Project): void {
    const { key } = draft;
    this.#requireRoom(key);
    const old = this.#projects.get(key);
    this.#projects.set(key, draft);
    draft.publishDraft(old);
    old?.discard();
    if (old) this.#onEnd?.(old);
    else draft.publish("project", { change: "opened" });
  }

  /** Closes a project. Returns whether it existed. */
  close(key: string): boolean {
    const old = this.#projects.get(key);
    if (!old) return false;
    old.close();
    this.#onEnd?.(old);
    return this.#projects.delete(key);
  }

  /** Adds a project that exists in another process, in its initial state and without an event. */
  adopt(given: string): Project {
    const key = detached(given);
    const project = new Project(key, this.#initial());
    this.#projects.set(key, project);
    return project;
  }

  /** Returns a project to its initial state like `reset`, if another process has reset it. */
  renew(key: string): Project | undefined {
    const old = this.#projects.get(key);
    if (!old) return undefined;
    old.end();
    const project = new Project(old.key, this.#initial(), old);
    this.#projects.set(old.key, project);
    return project;
  }

  /** Ends a project only in this process, without an event. */
  evict(key: string): void {
    const project = this.#projects.get(key);
    project?.discard();
    this.#projects.delete(key);
  }

  /** Sorts the projects. Those that `keys` does not contain come last. */
  arrange(keys: Iterable<string>): void {
    for (const key of new Set([...keys, ...this.#projects.keys()])) {
      const project = this.#projects.get(key);
      if (!project) continue;
      this.#projects.delete(key);
      this.#projects.set(key, project);
    }
  }

  /** Resets all current projects in time slices, so that the server handles other requests in between. */
  async resetAll(): Promise<void> {
    const slice = new TimeSlice();
    for (const key of [...this.#projects.keys()]) {
      this.reset(key);
      if (slice.isOver) await slice.next();
    }
  }

  /** Closes all current projects in time slices, so that the server handles other requests in between. */
  async closeAll(): Promise<void> {
    const slice = new TimeSlice();
    for (const key of [...this.#projects.keys()]) {
      this.close(key);
      if (slice.isOver) await slice.next();
    }
  }

  /** Throws InsufficientStorage if the project does not exist and the limit is reached. */
  #requireRoom(key: string): void {
    if (this.#projects.size < this.#max || this.#projects.has(key)) return;
    throw new ServiceError({
      code: "InsufficientStorage",
      message: `Projects: expected at most ${this.#max}, found ${this.#projects.size}, so "${cut(key, 100)}" cannot be created. Close projects (DELETE /__admin/projects/{projectKey}), or raise --max-projects (RESOURCE_MOCK_MAX_PROJECTS, option maxProjects).`,
    });
  }

  #add(given: string): Project {
    this.#requireRoom(given);
    const key = detached(given);
    const project = new Project(key, this.#initial());
    this.#projects.set(key, project);
    project.publish("project", { change: "opened" });
    return project;
  }
}
