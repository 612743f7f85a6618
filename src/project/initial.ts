import type { Contract } from "../contract/index.ts";
import { emptyHistory, emptyJournal, noCoverage } from "../journal/index.ts";
import { ActiveRules } from "../rules/index.ts";
import { collectionOf, emptyCollection, type FixtureSet, type InitialItems, itemOf } from "../state/index.ts";
import { uuidOf } from "./random.ts";
import type { ProjectValue } from "./value.ts";

/** What differs between projects in their initial state: nothing but the origin, the settings and the seeded state. */
export type Initial = Pick<ProjectValue, "origin" | "settings" | "state" | "clock">;

/** Shared, as an empty Map takes 200 bytes. */
const none = new Map<never, never>();

/** Returns the value of a new project. `requestIds` is the number of the last request id that its key has had. */
export function initialValue(initial: Initial, requestIds: number): ProjectValue {
  return {
    ...initial,
    random: undefined,
    rateWindow: undefined,
    counts: { requests: 0, errors: 0, violations: 0, stubbed: 0, requestIds, lastSerial: 0 },
    activeRules: ActiveRules.none,
    uses: none,
    snapshots: none,
    coverage: noCoverage,
    copiedCoverage: noCoverage,
    journal: emptyJournal,
    history: emptyHistory,
    archive: undefined,
    sharedSize: initial.state.size,
  };
}

/** The default creation time of seeded resources: a fixed time, so that every run is the same. */
const SEEDED_AT = "2024-01-01T00:00:00.000Z";

/** Returns the initial items of projects with the setting `start: sample`: those of the fixtures, of the default type. */
export function sampleOf({ types: [type] }: Contract, { seed }: FixtureSet): InitialItems {
  if (!type) return { start: "sample", names: [], of: () => emptyCollection };
  const items = seed.map((draft, index) => itemOf(type, draft, { id: uuidOf(`seed ${index}`), now: SEEDED_AT }));
  const seeded = collectionOf(items);
  const own = encodeURIComponent(type.name);
  return { start: "sample", names: [own], of: (name) => (name === own ? seeded : emptyCollection) };
}
