import type { CoverageReport } from "../../journal/index.ts";
import type { Activation, ActiveScenario } from "../../rules/index.ts";
import type { DefinedScenario, Health, KnownScenario, ProjectFilter, ProjectSummary } from "../index.ts";
import { type Connection, type ConnectOptions, connectionTo, control, controlList, path } from "./connection.ts";
import { type EventOptions, type EventStream, openEvents } from "./event-stream.ts";
import { type ProjectControl, projectControl } from "./project-control.ts";
import { type EntryOfAll, type FilterOfAll, type RequestSearch, requestSearch } from "./request-search.ts";

/** Controls a running mock. Every method throws ControlError if the mock rejects the call or cannot be reached. */
export interface ResourceMockClient {
  /** Address of the mock: `http://host:port`. */
  readonly url: string;
  /** Returns the controls of a project. The mock creates the project at its first use. */
  project(key: string): ProjectControl;
  health(): Promise<Health>;
  /** Returns the existing projects, in the order of their first use by default. */
  projects(filter?: ProjectFilter): Promise<ProjectSummary[]>;
  /** The requests of all projects, newest first. */
  readonly requests: RequestSearch<FilterOfAll, EntryOfAll>;
  /** Scenarios that are active for all projects. */
  readonly scenarios: ScenariosForAll;
  /** Returns which parts of the contract the requests of all projects have exercised. */
  coverage(): Promise<CoverageReport>;
  /** Opens a live stream of the events of all projects. */
  events(options?: EventOptions): Promise<EventStream>;
  /** Returns all projects, and the scenarios that are active for all projects, to their initial state. */
  reset(): Promise<void>;
}

export interface ScenariosForAll {
  /** Returns all scenarios that can be activated by name. */
  list(): Promise<KnownScenario[]>;
  /** Returns a scenario with its rules. */
  get(name: string): Promise<DefinedScenario>;
  /** Activates a scenario by name, or an inline scenario if `options` has `rules`. */
  use(name: string, options?: Activation): Promise<ActiveScenario>;
  /** Deactivates a scenario. */
  off(name: string): Promise<void>;
}

/** Returns a client for a running mock. It sends no request until a method is called. */
export function connectResourceMock(url: string | URL, options: ConnectOptions = {}): ResourceMockClient {
  return mockClient(connectionTo(url, options));
}

/** Returns a client that uses this connection. */
export function mockClient(connection: Connection): ResourceMockClient {
  const list = <T>(name: string, query?: object) => controlList<T>(connection, `/${name}`, name, { ...query });
  return {
    url: connection.url,
    project: (key) => projectControl({ connection, key }),
    health: () => control(connection, { method: "GET", path: "/health", accept: [503] }),
    projects: (filter) => list("projects", filter),
    requests: requestSearch({ connection }, () => "/requests"),
    scenarios: {
      list: () => list("scenarios"),
      get: (name) => control(connection, { method: "GET", path: path`/scenarios/${name}` }),
      use: (name, body) => control(connection, { method: "PUT", path: path`/scenarios/${name}`, body }),
      off: (name) => control(connection, { method: "DELETE", path: path`/scenarios/${name}` }),
    },
    coverage: () => control(connection, { method: "GET", path: "/coverage" }),
    events: (options) => openEvents(connection, "/events", options),
    reset: () => control(connection, { method: "POST", path: "/reset" }),
  };
}
