import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/**
 * The folder of the package, which holds `fixtures` and `scenarios`. The code that asks may lie in `src`, or bundled
 * anywhere under `dist`: the nearest folder above that has fixtures is the one.
 */
export function packageFolder(): string {
  for (const up of ["../", "../../", "./"]) {
    const folder = fileURLToPath(new URL(up, import.meta.url));
    if (existsSync(`${folder}fixtures`)) return folder;
  }
  throw new Error("resource-mock is not installed whole: its fixtures folder is missing");
}
