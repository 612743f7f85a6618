// Says which command comes first. JavaScript, because npm may run this file with a Node that reads no TypeScript.
import { existsSync } from "node:fs";

const steps = [
  ["node_modules/hono", "npm ci"],
  ["node_modules/@biomejs/biome", "npm run tools"],
];
// The server and the build need the packages only. The checks and the documents also need the tools.
const needed = process.argv[2] === "packages" ? steps.slice(0, 1) : steps;
const missing = needed.filter(([path]) => !existsSync(path)).map(([, command]) => command);
if (missing.length > 0) {
  console.error(`resource-mock: not installed yet. Run ${missing.join(" && ")} first.`);
  process.exit(1);
}
