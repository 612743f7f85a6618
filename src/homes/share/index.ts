import type { Redis } from "ioredis";
import { type Awaitable, lazily, ServiceError } from "../../contract/index.ts";
import { type Engine, type HomeHealth, MemoryHome } from "../../engine/index.ts";
import type { Exchange } from "../../journal/index.ts";
import type { Project } from "../../project/index.ts";
import { archivedContract } from "../archive/archive.ts";
import { ProjectDocument } from "./project-document.ts";
import { ServerDocument } from "./server-document.ts";
import { Unreadable } from "./shared-document.ts";
import { SharedFeed } from "./shared-feed.ts";
import { Steps } from "./steps.ts";
import { fromStore, SharedStore, type StoreOptions } from "./store.ts";

/** The first instant of 2020, in milliseconds. Numbers for the order of requests count microseconds since then. */
const EPOCH = 1_577_836_800_000;

/** The number of projects beyond which those that do not exist are forgotten, in addition to twice the number of projects. */
const SPARE_DOCUMENTS = 1000;

/** The number of projects that are brought up to date together for a call about all projects. */
const TOGETHER = 50;

/** Connects to the store of a shared home. Throws an Error with the reason if the store is not suitable. */
export async function openSharedHome(options: StoreOptions): Promise<SharedHome> {
  const store = new SharedStore(options);
  await store.connect();
  return new SharedHome(store);
}

/** Keeps the projects in a store that several processes share. */
export class SharedHome extends MemoryHome {
  override readonly feed: SharedFeed;
  override readonly floor = () => Math.floor((performance.timeOrigin - EPOCH + performance.now()) * 1000);
  readonly #store: SharedStore;
  readonly #unreadable = new Unreadable();
  readonly #server = new ServerDocument(this.#unreadable);
  readonly #steps: Steps;
  readonly #documents = new Map<string, ProjectDocument>();
  /** The calls that follow a project. */
  readonly #followers = new Set<{ readonly projectKey: string }>();
  readonly #subscribed = lazily(() => this.#subscribe());
  /** The number of calls about all projects. While there is one, no project leaves the memory. */
  #readersOfAll = 0;
  #subscription: Redis | undefined;

  constructor(store: SharedStore) {
    super();
    this.#store = store;
    this.#steps = new Steps(store, this.#server);
    this.feed = new SharedFeed(store, (event, project) => {
      const document = project === undefined ? this.#server : this.#documentOf(project);
      document.events.push(event);
    });
  }

  override attach(engine: Engine): void {
    super.attach(engine);
    const { contract } = engine;
    if (contract.document) this.#store.separate(archivedContract(contract).fingerprint);
    this.#server.attach(engine);
  }

  /** The store knows whether the project was reset meanwhile, but asking it would take as long as a step. */
  override arriving(): undefined {}

  override opened(projectKey: string, arrivedAt: number): Project {
    const { projects } = this.engine;
    const isLate = this.#documentOf(projectKey).isAfter(arrivedAt, "ended") || this.#server.isAfter(arrivedAt, "ended");
    return projects[isLate ? "ended" : "get"](projectKey);
  }

  override journalStartAt({ key, journalStart }: Project, arrivedAt: number): number {
    return this.#documentOf(key).isAfter(arrivedAt, "cleared") ? -1 : journalStart;
  }

  override step<T>(projectKey: string, step: () => Awaitable<T>): Promise<T> {
    this.#forgetIdle();
    return this.#steps.run(this.#documentOf(projectKey), step);
  }

  override stepAlone<T>(projectKeys: readonly string[], step: () => Awaitable<T>): Promise<T> {
    const documents = [...new Set(projectKeys)].map((key) => this.#documentOf(key));
    return this.#steps.runAlone(documents, step);
  }

  override async withAll<T>(read: () => Awaitable<T>): Promise<T> {
    const { projects, budget } = this.engine;
    const names = await this.#store.projects();
    const keys = [...new Set([...names, ...projects.keys()])];
    // The steps on projects also load the state that belongs to no project.
    if (keys.length === 0) await this.stepAlone([], () => undefined);
    this.#readersOfAll++;
    try {
      for (let at = 0; at < keys.length; at += TOGETHER) {
        await Promise.all(keys.slice(at, at + TOGETHER).map((key) => this.step(key, () => undefined)));
        if (budget.bytes > budget.limit) {
          const message = `State of all projects: expected at most ${budget.limit} bytes in the memory of this replica, found more in ${keys.length} projects. Delete projects (DELETE /__admin/projects/{projectKey}), or raise --max-state-bytes (RESOURCE_MOCK_MAX_STATE_BYTES).`;
          throw new ServiceError({ code: "InsufficientStorage", message });
        }
      }
      await this.#forgetExpired(names);
      projects.arrange(names);
      return await read();
    } finally {
      this.#readersOfAll--;
    }
  }

  override async follow(projectKey: string, until: AbortSignal): Promise<void> {
    const follower = { projectKey };
    this.#followers.add(follower);
    until.addEventListener("abort", () => this.#followers.delete(follower));
    this.#subscription = await this.#subscribed();
  }

  override hold({ key }: Project): () => void {
    const document = this.#documentOf(key);
    document.holders++;
    return () => {
      document.holders--;
    };
  }

  override async resetAll(): Promise<void> {
    this.#server.resets++;
    for (const document of this.#documents.values()) document.evict();
  }

  override onRecorded(project: Project, exchange: Exchange, number: number): void {
    if (project.hasEnded) this.engine.announce(project, exchange, number);
    else this.#documentOf(project.key).recorded.push({ exchange, number });
  }

  override onTokenChange(part: string): void {
    this.#server.noteToken(part);
  }

  override get health(): HomeHealth {
    const { loads, slow } = this.#steps;
    const { summary: unreadable } = this.#unreadable;
    return { problem: this.#store.problem, loads, ...(slow && { slow }), ...(unreadable && { unreadable }) };
  }

  override async close(): Promise<void> {
    this.feed.close();
    this.#subscription?.disconnect();
    await this.#store.close();
  }

  #documentOf(project: string): ProjectDocument {
    const documents = this.#documents;
    let document = documents.get(project);
    if (!document) {
      document = new ProjectDocument(project, this.engine, this.#server, this.#unreadable);
      documents.set(project, document);
    }
    document.lastUsed = Date.now();
    return document;
  }

  async #subscribe(): Promise<Redis> {
    const connection = this.#store.connection();
    const load = (projectKey: string) => void this.step(projectKey, () => undefined).catch(() => {});
    const followed = () => new Set(Array.from(this.#followers, ({ projectKey }) => projectKey));
    connection.on("message", (_channel, name: string) => {
      const changed = fromStore(name);
      // A change of the state that belongs to no project can be a reset of all projects.
      for (const projectKey of followed()) if (changed === "" || changed === projectKey) load(projectKey);
    });
    // Changes during a broken connection were missed.
    connection.on("ready", () => followed().forEach(load));
    await this.#store.run(() => connection.subscribe(this.#store.channel));
    return connection;
  }

  /** Removes the projects that have expired from the index, and their tokens. */
  async #forgetExpired(names: readonly string[]): Promise<void> {
    const { tokens, projects } = this.engine;
    const expired = names.filter((name) => !projects.find(name));
    if (expired.length > 0) await this.#store.forget(expired);
    const owners = expired.filter((name) => [...tokens.ofProject(name)].length > 0);
    if (owners.length === 0) return;
    await this.stepAlone(owners, () => {
      // Another process can have created the project again.
      for (const name of owners) if (!projects.find(name)) tokens.forgetProject(name);
    });
  }

  /**
   * Forgets projects that no request uses, the longest unused first: projects that do not exist, as calls can name any
   * number of them, and others if the budget of the state is nearly used up.
   */
  #forgetIdle(): void {
    const { budget, projects } = this.engine;
    const isFull = this.#readersOfAll === 0 && budget.bytes >= budget.limit * 0.75;
    if (!isFull && this.#documents.size <= 2 * projects.size + SPARE_DOCUMENTS) return;
    const idle = [...this.#documents.values()].filter((each) => each.holders === 0 && !this.#steps.isBusy(each));
    for (const document of idle.sort((one, other) => one.lastUsed - other.lastUsed)) {
      if (document.current && (!isFull || budget.bytes < budget.limit * 0.5)) continue;
      document.evict();
      this.#documents.delete(document.project);
    }
  }
}
