import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { MockEvent } from "../../../control/client/index.ts";
import { useEvents, useSession } from "./session.ts";

/** The last value that was loaded from the mock, and the error of a later load that failed. */
export interface Loaded<T> {
  /** Undefined until the first load ends. */
  readonly value?: T;
  readonly error?: unknown;
  /** Loads the value again. Resolves when a load that began after this call has ended. */
  reload(): Promise<void>;
}

/** The shortest time between two loads, in milliseconds. It limits the load on the mock during many events. */
const PAUSE_MS = 250;

type EventType = Exclude<MockEvent["type"], "summary" | "gap">;

/**
 * Loads a value from the mock: on the first rendering, when one of `inputs` or the project changes, after a reconnect, and
 * after each event of these types or reset that concerns the page. Without types, no event loads the value again. Only one
 * load is in progress at a time. The previous value is kept until the load ends, except if `inputs` have changed: then the
 * value belongs to something else.
 */
export function useLoaded<T>(
  load: () => Promise<T>,
  types: readonly EventType[] | "any" = [],
  inputs: readonly unknown[] = [],
  pause = PAUSE_MS,
): Loaded<T> {
  const { project } = useSession();
  const [, render] = useState({});
  const all = [project, ...inputs];
  const previous = useRef(all);
  const loader = useRef<Loader<T>>(undefined);
  const isNew = !loader.current || all.some((input, index) => !Object.is(input, previous.current[index]));
  if (isNew) {
    loader.current?.stop();
    loader.current = new Loader(() => render({}), pause);
    previous.current = all;
  }
  const current = loader.current as Loader<T>;
  current.load = load;
  // At once, and not after the whole page is on the screen.
  if (isNew) void current.reload();

  useLayoutEffect(() => () => current.stop(), [current]);
  // The page of a project handles its deletion.
  const ends: readonly EventType[] = project === undefined ? ["reset", "project"] : ["reset"];
  const concerns = (event: MockEvent) =>
    types === "any" || (types.length > 0 && isOf(event, project, ...ends, ...types));
  useEvents((events) => {
    if (events.length === 0 || events.some(concerns)) void current.reload();
  });
  return { ...current.state, reload: () => current.reload() };
}

/** Runs the loads of one `useLoaded`: one at a time, with a pause between them. */
class Loader<T> {
  load: () => Promise<T> = () => Promise.reject(new Error("Loader: expected a load function, found none"));
  state: { readonly value?: T; readonly error?: unknown } = {};
  readonly #onChange: () => void;
  readonly #pause: number;
  #isStopped = false;
  /** Ends after the pause that follows the last load. */
  #rest: Promise<void> | undefined;
  #next: Promise<void> | undefined;

  constructor(onChange: () => void, pause: number) {
    this.#onChange = onChange;
    this.#pause = pause;
  }

  stop(): void {
    this.#isStopped = true;
  }

  reload(): Promise<void> {
    if (!this.#rest) return this.#start();
    this.#next ??= this.#rest.then(() => {
      this.#next = undefined;
      return this.#start();
    });
    return this.#next;
  }

  #start(): Promise<void> {
    const run = this.#run();
    this.#rest = run
      .then(() => new Promise((resolve) => setTimeout(resolve, this.#pause)))
      .then(() => {
        this.#rest = undefined;
      });
    return run;
  }

  async #run(): Promise<void> {
    if (this.#isStopped) return;
    const state = await this.load().then(
      (value) => ({ value }),
      (error: unknown) => ({ value: this.state.value, error }),
    );
    if (this.#isStopped) return;
    this.state = state;
    this.#onChange();
  }
}

/**
 * Returns whether an event is of one of these types and about this project or, without a project, about any. Events
 * about all projects are about each of them. A summary counts as the events that it counts.
 */
export function isOf(event: MockEvent, project: string | undefined, ...types: EventType[]): boolean {
  if (event.type !== "summary") {
    const isWanted = (types as MockEvent["type"][]).includes(event.type);
    return isWanted && (project === undefined || event.data.project === undefined || event.data.project === project);
  }
  const { projects, others } = event.data;
  const own = projects.filter(
    (each) => project === undefined || each.project === undefined || each.project === project,
  );
  // Without a project, `others` adds nothing: the entries show whether anything has changed.
  return [...own, ...(others ? [others] : [])].some(({ requests, changes }) =>
    types.some((type) => (type === "request" ? requests > 0 : (changes[type] ?? 0) > 0)),
  );
}
