import { cut, DEFAULT_MAX_PROJECTS, DEFAULT_PROJECT, detached, ServiceError } from "../contract/index.ts";
import { type Coverage, noCoverage, sumOf } from "../journal/index.ts";
import type { Settings } from "../state/index.ts";
import { type ProjectServer, sizeOfValue } from "./account.ts";
import { type Initial, initialValue } from "./initial.ts";
import { Project } from "./project.ts";
import { keyProblem, TOKEN_PROJECT } from "./project-key.ts";
import type { ProjectValue } from "./value.ts";

/** Returns the error for a project key that is too long or reserved. */
export function projectKeyProblem(projectKey: string, isInPath = false): ServiceError | undefined {
  const problem = keyProblem(projectKey, isInPath);
  return problem && new ServiceError(problem);
}

interface ProjectsOptions {
  /** Returns the initial state of a project, with the server's setting `start` by default. */
  readonly initial: (key: string, start?: Settings["start"]) => Initial;
  readonly server: ProjectServer;
  /** The keys that no project can have, as paths of the service start with them. */
  readonly isReserved?: (key: string) => boolean;
  /** The maximum number of projects. */
  readonly max?: number;
}

/** The number of deleted projects whose last request numbers are kept. Any other project continues above all others. */
const KEPT_CLOSED = 10_000;

/** The projects of a server, by key. */
/** The projects that the mock opens itself, also if paths of the service start with their keys. */
const ownKeys = [DEFAULT_PROJECT, TOKEN_PROJECT];

export class Projects {
  readonly #projects = new Map<string, Project>();
  readonly #options: ProjectsOptions;
  readonly #max: number;
  /** The numbers of the last request ids of deleted projects, so that each id stays unique. */
  readonly #closed = new Map<string, number>();
  #highestClosed = 0;
  /** The coverage of the projects that were reset or deleted since the last reset of all projects. */
  coverageOfEnded = noCoverage;
  #coverageBeforeReset = noCoverage;

  constructor(options: ProjectsOptions) {
    this.#options = options;
    this.#max = options.max ?? DEFAULT_MAX_PROJECTS;
  }

  get size(): number {
    return this.#projects.size;
  }

  /** Returns the project with this key, and creates it at its first use. Throws InsufficientStorage if the limit is reached. */
  get(key: string): Project {
    return this.#projects.get(key) ?? this.#add(key);
  }

  find(key: string): Project | undefined {
    return this.#projects.get(key);
  }

  /**
   * Returns the project with this key or, if it does not exist, a project in its initial state that is not kept: for
   * reads, which create no project.
   */
  peek(key: string): Project {
    return this.#projects.get(key) ?? new Project(key, this.initial(key), this.#options.server);
  }

  /** Returns a project in its initial state that has ended: for a request that arrived before the end. */
  ended(key: string): Project {
    const project = new Project(key, this.initial(key), this.#options.server);
    project.end();
    return project;
  }

  initial(key: string): ProjectValue {
    return initialValue(this.#options.initial(key), this.#closed.get(key) ?? this.#highestClosed);
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
    this.put(key, this.afterReset(key, old.value));
    this.#addCoverage(old);
    return true;
  }

  /** Returns the value of a project after a reset: the initial one, with what outlives a reset. */
  afterReset(key: string, { settings, counts, snapshots }: ProjectValue): ProjectValue {
    return { ...initialValue(this.#options.initial(key, settings.start), counts.requestIds), snapshots };
  }

  /** Replaces the project with this key, or creates it. Throws InsufficientStorage. */
  replace(key: string, value: ProjectValue): void {
    const old = this.#projects.get(key);
    if (!old) this.#requireRoom(key);
    this.#options.server.budget.require(sizeOfValue(value) - (old?.size ?? 0));
    const project = this.put(key, value);
    if (old) this.#addCoverage(old);
    else project.publish("project", { change: "created" });
  }

  /** Closes a project and deletes its snapshots. Returns whether it existed. */
  close(key: string): boolean {
    const project = this.#projects.get(key);
    if (!project) return false;
    project.publish("project", { change: "deleted" });
    this.continueIds(key, project.value.counts.requestIds);
    this.#addCoverage(project);
    this.evict(key);
    this.#options.server.onChange(project);
    return true;
  }

  /** Puts a value in place of the project with this key, without an event and beyond all limits. */
  put(given: string, value: ProjectValue): Project {
    const old = this.#projects.get(given);
    const key = old?.key ?? detached(given);
    old?.end();
    const project = new Project(key, value, this.#options.server).keep();
    this.#projects.set(key, project);
    this.#options.server.onChange(project);
    return project;
  }

  /** Ends a project only in this process, without an event. */
  evict(key: string): void {
    this.#projects.get(key)?.end();
    this.#projects.delete(key);
  }

  /** Sets the number of the last request id that a deleted project had. */
  continueIds(key: string, requestIds: number): void {
    this.#closed.delete(key);
    if (requestIds > 0) this.#closed.set(key, requestIds);
    for (const [oldest, number] of this.#closed) {
      if (this.#closed.size <= KEPT_CLOSED) break;
      this.#closed.delete(oldest);
      this.#highestClosed = Math.max(this.#highestClosed, number);
    }
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

  /** Returns the coverage of all projects, including ended ones, since the last reset of all projects. */
  coverage(): Coverage {
    return [...this.all()].reduce((sum, { value }) => sumOf(sum, value.coverage), this.coverageOfEnded);
  }

  /** Returns the coverage of all projects since the start, for reports of the whole run. */
  coverageSinceStart(): Coverage {
    return sumOf(this.#coverageBeforeReset, this.coverage());
  }

  /** Starts the coverage again, after a reset of all projects. */
  resetCoverage(): void {
    this.#coverageBeforeReset = sumOf(this.#coverageBeforeReset, this.coverageOfEnded);
    this.coverageOfEnded = noCoverage;
  }

  #addCoverage({ value }: Project): void {
    this.coverageOfEnded = sumOf(this.coverageOfEnded, value.coverage);
  }

  resetAll(): void {
    for (const key of [...this.#projects.keys()]) this.reset(key);
  }

  closeAll(): void {
    for (const key of [...this.#projects.keys()]) this.close(key);
  }

  /** Throws InvalidField for a reserved key, and InsufficientStorage if the project does not exist and the limit is reached. */
  #requireRoom(key: string): void {
    if (!ownKeys.includes(key) && this.#options.isReserved?.(key)) {
      const message = `projectKey: expected a key that is not reserved, found "${key}": paths of the service start with it`;
      throw new ServiceError({ code: "InvalidField", message, field: "projectKey" });
    }
    if (this.#projects.size < this.#max || this.#projects.has(key)) return;
    throw new ServiceError({
      code: "InsufficientStorage",
      message: `Projects: expected at most ${this.#max}, found ${this.#projects.size}, so "${cut(key, 100)}" cannot be created. Delete projects (DELETE /__admin/projects/{projectKey}), or raise --max-projects (RESOURCE_MOCK_MAX_PROJECTS, option maxProjects).`,
    });
  }

  #add(key: string): Project {
    this.#requireRoom(key);
    const project = this.put(key, this.initial(key));
    project.publish("project", { change: "created" });
    return project;
  }
}
