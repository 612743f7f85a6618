import { type Contract, checkOptionNames, isTime, shown, unknownName } from "../contract/index.ts";
import {
  type Coverage,
  createFeed,
  type Exchange,
  FairBudget,
  type Feed,
  noCoverage,
  sumOf,
} from "../journal/index.ts";
import {
  Clock,
  issueTime,
  type Project,
  Projects,
  type ProjectValue,
  projectKeyProblem,
  uuidOf,
} from "../project/index.ts";
import {
  ActiveRules,
  type AddedFunction,
  type AnyFunction,
  type FunctionOptions,
  namedScenario,
  type RulesHolder,
  ruleOfFunction,
  type ScenarioSet,
  type SweepRun,
} from "../rules/index.ts";
import {
  defaultSettings,
  emptyState,
  type FixtureSet,
  recordOf,
  type Settings,
  type State,
  StateBudget,
  StateDraft,
} from "../state/index.ts";
import { TokenRegistry } from "./auth/tokens.ts";
import type { Upstream } from "./call/call.ts";
import { type Wait, wait } from "./call/wait.ts";
import { type Home, MemoryHome } from "./home.ts";
import { InProgress, Sequence } from "./record-exchange.ts";

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

/** The options that an engine has after its start, with their defaults. */
type Resolved = "contract" | "fixtures" | "scenarios" | "now" | "wait" | "home" | "checkResponses";

/** The mock without a network. The server, the libraries and the tests use it. */
export interface Engine
  extends Required<Pick<EngineOptions, Resolved>>,
    Readonly<Pick<EngineOptions, "clients" | "sweep" | "upstream">> {
  readonly projects: Projects;
  readonly tokens: TokenRegistry;
  /** The initial settings of each project. */
  readonly settings: Settings;
  /** The scenarios that are active for all projects. */
  readonly activeForAll: RulesHolder;
  /** Aborts when the engine starts to stop. */
  readonly stopping: AbortSignal;
  /** Returns the time by the project's clock, or the exact time of the server if the project does not exist; milliseconds. */
  timeIn(projectKey: string | undefined): number;
  /** Replaces the fixtures. Existing projects keep their state. */
  useFixtures(fixtures: FixtureSet): void;
  /** Replaces the scenarios, including the active ones. */
  useScenarios(scenarios: ScenarioSet): void;
  /** The memory budget for the state of all projects. */
  readonly budget: StateBudget;
  /** The numbers for the order of arrivals and of exchanges. */
  readonly sequence: Sequence;
  readonly inProgress: InProgress;
  /** Sends events to subscribers. */
  readonly feed: Feed;
  /** Returns the coverage of all projects, including deleted and reset ones, since the last reset of all projects. */
  coverage(): Coverage;
  /** The coverage of the projects that were reset or deleted since the last reset of all projects. */
  coverageOfEnded: Coverage;
  /** Returns the coverage of all projects since the start, for reports of the whole run. */
  coverageSinceStart(): Coverage;
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

/** Returns the clock so that it stays at its last time while it throws, or returns no time. */
function steady(clock: () => number): () => number {
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

/** Returns an engine with these options. Throws ResourceNotFound if `scenario` contains an unknown name. */
export function createEngine(options: EngineOptions): Engine {
  const now = options.now ? steady(options.now) : Date.now;
  const seed = String(options.seed ?? 0);
  const settings: Settings = Object.freeze({ ...defaultSettings, ...options.settings });
  let state = seededState(options.fixtures);
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
  let coverageBeforeReset = noCoverage;
  const budget = new StateBudget(options.maxStateBytes);
  const activeForAll: RulesHolder = { now, uses: new Map(), activeRules: ActiveRules.none };
  const projects = new Projects({
    initial: (projectKey, start = settings.start) => ({
      origin: { seed, projectKey },
      settings: start === settings.start ? settings : Object.freeze({ ...settings, start }),
      state: start === "empty" ? emptyState : state,
      clock,
    }),
    server: {
      now,
      budget,
      activeForAll,
      journals: new FairBudget(options.journalBytes),
      isPublishing: () => feed.isPublishing,
      publish: (type, projectKey, data) => feed.publish(type, projectKey, data),
      onChange: (project) => home.onChange(project),
      onRecorded: (...recorded) => home.onRecorded(...recorded),
    },
    max: options.maxProjects,
    onEnd(project) {
      engine.coverageOfEnded = sumOf(engine.coverageOfEnded, project.value.coverage);
    },
  });

  const engine: Engine = {
    contract: options.contract,
    projects,
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
    fixtures: options.fixtures,
    useFixtures(next) {
      engine.fixtures = next;
      state = seededState(next);
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
    coverageOfEnded: noCoverage,
    coverage: () => [...projects.all()].reduce((sum, { value }) => sumOf(sum, value.coverage), engine.coverageOfEnded),
    coverageSinceStart: () => sumOf(coverageBeforeReset, engine.coverage()),
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
      coverageBeforeReset = sumOf(coverageBeforeReset, engine.coverageOfEnded);
      engine.coverageOfEnded = noCoverage;
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
    activeForAll.activeRules = names.reduce(
      (rules, name) => rules.activate(namedScenario(name, engine), {}, now()),
      ActiveRules.none,
    );
  }

  activateOnStart();
  home.attach(engine);
  return engine;
}

/**
 * Adds a function for the requests of one operation, and creates the project if it does not exist. Throws TypeError for
 * invalid arguments, and ServiceError if a limit is reached.
 */
export function addFunction(
  engine: Engine,
  projectKey: string,
  operationId: string,
  respond: AnyFunction["respond"],
  options: FunctionOptions = {},
): AddedFunction {
  checkOptionNames("handle", options, ["offContract"]);
  const { offContract = false } = options;
  const operation = engine.contract.find(operationId);
  if (!operation) throw new TypeError(`handle: ${unknownName("operation", String(operationId), engine.contract.ids)}`);
  if (typeof respond !== "function") throw new TypeError(`handle: expected a function, found ${shown(respond)}`);
  const problem = projectKeyProblem(projectKey);
  if (problem) throw problem;
  const project = engine.projects.get(projectKey);
  project.activeRules = project.activeRules.add("function", ruleOfFunction(operation.id, { respond, offContract }));
  const id = project.activeRules.active[0]?.name ?? "";
  const remove = () => {
    project.activeRules = project.activeRules.remove("function", id);
  };
  return Object.assign(remove, { id, [Symbol.dispose]: remove });
}

/** The default creation time of seeded records: a fixed time, so that every run is the same. */
const SEEDED_AT = "2024-01-01T00:00:00.000Z";

function seededState(fixtures: FixtureSet): State {
  const draft = new StateDraft(emptyState);
  for (const [index, each] of fixtures.seed.entries()) {
    draft.put(recordOf(each, { id: uuidOf(`seed ${index}`), now: SEEDED_AT }));
  }
  return draft.state;
}
