import { emptyHistory, emptyJournal, noCoverage } from "../journal/index.ts";
import { ActiveRules } from "../rules/index.ts";
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
    verifications: [],
    archive: undefined,
    sharedSize: initial.state.size,
  };
}
