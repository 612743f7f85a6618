// The package `node` brings 67 MB of headers, which only native add-ons need. Runs after npm ci in a clone, and never for
// users of the package.
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";

const folder = join("node_modules", "node", "node_modules");
try {
  for (const name of readdirSync(folder)) rmSync(join(folder, name, "include"), { recursive: true, force: true });
} catch (error) {
  // Without install scripts, as in the build of the image, there is no Node to trim.
  if (error.code !== "ENOENT") throw error;
}
