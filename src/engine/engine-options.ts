import { type Contract, isTime } from "../contract/index.ts";
import type { ScenarioSet, SweepRun } from "../rules/index.ts";
import type { FixtureSet, Settings } from "../state/index.ts";
import type { Upstream } from "./call/call.ts";
import type { Wait } from "./call/wait.ts";
import type { Home } from "./home.ts";
import type { Handler } from "./operations/handlers.ts";

/** The options of an engine that users set. */
export interface CommonOptions {
  /** The names of the scenarios that are initially active for all projects. The last one is the newest. */
  scenario?: readonly string[];
  /** The initial settings of each project. */
  settings?: Partial<Settings>;
  /** The seed of ids, randomness and generated data; 0 by default. */
  seed?: number;
  /** Client secrets by client id; without it the token endpoint accepts any client. */
  clients?: ReadonlyMap<string, string>;
  /** Returns the current time in milliseconds since 1970; the machine's clock by default. */
  now?: () => number;
  /** The largest state of all projects together, in characters of JSON and bytes of images; 1 GiB by default. */
  maxStateBytes?: number;
  /** The most projects; 100,000 by default. */
  maxProjects?: number;
}

export interface EngineOptions extends CommonOptions {
  contract: Contract;
  /** What the service does for operations that no role describes, by their ids. */
  handlers?: Readonly<Record<string, Handler>>;
  fixtures: FixtureSet;
  /** The scenarios that can be activated; none by default. */
  scenarios?: ScenarioSet;
  /** Waits for some milliseconds, or until a signal aborts; uses the machine's timers by default. */
  wait?: Wait;
  /** The memory limit for the journals of all projects together, in bytes; 64 MiB by default. */
  journalBytes?: number;
  /** The run of a sweep that the mock takes part in. */
  sweep?: SweepRun;
  /** The real service for the setting `upstreamMode`; none by default. */
  upstream?: Upstream;
  /** Keeps the projects; in memory by default. */
  home?: Home;
  /** Whether to validate responses too: an invalid response becomes a defect. For this project's own tests. */
  checkResponses?: boolean;
}

/** Returns the clock so that it stays at its last time while it throws, or returns no time. */
export function steady(clock: () => number): () => number {
  let time = Date.now();
  return () => {
    try {
      const next = clock();
      if (isTime(next)) time = next;
    } catch {
      // A request must not fail because of the clock of a test.
    }
    return time;
  };
}
