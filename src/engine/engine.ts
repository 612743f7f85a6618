import type { Contract } from "../contract/index.ts";
import { createFeed, type Exchange, FairBudget, type Feed } from "../journal/index.ts";
import {
  Clock,
  issueTime,
  type Project,
  Projects,
  type ProjectValue,
  type Samples,
  samplesOf,
} from "../project/index.ts";
import { ActiveRules, namedScenario, type RulesHolder, type ScenarioSet } from "../rules/index.ts";
import {
  defaultSettings,
  emptyState,
  type FixtureSet,
  type InitialItems,
  initialState,
  type Settings,
  StateBudget,
} from "../state/index.ts";
import { Addressing } from "./address.ts";
import { TokenRegistry } from "./auth/tokens.ts";
import { wait } from "./call/wait.ts";
import { type EngineOptions, steady } from "./engine-options.ts";
import { MemoryHome } from "./home.ts";
import { InProgress, Sequence } from "./record-exchange.ts";

/** The options that an engine has after its start, with their defaults. */
type Resolved = "contract" | "handlers" | "fixtures" | "scenarios" | "now" | "wait" | "home" | "checkResponses";

/** The mock without a network. The server, the libraries and the tests use it. */
export interface Engine
  extends Required<Pick<EngineOptions, Resolved>>,
    Readonly<Pick<EngineOptions, "clients" | "sweep" | "upstream">> {
  readonly projects: Projects;
  /** Finds the project and the operation that a path addresses. */
  addressing: Addressing;
  readonly tokens: TokenRegistry;
  /** The initial items, and a template of each type. */
  samples: Samples;
  /** Returns the initial items of projects by the value of the setting `start`. */
  initial(start: Settings["start"]): InitialItems;
  /** The initial settings of each project. */
  readonly settings: Settings;
  /** The scenarios that are active for all projects. */
  readonly activeForAll: RulesHolder;
  /** Aborts when the engine starts to stop. */
  readonly stopping: AbortSignal;
  /** Returns the time by the project's clock, or the exact time of the server if the project does not exist; milliseconds. */
  timeIn(projectKey: string | undefined): number;
  /** Replaces the fixtures, and the contract that they belong to. Existing projects keep their state. */
  useFixtures(fixtures: FixtureSet, contract?: Contract): void;
  /** Replaces the scenarios, including the active ones. */
  useScenarios(scenarios: ScenarioSet): void;
  /** The memory budget for the state of all projects. */
  readonly budget: StateBudget;
  /** The numbers for the order of arrivals and of exchanges. */
  readonly sequence: Sequence;
  readonly inProgress: InProgress;
  /** Sends events to subscribers. */
  readonly feed: Feed;
  /** Resets a project to its initial state. Returns whether it existed. */
  resetProject(key: string): boolean;
  /** Replaces the project with this key, or creates it. Throws InsufficientStorage. */
  replaceProject(key: string, value: ProjectValue): void;
  /** Closes a project. Returns whether it existed. */
  closeProject(key: string): boolean;
  /** Resets every project, and the scenarios that are active for all projects, to the initial state. */
  resetAll(): Promise<void>;
  /** Ends event streams and pending waits, as they could delay a stop without limit. */
  drain(): void;
  /** Ends the engine: saves and closes its projects. Call it after the last response. */
  close(): Promise<void>;
  /** Shows a request, with its number in the journal, to the watchers of the project and to `onExchange`. */
  announce(project: Project, exchange: Exchange, number: number): void;
  /** Called after each response. */
  onExchange: ((projectKey: string, exchange: Exchange) => void) | undefined;
  /** Called if resource-mock itself fails. */
  onDefect: (error: unknown) => void;
}

/** Returns an engine with these options. Throws ResourceNotFound if `scenario` contains an unknown name. */
export function createEngine(options: EngineOptions): Engine {
  const now = options.now ? steady(options.now) : Date.now;
  const seed = String(options.seed ?? 0);
  const settings: Settings = Object.freeze({
    ...defaultSettings,
    ...options.contract.defaults,
    ...options.settings,
  });
  const clock = new Clock(now);
  const activeOnStart = options.scenario ?? [];
  const { home = new MemoryHome() } = options;

  // Event ids start at the time, so a later server has greater ids. It can detect a subscriber of an earlier server.
  const feed = home.feed ?? createFeed({ firstId: Date.now() * 1000 });
  const tokens = new TokenRegistry(
    (project, change) => feed.publish("tokens", project, change),
    (part) => home.onTokenChange(part),
  );
  const stopping = new AbortController();
  const budget = new StateBudget(options.maxStateBytes);
  const activeForAll: RulesHolder = { now, uses: new Map(), activeRules: ActiveRules.none };
  const projects = new Projects({
    isReserved: (key) => engine.addressing.isReserved(key),
    initial: (projectKey, start = settings.start) => ({
      origin: { seed, projectKey },
      settings: start === settings.start ? settings : Object.freeze({ ...settings, start }),
      state: initialState(engine.initial(start)),
      clock,
    }),
    server: {
      now,
      budget,
      activeForAll,
      journals: new FairBudget(options.journalBytes),
      feed,
      onChange: (project) => home.onChange(project),
      onRecorded: (...recorded) => home.onRecorded(...recorded),
    },
    max: options.maxProjects,
  });

  const engine: Engine = {
    initial: (start) => (start === "empty" ? emptyState.initial : engine.samples.initial),
    contract: options.contract,
    handlers: options.handlers ?? {},
    projects,
    addressing: new Addressing(options.contract),
    budget,
    tokens,
    now,
    timeIn(projectKey) {
      const project = projectKey === undefined ? undefined : projects.find(projectKey);
      return project?.clock.now() ?? issueTime(now);
    },
    activeForAll,
    sweep: options.sweep,
    wait: options.wait ?? wait,
    clients: options.clients,
    checkResponses: options.checkResponses ?? false,
    upstream: options.upstream,
    settings,
    samples: samplesOf(options.contract, options.fixtures, seed),
    fixtures: options.fixtures,
    useFixtures(next, contract = engine.contract) {
      if (contract !== engine.contract) engine.addressing = new Addressing(contract);
      engine.contract = contract;
      engine.fixtures = next;
      engine.samples = samplesOf(contract, next, seed);
    },
    scenarios: options.scenarios ?? new Map(),
    useScenarios(next) {
      engine.scenarios = next;
      feed.publish("scenarios", undefined, { change: "reloaded" });
    },
    sequence: new Sequence(home.floor),
    home,
    inProgress: new InProgress(),
    feed,
    resetProject(key) {
      tokens.forgetProject(key);
      const existed = projects.reset(key);
      feed.publish("reset", key, {});
      return existed;
    },
    replaceProject(key, value) {
      projects.replace(key, value);
      tokens.forgetProject(key);
      feed.publish("reset", key, {});
    },
    closeProject(key) {
      tokens.forgetProject(key);
      return projects.close(key);
    },
    async resetAll() {
      tokens.clear();
      // The file of a scenario can have been deleted since the start.
      activateOnStart(activeOnStart.filter((name) => engine.scenarios.has(name)));
      await home.resetAll();
      projects.resetCoverage();
      feed.publish("reset", undefined, {});
    },
    announce(project, exchange, number) {
      project.show(exchange, number);
      engine.onExchange?.(project.key, exchange);
    },
    close: async () => home.close(),
    stopping: stopping.signal,
    drain() {
      stopping.abort();
      feed.close();
    },
    onExchange: undefined,
    onDefect: (error) => console.error("resource-mock failed; please report this:", error),
  };

  function activateOnStart(names = activeOnStart): void {
    let rules = ActiveRules.none;
    for (const name of names) rules = rules.activate(namedScenario(name, engine), {}, now());
    activeForAll.activeRules = rules;
  }

  activateOnStart();
  home.attach(engine);
  return engine;
}
