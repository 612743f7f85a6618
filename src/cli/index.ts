/**
 * The command `resource-mock`: one file for each of its commands. `run.ts` reads the arguments and loads one of them. The
 * flags are in `library/options`.
 */

export { run } from "./run.ts";
