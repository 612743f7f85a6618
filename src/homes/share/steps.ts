import timers from "node:timers/promises";
import { ServiceError } from "../../contract/index.ts";
import type { ProjectDocument } from "./project-document.ts";
import type { ServerDocument } from "./server-document.ts";
import type { Expected, SharedDocument } from "./shared-document.ts";
import type { Change, SharedStore } from "./store.ts";

/** A step that waits for its result to be stored. */
interface Job {
  readonly step: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

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
  /** Ends with the last step that runs alone. Later steps of projects wait for it. */
  #alone: Promise<unknown> = Promise.resolve();
  /** The commits of project steps, which run together. */
  readonly #commits = new Set<Promise<void>>();
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

  isBusy(document: ProjectDocument): boolean {
    return this.#queues.has(document);
  }

  /** Runs a step on one project. */
  run<T>(document: ProjectDocument, step: () => T | Promise<T>): Promise<T> {
    return new Promise<unknown>((resolve, reject) => {
      const job: Job = { step, resolve, reject };
      const queue = this.#queues.get(document);
      if (queue) queue.push(job);
      else void this.#runQueue(document, [job]);
    }) as Promise<T>;
  }

  /** Runs a step on several projects and the state that belongs to none, while no other step runs. */
  runAlone<T>(documents: readonly ProjectDocument[], step: () => T | Promise<T>): Promise<T> {
    const before = Promise.all([this.#alone, ...this.#commits]);
    const run = (resolve: Job["resolve"], reject: Job["reject"]) => {
      void this.#commit(documents, [{ step, resolve, reject }]);
    };
    const result = before.then(() => new Promise<unknown>(run));
    const end = () => {};
    this.#alone = result.then(end, end);
    return result as Promise<T>;
  }

  async #runQueue(document: ProjectDocument, queue: Job[]): Promise<void> {
    this.#queues.set(document, queue);
    // Requests that have arrived already, on other connections, are stored together.
    await new Promise((next) => setImmediate(next));
    while (queue.length > 0) {
      // While it waits, another step can come that runs alone.
      for (let alone: unknown; alone !== this.#alone; await alone) alone = this.#alone;
      const commit = this.#commit([document], queue.splice(0, BATCH_SIZE));
      this.#commits.add(commit);
      await commit;
      this.#commits.delete(commit);
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
        const areLoaded = documents.every(({ isLoaded }) => isLoaded);
        for (const project of projects) if (areLoaded) project.followReset();
        const reports = areLoaded ? await runAll(jobs) : [];
        const ranAt = performance.now();
        const changes: Change[] = [];
        for (const [index, document] of documents.entries()) {
          changes.push(await document.change(expected[index] as Expected));
        }
        const events = documents.flatMap((document) => document.events);
        const reply = await this.#store.commit(changes, events, staleTries >= STALE_TRIES);
        if (reply.outcome === "stored" && areLoaded) {
          for (const [index, document] of documents.entries()) {
            const change = changes[index] as Change;
            if (change.kind !== "read") document.known = { revision: change.revision + 1, life: change.nextLife };
            document.stored(change);
            for (const mark of change.marks) document.note(mark, ranAt);
          }
          for (const report of reports) report();
          return;
        }
        if (reply.outcome === "tooManyProjects") {
          const message = `Projects: expected at most as many as --max-projects allows, found ${reply.found} in the shared store. Delete projects (DELETE /__admin/projects/{projectKey}), or raise --max-projects (RESOURCE_MOCK_MAX_PROJECTS, option maxProjects).`;
          throw new ServiceError({ code: "InsufficientStorage", message });
        }
        if (reply.outcome === "leased") await timers.setTimeout(Math.min(reply.milliseconds, LEASE_PAUSE_MS));
        const stale = reply.outcome === "stale" ? reply.stale : [];
        if (areLoaded && stale.length > 0) staleTries++;
        this.loads += stale.filter(({ index, revision }) => index > 0 && revision > 0).length;
        for (const each of stale) {
          const document = documents[each.index];
          for (const [mark, time] of each.marks) document?.note(mark, time);
          // The first document is that of the server, which the others depend on. If it has to be loaded again, they wait.
          if (this.#server.isLoaded || each.index === 0) await document?.apply(each);
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

/** Runs the steps. Returns functions that report their results. */
async function runAll(jobs: readonly Job[]): Promise<(() => void)[]> {
  const reports: (() => void)[] = [];
  for (const { step, resolve, reject } of jobs) {
    try {
      const value = await step();
      reports.push(() => resolve(value));
    } catch (error) {
      reports.push(() => reject(error));
    }
  }
  return reports;
}
