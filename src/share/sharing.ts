import type { Redis } from "ioredis";
import { lazily } from "../contract/lazily.ts";
import { ServiceError } from "../contract/service-error.ts";
import type { Engine } from "../engine/engine.ts";
import type { Sharing } from "../engine/sharing.ts";
import type { StateBudget } from "../state/budget.ts";
import { Changes } from "./changes.ts";
import { SharedFeed } from "./feed.ts";
import { ProjectDocument } from "./project-document.ts";
import { ServerDocument } from "./server-document.ts";
import { Steps } from "./steps.ts";
import { fromStore, SharedStore, type StoreOptions } from "./store.ts";
import { Unreadable } from "./unreadable.ts";

/** The first instant of 2020, in milliseconds. Numbers for the order of requests count microseconds since then. */
const EPOCH = 1_577_836_800_000;

/** The time after which a project that this process does not use leaves its memory, and the interval of the search for them. */
const IDLE_MS = 600_000;
const SEARCH_MS = 60_000;

/** The number of projects beyond which those that do not exist are forgotten, in addition to twice the number of projects. */
const SPARE_DOCUMENTS = 1000;

/** The number of projects that are brought up to date together for a call about all projects. */
const TOGETHER = 50;

/** Sharing that still needs the engine. */
export interface OpenSharing extends Sharing {
  /** Called once, before the first step. */
  attach(engine: Engine): void;
}

/**
 * Connects to the store of the projects that several processes share. Throws an Error with the reason if the store cannot
 * be reached.
 */
export async function openSharing(options: StoreOptions): Promise<OpenSharing> {
  const store = new SharedStore(options);
  await store.connect();
  const unreadable = new Unreadable();
  const server = new ServerDocument(unreadable, options.ttl);
  const steps = new Steps(store, server);
  const documents = new Map<string, ProjectDocument>();
  const followed = new Map<string, number>();
  /** The number of calls about all projects. While there is one, no project leaves the memory. */
  let readersOfAll = 0;
  let engine: Engine | undefined;
  let subscription: Redis | undefined;

  function attached(): Engine {
    if (!engine) throw new Error("sharing: expected an engine before the first step");
    return engine;
  }

  function documentOf(project: string): ProjectDocument {
    let document = documents.get(project);
    if (!document) {
      if (documents.size > 2 * attached().projects.size + SPARE_DOCUMENTS) forgetUnopened();
      document = new ProjectDocument(project, attached(), server, unreadable, options.ttl);
      documents.set(project, document);
    }
    document.lastUsed = Date.now();
    return document;
  }

  const sharing: OpenSharing = {
    attach(given) {
      engine = given;
      server.attach(given);
    },
    feed: new SharedFeed(store, {
      get isListening() {
        return steps.isListening;
      },
      add(event, project) {
        const document = project === undefined ? server : documentOf(project);
        if (!document.isApplying) document.events.push(event);
      },
    }),
    floor: () => (Date.now() - EPOCH) * 1000,
    get loads() {
      return steps.loads;
    },
    changeLog: () => new Changes(),
    note: (part) => server.note(part),
    inProject(projectKey, step) {
      makeRoom(attached());
      return steps.run(documentOf(projectKey), step);
    },
    alone: (projectKeys, step) => steps.runAlone([...new Set(projectKeys)].map(documentOf), step),
    async withAll(read) {
      const { projects, budget } = attached();
      const names = await store.projects();
      const keys = [...new Set([...names, ...projects.keys()])];
      // The steps on projects also load the state that belongs to no project.
      if (keys.length === 0) await sharing.alone([], () => undefined);
      readersOfAll++;
      try {
        for (let at = 0; at < keys.length; at += TOGETHER) {
          await Promise.all(keys.slice(at, at + TOGETHER).map((key) => sharing.inProject(key, () => undefined)));
          if (budget.bytes > budget.limit) throw tooLarge(budget, keys.length);
        }
        await forgetExpired(names);
        projects.arrange(names);
        return await read();
      } finally {
        readersOfAll--;
      }
    },
    async follow(projectKey, until) {
      followed.set(projectKey, (followed.get(projectKey) ?? 0) + 1);
      until.addEventListener("abort", () => {
        const readers = (followed.get(projectKey) ?? 1) - 1;
        if (readers > 0) followed.set(projectKey, readers);
        else followed.delete(projectKey);
      });
      subscription = await subscribed();
    },
    keep(project) {
      const document = documentOf(project.key);
      document.holders++;
      return () => {
        document.holders--;
      };
    },
    async resetAll() {
      server.resets++;
      server.note("resets");
      for (const document of documents.values()) document.evict();
    },
    get problem() {
      return store.problem;
    },
    get unreadable() {
      return unreadable.summary;
    },
    get slow() {
      return steps.slow;
    },
    async close() {
      clearInterval(search);
      sharing.feed.close();
      subscription?.disconnect();
      await store.close();
    },
  };

  const subscribed = lazily(async () => {
    const connection = store.connection();
    const load = (projectKey: string) => void sharing.inProject(projectKey, () => undefined).catch(() => {});
    const loadAll = () => [...followed.keys()].forEach(load);
    connection.on("message", (_channel, name: string) => {
      const projectKey = fromStore(name);
      // A change of the state that belongs to no project can be a reset of all projects.
      if (projectKey === "") loadAll();
      else if (followed.has(projectKey)) load(projectKey);
    });
    // Changes during a broken connection were missed.
    connection.on("ready", loadAll);
    await store.run(() => connection.subscribe(store.channel));
    return connection;
  });

  /** Removes the projects that have expired from the index, and their tokens. */
  async function forgetExpired(names: readonly string[]): Promise<void> {
    const expired = names.filter((name) => !attached().projects.find(name));
    if (expired.length > 0) await store.forget(expired);
    const { tokens, projects } = attached();
    const owners = expired.filter((name) => [...tokens.ofProject(name)].length > 0);
    if (owners.length === 0) return;
    await sharing.alone(owners, () => {
      // Another process can have created the project again.
      for (const name of owners) if (!projects.find(name)) tokens.forgetProject(name);
    });
  }

  /** Returns the projects that no request uses, the longest unused first. */
  function idleDocuments(): ProjectDocument[] {
    const idle = [...documents.values()].filter((each) => each.holders === 0 && !steps.isBusy(each));
    return idle.sort((a, b) => a.lastUsed - b.lastUsed);
  }

  /** Forgets projects that do not exist, as calls can name any number of them. */
  function forgetUnopened(): void {
    for (const document of idleDocuments()) if (!document.current) evict(document);
  }

  function evict(document: ProjectDocument): void {
    document.evict();
    documents.delete(document.project);
  }

  /** Removes projects from memory that were not used for the longest time, if the budget of the state is nearly used up. */
  function makeRoom({ budget }: Engine): void {
    if (readersOfAll > 0 || budget.bytes < budget.limit * 0.75) return;
    for (const document of idleDocuments()) {
      if (budget.bytes < budget.limit * 0.5) return;
      evict(document);
    }
  }

  const search = setInterval(() => {
    if (readersOfAll > 0) return;
    const latest = Date.now() - Math.min(IDLE_MS, options.ttl);
    for (const document of idleDocuments()) if (document.lastUsed < latest) evict(document);
  }, SEARCH_MS).unref();

  return sharing;
}

function tooLarge({ limit }: StateBudget, projects: number): ServiceError {
  return new ServiceError({
    code: "InsufficientStorage",
    message: `State of all projects: expected at most ${limit} bytes in the memory of this replica, found more in ${projects} projects. Close projects (DELETE /__admin/projects/{projectKey}), or raise --max-state-bytes (RESOURCE_MOCK_MAX_STATE_BYTES).`,
  });
}
