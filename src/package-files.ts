import { join } from "node:path";

/**
 * Returns the folder of the package with a trailing slash. It contains `fixtures` and `scenarios`. The source of this
 * file is in `src` and its build is in `dist`, both one folder below. Does not use `URL`, which DOM environments replace.
 */
export function packageFolder(): string {
  return join(import.meta.dirname, "../");
}
