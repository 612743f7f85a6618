import { createTokenRegistry, type TokenRegistry } from "../auth/tokens.ts";
import type { FixtureSet } from "../fixtures/fixture-set.ts";
import type { Exchange } from "../journal/journal.ts";
import type { Project } from "../projects/project.ts";
import { createProjects, type Projects } from "../projects/projects.ts";
import { uuidOf } from "../projects/random.ts";
import { defaultSettings, type Settings } from "../projects/settings.ts";
import { createMemoryStore } from "../state/memory-store.ts";
import { recordOf } from "../state/record.ts";
import type { StateCapture } from "../state/store.ts";

export interface EngineOptions {
  fixtures: FixtureSet;
  /** The settings that each project begins with. */
  settings?: Partial<Settings>;
  /** The seed of ids, chance and generated data; 0 by default. */
  seed?: number;
  /** Client secrets by client id; without it the token endpoint accepts any client. */
  clients?: ReadonlyMap<string, string>;
  /** Milliseconds since 1970; the machine's clock by default. */
  now?: () => number;
  /** Hold each answer against the contract too, and fail loudly when it breaks it: for this project's own suite. */
  checkAnswers?: boolean;
}

/** The mock without a wire: what every server, library and test drives. */
export interface Engine {
  readonly projects: Projects;
  readonly tokens: TokenRegistry;
  readonly clients: ReadonlyMap<string, string> | undefined;
  readonly fixtures: FixtureSet;
  readonly checkAnswers: boolean;
  readonly now: () => number;
  /** Takes other fixtures from now on; projects that exist keep their state. */
  useFixtures(fixtures: FixtureSet): void;
  resetProject(key: string): Project;
  closeProject(key: string): boolean;
  resetAll(): void;
  /** Called after each answer. */
  onExchange: ((projectKey: string, exchange: Exchange) => void) | undefined;
  /** Called when resource-mock itself failed. */
  onDefect: (error: unknown) => void;
}

export function createEngine(options: EngineOptions): Engine {
  const now = options.now ?? Date.now;
  const seed = String(options.seed ?? 0);
  const settings: Settings = Object.freeze({ ...defaultSettings, ...options.settings });
  let fixtures = options.fixtures;
  let state = seededState(fixtures);

  const tokens = createTokenRegistry();
  const projects = createProjects(() => ({ seed, settings, state, now }));

  return {
    projects,
    tokens,
    now,
    clients: options.clients,
    checkAnswers: options.checkAnswers ?? false,
    get fixtures() {
      return fixtures;
    },
    useFixtures(next) {
      fixtures = next;
      state = seededState(next);
    },
    resetProject(key) {
      tokens.forgetProject(key);
      return projects.reset(key);
    },
    closeProject(key) {
      tokens.forgetProject(key);
      return projects.close(key);
    },
    resetAll() {
      tokens.clear();
      projects.closeAll();
    },
    onExchange: undefined,
    onDefect: (error) => console.error("resource-mock failed; please report this:", error),
  };
}

/** Seeded records that say no time of their own were made then: a fixed instant, so that every run is alike. */
const SEEDED_AT = "2024-01-01T00:00:00.000Z";

function seededState(fixtures: FixtureSet): StateCapture {
  const store = createMemoryStore();
  for (const [index, draft] of fixtures.seed.entries()) {
    const record = recordOf(draft, { id: uuidOf(`seed ${index}`), now: SEEDED_AT });
    // A memory store does all at once: nothing to wait for here and below.
    void store.compareAndSet(record.id, 0, record);
  }
  return store.capture() as StateCapture;
}
