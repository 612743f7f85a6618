import { existsSync } from "node:fs";

// JavaScript, because npm may run this file with a Node that reads no TypeScript.
if (!existsSync("node_modules/.bin/tsdown")) {
  console.error("resource-mock: the build tools are not installed. Run npm ci first.");
  process.exit(1);
}
