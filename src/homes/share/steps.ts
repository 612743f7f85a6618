import timers from "node:timers/promises";
import { ServiceError } from "../../contract/index.ts";
import type { ProjectDocument } from "./project-document.ts";
import type { ServerDocument } from "./server-document.ts";
import { type Expected, isLoaded, revisionAfter, type SharedDocument } from "./shared-document.ts";
import type { Change, SharedStore } from "./store.ts";

type Step = () => unknown;

/** A step that waits for its result to be stored. */
interface Job {
  readonly step: Step;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

type Result = { readonly value: unknown } | { readonly error: unknown };

/** The number of times that other processes can be faster. Then the step takes a lease, so that it ends. */
const STALE_TRIES = 2;

/** The time after which a step with a leased document tries again, in milliseconds. */
const LEASE_PAUSE_MS = 20;

/** The time after which a step is slow, in milliseconds. */
const SLOW_MS = 5000;

/** The most steps that are stored together. */
const BATCH_SIZE = 64;

/**
 * Runs steps on the latest documents, and stores their changes before it reports their results. Steps of one project that
 * arrive while others are stored are stored together.
 *
 * A step first runs on the documents as this process knows them. If another process has changed them meanwhile, the store
 * returns these changes instead, and the step runs again. So a project that only this process changes is never loaded
 * again.
 */
export class Steps {
  readonly #store: SharedStore;
  readonly #server: ServerDocument;
  /** Project steps run together; a step on the state that belongs to no project runs alone. */
  readonly #lock = new SharedLock();
  readonly #queues = new Map<ProjectDocument, Job[]>();
  readonly #running = new Set<{ readonly since: number }>();
  /** The number of documents that were loaded or brought up to date. */
  loads = 0;

  constructor(store: SharedStore, server: ServerDocument) {
    this.#store = store;
    this.#server = server;
  }

  /** The number of steps that have run for more than five seconds, and the time of the oldest; undefined without one. */
  get slow(): { readonly steps: number; readonly milliseconds: number } | undefined {
    const times = Array.from(this.#running, ({ since }) => Math.round(performance.now() - since));
    const slow = times.filter((time) => time > SLOW_MS);
    return slow.length === 0 ? undefined : { steps: slow.length, milliseconds: Math.max(...slow) };
  }

  /** Whether steps of this project are running or waiting. */
  isBusy(document: ProjectDocument): boolean {
    return this.#queues.has(document);
  }

  /** Runs a step on one project. */
  run<T>(document: ProjectDocument, step: () => T | Promise<T>): Promise<T> {
    return new Promise<unknown>((resolve, reject) => {
      const job: Job = { step, resolve, reject };
      const queue = this.#queues.get(document);
      if (queue) queue.push(job);
      else void this.#runAll(document, [job]);
    }) as Promise<T>;
  }

  /** Runs a step on several projects and the state that belongs to none, while no other step runs. */
  async runAlone<T>(documents: readonly ProjectDocument[], step: () => T | Promise<T>): Promise<T> {
    await this.#lock.enterAlone();
    try {
      return (await new Promise<unknown>((resolve, reject) => {
        void this.#commit(documents, [{ step, resolve, reject }]);
      })) as T;
    } finally {
      this.#lock.leave();
    }
  }

  async #runAll(document: ProjectDocument, queue: Job[]): Promise<void> {
    this.#queues.set(document, queue);
    // Requests that have arrived already, on other connections, are stored together.
    await new Promise((next) => setImmediate(next));
    while (queue.length > 0) {
      await this.#lock.enter();
      await this.#commit([document], queue.splice(0, BATCH_SIZE));
      this.#lock.leave();
    }
    this.#queues.delete(document);
  }

  /** Runs the steps until their changes are stored. Never rejects. */
  async #commit(projects: readonly ProjectDocument[], jobs: readonly Job[]): Promise<void> {
    const documents: readonly SharedDocument[] = [this.#server, ...projects];
    const running = { since: performance.now() };
    this.#running.add(running);
    try {
      for (let staleTries = 0; ; ) {
        const expected = documents.map(({ known }) => known);
        const areLoaded = documents.every(isLoaded);
        for (const project of projects) if (areLoaded) project.followReset();
        const results = areLoaded ? await resultsOf(jobs) : [];
        const changes: Change[] = [];
        for (const [index, document] of documents.entries()) {
          changes.push(await document.change(expected[index] as Expected));
        }
        const events = documents.flatMap((document) => document.events);
        const reply = await this.#store.commit(changes, events, staleTries >= STALE_TRIES);
        if (reply.outcome === "stored" && areLoaded) {
          for (const [index, document] of documents.entries()) {
            const change = changes[index] as Change;
            if (change.kind !== "read") document.known = revisionAfter(change);
            document.stored(change);
          }
          settle(jobs, results);
          return;
        }
        if (reply.outcome === "tooManyProjects") throw tooManyProjects(reply.found);
        if (reply.outcome === "leased") await timers.setTimeout(Math.min(reply.milliseconds, LEASE_PAUSE_MS));
        const stale = reply.outcome === "stale" ? reply.stale : [];
        if (areLoaded && stale.length > 0) staleTries++;
        this.loads += stale.filter(({ index, revision }) => index > 0 && revision > 0).length;
        for (const each of stale) {
          const document = documents[each.index];
          // The first document is that of the server, which the others depend on. If it has to be loaded again, they wait.
          if (isLoaded(this.#server) || each.index === 0) await document?.apply(each);
          else document?.undo();
        }
        // The own changes of the others are not stored either.
        for (const [index, document] of documents.entries()) {
          const isStale = stale.some((each) => each.index === index);
          if (!isStale && changes[index]?.kind !== "read") document.undo();
        }
      }
    } catch (error) {
      // Whether the store has taken the changes is unknown.
      for (const document of documents) document.unload();
      for (const { reject } of jobs) reject(error);
    } finally {
      this.#running.delete(running);
    }
  }
}

async function resultsOf(jobs: readonly Job[]): Promise<Result[]> {
  const results: Result[] = [];
  for (const { step } of jobs) {
    try {
      results.push({ value: await step() });
    } catch (error) {
      results.push({ error });
    }
  }
  return results;
}

function settle(jobs: readonly Job[], results: readonly Result[]): void {
  for (const [index, { resolve, reject }] of jobs.entries()) {
    const result = results[index] as Result;
    if ("error" in result) reject(result.error);
    else resolve(result.value);
  }
}

function tooManyProjects(found: number): ServiceError {
  return new ServiceError({
    code: "InsufficientStorage",
    message: `Projects: expected at most as many as --max-projects allows, found ${found} in the shared store. Delete projects (DELETE /__admin/projects/{projectKey}), or raise --max-projects (RESOURCE_MOCK_MAX_PROJECTS, option maxProjects).`,
  });
}

/** Lets many holders in together, or one alone. A holder that waits to be alone comes before later holders. */
class SharedLock {
  #holders = 0;
  #isAlone = false;
  readonly #waiting: { readonly alone: boolean; readonly enter: () => void }[] = [];

  /** Waits until nobody is alone. */
  enter(): Promise<void> | undefined {
    return this.#wait(false);
  }

  /** Waits until nobody else is in. */
  enterAlone(): Promise<void> | undefined {
    return this.#wait(true);
  }

  leave(): void {
    if (this.#isAlone) this.#isAlone = false;
    else this.#holders--;
    for (let next = this.#waiting[0]; next && this.#isFree(next.alone); next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#take(next.alone);
      next.enter();
    }
  }

  #wait(alone: boolean): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#isFree(alone)) {
      this.#take(alone);
      return undefined;
    }
    return new Promise((enter) => this.#waiting.push({ alone, enter }));
  }

  #isFree(alone: boolean): boolean {
    return !this.#isAlone && (!alone || this.#holders === 0);
  }

  #take(alone: boolean): void {
    if (alone) this.#isAlone = true;
    else this.#holders++;
  }
}
