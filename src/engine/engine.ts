import { createTokenRegistry } from "../auth/tokens.ts";
import type { CallEngine } from "../call/call.ts";
import { type Wait, wait } from "../call/wait.ts";
import type { Contract } from "../contract/contract.ts";
import type { FixtureSet } from "../fixtures/fixture-set.ts";
import { FairBudget } from "../journal/budget.ts";
import { Coverage } from "../journal/coverage.ts";
import type { Exchange } from "../journal/exchange.ts";
import { createFeed, type Feed, stateEvent } from "../journal/feed.ts";
import { Projects } from "../projects/projects.ts";
import { uuidOf } from "../projects/random.ts";
import { RequestIds } from "../projects/request-ids.ts";
import type { ScenarioSet } from "../scenarios/compile.ts";
import { namedScenario } from "../scenarios/switch-on.ts";
import { Switches } from "../scenarios/switches.ts";
import { TimeSlice } from "../schedule/time-slice.ts";
import { defaultSettings, type Settings } from "../settings/settings.ts";
import { StateBudget } from "../state/budget.ts";
import { MemoryStore } from "../state/memory-store.ts";
import { recordOf } from "../state/record.ts";
import type { StateCapture, StateChange } from "../state/store.ts";

export interface EngineOptions {
  contract: Contract;
  fixtures: FixtureSet;
  /** The scenarios that can be turned on; none by default. */
  scenarios?: ScenarioSet;
  /** The names of those that are on for all projects from the beginning; the last named is the newest. */
  scenario?: readonly string[];
  /** The settings that each project begins with. */
  settings?: Partial<Settings>;
  /** The seed of ids, chance and generated data; 0 by default. */
  seed?: number;
  /** Client secrets by client id; without it the token endpoint accepts any client. */
  clients?: ReadonlyMap<string, string>;
  /** Milliseconds since 1970; the machine's clock by default. */
  now?: () => number;
  /** Waits for a latency, in milliseconds, or until one of the signals aborts; the machine's timers by default. */
  wait?: Wait;
  /** How much memory the journals of all projects may hold together, in bytes; 64 MiB by default. */
  journalBytes?: number;
  /** How much memory the state of all projects may take together, in bytes; 1 GiB by default. */
  maxStateBytes?: number;
  /** How many projects there may be; 100,000 by default. */
  maxProjects?: number;
  /** Hold each answer against the contract too, and fail loudly when it breaks it: for this project's own suite. */
  checkResponses?: boolean;
}

/** The mock without a wire: what every server, library and test drives. */
export interface Engine extends CallEngine {
  readonly projects: Projects;
  readonly clients: ReadonlyMap<string, string> | undefined;
  readonly checkAnswers: boolean;
  /** The time (milliseconds) by the clock of the project, if there is such a project, else by the server's. */
  timeIn(projectKey: string | undefined): number;
  /** Takes other fixtures from now on; projects that exist keep their state. */
  useFixtures(fixtures: FixtureSet): void;
  /** Takes other scenarios from now on, those that are on too. */
  useScenarios(scenarios: ScenarioSet): void;
  /** What the state of all projects takes together. */
  readonly budget: StateBudget;
  /** Tells whoever listens what happens. */
  readonly feed: Feed;
  /** What requests have exercised in all projects, those that have been closed or reset too. */
  coverage(): Promise<Coverage>;
  /** Puts a project back to its initial state. Returns whether there was one. */
  resetProject(key: string): boolean;
  closeProject(key: string): boolean;
  /** Puts every project back to its initial state, and the scenarios that are active for all. */
  resetAll(): Promise<void>;
  /** Ends what would go on for as long as its client likes, event streams and waits for requests, before a stop. */
  drain(): void;
  /** Called after each answer. */
  onExchange: ((projectKey: string, exchange: Exchange) => void) | undefined;
  /** Called when resource-mock itself failed. */
  onDefect: (error: unknown) => void;
}

/** An engine of these options. Throws ResourceNotFound when one of `scenario` is not among `scenarios`. */
export function createEngine(options: EngineOptions): Engine {
  const now = options.now ?? Date.now;
  const seed = String(options.seed ?? 0);
  const settings: Settings = Object.freeze({ ...defaultSettings, ...options.settings });
  let fixtures = options.fixtures;
  let state = seededState(fixtures);
  let scenarios = options.scenarios ?? new Map();
  const switches = new Switches();
  const onForAll = options.scenario ?? [];

  const tokens = createTokenRegistry();
  // A later server has greater ids than this one can have: a reader that comes from another one is told so.
  const feed = createFeed({ firstId: Date.now() * 1000 });
  const stopping = new AbortController();
  const journals = new FairBudget(options.journalBytes);
  const requestIds = new RequestIds();
  let coverageOfEnded = new Coverage();
  const budget = new StateBudget(options.maxStateBytes);
  const projects = new Projects({
    initial: () => ({ seed, settings, state, now, journals, requestIds, budget, onStateChange }),
    max: options.maxProjects,
    onEnd: (project) => project.addCoverageTo(coverageOfEnded),
  });

  function onStateChange(project: string, change: StateChange): void {
    if (feed.isPublishing) feed.publish("state", project, stateEvent(change));
  }

  const engine: Engine = {
    contract: options.contract,
    projects,
    budget,
    tokens,
    now,
    timeIn(projectKey) {
      const project = projectKey === undefined ? undefined : projects.find(projectKey);
      return project?.clock.now() ?? now();
    },
    switches,
    wait: options.wait ?? wait,
    clients: options.clients,
    checkAnswers: options.checkResponses ?? false,
    get fixtures() {
      return fixtures;
    },
    useFixtures(next) {
      fixtures = next;
      state = seededState(next);
    },
    get scenarios() {
      return scenarios;
    },
    useScenarios(next) {
      scenarios = next;
    },
    feed,
    async coverage() {
      const coverage = new Coverage();
      coverage.add(coverageOfEnded);
      const slice = new TimeSlice();
      for (const project of [...projects.all()]) {
        // One that has been reset or closed meanwhile is counted as it was.
        project.addCoverageTo(coverage);
        if (slice.isOver) await slice.next();
      }
      return coverage;
    },
    resetProject(key) {
      tokens.forgetProject(key);
      const existed = projects.reset(key);
      feed.publish("reset", key, { closed: false });
      return existed;
    },
    closeProject(key) {
      tokens.forgetProject(key);
      const existed = projects.close(key);
      if (existed) feed.publish("reset", key, { closed: true });
      return existed;
    },
    async resetAll() {
      tokens.clear();
      await projects.resetAll();
      coverageOfEnded = new Coverage();
      switches.turnAllOff();
      // One may have gone since, with its file.
      for (const name of onForAll) if (scenarios.get(name)) switches.turnOn(namedScenario(name, engine));
      feed.publish("reset", undefined, { closed: false });
    },
    stopping: stopping.signal,
    drain() {
      stopping.abort();
      feed.close();
    },
    onExchange: undefined,
    onDefect: (error) => console.error("resource-mock failed; please report this:", error),
  };

  for (const name of onForAll) switches.turnOn(namedScenario(name, engine));
  return engine;
}

/** Seeded records that say no time of their own were made then: a fixed instant, so that every run is alike. */
const SEEDED_AT = "2024-01-01T00:00:00.000Z";

function seededState(fixtures: FixtureSet): StateCapture {
  const store = new MemoryStore();
  for (const [index, draft] of fixtures.seed.entries()) {
    const record = recordOf(draft, { id: uuidOf(`seed ${index}`), now: SEEDED_AT });
    store.compareAndSet(record.id, 0, record);
  }
  return store.capture();
}
