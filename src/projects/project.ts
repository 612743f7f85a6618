import { ServiceError } from "../contract/service-error.ts";
import type { FairBudget } from "../journal/budget.ts";
import { Coverage } from "../journal/coverage.ts";
import { type PublishedEvents, stateEvents } from "../journal/events.ts";
import { type Exchange, hasFailed } from "../journal/exchange.ts";
import type { Feed } from "../journal/feed.ts";
import { type Author, History, MAX_CHANGES, requireUndoable } from "../journal/history.ts";
import { Journal } from "../journal/journal.ts";
import { ActiveRules } from "../scenarios/active-rules.ts";
import type { ScenarioPeriod } from "../scenarios/periods.ts";
import { TimeSlice } from "../schedule/time-slice.ts";
import type { Settings } from "../settings/settings.ts";
import { StateAccount, type StateBudget } from "../state/budget.ts";
import { differences } from "../state/differences.ts";
import { StateDraft } from "../state/draft.ts";
import { forgetText } from "../state/record.ts";
import { type Change, imageById, resourceById, type State } from "../state/state.ts";
import type { RestoredArchive } from "./archive-source.ts";
import type { ChangeLog } from "./change-log.ts";
import { type ClockPosition, OffsetClock } from "./clock.ts";
import { type Random, type RandomPosition, RandomSequence, shortHash, uuidOf } from "./random.ts";
import { type CountedRequest, type RateCount, RateWindow } from "./rate-limit.ts";
import type { RequestIds } from "./request-ids.ts";

/** The initial state of every project of an engine. */
export interface InitialProject {
  /** The seed of ids, randomness and generated data. */
  readonly seed: string;
  readonly settings: Settings;
  /** The seeded state. Projects share it until they write. */
  readonly state: State;
  /** Returns the engine's time in milliseconds. */
  readonly now: () => number;
  /** The memory budget of all journals together. */
  readonly journals: FairBudget;
  /** The request ids of the engine. */
  readonly requestIds: RequestIds;
  /** The memory budget of the state of all projects together. */
  readonly budget: StateBudget;
  /** Receives the events of the project. */
  readonly feed?: Feed;
  /** Returns the change log of the project with this key. Absent if projects are only in memory. */
  readonly changeLog?: (projectKey: string) => ChangeLog;
  /** The scenarios that are active for all projects. */
  readonly activeForAll?: ActiveRules;
}

/** A named state that a project can restore. */
export interface StoredSnapshot {
  readonly name: string;
  /** RFC 3339, from the project's clock. */
  readonly takenAt: string;
  readonly state: State;
}

/** The origin of all ids, random numbers and generated data of a project. */
export interface Origin {
  readonly seed: string;
  readonly projectKey: string;
}

/** The small values of a project that change with nearly every request, as JSON. */
export interface ProjectCore {
  readonly origin: Origin;
  readonly clock: ClockPosition;
  /** Absent before the first random number. */
  readonly random?: RandomPosition;
  /** Absent before the first request within the setting `rateLimit`. */
  readonly rateWindow?: RateCount;
  readonly requests: number;
  readonly errors: number;
  readonly violations: number;
  /** The arrival of the last request by the server's clock, in milliseconds. */
  readonly lastRequestAt?: number;
  /** The number of ids for resources in stubbed responses. */
  readonly stubbed: number;
  /** The number of the last request id. */
  readonly requestIds: number;
  /** The number of sets of changes that the state has had. */
  readonly moment?: number;
  /** The number of requests that the journal has dropped. */
  readonly forgotten: number;
  /** Absent if the project was not restored from an archive. */
  readonly archive?: RestoredArchive;
}

/**
 * A project: the isolated sandbox of one project key. A reset ends the project and replaces it by a new one. Requests in
 * progress still write to the old project, and never change the new one.
 *
 * The parts of a project are created at their first use, so that 10,000 idle projects take little memory.
 */
export class Project {
  readonly key: string;
  /** Counts the size of the state that this project has written, and of the project's rules and scenarios. */
  readonly account: StateAccount;
  /** Learns about each change; absent if projects are only in memory. */
  readonly changes: ChangeLog | undefined;
  readonly #initial: InitialProject;
  #settings: Settings;
  #state: State;
  /** The size of the state that the project started from or restored. It shares this state, so it does not count. */
  #sharedSize: number;
  #countedSize = 0;
  #clock?: OffsetClock;
  #rateWindow?: RateWindow;
  #journal?: Journal;
  #history?: History;
  #coverage?: Coverage;
  #snapshots?: Map<string, StoredSnapshot>;
  #random?: RandomSequence;
  #activeRules?: ActiveRules;
  #hasEnded = false;
  #isDraft = false;
  #ended?: AbortController;
  /** Set if ids and random numbers continue those of another seed or project key. */
  #origin?: Origin;
  #requestPrefix?: string;
  #requests = 0;
  #errors = 0;
  #violations = 0;
  #lastRequestAt?: number;
  #lastSerial = 0;
  #stubbed = 0;
  #archive?: RestoredArchive;

  /** Creates a project in its initial state, with the snapshots of the project that it replaces. */
  constructor(key: string, initial: InitialProject, replaced?: Project) {
    const { settings, state, budget } = initial;
    this.key = key;
    this.changes = initial.changeLog?.(key);
    this.account = replaced?.account ?? new StateAccount(key, budget);
    this.#initial = initial;
    this.#settings = settings;
    if (replaced) this.#snapshots = replaced.#snapshots;
    this.#state = state;
    this.#sharedSize = state.size;
  }

  /** The current state. Later changes do not change this value. */
  get state(): State {
    return this.#state;
  }

  /**
   * Changes the state in one step. If the step throws, nothing changes. Returns the result of the step.
   *
   * @throws ServiceError InsufficientStorage
   */
  change<Result>(step: (draft: StateDraft) => Result, author?: Author): Result {
    const draft = new StateDraft(this.#state);
    const result = step(draft);
    this.#take(draft, author);
    return result;
  }

  /**
   * Does the same for a long step, which lets the server handle other requests in between. If one of them changes the
   * state, the step starts again. The third time, it does not pause.
   */
  async changeInSlices<Result>(
    step: (draft: StateDraft, slice: Pick<TimeSlice, "isOver" | "next">) => Promise<Result>,
  ): Promise<Result> {
    for (let attempt = 1; ; attempt++) {
      const start = this.#state;
      const draft = new StateDraft(start);
      const result = await step(draft, attempt < 3 ? new TimeSlice() : ONE_SLICE);
      if (this.#state !== start) continue;
      this.#take(draft);
      return result;
    }
  }

  #take({ state, changes }: StateDraft, author?: Author): void {
    if (changes.length === 0) return;
    this.#exchange(state);
    this.#remember(changes, author);
    for (const { table, before } of changes) if (before && table === "resource") forgetText(before[1]);
    if (this.changes) for (const part of changedParts(changes)) this.changes.note(part);
    if (!this.#initial.feed?.isPublishing) return;
    for (const event of stateEvents(changes)) this.publish("state", event);
  }

  /**
   * Replaces the whole state, for example by that of a snapshot. With `isShared`, something else holds the state already,
   * so it does not count again.
   *
   * @throws ServiceError InsufficientStorage
   */
  replaceState(state: State, { isShared }: { readonly isShared: boolean }): void {
    this.#replace(state, differences(this.#state, state, MAX_CHANGES), isShared ? state.size : 0);
  }

  /**
   * Restores the state at a moment. Throws NotRewindable if a change since then is not kept whole, or if the rewind itself
   * would not be.
   */
  rewind(moment: number): void {
    const state = this.stateAt(moment);
    const changes = differences(this.#state, state, MAX_CHANGES);
    requireUndoable(changes);
    this.#replace(state, changes);
  }

  #replace(state: State, changes: readonly Change[] | undefined, sharedSize?: number): void {
    this.#exchange(state, sharedSize);
    this.#remember(changes);
    for (const part of changes ? changedParts(changes) : ["state"]) this.changes?.note(part);
    this.publish("state", { change: "all" });
  }

  #exchange(state: State, sharedSize = this.#sharedSize): void {
    const size = this.#hasEnded ? 0 : Math.max(0, state.size - sharedSize);
    this.account.require(size - this.#countedSize);
    this.account.change(size - this.#countedSize);
    this.#countedSize = size;
    this.#sharedSize = sharedSize;
    this.#state = state;
  }

  #remember(changes: readonly Change[] | undefined, author: Author = { by: "control" }): void {
    if (this.#hasEnded || this.#isDraft) return;
    this.history.add(author, this.#initial.now(), changes);
  }

  /** Returns the state at a moment. Throws NotRewindable. */
  stateAt(moment: number): State {
    return moment === this.moment ? this.#state : this.history.stateAt(this.#state, moment);
  }

  /** The last changes of the state. */
  get history(): History {
    const { changes } = this;
    this.#history ??= new History(
      this.#settings.journalSize,
      this.#initial.journals,
      changes && ((number) => changes.note(`change/${number}`)),
    );
    return this.#history;
  }

  /** The number of sets of changes that the state has had. */
  get moment(): number {
    return this.#history?.last ?? 0;
  }

  /** Takes over a state that another process has stored, without an event and beyond the memory budget. */
  adoptState(state: State): void {
    this.account.change(state.size - this.#countedSize);
    this.#countedSize = state.size;
    this.#sharedSize = 0;
    this.#state = state;
  }

  get settings(): Settings {
    return this.#settings;
  }

  /** Changes the settings. A change of `rateLimit` starts a new window. */
  set settings(settings: Settings) {
    if (settings.rateLimit !== this.#settings.rateLimit) this.#rateWindow = undefined;
    const before = this.#settings;
    this.#settings = settings;
    this.#journal?.resize(settings.journalSize);
    this.#history?.resize(settings.journalSize);
    const names = (Object.keys(settings) as (keyof Settings)[]).filter((name) => {
      return JSON.stringify(settings[name]) !== JSON.stringify(before[name]);
    });
    this.changes?.note("settings");
    if (names.length > 0) this.publish("settings", { names });
  }

  /**
   * Publishes an event of this project. Requests that were in progress still change an ended project; subscribers see
   * only the new project.
   */
  publish<Type extends keyof PublishedEvents>(type: Type, data: PublishedEvents[Type]): void {
    this.changes?.note("core");
    if (!this.#hasEnded && !this.#isDraft) this.#initial.feed?.publish(type, this.key, data);
  }

  /** Notes a change of the clock, counters or sequences, for a request that is recorded later. */
  touch(): void {
    this.changes?.note("core");
  }

  get clock(): OffsetClock {
    this.#clock ??= new OffsetClock(this.#initial.now);
    return this.#clock;
  }

  /** Counts a request to an operation for the setting `rateLimit`. Returns undefined without this setting. */
  countRequest(now: number): CountedRequest | undefined {
    const { rateLimit } = this.#settings;
    if (!rateLimit) return undefined;
    this.#rateWindow ??= new RateWindow(rateLimit);
    return this.#rateWindow.count(now);
  }

  get journal(): Journal {
    this.#journal ??= new Journal(this.#settings.journalSize, this.#initial.journals);
    return this.#journal;
  }

  get coverage(): Coverage {
    this.#coverage ??= new Coverage();
    return this.#coverage;
  }

  /** Adds the project's coverage to `sum`. */
  addCoverageTo(sum: Coverage): void {
    if (this.#coverage) sum.add(this.#coverage);
  }

  /** The snapshots of the project by name, oldest first. A reset keeps them. */
  get snapshots(): ReadonlyMap<string, StoredSnapshot> {
    return this.#snapshots ?? NO_SNAPSHOTS;
  }

  /** Replaces all snapshots, without an event. */
  set snapshots(snapshots: ReadonlyMap<string, StoredSnapshot>) {
    this.#snapshots = new Map(snapshots);
  }

  /** Adds a snapshot as the newest one. Replaces a snapshot with the same name. */
  addSnapshot(snapshot: StoredSnapshot): void {
    const { name } = snapshot;
    this.#snapshots ??= new Map();
    this.#snapshots.delete(name);
    this.#snapshots.set(name, snapshot);
    this.changes?.note(`snapshot/${name}`);
  }

  /** Keeps the current state as a snapshot. */
  takeSnapshot(name: string): StoredSnapshot {
    const snapshot = { name, takenAt: this.clock.timestamp(), state: this.#state };
    this.addSnapshot(snapshot);
    this.publish("snapshots", { change: "taken", name });
    return snapshot;
  }

  /** Restores the state from a snapshot. Returns whether the snapshot exists. */
  restoreSnapshot(name: string): boolean {
    const snapshot = this.snapshots.get(name);
    if (!snapshot) return false;
    this.replaceState(snapshot.state, { isShared: true });
    this.publish("snapshots", { change: "restored", name });
    return true;
  }

  /** Deletes a snapshot. Returns whether it existed. */
  deleteSnapshot(name: string): boolean {
    const existed = this.#snapshots?.delete(name) ?? false;
    if (existed) {
      this.changes?.note(`snapshot/${name}`);
      this.publish("snapshots", { change: "deleted", name });
    }
    return existed;
  }

  /** The random numbers of rules with a probability and of latencies. */
  get random(): Random {
    this.#random ??= new RandomSequence(this.seedText("random"));
    return this.#random.next;
  }

  /** The active scenarios and rules of this project. */
  get activeRules(): ActiveRules {
    this.#activeRules ??= new ActiveRules(
      this.#initial.now,
      this.#hasEnded
        ? undefined
        : (by) => {
            this.account.reserve(by);
            this.changes?.note("rules");
          },
    );
    return this.#activeRules;
  }

  /** The scenarios that are active for all projects. */
  get activeForAll(): ActiveRules | undefined {
    return this.#initial.activeForAll;
  }

  /** The last periods in which scenarios were active in this project, oldest first. */
  get scenarioPeriods(): readonly ScenarioPeriod[] {
    return this.#activeRules?.periods ?? [];
  }

  /** A signal that aborts when the project is reset or closed. */
  get ended(): AbortSignal {
    if (!this.#ended) {
      this.#ended = new AbortController();
      if (this.#hasEnded) this.#ended.abort(reasonOfEnd());
    }
    return this.#ended.signal;
  }

  /** Whether the project has been reset or closed. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Returns an id that no resource has. It depends only on the project's seed and on the order of calls. */
  newResourceId(draft: StateDraft): string {
    for (;;) {
      const id = this.idOf(draft.nextNumber());
      // An imported resource can have the next id of the project.
      if (!resourceById(draft.state, id)) return id;
    }
  }

  /** Returns an id that no image has. */
  newImageId(draft: StateDraft): string {
    for (;;) {
      const id = this.idOf(draft.nextNumber());
      if (!imageById(draft.state, id)) return id;
    }
  }

  /** Returns the id with this number. */
  idOf(number: number): string {
    return uuidOf(this.seedText(`id ${number}`));
  }

  /** Returns a new id for a resource that exists only in a stubbed response. It does not change the ids of real resources. */
  stubbedId(): string {
    return uuidOf(this.seedText(`stubbed ${++this.#stubbed}`));
  }

  /** Returns a new request id, unique among all requests of the server. */
  newRequestId(): string {
    this.#requests++;
    this.#requestPrefix ??= this.#newPrefix();
    return this.#initial.requestIds.next(this.#requestPrefix, this.#requestSequence(this.#requestPrefix));
  }

  #newPrefix(): string {
    return shortHash(this.seedText("requests"));
  }

  /** Returns the sequence of the request ids. A copy under another key has a sequence of its own. */
  #requestSequence(prefix: string): string {
    return this.#origin ? JSON.stringify([prefix, this.key]) : prefix;
  }

  /** The number of requests of the project. */
  get requests(): number {
    return this.#requests;
  }

  /** The number of requests that failed (see `hasFailed`). */
  get errors(): number {
    return this.#errors;
  }

  /** The number of requests that violated the contract. */
  get violations(): number {
    return this.#violations;
  }

  /** The arrival of the last request by the server's clock, in milliseconds; undefined without requests. */
  get lastRequestAt(): number | undefined {
    return this.#lastRequestAt;
  }

  /** The serial number of the last request; 0 without requests. */
  get lastSerial(): number {
    return this.#lastSerial;
  }

  set lastSerial(serial: number) {
    this.#lastSerial = serial;
  }

  /** Returns the requests in the journal, newest first. Creates no journal. */
  exchanges(): Exchange[] {
    return this.#journal?.list() ?? [];
  }

  /** The number of requests that the journal has dropped since it was created or cleared. Creates no journal. */
  get droppedRequests(): number {
    return this.#journal?.forgotten ?? 0;
  }

  /** Returns whether the id is or was the id of a request to this project, or to one with the same prefix. */
  issued(requestId: string): boolean {
    return this.#requestPrefix !== undefined && requestId.startsWith(`${this.#requestPrefix}-`);
  }

  /**
   * Adds a request to the journal and the coverage, unless the project has ended. Then calls `onRecorded`.
   */
  record(exchange: Exchange, onRecorded?: () => void): void {
    if (this.hasEnded) {
      onRecorded?.();
      return;
    }
    if (hasFailed(exchange)) this.#errors++;
    if (exchange.violations.length > 0) this.#violations++;
    this.#lastRequestAt = exchange.serverTime;
    this.#lastSerial = exchange.serial;
    this.coverage.count(exchange);
    const add = () => {
      this.journal.add(exchange);
      onRecorded?.();
    };
    if (this.changes) this.changes.record(exchange, add);
    else add();
  }

  /** Adds a request of another process to the journal. The values of `core` and the coverage already count it. */
  addRecorded(exchange: Exchange): void {
    this.#lastSerial = exchange.serial;
    this.journal.add(exchange);
  }

  /** The archive that the project was restored from, if it was. */
  get archive(): RestoredArchive | undefined {
    return this.#archive;
  }

  /** The small values of the project. Setting them replaces all of them, without an event. */
  get core(): ProjectCore {
    const random = this.#random?.position;
    const rateWindow = this.#rateWindow?.counted;
    const prefix = this.#requestPrefix ?? this.#newPrefix();
    return {
      origin: this.#origin ?? { seed: this.#initial.seed, projectKey: this.key },
      clock: this.#clock?.position ?? { offset: 0 },
      ...(random && { random }),
      ...(rateWindow && { rateWindow }),
      requests: this.#requests,
      errors: this.#errors,
      violations: this.#violations,
      ...(this.#lastRequestAt !== undefined && { lastRequestAt: this.#lastRequestAt }),
      stubbed: this.#stubbed,
      requestIds: this.#initial.requestIds.last(this.#requestSequence(prefix)),
      ...(this.moment > 0 && { moment: this.moment }),
      forgotten: this.droppedRequests,
      ...(this.#archive && { archive: this.#archive }),
    };
  }

  set core(core: ProjectCore) {
    const { origin, clock, random, rateWindow, requestIds, archive } = core;
    const isOwn = origin.seed === this.#initial.seed && origin.projectKey === this.key;
    this.#origin = isOwn ? undefined : origin;
    this.#archive = archive;
    if (this.#clock || clock.offset !== 0 || clock.frozenAt !== undefined) this.clock.position = clock;
    if (random) {
      this.#random ??= new RandomSequence("");
      this.#random.position = random;
    } else {
      this.#random = undefined;
    }
    const { rateLimit } = this.#settings;
    this.#rateWindow = rateLimit && rateWindow ? new RateWindow(rateLimit, rateWindow) : undefined;
    this.#requests = core.requests;
    this.#errors = core.errors;
    this.#violations = core.violations;
    this.#lastRequestAt = core.lastRequestAt;
    this.#stubbed = core.stubbed;
    if (this.#history || core.moment !== undefined) this.history.last = core.moment ?? 0;
    const prefix = this.#newPrefix();
    const sequence = this.#requestSequence(prefix);
    this.#requestPrefix = requestIds > 0 ? prefix : undefined;
    if (this.#initial.requestIds.last(sequence) !== requestIds) {
      this.#initial.requestIds.continueAt(sequence, requestIds);
    }
    if (this.#journal || core.forgotten > 0) this.journal.forgotten = core.forgotten;
  }

  /** Deletes the requests from the journal. */
  clearJournal(): void {
    this.journal.clear();
    this.changes?.note("journal");
    this.publish("journal", { change: "cleared" });
  }

  /** Ends the project. Keeps its snapshots for the project that replaces it. */
  end(): void {
    this.#hasEnded = true;
    this.#ended?.abort(reasonOfEnd());
    this.#journal?.end();
    this.#history?.end();
    this.#activeRules?.end();
    this.account.change(-this.#countedSize);
    this.#countedSize = 0;
  }

  /** Ends the project and deletes its snapshots. */
  close(): void {
    this.publish("project", { change: "closed" });
    this.discard();
  }

  /** Does the same without an event. */
  discard(): void {
    this.end();
    this.#snapshots = undefined;
  }

  /** Makes the project a draft: until `publishDraft`, it publishes no events. */
  markAsDraft(): this {
    this.#isDraft = true;
    return this;
  }

  /** Ends the draft, which has replaced another project: notes all parts of both as changed. */
  publishDraft(replaced: Project | undefined): void {
    this.#isDraft = false;
    for (const part of ["core", "settings", "rules", "coverage", "journal", "state"]) this.changes?.note(part);
    const names = [...(replaced?.snapshots.keys() ?? []), ...this.snapshots.keys()];
    for (const name of names) this.changes?.note(`snapshot/${name}`);
  }

  /** Returns the seed for one use in this project, such as generated data. */
  seedText(use: string): string {
    const { seed, projectKey } = this.#origin ?? { seed: this.#initial.seed, projectKey: this.key };
    return JSON.stringify([seed, projectKey, use]);
  }
}

const NO_SNAPSHOTS: ReadonlyMap<string, StoredSnapshot> = new Map();

/** In place of time slices: the work does not pause. */
const ONE_SLICE = { isOver: false, next: () => Promise.resolve() };

/** Returns the names of the stored parts that the changes affect (see ChangeLog). */
function* changedParts(changes: readonly Change[]): Iterable<string> {
  for (const change of changes) {
    if (change.table === "facts") yield "core";
    else yield change.table === "action" ? "action" : `${change.table}/${change.id}`;
  }
}

function reasonOfEnd(): DOMException {
  return new DOMException("the project was reset or closed", "AbortError");
}

/** Returns the error of a request whose project was reset or closed while the request was in progress. */
export function projectEnded({ key }: { key: string }): ServiceError {
  return new ServiceError(
    {
      code: "ServiceUnavailable",
      message: `Project "${key}" was reset or closed while this request was in progress; its changes were discarded`,
    },
    { "Retry-After": "1" },
  );
}
