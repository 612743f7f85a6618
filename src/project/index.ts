/**
 * Everything of a project as one readonly value, and the cell that holds the newest one.
 *
 * - *step*: a synchronous function on a draft of the value, which makes the next value
 * - *life*: the time between two resets; a request does not write to a later life
 */

export { ArchiveSource, RestoredArchive } from "./archive-source.ts";
export { Clock, ClockPosition, Instant, issueTime, LAST_INSTANT } from "./clock.ts";
export { type Project, projectEnded } from "./project.ts";
export { Projects, projectKeyProblem, TOKEN_PROJECT } from "./projects.ts";
export { createRandom, RandomPosition, shortHash, uuidOf } from "./random.ts";
export { type CountedRequest, RateWindow } from "./rate-window.ts";
export { Counts, Origin, type ProjectValue, type Snapshot } from "./value.ts";
