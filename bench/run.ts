import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { memory, start, throughput } from "./against-bare.ts";
import { container } from "./container.ts";
import { isHeld, lineOf, type Row } from "./figures.ts";
import { firstSteps, testFile } from "./fresh-process.ts";
import { idleProjects } from "./idle-projects.ts";
import { longestWaits } from "./longest-wait.ts";
import { chosenGroups } from "./only.ts";
import { packageFigures } from "./package.ts";
import { compareWithPeers, type PeerFigure, peerLine } from "./peers/compare.ts";
import { atScale } from "./scale.ts";

/**
 * `npm run bench`: the figures of resource-mock, measured in one run on one machine, most of them as ratios against what
 * is measured in turn with it. Prints a table and writes bench/results.json; ends with an error when a bar is missed.
 * `--only start,throughput` measures these groups of rows. `--peers` also compares servers with other mock servers,
 * which it fetches for this run only.
 */
const groups: Record<string, () => AsyncGenerator<Row>> = {
  start,
  throughput,
  memory,
  scale: atScale,
  idle: idleProjects,
  waits: longestWaits,
  "test-file": testFile,
  "first-steps": firstSteps,
  container,
  package: packageFigures,
};

const { chosen, comparesPeers } = readFlags();
// So that what is done at the exit is done then too.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const rows: Row[] = [];
for (const measure of chosen) {
  for await (const row of measure()) {
    rows.push(row);
    console.log(lineOf(row));
  }
}
let peers: PeerFigure[] | undefined;
if (comparesPeers) {
  peers = await compareWithPeers();
  console.log(`\nbeside its peers: start, GETs of one resource a second, memory idle, installed`);
  for (const peer of peers) console.log(peerLine(peer));
}
const results = { node: process.version, figures: rows, peers };
writeFileSync(new URL("results.json", import.meta.url), `${JSON.stringify(results, undefined, 2)}\n`);
if (!rows.every(isHeld)) process.exitCode = 1;

function readFlags() {
  try {
    const { values } = parseArgs({ options: { only: { type: "string" }, peers: { type: "boolean", default: false } } });
    return { chosen: chosenGroups(groups, values.only), comparesPeers: values.peers };
  } catch (error) {
    console.error(`bench: ${(error as Error).message.split(". ")[0]}; the flags are --only <groups> and --peers`);
    process.exit(2);
  }
}
