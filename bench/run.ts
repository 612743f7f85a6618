import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { memory, start, throughput } from "./against-bare.ts";
import { container } from "./container.ts";
import { dashboard } from "./dashboard.ts";
import { lineOf, meetsBar, type Row } from "./figures.ts";
import { firstSteps, testFile } from "./fresh-process.ts";
import { idleProjects } from "./idle-projects.ts";
import { longestWaits } from "./longest-wait.ts";
import { chosenGroups } from "./only.ts";
import { packageFigures } from "./package.ts";
import { compareWithPeers, type PeerFigure, peerLine } from "./peers/compare.ts";
import { compareDocuments, type DocumentFigure, documentLine } from "./peers/documents.ts";
import { atScale } from "./scale.ts";
import { share } from "./share.ts";
import { shareGrowth } from "./share-growth.ts";

/**
 * `npm run bench` measures resource-mock. Most figures are ratios to a baseline that the same run measures alternately.
 * Prints a table, writes bench/results.json, and exits with 1 if a figure misses its bar. `--only start,throughput`
 * limits the run to these groups of rows. `--peers` adds a comparison with other mock servers, which the run downloads;
 * `--document FILE:PATH` adds a document to it, with a path that a GET can read.
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
  share,
  "share-growth": shareGrowth,
  container,
  dashboard,
  package: packageFigures,
};

const { chosen, comparesPeers, further } = readFlags();
// Without these listeners, a signal would skip the `exit` listeners, which stop servers and remove folders.
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

const rows: Row[] = [];
for (const measure of chosen) {
  for await (const row of measure()) {
    rows.push(row);
    console.log(lineOf(row));
  }
}
let peers: PeerFigure[] | undefined;
let documents: DocumentFigure[] | undefined;
if (comparesPeers) {
  peers = await compareWithPeers();
  console.log(`\nother mock servers: start, GETs of one resource per second, idle memory, installed size`);
  for (const peer of peers) console.log(peerLine(peer));
  documents = [];
  console.log(`\nany document: processor time and memory from the start to the first response`);
  for await (const figure of compareDocuments(further)) {
    if ("what" in figure) rows.push(figure);
    else documents.push(figure);
    console.log("what" in figure ? lineOf(figure) : documentLine(figure));
  }
}
const results = { node: process.version, figures: rows, peers, documents };
writeFileSync(new URL("results.json", import.meta.url), `${JSON.stringify(results, undefined, 2)}\n`);
if (!rows.every(meetsBar)) process.exitCode = 1;

function readFlags() {
  try {
    const { values } = parseArgs({
      options: { only: { type: "string" }, peers: { type: "boolean", default: false }, document: { type: "string" } },
    });
    const { only, peers: comparesPeers, document: further } = values;
    // `--only ""` measures none of the groups.
    return { chosen: only === "" ? [] : chosenGroups(groups, only), comparesPeers, further };
  } catch (error) {
    console.error(`bench: ${(error as Error).message.split(". ")[0]}`);
    console.error("usage: npm run bench -- [--only <groups>] [--peers [--document FILE:PATH]]");
    process.exit(2);
  }
}
