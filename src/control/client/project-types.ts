import type { CoverageReport, RequestEntry, Verdict, Verification } from "../../journal/index.ts";
import type { Activation, ActiveScenario, AddedRule, AddFunction, Match, Rule } from "../../rules/index.ts";
import type { RecordDraft, ResourceRecord, Settings, StateDocument } from "../../state/index.ts";
import type {
  Clock,
  Generate,
  Image,
  ImageDraft,
  ListedToken,
  Pact,
  ProjectSummary,
  ResourceVersion,
  Rewound,
  Snapshot,
  Token,
  TokenRequest,
} from "../index.ts";
import type { EventOptions, EventStream } from "./event-stream.ts";
import type { RequestFilter, RequestSearch } from "./request-search.ts";

/**
 * Controls one project, which is an isolated sandbox. The interface is the same over HTTP, in process and with
 * Testcontainers. Every method throws ControlError if the mock rejects the call or cannot be reached.
 */
export interface ProjectControl extends AsyncDisposable {
  readonly key: string;
  /** Base URL for the client under test: the operations are at `{baseUrl}/resource`. */
  readonly baseUrl: string;
  /**
   * Returns the controls of a sandbox: a project of its own, at the `baseUrl` of this project. The headers of a request
   * select it. Throws TypeError for an invalid name.
   *
   * @param name 1 to 100 characters: letters of ASCII, digits, `.`, `_` and `-`
   */
  sandbox(name: string): SandboxControl;
  /** Returns how many resources, requests and other items the project has. */
  summary(): Promise<ProjectSummary>;

  /** Adds a resource to the state. Defaults of absent fields: a new id, version 1, the time of the project. */
  seed(resource: RecordDraft): Promise<ResourceRecord>;
  /** Adds several given or generated resources. If one of them is invalid, none is added. */
  seed(resources: readonly RecordDraft[] | Generate): Promise<ResourceRecord[]>;
  readonly resources: ProjectResources;
  readonly images: ProjectImages;
  readonly namespaceAction: ProjectNamespaceAction;
  readonly state: ProjectState;
  /** Saves the current state under a name, for `restore`. Snapshots survive a reset. */
  snapshot(name: string): Promise<Snapshot>;
  /** Restores the state from a snapshot. A snapshot can be restored any number of times. */
  restore(name: string): Promise<void>;
  readonly snapshots: ProjectSnapshots;
  /**
   * Restores the state before or after a request. Settings, scenarios, clock and journal stay. Throws ControlError (409)
   * if a change since then is no longer kept whole. `rewind(undo)` with `undo` of the result undoes the call.
   *
   * @param to a request id, or a moment from an earlier result
   */
  rewind(to: string | number, side?: Side): Promise<Rewound>;

  /** Activates a scenario by name, or an inline scenario if `options` has `rules`. */
  use(scenario: string, options?: Activation): Promise<ActiveScenario>;
  /** Adds a rule. It takes precedence over all scenarios and over earlier rules. */
  rule(rule: Rule): Promise<AddedRule>;
  /**
   * Adds a function that responds to the requests of one operation, with the same precedence as rules. Works only in the
   * process of the mock. Throws Error over HTTP, TypeError for invalid arguments, and ControlError at a limit.
   */
  readonly handle: AddFunction;
  readonly scenarios: ProjectScenarios;
  readonly rules: ProjectRules;
  readonly settings: ProjectSettings;
  readonly clock: ProjectClock;
  /** Issues a token for the project. */
  token(request?: TokenRequest): Promise<Token>;
  readonly tokens: ProjectTokens;

  readonly requests: ProjectRequests;
  /** Verifies the received requests. Returns the verdict; a failed verification does not throw. */
  verify(expectation: Verification): Promise<Verdict>;
  /**
   * Asserts that the project received matching requests: at least one, or as many as `times` says. Otherwise throws
   * VerificationError, which shows the nearest requests.
   */
  assertReceived(match: Match, times?: Times): Promise<void>;
  /** Returns which parts of the contract the requests of the project have exercised. */
  coverage(): Promise<CoverageReport>;
  /** Returns a pact (specification 4) of the requests in the journal, without secrets. */
  pact(options: PactOptions): Promise<Pact>;
  /** Opens a live stream of the events of the project. */
  events(options?: EventOptions): Promise<EventStream>;

  /** Returns the whole project as a text of JSON lines: for a file, another project or another server. */
  archive(): Promise<string>;
  /** Replaces the whole project by an archived one. The project continues as the archived one would have continued. */
  restoreArchive(archive: string): Promise<void>;
  /** Replaces the whole project by a copy of another one, as an archive of it would be restored. */
  fork(from: string): Promise<void>;
  /** Returns the project to its initial state; snapshots stay. */
  reset(): Promise<void>;
  /** Deletes the project with all its data. `await using` calls this at the end of the block. */
  delete(): Promise<void>;
}

/** The state before a request (the default), or after it. */
export type Side = "before" | "after";

export interface PactOptions {
  readonly consumer: string;
  /** `generic-resource-service` by default. */
  readonly provider?: string;
  /** The project key in paths and provider states; that of the requests by default. */
  readonly as?: string;
}

/** Controls a sandbox of a project. `key` is the key of the project, `~` and the name; `baseUrl` is that of the project. */
export interface SandboxControl extends ProjectControl {
  readonly name: string;
  /** The header that selects the sandbox, for requests to the mock. */
  readonly headers: { readonly "Mock-Sandbox": string };
  /** The header that selects the sandbox, for requests to an application that passes W3C baggage on to the mock. */
  readonly baggage: { readonly baggage: string };
}

/** Expected number of requests; at least one by default. `count` cannot be combined with the other two. */
export type Times = Pick<Verification, "count" | "atLeast" | "atMost">;

export interface ProjectResources {
  /** Returns the resources that satisfy all members of the filter, in the order of creation or in that of `sort`. */
  list(filter?: ResourceFilter): Promise<ResourceRecord[]>;
  get(id: string): Promise<ResourceRecord>;
  /** Returns a resource with the tag of its content, for `ifMatch`. */
  getTagged(id: string): Promise<TaggedResource>;
  /** Returns the kept versions of a resource, newest first, each with the request that wrote it. */
  history(id: string): Promise<ResourceVersion[]>;
  /** Replaces the resource with this id, or creates it. */
  put(id: string, resource: RecordDraft, condition?: Condition): Promise<ResourceRecord>;
  delete(id: string, condition?: Condition): Promise<void>;
}

/** Filter for resources. */
export interface ResourceFilter {
  readonly key?: string;
  /** A part of the id or the key. Case is ignored. */
  readonly q?: string;
  /** A predicate, in the language of the operation queryWithSortedParameters. */
  readonly where?: string;
  /** `path [asc|desc]`, as in queryWithSortedParameters. */
  readonly sort?: string;
}

export interface TaggedResource {
  readonly resource: ResourceRecord;
  readonly tag: string;
}

/** A condition for a change. If it is false, the call throws ControlError (412) and changes nothing. */
export interface Condition {
  /** The tag of the content that is expected. */
  readonly ifMatch?: string;
}

export interface ProjectImages {
  /** Returns the images in the order of upload. */
  list(): Promise<Image[]>;
  /** Returns the bytes, with the content type of the upload. */
  get(id: string): Promise<Blob>;
  /** Adds an image without a request to the service. Defaults: a new id, and the time of the project. */
  add(image: ImageDraft): Promise<Image>;
  delete(id: string): Promise<void>;
}

/** The body of the custom action: what `writeNamespaceAction` stores and `readNamespaceAction` returns. */
export interface ProjectNamespaceAction {
  /** Without `body`, no body is stored, and the service returns its fixture. */
  get(): Promise<{ readonly body?: unknown }>;
  set(body: unknown): Promise<void>;
  clear(): Promise<void>;
}

export interface ProjectState {
  /** Returns the whole state as one JSON value. */
  export(): Promise<StateDocument>;
  /** Returns the state before or after a request. Throws ControlError (409) if a change since then is no longer kept. */
  at(request: string, side?: Side): Promise<StateDocument>;
  /** Replaces the state with an exported one. */
  import(state: StateDocument): Promise<void>;
  /** Replaces the state with a copy of the state of another project. */
  fork(from: string): Promise<void>;
}

export interface ProjectSnapshots {
  list(): Promise<Snapshot[]>;
  delete(name: string): Promise<void>;
}

export interface ProjectScenarios {
  /** Returns the active scenarios, newest first; with `forAll`, then those that are active for all projects. */
  list(options?: { readonly forAll?: boolean }): Promise<(ActiveScenario & { readonly forAll?: true })[]>;
  /** Deactivates a scenario that `use` has activated. */
  off(name: string): Promise<void>;
}

export interface ProjectRules {
  /** Returns the rules, newest first. */
  list(): Promise<AddedRule[]>;
  remove(id: string): Promise<void>;
  clear(): Promise<void>;
}

export interface ProjectSettings {
  get(): Promise<Settings>;
  /** Changes the given settings, and returns all settings. */
  set(settings: Partial<Settings>): Promise<Settings>;
}

export interface ProjectClock {
  get(): Promise<Clock>;
  /** Sets the time. The clock runs on from there. */
  set(now: Date | string): Promise<Clock>;
  /** Stops the clock at the given time; at the current time by default. */
  freeze(now?: Date | string): Promise<Clock>;
  /** Lets a frozen clock run on from its time. */
  resume(): Promise<Clock>;
  /** Moves the clock forward. A frozen clock stays frozen. */
  advance(milliseconds: number): Promise<Clock>;
}

export interface ProjectTokens {
  /** Returns the valid tokens, newest first, without their text. */
  list(): Promise<ListedToken[]>;
  /** Revokes a token, given by its text or by its id in the list. */
  revoke(token: string): Promise<void>;
}

export interface ProjectRequests extends RequestSearch<RequestFilter, RequestEntry> {
  get(id: string): Promise<RequestEntry>;
  /** Waits until `count` matching requests have arrived, including past ones. Throws ControlError (408) at the timeout. */
  wait(match: Match, options?: WaitOptions): Promise<RequestEntry[]>;
  /** Removes all requests from the journal. */
  clear(): Promise<void>;
}

export interface WaitOptions {
  /** 1 by default. */
  readonly count?: number;
  /** Milliseconds. */
  readonly timeout?: number;
  /** Stops waiting. */
  readonly signal?: AbortSignal;
}
