import { join } from "node:path";

/**
 * The folder of the package, which holds `fixtures` and `scenarios`, with a slash at its end. This file lies in `src`
 * and what is built of it flat in `dist`: both one folder below. Not by `URL`: in DOM environments that is not Node's.
 */
export function packageFolder(): string {
  return join(import.meta.dirname, "../");
}
