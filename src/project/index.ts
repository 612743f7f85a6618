/**
 * Everything of a project as one readonly value, and the cell that holds the newest one.
 *
 * - *step*: a synchronous function on a draft of the value, which makes the next value
 * - *life*: the time between two resets; a request does not write to a later life
 */

export { type Project, projectEnded } from "./project.ts";
export { keyProblem, TOKEN_PROJECT } from "./project-key.ts";
export { Projects, projectKeyProblem } from "./projects.ts";
export { createRandom, RandomPosition, shortHash, uuidOf } from "./random.ts";
export {
  ArchiveSource,
  Clock,
  ClockPosition,
  type CountedRequest,
  Counts,
  Instant,
  issueTime,
  Origin,
  type ProjectValue,
  RateWindow,
  RestoredArchive,
  type Snapshot,
} from "./value.ts";
