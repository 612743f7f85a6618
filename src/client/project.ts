import type { Clock, Generate, Image, ProjectSummary, Snapshot, Token, TokenRequest } from "../control/schemas.ts";
import type { CoverageReport } from "../journal/coverage.ts";
import type { RequestEntry } from "../journal/entry.ts";
import type { Verdict, Verification } from "../journal/verification.ts";
import type { Match } from "../matching/match.ts";
import type { Activation, Rule } from "../scenarios/scenario.ts";
import type { ActiveScenario, AddedRule } from "../scenarios/switches.ts";
import type { Settings } from "../settings/settings.ts";
import type { StateDocument } from "../state/document.ts";
import type { RecordDraft, ResourceRecord } from "../state/record.ts";
import { type Connection, type ControlRequest, callControl, control, controlList, path } from "./connection.ts";
import { type EventOptions, type EventStream, openEvents } from "./events.ts";

/**
 * One project's sandbox, as a test drives it: everything in it is this project's alone. The same object over HTTP, in
 * process and with Testcontainers. Every method throws ControlError when the mock refuses the call or is not there.
 */
export interface ProjectControl extends AsyncDisposable {
  readonly key: string;
  /** What the client under test is given: the project's operations are at `{baseUrl}/resource`. */
  readonly baseUrl: string;
  /** What there is in the project, counted. */
  summary(): Promise<ProjectSummary>;

  /** Adds a resource to the state. What it leaves out is filled in: an id, version 1, the project's time. */
  seed(resource: RecordDraft): Promise<ResourceRecord>;
  /** Adds several resources, or so many generated ones: all or none. */
  seed(resources: readonly RecordDraft[] | Generate): Promise<ResourceRecord[]>;
  readonly resources: ProjectResources;
  readonly images: ProjectImages;
  readonly state: ProjectState;
  /** Keeps the state as it is under a name, for `restore`. A reset does not end it. */
  snapshot(name: string): Promise<Snapshot>;
  /** Puts the state back to what `snapshot` kept under this name, as often as you like. */
  restore(name: string): Promise<void>;
  readonly snapshots: ProjectSnapshots;

  /** Turns on a scenario: a shipped one or one of your own by its name, or with `rules` one written here. */
  use(scenario: string, options?: Activation): Promise<ActiveScenario>;
  /** Adds a rule, ahead of all scenarios and of the rules before it. */
  rule(rule: Rule): Promise<AddedRule>;
  readonly scenarios: ProjectScenarios;
  readonly rules: ProjectRules;
  readonly settings: ProjectSettings;
  readonly clock: ProjectClock;
  /** Issues a token for the project. */
  token(request?: TokenRequest): Promise<Token>;
  revokeToken(token: string): Promise<void>;

  readonly requests: ProjectRequests;
  /** Holds what was received against an expectation. Answers the verdict, whether the expectation holds or not. */
  verify(expectation: Verification): Promise<Verdict>;
  /** Throws VerificationError, which says what came nearest, unless such requests were received: one, or `times`. */
  assertReceived(match: Match, times?: Times): Promise<void>;
  /** What of the contract the project's requests have exercised. */
  coverage(): Promise<CoverageReport>;
  /** What happens in the project from now on. */
  events(options?: EventOptions): Promise<EventStream>;

  /** Puts the project back to its beginning; snapshots stay. */
  reset(): Promise<void>;
  /** Ends the project and forgets it; `await using` does. */
  close(): Promise<void>;
}

/** How often: at least once, when nothing is said. `count` not together with the others. */
export type Times = Pick<Verification, "count" | "atLeast" | "atMost">;

export interface ProjectResources {
  /** In the order of creation; with a key, the one that has it. */
  list(filter?: { readonly key?: string }): Promise<ResourceRecord[]>;
  get(id: string): Promise<ResourceRecord>;
  /** Puts a resource in the place of the one with this id, or beside the others. */
  put(id: string, resource: RecordDraft): Promise<ResourceRecord>;
  delete(id: string): Promise<void>;
}

export interface ProjectImages {
  /** In the order of upload. */
  list(): Promise<Image[]>;
  /** The bytes, with their content type. */
  get(id: string): Promise<Blob>;
}

export interface ProjectState {
  /** The whole state as one JSON value. */
  export(): Promise<StateDocument>;
  /** Puts an exported state in the place of this one. */
  import(state: StateDocument): Promise<void>;
  /** Takes over the state of another project. */
  fork(from: string): Promise<void>;
}

export interface ProjectSnapshots {
  list(): Promise<Snapshot[]>;
  delete(name: string): Promise<void>;
}

export interface ProjectScenarios {
  /** Those that are on, newest first. */
  list(): Promise<ActiveScenario[]>;
  /** Turns one off that `use` turned on. */
  off(name: string): Promise<void>;
}

export interface ProjectRules {
  /** Newest first. */
  list(): Promise<AddedRule[]>;
  remove(id: string): Promise<void>;
  clear(): Promise<void>;
}

export interface ProjectSettings {
  get(): Promise<Settings>;
  /** Changes those that are named. */
  set(settings: Partial<Settings>): Promise<Settings>;
}

export interface ProjectClock {
  get(): Promise<Clock>;
  /** Goes to an instant, and runs on from there. */
  set(now: Date | string): Promise<Clock>;
  /** Stands still: now, or at an instant. */
  freeze(now?: Date | string): Promise<Clock>;
  /** Goes on by milliseconds. A clock that stands still does so again. */
  advance(milliseconds: number): Promise<Clock>;
}

export interface ProjectRequests {
  /** Newest first. */
  list(filter?: RequestFilter): Promise<RequestEntry[]>;
  get(id: string): Promise<RequestEntry>;
  /** Waits until so many such requests have arrived, past ones counted. Throws ControlError (408) when they do not. */
  wait(match: Match, options?: WaitOptions): Promise<RequestEntry[]>;
  /** Forgets them all. */
  clear(): Promise<void>;
}

/** Which requests to list: all that is named must hold. */
export interface RequestFilter {
  readonly operation?: Match["operation"];
  readonly method?: string;
  readonly status?: number | string;
  readonly path?: string;
  readonly source?: string;
  /** Those that broke the contract, or those that did not. */
  readonly violations?: boolean;
  /** Received at this instant or later, by the project's clock. */
  readonly since?: Date | string;
}

export interface WaitOptions {
  /** 1 when left out. */
  readonly count?: number;
  /** Milliseconds. */
  readonly timeout?: number;
  /** Gives up waiting. */
  readonly signal?: AbortSignal;
}

/** An expectation that does not hold. The message says what came nearest, and how it differs. */
export class VerificationError extends Error {
  override readonly name = "VerificationError";
  readonly verdict: Verdict & { pass: false };

  constructor(verdict: Verdict & { pass: false }) {
    super(verdict.message);
    this.verdict = verdict;
  }
}

/** Which project, of which mock. Looked at for each call, so it may change between calls. */
export interface Target {
  readonly connection: Connection;
  readonly key: string;
}

/** The controls of a project. */
export function projectControl(target: Target): ProjectControl {
  type Method = ControlRequest["method"];
  type Rest = Omit<ControlRequest, "method" | "path">;
  const place = (below: string) => path`/projects/${target.key}` + below;
  const call = <T>(method: Method, below: string, rest?: Rest): Promise<T> =>
    control<T>(target.connection, { ...rest, method, path: place(below) });
  const get = <T>(below: string) => call<T>("GET", below);
  const list = <T>(name: string, query?: ControlRequest["query"]): Promise<T[]> =>
    controlList<T>(target.connection, place(`/${name}`), name, query);
  const setClock = (body: object) => call<Clock>("PUT", "/clock", { body });

  function seed(resource: RecordDraft): Promise<ResourceRecord>;
  function seed(resources: readonly RecordDraft[] | Generate): Promise<ResourceRecord[]>;
  async function seed(body: object): Promise<unknown> {
    const response = await call<{ resources?: unknown }>("POST", "/resources", { body });
    return Array.isArray(body) || "generate" in body ? response.resources : response;
  }

  const verify = (expectation: Verification) =>
    call<Verdict>("POST", "/requests/verify", { body: expectation, accept: [422] });
  const close = () => call<void>("DELETE", "");

  return {
    get key() {
      return target.key;
    },
    get baseUrl() {
      return target.connection.url + path`/${target.key}`;
    },
    summary: () => get(""),

    seed,
    resources: {
      list: ({ key } = {}) => list("resources", { key }),
      get: (id) => get(path`/resources/${id}`),
      put: (id, body) => call("PUT", path`/resources/${id}`, { body }),
      delete: (id) => call("DELETE", path`/resources/${id}`),
    },
    images: {
      list: () => list("images"),
      async get(id) {
        const response = await callControl(target.connection, { method: "GET", path: place(path`/images/${id}`) });
        return response.blob();
      },
    },
    state: {
      export: () => get("/state"),
      import: (body) => call("PUT", "/state", { body }),
      fork: (from) => call("PUT", "/state", { body: { from } }),
    },
    snapshot: (name) => call("POST", "/snapshots", { body: { name } }),
    restore: (name) => call("POST", path`/snapshots/${name}/restore`),
    snapshots: {
      list: () => list("snapshots"),
      delete: (name) => call("DELETE", path`/snapshots/${name}`),
    },

    use: (scenario, body) => call("PUT", path`/scenarios/${scenario}`, { body }),
    rule: (body) => call("POST", "/rules", { body }),
    scenarios: {
      list: () => list("scenarios"),
      off: (name) => call("DELETE", path`/scenarios/${name}`),
    },
    rules: {
      list: () => list("rules"),
      remove: (id) => call("DELETE", path`/rules/${id}`),
      clear: () => call("DELETE", "/rules"),
    },
    settings: {
      get: () => get("/settings"),
      set: (body) => call("PATCH", "/settings", { body }),
    },
    clock: {
      get: () => get("/clock"),
      set: (now) => setClock({ now }),
      freeze: (now) => setClock({ now, frozen: true }),
      advance: (milliseconds) => setClock({ advance: milliseconds }),
    },
    token: (body) => call("POST", "/tokens", { body }),
    revokeToken: (token) => call("DELETE", path`/tokens/${token}`),

    requests: {
      list: ({ since, ...filter } = {}) =>
        list("requests", { ...filter, since: since instanceof Date ? since.toISOString() : since }),
      get: (id) => get(path`/requests/${id}`),
      async wait(match, { count, timeout, signal } = {}) {
        const body = { match, count, timeout };
        const { requests } = await call<{ requests: RequestEntry[] }>("POST", "/requests/wait", { body, signal });
        return requests;
      },
      clear: () => call("DELETE", "/requests"),
    },
    verify,
    async assertReceived(match, times) {
      const verdict = await verify({ match, ...times });
      if (!verdict.pass) throw new VerificationError(verdict);
    },
    coverage: () => get("/coverage"),
    events: (options) => openEvents(target.connection, place("/events"), options),

    reset: () => call("POST", "/reset"),
    close,
    [Symbol.asyncDispose]: close,
  };
}
