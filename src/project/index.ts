/**
 * Everything of a project as one readonly value, and the cell that holds the newest one.
 *
 * - *account*: the shares of a project in the budgets of its server
 * - *life*: the time between two resets; a request does not write to a later life
 */

export { type Project, projectEnded } from "./project.ts";
export { keyProblem, TOKEN_PROJECT } from "./project-key.ts";
export { Projects, projectKeyProblem } from "./projects.ts";
export { createRandom, RandomPosition, shortHash } from "./random.ts";
export { type Samples, SEEDED_AT, samplesOf } from "./samples.ts";
export * from "./value.ts";
