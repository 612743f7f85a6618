import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import type { Figure } from "./figures.ts";
import { repository } from "./servers.ts";

/** Measures the size of the npm package, and counts its dependencies. */
export async function* packageFigures(): AsyncGenerator<Figure> {
  // `--ignore-scripts`, because the `prepack` script would build the package again.
  const options = ["--json", "--dry-run", "--ignore-scripts", "--loglevel=error"];
  const [packed] = JSON.parse(execFileSync("npm", ["pack", ...options], { cwd: repository, encoding: "utf8" }));
  yield {
    what: "npm package, unpacked",
    value: packed.unpackedSize / 1e6,
    unit: "MB",
    bar: { atMost: 6 },
    from: `${packed.entryCount} files`,
  };
  const { dependencies = {} } = JSON.parse(readFileSync(`${repository}package.json`, "utf8"));
  const names = Object.keys(dependencies);
  yield {
    what: "runtime dependencies",
    value: names.length,
    bar: { atMost: 0 },
    from: names.join(", ") || "all are bundled",
  };
}
