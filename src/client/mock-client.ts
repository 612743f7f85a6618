import type { Health, KnownScenario, ProjectSummary } from "../control/schemas.ts";
import type { CoverageReport } from "../journal/coverage.ts";
import type { Activation } from "../scenarios/scenario.ts";
import type { ActiveScenario } from "../scenarios/switches.ts";
import { type Connection, type ConnectOptions, connectionTo, control, controlList, path } from "./connection.ts";
import { type EventOptions, type EventStream, openEvents } from "./events.ts";
import { type ProjectControl, projectControl } from "./project.ts";

/** A running mock, as a test drives it. Every method throws ControlError when the mock refuses the call or is not there. */
export interface ResourceMockClient {
  /** Where the mock is: `http://host:port`. */
  readonly url: string;
  /** One project's sandbox. It exists from its first use. */
  project(key: string): ProjectControl;
  health(): Promise<Health>;
  /** The projects that are in use. */
  projects(): Promise<ProjectSummary[]>;
  /** What can be turned on for all projects at once, by name. */
  readonly scenarios: ScenariosForAll;
  /** What of the contract all requests have exercised. */
  coverage(): Promise<CoverageReport>;
  /** What happens in any project from now on. */
  events(options?: EventOptions): Promise<EventStream>;
  /** Puts every project, and the scenarios that are on for all, back to the beginning. */
  reset(): Promise<void>;
}

export interface ScenariosForAll {
  list(): Promise<KnownScenario[]>;
  /** Turns one on: a shipped one or one of your own by its name, or with `rules` one written here. */
  use(name: string, options?: Activation): Promise<ActiveScenario>;
  off(name: string): Promise<void>;
}

/** Makes the controls of a running mock. Nothing is called before they are used. */
export function connectResourceMock(url: string | URL, options: ConnectOptions = {}): ResourceMockClient {
  return mockClient(connectionTo(url, options));
}

/** The controls of the mock at the end of this connection. */
export function mockClient(connection: Connection): ResourceMockClient {
  const list = <T>(name: string) => controlList<T>(connection, `/${name}`, name);
  return {
    url: connection.url,
    project: (key) => projectControl({ connection, key }),
    health: () => control(connection, { method: "GET", path: "/health", accept: [503] }),
    projects: () => list("projects"),
    scenarios: {
      list: () => list("scenarios"),
      use: (name, body) => control(connection, { method: "PUT", path: path`/scenarios/${name}`, body }),
      off: (name) => control(connection, { method: "DELETE", path: path`/scenarios/${name}` }),
    },
    coverage: () => control(connection, { method: "GET", path: "/coverage" }),
    events: (options) => openEvents(connection, "/events", options),
    reset: () => control(connection, { method: "POST", path: "/reset" }),
  };
}
