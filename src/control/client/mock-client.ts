import { checkOptionNames, shown } from "../../contract/index.ts";
import { keyProblem } from "../../project/index.ts";
import {
  type Connection,
  type ControlRequest,
  connectionTo,
  control,
  controlList,
  openEvents,
  path,
} from "./connection.ts";
import { type ProjectControl, projectControl } from "./project-control.ts";
import { requestSearch } from "./request-search.ts";
import type {
  Activation,
  ActiveScenario,
  ConnectOptions,
  CoverageReport,
  DefinedScenario,
  EntryOfAll,
  EventOptions,
  EventStream,
  FilterOfAll,
  Health,
  KnownScenario,
  ProjectFilter,
  ProjectSummary,
  RequestSearch,
} from "./types.ts";

/** Controls a running mock. Every method throws ControlError if the mock rejects the call or cannot be reached. */
export interface ResourceMockClient extends ReturnType<typeof mockClient> {}

/** Returns a client for a running mock. It sends no request until a method is called. */
export function connectResourceMock(url: string | URL, options: ConnectOptions = {}): ResourceMockClient {
  checkOptionNames("connectResourceMock", options, ["adminToken", "fetch"]);
  return testClient(connectionTo(url, options));
}

/** Returns a client for tests, whose `project` throws TypeError for a key that no path of the service can have. */
export function testClient(connection: Connection): ResourceMockClient {
  const client = mockClient(connection);
  return {
    ...client,
    project(key) {
      if (typeof key !== "string") throw new TypeError(`projectKey: expected a text, found ${shown(key)}`);
      const problem = keyProblem(key, true);
      if (problem) throw new TypeError(problem.message);
      return client.project(key);
    },
  };
}

/** Returns a client that uses this connection. */
export function mockClient(connection: Connection) {
  const call = <T>(method: ControlRequest["method"], path: string, rest?: Partial<ControlRequest>): Promise<T> =>
    control(connection, { ...rest, method, path });
  const list = <T>(name: string, query?: object) => controlList<T>(connection, `/${name}`, name, query);
  const requests: RequestSearch<FilterOfAll, EntryOfAll> = requestSearch({ connection }, () => "/requests");
  return {
    /** Address of the mock: `http://host:port`. */
    url: connection.url,
    /** Returns the controls of a project. The mock creates the project at its first use. */
    project: (key: string): ProjectControl => projectControl({ connection, key }),
    health: (): Promise<Health> => call("GET", "/health", { accept: [503] }),
    /** Returns the existing projects, in the order of their first use by default. */
    projects: (filter?: ProjectFilter): Promise<ProjectSummary[]> => list("projects", filter),
    /** The requests of all projects, newest first. */
    requests,
    /** Scenarios that are active for all projects. */
    scenarios: {
      /** Returns all scenarios that can be activated by name. */
      list: (): Promise<KnownScenario[]> => list("scenarios"),
      /** Returns a scenario with its rules. */
      get: (name: string): Promise<DefinedScenario> => call("GET", path`/scenarios/${name}`),
      /** Activates a scenario by name, or an inline scenario if `options` has `rules`. */
      use: (name: string, options?: Activation): Promise<ActiveScenario> =>
        call("PUT", path`/scenarios/${name}`, { body: options }),
      /** Deactivates a scenario. */
      off: (name: string): Promise<void> => call("DELETE", path`/scenarios/${name}`),
    },
    /** Returns which parts of the contract the requests of all projects have exercised. */
    coverage: (): Promise<CoverageReport> => call("GET", "/coverage"),
    /** Opens a live stream of the events of all projects. */
    events: (options?: EventOptions): Promise<EventStream> => openEvents(connection, "/events", options),
    /** Returns all projects, and the scenarios that are active for all projects, to their initial state. */
    reset: (): Promise<void> => call("POST", "/reset"),
  };
}
