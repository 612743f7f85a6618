import type { Feed } from "../journal/feed.ts";
import type { ChangeLog } from "../projects/change-log.ts";
import type { Project } from "../projects/project.ts";

/**
 * Projects that several processes share. `src/share` implements it and is loaded only with `--share`.
 *
 * A step works on the latest state, and its changes are stored before its promise resolves. If another process has
 * changed the state meanwhile, the step runs again on the new state, so it must have no effects outside of the projects.
 * All methods with a step throw ServiceUnavailable if the store cannot be reached, and InsufficientStorage if it is full.
 */
export interface Sharing {
  /** The feed of the events of all processes. */
  readonly feed: Feed;
  /** Returns the lowest number for the order of requests now (see Sequence). */
  readonly floor: () => number;
  changeLog(projectKey: string): ChangeLog;
  /** Notes that a part of the state that belongs to no project changed: `rules`, `coverage`, or of the tokens. */
  note(part: string): void;
  /** Runs a step on one project. Steps of one project run one after the other; those of different projects do not wait. */
  inProject<T>(projectKey: string, step: () => T | Promise<T>): Promise<T>;
  /** Runs a step on the state that belongs to no project, and on these projects, while no other step runs. */
  alone<T>(projectKeys: readonly string[], step: () => T | Promise<T>): Promise<T>;
  /** Runs a function that reads all projects. */
  withAll<T>(read: () => T | Promise<T>): Promise<T>;
  /** Loads the changes of other processes to this project as they happen, until the signal aborts. */
  follow(projectKey: string, until: AbortSignal): Promise<void>;
  /** Keeps the project in memory until the returned function is called. */
  keep(project: Project): () => void;
  /** Resets all projects, in this process at once and in the others before their next step. Called within `alone`. */
  resetAll(): Promise<void>;
  /** The number of times that this process has loaded a project, or changes of other processes to one. */
  readonly loads: number;
  /** The reason why the store cannot be reached at the moment; undefined if it can. */
  readonly problem: string | undefined;
  /** The number of projects with parts that cannot be read, and the problem of one of them; undefined without one. */
  readonly unreadable: { readonly projects: number; readonly problem: string } | undefined;
  /** The number of steps that have run for more than five seconds, and the time of the oldest; undefined without one. */
  readonly slow: { readonly steps: number; readonly milliseconds: number } | undefined;
  close(): Promise<void>;
}
