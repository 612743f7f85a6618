import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { MockEvent } from "../../../control/client/index.ts";
import { useEvents } from "./session.ts";

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

/**
 * Loads a value from the mock: on the first rendering, when one of `inputs` changes, after each event for which
 * `dependsOn` is true, and after a reconnect. Only one load is in progress at a time. The previous value is kept until
 * the load ends, except if `inputs` have changed: then the value belongs to something else.
 */
export function useLoaded<T>(
  load: () => Promise<T>,
  dependsOn: (event: MockEvent) => boolean,
  inputs: readonly unknown[] = [],
  pause = PAUSE_MS,
): Loaded<T> {
  const loader = useRef<Loader<T>>(undefined);
  const [, render] = useState({});
  const previous = useRef(inputs);
  const isSame = inputs.every((input, index) => Object.is(input, previous.current[index]));
  if (!loader.current || !isSame) {
    loader.current?.stop();
    loader.current = new Loader(() => render({}), pause);
    previous.current = inputs;
  }
  const current = loader.current;
  current.load = load;

  useLayoutEffect(() => {
    void current.reload();
    return () => current.stop();
  }, [current]);
  useEvents((events) => {
    if (events.length === 0 || events.some(dependsOn)) void current.reload();
  });
  return { ...current.state, reload: () => current.reload() };
}

/** Runs the loads of one `useLoaded`: one at a time, with a pause between them. */
class Loader<T> {
  load: () => Promise<T> = () => Promise.reject(new Error("Loader: expected a load function, found none"));
  state: { readonly value?: T; readonly error?: unknown } = {};
  readonly #onChange: () => void;
  /** Milliseconds. */
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
