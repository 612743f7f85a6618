import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { againstBare } from "./against-bare.ts";
import { type Figure, isHeld, lineOf } from "./figures.ts";
import { idleProjects } from "./idle-projects.ts";
import { packageFigures } from "./package.ts";
import { compareWithPeers, type PeerFigure, peerLine } from "./peers/compare.ts";
import { atScale } from "./scale.ts";

/**
 * `npm run bench`: the figures of resource-mock, measured in one run on one machine, most of them as ratios against what
 * is measured in turn with it. Prints a table and writes bench/results.json; ends with an error when a bar is missed.
 * With `--peers` also fetches other mock servers, for this run only, and measures them beside it.
 */
const flags = readFlags();
// So that what is done at the exit is done then too.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const figures: Figure[] = [];
for (const measure of [againstBare, atScale, idleProjects, packageFigures]) {
  for await (const figure of measure()) {
    figures.push(figure);
    console.log(lineOf(figure));
  }
}
let peers: PeerFigure[] | undefined;
if (flags.peers) {
  peers = await compareWithPeers();
  console.log(`\nbeside its peers: start, GETs of one resource a second, memory idle, installed`);
  for (const peer of peers) console.log(peerLine(peer));
}
const results = { node: process.version, figures, peers };
writeFileSync(new URL("results.json", import.meta.url), `${JSON.stringify(results, undefined, 2)}\n`);
if (!figures.every(isHeld)) process.exitCode = 1;

function readFlags(): { peers: boolean } {
  try {
    return parseArgs({ options: { peers: { type: "boolean", default: false } } }).values;
  } catch (error) {
    console.error(`bench: ${(error as Error).message.split(". ")[0]}; the one flag there is: --peers`);
    process.exit(2);
  }
}
