import { statSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { collection, startPets, throughputs } from "./against-bare.ts";
import { median, milliseconds, perSecond, quantile } from "./figures.ts";
import { type Step, steps, stepTime, testFileWith, timeOf } from "./fresh-process.ts";
import { inTurn, rateOf, startTime, warmUp } from "./measuring.ts";
import { chosenGroups } from "./only.ts";
import { fill, kinds, warmRate } from "./scale.ts";
import { type BenchServer, startMockFrom } from "./servers.ts";

/**
 * `node bench/compare.ts <dist A> <dist B>` measures the effect of a change on speed. A is the `dist` folder without the
 * change, B the one with it. One run measures A and B alternately. Each line has the median of the ratios B to A, the
 * range of their middle half, and the medians of A and B. `--only start,throughput` limits the run to these groups.
 */

type Pair<T> = Record<"a" | "b", T>;

interface Comparison {
  what: string;
  values: Pair<number[]>;
  show(value: number): string;
}

type Group = (builds: Pair<string>) => AsyncGenerator<Comparison>;

const groups: Record<string, Group> = {
  start: compareStarts,
  throughput: compareThroughput,
  document: compareDocuments,
  scale: compareScale,
  "first-steps": compareFirstSteps,
  "test-file": compareTestFiles,
};

/** Rounds for figures that start a process for each value. */
const ROUNDS = 31;
/** Processes of the same code differ by a few percent, so each rate comes from several processes. */
const LAUNCHES = 5;
/** Rounds in each of these processes. */
const ROUNDS_EACH = 9;

const { builds, chosen } = readArguments();
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
for (const compare of chosen) {
  for await (const comparison of compare(builds)) console.log(lineOf(comparison));
}

async function* compareStarts(builds: Pair<string>): AsyncGenerator<Comparison> {
  const values = await timesOf(builds, (build) => startTime(startMockFrom(build), collection));
  yield { what: "start: spawn to first response", values, show: milliseconds };
}

async function* compareFirstSteps(builds: Pair<string>): AsyncGenerator<Comparison> {
  for (const [name, { what }] of Object.entries(steps)) {
    const values = await timesOf(builds, (build) => stepTime(build, name as Step));
    yield { what, values, show: milliseconds };
  }
}

async function* compareTestFiles(builds: Pair<string>): AsyncGenerator<Comparison> {
  const values = await timesOf(builds, (build) => timeOf(testFileWith(build)));
  yield { what: "test file", values, show: milliseconds };
}

/** Measures both builds alternately. An unmeasured first run of each build fills the caches of the file system. */
async function timesOf({ a, b }: Pair<string>, time: (build: string) => Promise<number>): Promise<Pair<number[]>> {
  await time(a);
  await time(b);
  return inTurn({ a: () => time(a), b: () => time(b) }, ROUNDS);
}

async function* compareThroughput(builds: Pair<string>): AsyncGenerator<Comparison> {
  let rounds = 0;
  yield* compareRates(builds, async (server) =>
    throughputs.map(({ what, requestsIn }) => ({
      what: `throughput: ${what}`,
      async prepare() {
        await warmUp(server, requestsIn("warm-up"));
        return () => rateOf(server, requestsIn(`round-${rounds++}`));
      },
    })),
  );
}

async function* compareDocuments(builds: Pair<string>): AsyncGenerator<Comparison> {
  const started = { a: await startPets(builds.a), b: await startPets(builds.b) };
  const rate = ({ server, requests }: (typeof started)["a"]) => {
    return async () => rateOf(server, requests);
  };
  for (const { server, requests } of Object.values(started)) await warmUp(server, requests);
  const values = await inTurn({ a: rate(started.a), b: rate(started.b) }, ROUNDS);
  for (const { server } of Object.values(started)) await server.stop();
  yield { what: "throughput: GET of a document's item", values, show: perSecond };
}

async function* compareScale(builds: Pair<string>): AsyncGenerator<Comparison> {
  yield* compareRates(builds, async (server) => {
    const resources = await fill(server);
    return kinds
      .filter(({ small }) => small === "ten")
      .map((kind) => ({
        what: `${kind.what}, 100,000 resources`,
        prepare: () => warmRate(server, resources, kind, "large"),
      }));
  });
}

interface Rate {
  what: string;
  /** Warms the server up, and returns a function that measures the rate once. */
  prepare(): Promise<() => Promise<number>>;
}

/** Starts servers of both builds several times, and measures the rates of both alternately. */
async function* compareRates(
  { a, b }: Pair<string>,
  ratesOf: (server: BenchServer) => Promise<Rate[]>,
): AsyncGenerator<Comparison> {
  const collected = new Map<string, Pair<number[]>>();
  for (let launch = 0; launch < LAUNCHES; launch++) {
    const servers = { a: await startMockFrom(a)(), b: await startMockFrom(b)() };
    const rates = { a: await ratesOf(servers.a), b: await ratesOf(servers.b) };
    for (const [index, { what, prepare }] of rates.a.entries()) {
      const other = rates.b[index] as Rate;
      const taken = await inTurn({ a: await prepare(), b: await other.prepare() }, ROUNDS_EACH);
      const before = collected.get(what) ?? { a: [], b: [] };
      collected.set(what, { a: [...before.a, ...taken.a], b: [...before.b, ...taken.b] });
    }
    await Promise.all([servers.a.stop(), servers.b.stop()]);
  }
  for (const [what, values] of collected) yield { what, values, show: perSecond };
}

function lineOf({ what, values: { a, b }, show }: Comparison): string {
  const ratios = b.map((value, index) => value / (a[index] ?? Number.NaN));
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => quantile(ratios, share).toFixed(2));
  return `${what.padEnd(42)} ${middle}  (${low} to ${high}; A ${show(median(a))}, B ${show(median(b))})`;
}

function readArguments(): { builds: Pair<string>; chosen: Group[] } {
  try {
    const { values, positionals } = parseArgs({ options: { only: { type: "string" } }, allowPositionals: true });
    const [a, b, ...rest] = positionals;
    if (a === undefined || b === undefined || rest.length > 0) throw new Error("expected two dist folders");
    return { builds: { a: buildIn(a), b: buildIn(b) }, chosen: chosenGroups(groups, values.only) };
  } catch (error) {
    console.error(`compare: ${(error as Error).message}`);
    console.error("usage: node bench/compare.ts <dist A> <dist B> [--only <groups>]");
    process.exit(2);
  }
}

function buildIn(folder: string): string {
  statSync(`${folder}/bin.mjs`);
  return resolve(folder);
}
