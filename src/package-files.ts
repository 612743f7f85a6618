import { fileURLToPath } from "node:url";

/**
 * The folder of the package, which holds `fixtures` and `scenarios`, with a slash at its end. This file lies in `src`
 * and what is built of it flat in `dist`: both one folder below.
 */
export function packageFolder(): string {
  return fileURLToPath(new URL("../", import.meta.url));
}
