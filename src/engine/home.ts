import type { Awaitable } from "../contract/index.ts";
import type { Exchange, Feed } from "../journal/index.ts";
import type { Project } from "../project/index.ts";
import type { Engine } from "./engine.ts";

/**
 * Keeps the projects of an engine: in memory, in files (`--projects`), or in a store that several processes share
 * (`--share`). All that reads or changes a project happens in steps.
 *
 * A step works on the latest value, and its changes are kept before its result is known. If another process has changed
 * the project meanwhile, the step is undone and runs again, so it must have no effects outside of the projects. Steps and
 * other methods throw ServiceUnavailable if a store cannot be used, and InsufficientStorage if it is full. Without a
 * store, a step returns its result at once.
 */
export type Home = Pick<MemoryHome, keyof MemoryHome>;

/** What a home tells in the health check. */
export interface HomeHealth {
  /** The reason why a store cannot be used at the moment; undefined if it can. */
  readonly problem?: string | undefined;
  /** The number of times that this process has loaded a project, or changes of other processes to one. */
  readonly loads?: number;
  /** The number of steps that have run for more than five seconds, and the time of the oldest. */
  readonly slow?: { readonly steps: number; readonly milliseconds: number } | undefined;
  /** The number of projects whose last save failed, and the problem of one of them. */
  readonly unsaved?: { readonly projects: number; readonly problem: string } | undefined;
  /** The number of projects that cannot be read, wholly or in part, and the problem of one of them. */
  readonly unreadable?: { readonly projects: number; readonly problem: string } | undefined;
}

/** Keeps the projects in the memory of this process. */
export class MemoryHome {
  /** The feed of events, if it is not that of this process alone. */
  readonly feed?: Feed;
  /** Returns the lowest number for the order of requests now (see Sequence). */
  readonly floor?: () => number;
  protected engine!: Engine;

  /** Called once, by the engine that is complete. */
  attach(engine: Engine): void {
    this.engine = engine;
  }

  /**
   * Returns the project that a request addresses when it arrives, so that a reset ends the request while its body is still
   * arriving. Undefined if only a step can tell. With `opens`, creates the project if it does not exist.
   */
  arriving(projectKey: string, opens: boolean): Project | undefined {
    const { projects } = this.engine;
    return opens ? projects.get(projectKey) : projects.peek(projectKey);
  }

  /**
   * Returns the project that a request addresses, in a step, and creates it if it does not exist. If the project was reset
   * or deleted after the request has arrived (in milliseconds of `performance.now()`), the returned project has ended.
   */
  opened(projectKey: string, _arrivedAt: number): Project {
    return this.engine.projects.get(projectKey);
  }

  /** Returns the start of the journal (see Log) that a request belongs to. -1 if it was cleared after the arrival. */
  journalStartAt({ journalStart }: Project, _arrivedAt: number): number {
    return journalStart;
  }

  /** Runs a step on one project. Steps of one project run one after the other; those of different projects do not wait. */
  step<T>(_projectKey: string, step: () => Awaitable<T>): Awaitable<T> {
    return step();
  }

  /** Runs a step on the state that belongs to no project, and on these projects, while no other step runs. */
  stepAlone<T>(_projectKeys: readonly string[], step: () => Awaitable<T>): Awaitable<T> {
    return step();
  }

  /** Runs a function that reads all projects. */
  withAll<T>(read: () => Awaitable<T>): Awaitable<T> {
    return read();
  }

  /** Takes over changes of other processes to this project as they happen, until the signal aborts. */
  follow(_projectKey: string, _until: AbortSignal): Awaitable<void> {}

  /** Keeps the project in memory until the returned function is called. */
  hold(_project: Project): () => void {
    return () => {};
  }

  /** Resets all projects. Called within `stepAlone`. */
  resetAll(): Awaitable<void> {
    return this.engine.projects.resetAll();
  }

  /** Returns a project to an initial state of its own. Returns undefined if it has none. */
  restoreInitial(_projectKey: string): Promise<void> | undefined {
    return undefined;
  }

  /** Called after each change of a project, and after it was closed. */
  onChange(_project: Project): void {}

  /** Called for each recorded request, with its number in the journal. It is announced as soon as it is kept. */
  onRecorded(project: Project, exchange: Exchange, number: number): void {
    this.engine.announce(project, exchange, number);
  }

  /** Called after a change of a part of the tokens. */
  onTokenChange(_part: string): void {}

  get health(): HomeHealth {
    return {};
  }

  /** Keeps all changes, and ends. */
  close(): Awaitable<void> {
    return this.engine.projects.closeAll();
  }
}
