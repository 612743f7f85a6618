import { join } from "node:path";

/**
 * Returns the folder of the package with a trailing slash. It contains `fixtures` and `scenarios`. Does not use `URL`, which DOM environments replace.
 */
export function packageFolder(): string {
  return join(import.meta.dirname, typeof IS_BUILT === "undefined" ? "../../" : "../");
}
