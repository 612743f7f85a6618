import { checkOptionNames, MAX_REQUEST_PAGE } from "../../contract/index.ts";
import type { AddAnyFunction } from "../../rules/index.ts";
import { NAME_RULE, SANDBOX_NAME, sandboxKey } from "../../state/index.ts";
import {
  type Connection,
  ControlError,
  type ControlRequest,
  callControl,
  control,
  controlList,
  openEvents,
  path,
} from "./connection.ts";
import { requestSearch } from "./request-search.ts";
import type {
  Activation,
  ActiveScenario,
  AddedRule,
  AddFunction,
  Clock,
  CoverageReport,
  EventOptions,
  EventStream,
  FailedVerification,
  Generate,
  Image,
  ImageDraft,
  ListedToken,
  Match,
  MatchedRequests,
  Pact,
  PactOptions,
  ProjectSummary,
  RecordDraft,
  RequestEntry,
  RequestFilter,
  RequestSearch,
  ResourceFilter,
  ResourceRecord,
  ResourceVersion,
  Rewound,
  Rule,
  Settings,
  Snapshot,
  StateDocument,
  StoredType,
  Token,
  TokenRequest,
  Verdict,
  Verification,
} from "./types.ts";

/** A failed verification. The message shows the nearest requests and their differences. */
export class VerificationError extends Error {
  override readonly name = "VerificationError";
  readonly verdict: Verdict & { pass: false };

  constructor(verdict: Verdict & { pass: false }) {
    super(verdict.message);
    this.verdict = verdict;
  }
}

/**
 * Controls one project, which is an isolated sandbox. The interface is the same over HTTP, in process and with
 * Testcontainers. Every method throws ControlError if the mock rejects the call or cannot be reached.
 */
export interface ProjectControl extends ReturnType<typeof projectControl> {}

/** Controls a sandbox of a project. `key` is the key of the project, `~` and the name; `baseUrl` is that of the project. */
export interface SandboxControl extends ProjectControl {
  readonly name: string;
  /** The header that selects the sandbox, for requests to the mock. */
  readonly headers: { readonly "Mock-Sandbox": string };
  /** The header that selects the sandbox, for requests to an application that passes W3C baggage on to the mock. */
  readonly baggage: { readonly baggage: string };
}

/** The state before a request (the default), or after it. */
export type Side = "before" | "after";

/** Expected number of requests; at least one by default. `count` cannot be combined with the other two. */
export type Times = Pick<Verification, "count" | "atLeast" | "atMost">;

/** Throws TypeError for an unknown name in the expected number of requests, which would verify another number. */
export function checkTimes(caller: string, times: Times | undefined): void {
  checkOptionNames(caller, times, ["count", "atLeast", "atMost"]);
}

/** The resources that a call is about. */
export interface OfType {
  /** The name of a type, or the path of a collection, such as `/users/ann/posts`; by default the first type. */
  readonly type?: string;
}

/** What creates an item. For items of a document, members are optional, as the mock adds them. */
type DraftOf<Item> = Item extends ResourceRecord ? RecordDraft : Partial<Item> & object;

/** The id of a resource. */
type Id = string | number;

/** A condition for a change. If it is false, the call throws ControlError (412) and changes nothing. */
export interface Condition extends OfType {
  /** The tag of the content that is expected. */
  readonly ifMatch?: string;
}

export interface WaitOptions {
  /** 1 by default. */
  readonly count?: number;
  /** Milliseconds. */
  readonly timeout?: number;
  /** Stops waiting. */
  readonly signal?: AbortSignal;
}

export interface ProjectRequests extends RequestSearch<RequestFilter, RequestEntry> {
  get(id: string): Promise<RequestEntry>;
  /** Waits until `count` matching requests have arrived, including past ones. Throws ControlError (408) at the timeout. */
  wait(match: Match, options?: WaitOptions): Promise<RequestEntry[]>;
  /** Removes all requests from the journal. */
  clear(): Promise<void>;
}

/** A project and the connection to its mock. Each call reads both again, so they may change between calls. */
export interface Target {
  readonly connection: Connection;
  readonly key: string;
}

function sandboxControl(project: Target, name: string): SandboxControl {
  // Without types, a missing name would otherwise become the sandbox "undefined", which all such tests share.
  if (typeof name !== "string" || !SANDBOX_NAME.test(name)) {
    throw new TypeError(`sandbox: expected a name of ${NAME_RULE}, found ${JSON.stringify(name)}`);
  }
  const target: Target = {
    get connection() {
      return project.connection;
    },
    get key() {
      return sandboxKey(project.key, name);
    },
  };
  return Object.assign(projectControl(target, project), {
    name,
    headers: { "Mock-Sandbox": name },
    baggage: { baggage: `mock-sandbox=${name}` },
  });
}

/**
 * Returns the controls of a project.
 *
 * @param plain the project whose key is in the path of requests; another one if `target` is its sandbox
 */
export function projectControl(target: Target, plain = target) {
  type Method = ControlRequest["method"];
  type Rest = Omit<ControlRequest, "method" | "path">;
  const pathOf = (below: string) => path`/projects/${target.key}` + below;
  const call = <T>(method: Method, below: string, rest?: Rest): Promise<T> =>
    control<T>(target.connection, { ...rest, method, path: pathOf(below) });
  const responseOf = (below: string) => callControl(target.connection, { method: "GET", path: pathOf(below) });
  const get = <T>(below: string) => call<T>("GET", below);
  const list = <T>(name: string, query?: object): Promise<T[]> =>
    controlList<T>(target.connection, pathOf(`/${name}`), name, query);
  const setClock = (body: object) => call<Clock>("PUT", "/clock", { body });

  /** Adds a resource to the state. Defaults of absent fields: a new id, version 1, the time of the project. */
  function seed(resource: RecordDraft): Promise<ResourceRecord>;
  /** Adds several given or generated resources. If one of them is invalid, none is added. */
  function seed(resources: readonly RecordDraft[] | Generate): Promise<ResourceRecord[]>;
  /** Adds resources by the paths of their collections: `{ "/users/ann/posts": [{ title: "Hi" }] }`, or by names of types. */
  function seed<Name extends string, Item = ResourceRecord>(
    collections: Readonly<Record<Name, readonly object[]>>,
  ): Promise<Record<Name, Item[]>>;
  async function seed(body: object): Promise<unknown> {
    const response = await call<{ resources?: unknown }>("POST", "/resources", { body });
    return Array.isArray(body) || "generate" in body ? response.resources : response;
  }

  const verify = (expectation: Verification) =>
    call<Verdict>("POST", "/requests/verify", { body: expectation, accept: [422] });
  const deleteProject = () => call<void>("DELETE", "");
  const handle: AddAnyFunction = (...added) => {
    const { addFunction } = target.connection;
    const result = addFunction?.(target.key, ...added);
    if (typeof result === "function") return result;
    if (typeof result === "string") throw new TypeError(result);
    if (result) throw new ControlError("handle", result);
    throw new Error(
      "handle: expected a mock in this process (startResourceMock, createResourceMock), found one over HTTP. Use rule() instead.",
    );
  };
  const requests: ProjectRequests = {
    ...requestSearch(target, () => pathOf("/requests")),
    get: (id) => get(path`/requests/${id}`),
    async wait(match, options = {}) {
      checkOptionNames("requests.wait", options, ["count", "timeout", "signal"]);
      const { count, timeout, signal } = options;
      const rest = { body: { match, count, timeout }, signal };
      const arrived = await call<{ requests: RequestEntry[] }>("POST", "/requests/wait", rest);
      return arrived.requests;
    },
    clear: () => call("DELETE", "/requests"),
  };

  return {
    get key(): string {
      return target.key;
    },
    /** Base URL for the client under test: the operations are at `{baseUrl}/resource`. */
    get baseUrl(): string {
      return plain.connection.url + path`/${plain.key}`;
    },
    /**
     * Returns the controls of a sandbox: a project of its own, at the `baseUrl` of this project. The headers of a request
     * select it. Throws TypeError for an invalid name.
     *
     * @param name 1 to 100 characters: letters of ASCII, digits, `.`, `_` and `-`
     */
    sandbox: (name: string): SandboxControl => sandboxControl(plain, name),
    /** Returns how many resources, requests and other items the project has. */
    summary: (): Promise<ProjectSummary> => get(""),

    seed,
    /** Returns the types of the stored items, with their counts. */
    types: async (): Promise<StoredType[]> =>
      (await get<{ types: StoredType[] }>(`/types?limit=${MAX_REQUEST_PAGE}`)).types,
    /** The items of a document have another type than `ResourceRecord`: `resources.get<Pet>(1, { type: "Pet" })`. */
    resources: {
      /** Returns the resources that satisfy all members of the filter, in the order of creation or in that of `sort`. */
      list: <Item = ResourceRecord>(filter?: ResourceFilter): Promise<Item[]> => list("resources", filter),
      get: <Item = ResourceRecord>(id: Id, options?: OfType): Promise<Item> => get(readable(id, "", options)),
      /** Returns a resource with the tag of its content, for `ifMatch`. */
      async getTagged<Item = ResourceRecord>(id: Id, options?: OfType): Promise<{ resource: Item; tag: string }> {
        const response = await responseOf(readable(id, "", options));
        return { resource: (await response.json()) as Item, tag: response.headers.get("ETag") ?? "" };
      },
      /** Returns the kept versions of a resource, newest first, each with the request that wrote it. */
      async history(id: Id, options?: OfType): Promise<ResourceVersion[]> {
        const { versions } = await get<{ versions: ResourceVersion[] }>(readable(id, "/history", options));
        return versions;
      },
      /** Returns the bytes of a stored file. */
      content: async (id: Id, options?: OfType): Promise<Blob> =>
        (await responseOf(readable(id, "/content", options))).blob(),
      /** Replaces the resource with this id, or creates it. */
      put: <Item = ResourceRecord>(id: Id, body: DraftOf<Item>, condition?: Condition): Promise<Item> =>
        call("PUT", resource(id, "", condition), { body, headers: headersOf(condition) }),
      delete: (id: Id, condition?: Condition): Promise<void> =>
        call("DELETE", resource(id, "", condition), { headers: headersOf(condition) }),
    },
    images: {
      /** Returns the images in the order of upload. */
      list: (): Promise<Image[]> => list("images"),
      /** Returns the bytes, with the content type of the upload. */
      get: async (id: string): Promise<Blob> => (await responseOf(path`/images/${id}`)).blob(),
      /** Adds an image without a request to the service. Defaults: a new id, and the time of the project. */
      add: (body: ImageDraft): Promise<Image> => call("POST", "/images", { body }),
      delete: (id: string): Promise<void> => call("DELETE", path`/images/${id}`),
    },
    /** The body of the custom action: what clients have written last, and what they read. */
    namespaceAction: {
      /** Without `body`, no body is stored, and the service returns its fixture. */
      get: (): Promise<{ readonly body?: unknown }> => get("/namespace-action"),
      set: (body: unknown): Promise<void> => call("PUT", "/namespace-action", { body: { body } }),
      clear: (): Promise<void> => call("DELETE", "/namespace-action"),
    },
    state: {
      /** Returns the whole state as one JSON value. */
      export: (): Promise<StateDocument> => get("/state"),
      /** Returns the state before or after a request. Throws ControlError (409) if a change since then is no longer kept. */
      at: (request: string, side: Side = "before"): Promise<StateDocument> =>
        call("GET", "/state", { query: { [side]: String(request) } }),
      /** Replaces the state with an exported one. */
      import: (state: StateDocument): Promise<void> => call("PUT", "/state", documentOrLines(state)),
      /** Replaces the state with a copy of the state of another project. */
      fork: (from: string): Promise<void> => call("PUT", "/state", { body: { from } }),
    },
    /** Saves the current state under a name, for `restore`. Snapshots survive a reset. */
    snapshot: (name: string): Promise<Snapshot> => call("POST", "/snapshots", { body: { name } }),
    /** Restores the state from a snapshot. A snapshot can be restored any number of times. */
    restore: (name: string): Promise<void> => call("POST", path`/snapshots/${name}/restore`),
    snapshots: {
      list: (): Promise<Snapshot[]> => list("snapshots"),
      delete: (name: string): Promise<void> => call("DELETE", path`/snapshots/${name}`),
    },
    /**
     * Restores the state before or after a request. Settings, scenarios, clock and journal stay. Throws ControlError (409)
     * if a change since then is no longer kept whole. `rewind(undo)` with `undo` of the result undoes the call.
     *
     * @param to a request id, or a moment from an earlier result
     */
    rewind(to: string | number, side?: Side): Promise<Rewound> {
      if (typeof to === "number") return call("POST", "/rewind", { body: { moment: to } });
      return call("POST", path`/requests/${to}/rewind`, { body: { to: side } });
    },

    /** Activates a scenario by name, or an inline scenario if `options` has `rules`. */
    use: (scenario: string, options?: Activation): Promise<ActiveScenario> =>
      call("PUT", path`/scenarios/${scenario}`, { body: options }),
    /** Adds a rule. It takes precedence over all scenarios and over earlier rules. */
    rule: (rule: Rule): Promise<AddedRule> => call("POST", "/rules", { body: rule }),
    /**
     * Adds a function that responds to the requests of one operation, with the same precedence as rules. Works only in the
     * process of the mock. Throws Error over HTTP, TypeError for invalid arguments, and ControlError at a limit.
     */
    handle: handle as AddFunction,
    scenarios: {
      /** Returns the active scenarios, newest first; with `forAll`, then those that are active for all projects. */
      list: (options: { readonly forAll?: boolean } = {}): Promise<ActiveScenario[]> => list("scenarios", options),
      /** Deactivates a scenario that `use` has activated. */
      off: (name: string): Promise<void> => call("DELETE", path`/scenarios/${name}`),
    },
    rules: {
      /** Returns the rules, newest first. */
      list: (): Promise<AddedRule[]> => list("rules"),
      /** Validates a rule without adding it. Returns how many of the recorded requests it would apply to. */
      check: (rule: Rule): Promise<MatchedRequests> => call("POST", "/rules/check", { body: rule }),
      delete: (id: string): Promise<void> => call("DELETE", path`/rules/${id}`),
      clear: (): Promise<void> => call("DELETE", "/rules"),
    },
    settings: {
      get: (): Promise<Settings> => get("/settings"),
      /** Changes the given settings, and returns all settings. */
      set: (settings: Partial<Settings>): Promise<Settings> => call("PATCH", "/settings", { body: settings }),
    },
    clock: {
      get: (): Promise<Clock> => get("/clock"),
      /** Sets the time. The clock runs on from there. */
      set: (now: Date | string): Promise<Clock> => setClock({ now }),
      /** Stops the clock at the given time; at the current time by default. */
      freeze: (now?: Date | string): Promise<Clock> => setClock({ now, frozen: true }),
      /** Lets a frozen clock run on from its time. */
      resume: (): Promise<Clock> => setClock({ frozen: false }),
      /** Moves the clock forward. A frozen clock stays frozen. */
      advance: (milliseconds: number): Promise<Clock> => setClock({ advance: milliseconds }),
    },
    /** Issues a token for the project. */
    token: (request?: TokenRequest): Promise<Token> => call("POST", "/tokens", { body: request }),
    tokens: {
      /** Returns the valid tokens, newest first, without their text. */
      list: (): Promise<ListedToken[]> => list("tokens"),
      /** Revokes a token, given by its text or by its id in the list. */
      revoke: (token: string): Promise<void> => call("DELETE", path`/tokens/${token}`),
    },

    requests,
    /** Returns the verifications and waits that have failed, newest first. A repetition that passes removes one. */
    failedVerifications: (): Promise<FailedVerification[]> => list("verifications"),
    /** Verifies the received requests. Returns the verdict; a failed verification does not throw. */
    verify: (expectation: Verification): Promise<Verdict> => verify(expectation),
    /**
     * Asserts that the project received matching requests: at least one, or as many as `times` says. Otherwise throws
     * VerificationError, which shows the nearest requests.
     */
    async assertReceived(match: Match, times?: Times): Promise<void> {
      checkTimes("assertReceived", times);
      const verdict = await verify({ match, ...times });
      if (!verdict.pass) throw new VerificationError(verdict);
    },
    /** Returns which parts of the contract the requests of the project have exercised. */
    coverage: (): Promise<CoverageReport> => get("/coverage"),
    /** Returns a pact (specification 4) of the requests in the journal, without secrets. */
    pact(options: PactOptions): Promise<Pact> {
      checkOptionNames("pact", options);
      return call("GET", "/pact", { query: { ...options } });
    },
    /** Opens a live stream of the events of the project. */
    events: (options?: EventOptions): Promise<EventStream> => openEvents(target.connection, pathOf("/events"), options),

    /** Returns the whole project as a text of JSON lines: for a file, another project or another server. */
    archive: async (): Promise<string> => (await responseOf("/archive")).text(),
    /** Replaces the whole project by an archived one. The project continues as the archived one would have continued. */
    restoreArchive: (archive: string): Promise<void> => call("PUT", "/archive", documentOrLines(archive)),
    /** Replaces the whole project by a copy of another one, as an archive of it would be restored. */
    fork: (from: string): Promise<void> => call("PUT", "/archive", { body: { from } }),
    /** Returns the project to its initial state; snapshots stay. */
    reset: (): Promise<void> => call("POST", "/reset"),
    /** Deletes the project with all its data. `await using` calls this at the end of the block. */
    delete: deleteProject,
    [Symbol.asyncDispose]: deleteProject,
  };
}

/** Without types, a test can confuse a state and an archive. The mock names the call that takes it. */
function documentOrLines(value: StateDocument | string): Pick<ControlRequest, "body" | "lines"> {
  return typeof value === "string" ? { lines: value } : { body: value };
}

/** Returns the path of a call that reads a resource. Throws TypeError for an unknown option. */
function readable(id: Id, below: string, options?: OfType): string {
  checkOptionNames("resources", options, ["type"]);
  return resource(id, below, options);
}

/** Returns the path of a resource. */
function resource(id: Id, below: string, { type }: OfType = {}): string {
  return path`/resources/${id}` + below + (type === undefined ? "" : `?type=${encodeURIComponent(type)}`);
}

function headersOf(condition: Condition = {}): Record<string, string> {
  checkOptionNames("condition", condition, ["ifMatch", "type"]);
  const { ifMatch } = condition;
  return ifMatch === undefined ? {} : { "If-Match": ifMatch };
}
