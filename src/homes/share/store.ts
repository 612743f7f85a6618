import { randomUUID } from "node:crypto";
import { Redis, ReplyError } from "ioredis";
import { ServiceError, STORE_TIMEOUT_MS } from "../../contract/index.ts";
import { commitScript, marks, outcomes } from "./script.ts";

/** The options of the shared store. */
export interface StoreOptions {
  /** `redis://` or `rediss://`, with host, port, user, password and number of the database. */
  readonly url: string;
  /** The start of all keys, to share one store among several mocks. */
  readonly prefix: string;
  /** The time after which an untouched project expires, in milliseconds. */
  readonly ttl: number;
  /** The maximum number of projects. */
  readonly maxProjects: number;
}

/** The changes of one document, and the revision that they expect. */
export interface Change {
  /** The project key; empty for the document of the server. */
  readonly project: string;
  readonly revision: number;
  readonly life: string;
  /** How the document changes: not at all, in parts, as a whole, or its project is closed. */
  readonly kind: "read" | "parts" | "whole" | "close";
  /** The new life, if the document is replaced. */
  readonly nextLife: string;
  readonly parts: readonly Part[];
  readonly marks: readonly Mark[];
}

/**
 * An event whose last time the store keeps, so that a process can omit a request that arrived before it: `ended` (the
 * project was reset, replaced or deleted; all projects were reset) and `cleared` (the journal of the project was cleared).
 */
export type Mark = (typeof marks)[number];

/** A changed part: its name, and its value as JSON; undefined if it is deleted. */
export type Part = readonly [name: string, text: string | undefined];

/** A document whose revision in the store is another one, with the parts that changed since. */
export interface Stale {
  /** The index of the document in the changes. */
  readonly index: number;
  /** 0 if the document does not exist. */
  readonly revision: number;
  readonly life: string;
  /** Whether `parts` are the whole document. */
  readonly isWhole: boolean;
  /** The JSON values by name; null for a deleted part. */
  readonly parts: ReadonlyMap<string, string | null>;
  /** The earliest possible times of the marks, in milliseconds of `performance.now()`. */
  readonly marks: ReadonlyMap<Mark, number>;
}

/** The result of a commit. Nothing was stored unless the outcome is `stored`. */
export type Outcome =
  | { readonly outcome: "stored" }
  | { readonly outcome: "tooManyProjects"; readonly found: number }
  | { readonly outcome: "leased"; readonly milliseconds: number }
  | { readonly outcome: "stale"; readonly stale: readonly Stale[] };

/** The longest pause between two attempts to connect, in milliseconds. */
const PAUSE_MS = 1000;
/** The longest time to disconnect, in milliseconds. */
const DISCONNECT_MS = 100;
/** The time after which a lease ends, as its process can have been killed. In milliseconds. */
const LEASE_MS = 10_000;
/** The parts, and their characters, beyond which a document is written as a whole and in portions of this size. */
const PORTION_PARTS = 1000;
const PORTION = 1024 * 1024;
/** The time after which portions expire that no commit has taken over. In milliseconds. */
const STAGED_MS = 60_000;
/** The longest time to connect at the start, in milliseconds. */
const CONNECT_MS = 5000;

/** The connection to a Valkey or Redis server that holds the documents. */
export class SharedStore {
  #prefix: string;
  readonly #options: StoreOptions;
  readonly #redis: Redis & { commit?(args: readonly (string | number)[]): Promise<unknown> };
  /** Identifies this process as the owner of leases. */
  readonly #owner = randomUUID();
  readonly #clock = new StoreClock();
  #lastError: string | undefined;
  #hasStarted = false;

  constructor(options: StoreOptions) {
    this.#options = options;
    this.#prefix = options.prefix;
    this.#redis = new Redis(options.url, {
      lazyConnect: true,
      connectTimeout: CONNECT_MS,
      // A script that may have run must never be sent a second time, so commands fail when the connection breaks.
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      socketTimeout: STORE_TIMEOUT_MS,
      // Otherwise, the process runs for two more seconds if the connection is broken at the stop.
      disconnectTimeout: DISCONNECT_MS,
      scripts: { commit: { lua: commitScript } },
      retryStrategy: (attempt) => Math.min(50 * 2 ** attempt, PAUSE_MS),
    });
    this.#redis.on("error", (error: Error) => {
      this.#lastError = error.message;
    });
    this.#redis.on("ready", () => {
      if (this.#hasStarted) void this.#checkStore();
    });
  }

  /** The reason why the store cannot be used at the moment; undefined if it can. */
  get problem(): string | undefined {
    if (this.#redis.status === "ready" && this.#lastError === undefined) return undefined;
    return `the shared store at ${this.address} cannot be used${this.#lastError ? `: ${this.#lastError}` : ""}`;
  }

  /**
   * Connects. A store that cannot be reached yet is no error, as it can start later. Throws an Error with the reason if the
   * store rejects the password, or is not suitable.
   */
  async connect(): Promise<void> {
    let problem: string | undefined;
    try {
      await this.#redis.connect();
      problem = problemIn(await this.#redis.info());
    } catch (error) {
      const reason = this.#lastError ?? (error as Error).message;
      if (!/WRONGPASS|NOAUTH|NOPERM/.test(reason)) return;
      this.#redis.disconnect();
      throw new Error(`--share: ${this.address} rejected the user or the password: ${reason}`);
    } finally {
      this.#hasStarted = true;
    }
    if (problem === undefined) return this.#checkStore();
    this.#redis.disconnect();
    throw new Error(`--share: ${problem} at ${this.address}`);
  }

  /**
   * Leaves a store that is not suitable or takes no changes, as a store can start after this process, another one can be at
   * the same address, and a failover makes a store read-only. The connection that follows is checked again.
   */
  async #checkStore(): Promise<void> {
    try {
      const problem = problemIn(await this.#redis.info());
      await this.#redis.del(this.key("none"));
      this.#lastError = problem;
    } catch (error) {
      if (isReply(error)) this.#lastError = error.message;
    }
    if (this.#lastError !== undefined && this.#redis.status === "ready") this.#redis.disconnect(true);
  }

  /** The address without user and password. */
  get address(): string {
    const { protocol, host, pathname } = new URL(this.#options.url);
    return `${protocol}//${host}${pathname === "/" ? "" : pathname}`;
  }

  /** Returns a further connection, for commands that block or subscribe. */
  connection(): Redis {
    const connection = this.#redis.duplicate({
      lazyConnect: false,
      enableOfflineQueue: true,
      socketTimeout: undefined,
    });
    connection.on("error", () => {});
    return connection;
  }

  /** Separates the projects of this contract from those of others in the store. Called before the first use. */
  separate(fingerprint: string): void {
    this.#prefix = `${this.#options.prefix}:${fingerprint}`;
  }

  key(...parts: readonly string[]): string {
    return [this.#prefix, ...parts].join(":");
  }

  get channel(): string {
    return this.key("changes");
  }

  /**
   * Stores the changes of all documents or none. With `takesLease`, a stale commit takes a lease on its documents, until
   * the next commit with `takesLease` has stored its changes. Throws ServiceUnavailable and InsufficientStorage.
   */
  async commit(changes: readonly Change[], events: readonly string[], takesLease = false): Promise<Outcome> {
    const keys = ["projects", "counters", "events"].map((name) => this.key(name));
    const { ttl, maxProjects } = this.#options;
    // In groups, as a call cannot have several 100,000 arguments.
    const args: (readonly (string | number)[])[] = [
      [Math.ceil(ttl), maxProjects, this.channel, this.#owner, takesLease ? LEASE_MS : 0],
      [events.length],
      events,
      [changes.length],
    ];
    for (const change of changes) {
      const { kind, revision, life, nextLife } = change;
      const project = inStore(change.project);
      const name = project === "" ? "server" : `p:${project}`;
      const staged = this.key("staged", randomUUID());
      keys.push(this.key(name), this.key("revisions", name), this.key("lease", name), staged);
      args.push([project, revision, life, kind]);
      if (kind === "read") continue;
      const set = change.parts.flatMap(([part, text]) => (text === undefined ? [] : [inStore(part), text]));
      const deleted = change.parts.flatMap(([part, text]) => (text === undefined ? [inStore(part)] : []));
      const isStaged = kind === "whole" && isLarge(change.parts);
      if (isStaged) await this.#stage(staged, set);
      const inCall = isStaged ? [] : set;
      args.push([nextLife, isStaged ? "1" : "0", inCall.length], inCall, [deleted.length], deleted);
      args.push([change.marks.length], change.marks);
    }
    const sentAt = performance.now();
    this.#sendTogether();
    const reply = await this.run(async () => this.#redis.commit?.([[keys.length], keys, ...args].flat()));
    const [code, rest, time] = reply as [number, unknown, string];
    this.#clock.note(sentAt, time);
    if (code === outcomes.stored) return { outcome: "stored" };
    if (code === outcomes.tooManyProjects) return { outcome: "tooManyProjects", found: rest as number };
    if (code === outcomes.leased) return { outcome: "leased", milliseconds: rest as number };
    return { outcome: "stale", stale: (rest as StaleReply[]).map((each) => this.#staleOf(each)) };
  }

  #staleOf([index, revision, life, whole, flat, times]: StaleReply): Stale {
    const parts = new Map<string, string | null>();
    for (let position = 0; position < flat.length; position += 2) {
      const name = flat[position];
      if (typeof name === "string" && !name.startsWith("#")) parts.set(fromStore(name), flat[position + 1] ?? null);
    }
    const known = marks.flatMap((mark, at): [Mark, number][] => {
      const time = times[at];
      return time ? [[mark, this.#clock.earliest(time)]] : [];
    });
    return { index: index - 1, revision, life, isWhole: whole === 1, parts, marks: new Map(known) };
  }

  /** Writes many parts in portions, so that no call takes long. They expire, if no commit takes them over. */
  async #stage(key: string, set: readonly string[]): Promise<void> {
    for (let at = 0; at < set.length; ) {
      const portion: string[] = [];
      for (let size = 0; at < set.length && size < PORTION && portion.length < 2 * PORTION_PARTS; at += 2) {
        const [name = "", text = ""] = [set[at], set[at + 1]];
        portion.push(name, text);
        size += text.length;
      }
      await this.run((redis) =>
        redis
          .multi()
          .hset(key, ...portion)
          .pexpire(key, STAGED_MS)
          .exec(),
      );
    }
  }

  /** Returns the keys of all projects in the order of their creation, including expired ones. */
  async projects(): Promise<string[]> {
    const index = this.key("projects");
    // The next change replaces an index of another type.
    const names = await this.run(async (redis) => {
      return (await redis.type(index)) === "zset" ? redis.zrange(index, "0", "-1") : [];
    });
    return names.map(fromStore);
  }

  /** Removes projects from the index, unless they exist. */
  async forget(projects: readonly string[]): Promise<void> {
    const script = "if redis.call('EXISTS', KEYS[2]) == 0 then redis.call('ZREM', KEYS[1], ARGV[1]) end";
    const index = this.key("projects");
    await this.run((redis) =>
      Promise.all(projects.map(inStore).map((name) => redis.eval(script, 2, index, this.key("p", name), name))),
    );
  }

  /** Runs commands, and maps the errors of the connection. */
  async run<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    try {
      return await command(this.#redis);
    } catch (error) {
      throw this.#failure(error as Error);
    }
  }

  async close(): Promise<void> {
    this.#redis.disconnect();
  }

  /** Sends the scripts of requests that arrived together in one write, as each write to a socket takes much time. */
  #sendTogether(): void {
    const { stream } = this.#redis;
    if (!stream || stream.writableCorked > 0) return;
    stream.cork();
    setImmediate(() => stream.uncork());
  }

  #failure(error: Error & { readonly previousErrors?: readonly Error[] }): ServiceError {
    // A transaction fails with EXECABORT, as the store has rejected one of its commands.
    const { message } = error.previousErrors?.[0] ?? error;
    if (/^OOM /.test(message)) {
      const hint = "Delete projects (DELETE /__admin/projects/{projectKey}), or raise its limit.";
      const full = `The shared store at ${this.address} is full (maxmemory). ${hint}`;
      return new ServiceError({ code: "InsufficientStorage", message: full });
    }
    if (isReply(error)) {
      this.#lastError = message;
      void this.#checkStore();
    }
    const unusable = `The shared store at ${this.address} cannot be used: ${this.#lastError ?? message}`;
    return new ServiceError({ code: "ServiceUnavailable", message: unusable }, { "Retry-After": "1" });
  }
}

/** Returns whether the store itself has sent the error, over a connection that works. */
function isReply(error: unknown): error is Error {
  return error instanceof ReplyError;
}

/** Returns why a server is not suitable as the store, from its reply to INFO; undefined if it is. */
function problemIn(info: string): string | undefined {
  const version = /redis_version:(\d+)/.exec(info)?.[1] ?? "0";
  const limit = /maxmemory:(\d+)/.exec(info)?.[1] ?? "0";
  const policy = /maxmemory_policy:(\S+)/.exec(info)?.[1] ?? "noeviction";
  if (Number(version) < 7) return `expected Valkey, or Redis 7 or later, found Redis ${version}`;
  if (limit === "0" || policy === "noeviction") return undefined;
  return `expected the maxmemory-policy noeviction, found ${policy}, which would delete parts of projects`;
}

/** Returns whether parts are too many or too large for one call. */
export function isLarge(parts: readonly Part[]): boolean {
  return parts.length > PORTION_PARTS || parts.reduce((sum, [, text]) => sum + (text?.length ?? 0), 0) > PORTION;
}

type StaleReply = readonly [number, number, string, number, (string | null)[], string[]];

/** The most that two clocks differ after a while, as a part of this while. */
const DRIFT = 0.0005;

/** Converts times of the store, in microseconds as text, to `performance.now()`, whatever the clocks show. */
class StoreClock {
  /** A lower bound of the difference between both clocks, in milliseconds, and when it was found. */
  #least = Number.NEGATIVE_INFINITY;
  #foundAt = 0;

  /** Notes that the store was at `time` between `sentAt` and now. */
  note(sentAt: number, time: string): void {
    const now = performance.now();
    const least = sentAt - Number(time) / 1000;
    const known = this.#least - (now - this.#foundAt) * DRIFT;
    const wasSet = known > now - Number(time) / 1000;
    if (least < known && !wasSet) return;
    this.#least = least;
    this.#foundAt = now;
  }

  /** Returns the earliest time that it can have been. */
  earliest(time: string): number {
    return Number(time) / 1000 + this.#least - (performance.now() - this.#foundAt) * DRIFT;
  }
}

/** Returns a name as the store has it. UTF-8 has no lone surrogates, so names with one are JSON. */
function inStore(name: string): string {
  return name.isWellFormed() && !name.startsWith('"') ? name : JSON.stringify(name);
}

/** Returns the name that the store has as this text. */
export function fromStore(text: string): string {
  return text.startsWith('"') ? JSON.parse(text) : text;
}
