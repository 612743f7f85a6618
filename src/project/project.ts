import { MAX_CHANGES, MAX_FAILED_VERIFICATIONS, type ResourceType, ServiceError } from "../contract/index.ts";
import {
  type Author,
  type Exchange,
  type FailedVerification,
  failedAt,
  type History,
  hasFailed,
  isUnexpected,
  type Journal,
  mostSets,
  type PublishedEvents,
  requireUndoable,
  stateAt,
  stateEvents,
  type Verdict,
  type Verification,
  Watchers,
  withChanges,
  withExchange,
  withinBounds,
  withRequest,
} from "../journal/index.ts";
import type { ActiveItem, ActiveRules, AllUses, RulesHolder, Uses } from "../rules/index.ts";
import {
  type CollectionName,
  differences,
  forgetText,
  newIdIn,
  type Settings,
  type State,
  type StateChange,
  StateDraft,
  settingNames,
} from "../state/index.ts";
import { Account, type ProjectServer } from "./account.ts";
import { nextRandom, randomStart, shortHash, uuidOf } from "./random.ts";
import type { Clock, CountedRequest, ProjectValue, Snapshot } from "./value.ts";

/**
 * A project: the isolated sandbox of one project key. It holds the current value; each method that changes the project
 * exchanges the value in one step. A reset ends the project and replaces it by a new one, so that requests in progress
 * never change the new one.
 */
export class Project implements RulesHolder {
  readonly key: string;
  readonly #server: ProjectServer;
  #value: ProjectValue;
  /** Whether somebody else keeps the current value, its journal and coverage, or its history. */
  #isShared = true;
  #hasSharedRequests = true;
  #hasSharedHistory = true;
  /** Set while the server keeps the project: it counts in the budgets, and publishes events. */
  #account?: Account | undefined;
  #hasEnded = false;
  #ended?: AbortController;
  #watchers?: Watchers;
  #requestPrefix?: string;
  /** The project that this one shows at one moment. */
  readonly #shown: Project | undefined;

  constructor(key: string, value: ProjectValue, server: ProjectServer, shown?: Project) {
    this.key = key;
    this.#value = value;
    this.#server = server;
    this.#shown = shown;
  }

  /** Returns the project at this moment, for a call that reads it while requests change it. */
  view(): Project {
    return new Project(this.key, this.share(), this.#server, this);
  }

  /**
   * The current value, to read at once: the next change may change it in its place. Setting it replaces everything, without
   * an event and beyond the budget of the state.
   */
  get value(): ProjectValue {
    return this.#value;
  }

  set value(value: ProjectValue) {
    this.#value = value;
    this.share();
    this.#changed();
  }

  /** Returns the current value, to keep: no later change changes it. */
  share(): ProjectValue {
    this.#isShared = true;
    this.#hasSharedRequests = true;
    this.#hasSharedHistory = true;
    return this.#value;
  }

  /** Creates the next value. As long as nobody keeps the current one, it changes in its place, which nobody sees. */
  #update(members: Partial<ProjectValue>): void {
    if (this.#isShared) this.#value = { ...this.#value };
    this.#isShared = false;
    Object.assign(this.#value, members);
    this.#changed();
  }

  #changed(): void {
    if (!this.#account) return;
    this.#account.count(this.#value);
    this.#server.onChange(this);
  }

  /** The size of the state that the project has written, and of its rules; 0 unless the server keeps the project. */
  get size(): number {
    return this.#shown?.size ?? this.#account?.size ?? 0;
  }

  /** Drops the oldest requests and changes until the rest takes at most this many bytes. */
  shrinkTo(bytes: number): void {
    const { journal: before, history } = this.#value;
    const journal = before.shrunk(Math.max(bytes - history.bytes, bytes / 2));
    this.#update({ journal, history: history.shrunk(bytes - journal.bytes) });
  }

  get state(): State {
    return this.#value.state;
  }

  /**
   * Changes the state at once. If `write` throws, nothing changes. Returns the result of `write`.
   *
   * @throws ServiceError InsufficientStorage
   */
  change<Result>(write: (draft: StateDraft) => Result, author?: Author): Result {
    const draft = new StateDraft(this.state);
    const result = write(draft);
    const { state, changes } = draft;
    if (changes.length === 0) return result;
    this.#exchange(state, changes, author);
    for (const { table, before } of changes) if (before && table === "item") forgetText(before[1]);
    if (this.#server.feed.isPublishing) {
      for (const event of stateEvents(changes)) this.publish("state", event);
    }
    return result;
  }

  /**
   * Replaces the whole state, for example by that of a snapshot. With `isShared`, something else holds the state already,
   * so it does not count again.
   *
   * @throws ServiceError InsufficientStorage
   */
  replaceState(state: State, { isShared }: { readonly isShared: boolean }): void {
    this.#exchange(state, differences(this.state, state, MAX_CHANGES), undefined, isShared ? state.size : 0);
    this.publish("state", { change: "all" });
  }

  /**
   * Restores the state at a moment. Throws NotRewindable if a change since then is not kept whole, or if the rewind itself
   * would not be. Returns the moment before the rewind.
   */
  async rewind(moment: number): Promise<number> {
    const state = await this.stateAt(moment);
    const before = this.moment;
    const changes = differences(this.state, state, MAX_CHANGES);
    requireUndoable(changes);
    this.#exchange(state, changes);
    this.publish("state", { change: "all" });
    return before;
  }

  #exchange(
    state: State,
    changes: readonly StateChange[] | undefined,
    author: Author = { by: "control" },
    sharedSize = this.#value.sharedSize,
  ): void {
    const { history, settings } = this.#value;
    const members = { state, sharedSize };
    this.#account?.requireRoom(this.#value, members);
    const { now } = this.#server;
    const options = { most: mostSets(settings.journalSize), isOwn: !this.#hasSharedHistory };
    this.#hasSharedHistory = false;
    this.#update({ ...members, history: withChanges(history, changes, { author, at: now() }, options) });
  }

  /** Returns the state at a moment, which further changes do not change. Throws NotRewindable. */
  async stateAt(moment: number): Promise<State> {
    return moment === this.moment ? this.state : stateAt(this.share().history, this.state, moment);
  }

  /** The last changes of the state, to read at once. */
  get history(): History {
    return this.#value.history;
  }

  /** The number of sets of changes that the state has had. */
  get moment(): number {
    return this.#value.history.last;
  }

  get settings(): Settings {
    return this.#value.settings;
  }

  /** Changes the settings. A change of `rateLimit` starts a new window. */
  set settings(settings: Settings) {
    const { settings: before, journal, history, rateWindow } = this.#value;
    this.#update({
      settings,
      journal: journal.resized(settings.journalSize),
      history: history.resized(mostSets(settings.journalSize)),
      rateWindow: settings.rateLimit === before.rateLimit ? rateWindow : undefined,
    });
    const names = settingNames.filter((name) => JSON.stringify(settings[name]) !== JSON.stringify(before[name]));
    if (names.length > 0) this.publish("settings", { names });
  }

  /**
   * Publishes an event of this project. Requests that were in progress still change an ended project; subscribers see
   * only the new project.
   */
  publish<Type extends keyof PublishedEvents>(type: Type, data: PublishedEvents[Type]): void {
    if (this.#account) this.#server.feed.publish(type, this.key, data);
  }

  get clock(): Clock {
    return this.#value.clock;
  }

  set clock(clock: Clock) {
    this.#update({ clock });
  }

  /** Returns the time by the server's clock, in milliseconds. */
  get now(): () => number {
    return this.#server.now;
  }

  /**
   * Counts a request to an operation for the setting `rateLimit`, at this time of the project's clock in milliseconds.
   * Returns undefined without this setting. A window starts with its first request, so a burst of `limit` requests
   * always passes. Rejected requests do not extend the window.
   */
  countRequest(now: number): CountedRequest | undefined {
    const { settings, rateWindow: current } = this.#value;
    if (!settings.rateLimit) return undefined;
    const { limit, window } = settings.rateLimit;
    // The clock can also be set to a time before the window.
    const isOver = !current || now < current.start || now - current.start >= window;
    const start = isOver ? now : current.start;
    const number = isOver ? 1 : current.requests + 1;
    this.#update({ rateWindow: { start, requests: number } });
    return { limit, window, number, left: start + window - now };
  }

  /** The last requests, to read at once. */
  get journal(): Journal {
    return this.#value.journal;
  }

  /** The snapshots of the project by name, oldest first. A reset keeps them. */
  get snapshots(): ReadonlyMap<string, Snapshot> {
    return this.#value.snapshots;
  }

  /** Keeps the current state as the newest snapshot. Replaces a snapshot with the same name. */
  takeSnapshot(name: string): Snapshot {
    const snapshot = { name, takenAt: this.clock.timestamp(), state: this.state };
    const snapshots = new Map(this.snapshots);
    snapshots.delete(name);
    this.#update({ snapshots: snapshots.set(name, snapshot) });
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
    const snapshots = new Map(this.snapshots);
    if (!snapshots.delete(name)) return false;
    this.#update({ snapshots });
    this.publish("snapshots", { change: "deleted", name });
    return true;
  }

  /** Returns the next random number for rules with a probability and for latencies, in [0, 1). */
  random(): number {
    const { value, position } = nextRandom(this.#value.random ?? randomStart(this.seedText("random")));
    this.#update({ random: position });
    return value;
  }

  /** The active scenarios and rules of this project. */
  get activeRules(): ActiveRules {
    return this.#value.activeRules;
  }

  /** Replaces the scenarios and rules. Throws InsufficientStorage. */
  set activeRules(activeRules: ActiveRules) {
    this.#account?.requireRoom(this.#value, { activeRules });
    const active = new Set([...activeRules.active, ...this.activeForAll.active]);
    const uses = new Map([...this.uses].filter(([item]) => active.has(item)));
    this.#update({ activeRules, uses });
  }

  /** The scenarios that are active for all projects. */
  get activeForAll(): ActiveRules {
    return this.#server.activeForAll.activeRules;
  }

  get uses(): AllUses {
    return this.#value.uses;
  }

  setUses(item: ActiveItem, uses: Uses): void {
    this.#update({ uses: new Map(this.uses).set(item, uses) });
  }

  /** A signal that aborts when the project is reset or deleted. */
  get ended(): AbortSignal {
    this.#ended ??= new AbortController();
    if (this.#hasEnded) this.#ended.abort(reasonOfEnd());
    return this.#ended.signal;
  }

  /** Whether the project has been reset or deleted. */
  get hasEnded(): boolean {
    return this.#shown?.hasEnded ?? this.#hasEnded;
  }

  /** Returns an id that no item of the collection has. It depends only on the project's seed and on the order of calls. */
  newId(draft: StateDraft, collection: CollectionName, type?: ResourceType): string {
    return newIdIn(draft, collection, type, (number) => this.idOf(number));
  }

  idOf(number: number): string {
    return uuidOf(this.seedText(`id ${number}`));
  }

  /** Returns a new id for a resource that exists only in a stubbed response. It does not change the ids of real resources. */
  stubbedId(): string {
    const { counts } = this.#value;
    const stubbed = counts.stubbed + 1;
    this.#update({ counts: { ...counts, stubbed } });
    return uuidOf(this.seedText(`stubbed ${stubbed}`));
  }

  newRequestId(): string {
    const { counts } = this.#value;
    const requestIds = counts.requestIds + 1;
    this.#update({ counts: { ...counts, requests: counts.requests + 1, requestIds } });
    return `${this.#prefix}-${requestIds}`;
  }

  get #prefix(): string {
    this.#requestPrefix ??= shortHash(this.seedText("requests"));
    return this.#requestPrefix;
  }

  /** Returns whether the id is or was the id of a request to this project, or to one with the same prefix. */
  issued(requestId: string): boolean {
    return this.#value.counts.requestIds > 0 && requestId.startsWith(`${this.#prefix}-`);
  }

  /** The position of the last request in the order of all requests of the server. */
  get lastSerial(): number {
    return this.#value.counts.lastSerial;
  }

  /** The number of the last request before the journal was created or cleared. */
  get journalStart(): number {
    return this.#value.journal.start;
  }

  /**
   * Adds a request to the journal and the coverage, unless the project has ended. With the `journalStart` at the arrival of
   * the request, a journal that was cleared since then omits the request. Returns whether the journal has it.
   */
  record(given: Exchange, journalStart = this.journalStart): boolean {
    const exchange = withinBounds(given);
    const isListed = journalStart >= this.journalStart;
    if (!this.#hasEnded) {
      const { counts, coverage, journal, settings } = this.#value;
      const isOwn = !this.#hasSharedRequests;
      this.#hasSharedRequests = false;
      this.#update({
        counts: {
          ...counts,
          errors: counts.errors + (hasFailed(exchange) ? 1 : 0),
          ...(isUnexpected(exchange) && { unexpected: (counts.unexpected ?? 0) + 1 }),
          violations: counts.violations + (exchange.violations.length > 0 ? 1 : 0),
          lastRequestAt: exchange.serverTime,
          lastSerial: exchange.serial,
        },
        coverage: withRequest(coverage, exchange, isOwn),
        ...(isListed && { journal: withExchange(journal, exchange, settings.journalSize, isOwn) }),
      });
    }
    // Watchers pass the number 0 over.
    this.#server.onRecorded(this, exchange, isListed ? this.#value.journal.last : 0);
    return isListed && !this.#hasEnded;
  }

  /** Shows a request with this number in the journal to the watchers. */
  show(exchange: Exchange, number: number): void {
    this.#watchers?.show(exchange, number);
  }

  /** Waits for requests that are still to come. */
  get watchers(): Watchers {
    this.#watchers ??= new Watchers();
    return this.#watchers;
  }

  clearJournal(): void {
    this.#update({ journal: this.journal.cleared(), verifications: [] });
    this.publish("journal", { change: "cleared" });
  }

  /** The last failed verifications, oldest first. */
  get verifications(): readonly FailedVerification[] {
    return this.#value.verifications;
  }

  /** Keeps a verification if it failed. One that passed removes its earlier failure. */
  noteVerdict(verification: Verification, verdict: Verdict): void {
    const id = shortHash(JSON.stringify(verification));
    const others = this.verifications.filter((each) => each.id !== id);
    if (verdict.pass && others.length === this.verifications.length) return;
    const failed = verdict.pass ? [] : [{ id, ...failedAt(this.now(), verification, verdict) }];
    this.#update({ verifications: [...others, ...failed].slice(-MAX_FAILED_VERIFICATIONS) });
    this.publish("verification", { change: verdict.pass ? "passed" : "failed" });
  }

  /** Lets the project count in the budgets and publish events. */
  keep(): this {
    this.#account = new Account(this, this.#server);
    this.#account.count(this.#value);
    return this;
  }

  /** Ends the project: it no longer counts in the budgets, and nobody sees its further changes. */
  end(): void {
    this.#hasEnded = true;
    this.#ended?.abort(reasonOfEnd());
    this.#account?.count();
    this.#account = undefined;
  }

  /** Returns the seed for one use in this project, such as generated data. */
  seedText(use: string): string {
    const { seed, projectKey } = this.#value.origin;
    return JSON.stringify([seed, projectKey, use]);
  }
}

function reasonOfEnd(): DOMException {
  return new DOMException("the project was reset or deleted", "AbortError");
}

/** Returns the error of a request whose project was reset or deleted while the request was in progress. */
export function projectEnded({ key }: { key: string }): ServiceError {
  const end = "was reset or deleted while this request was in progress; its changes were discarded";
  const message = `Project "${key}" ${end}`;
  return new ServiceError({ code: "ServiceUnavailable", message }, { "Retry-After": "1" });
}
