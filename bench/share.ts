import { type Figure, median, milliseconds, perSecond, type Row, ratio } from "./figures.ts";
import { addLatencies, latencyAt, noLatencies } from "./latencies.ts";
import type { Requests } from "./load.ts";
import { CONNECTIONS, inTurn, load, warmUp, withServers } from "./measuring.ts";
import { type BenchServer, startMock } from "./servers.ts";
import { haproxyProgram, startBalancer, startReplica, startStore, storeProgram } from "./store.ts";

// Compares replicas that share their projects in a store with one process that has them in memory.

const REPLICAS = 3;
const PROJECTS = CONNECTIONS;
/** Fewer rounds than usual, as four set-ups are measured in each. */
const ROUNDS = 21;

interface Kind {
  what: string;
  /** Returns the requests of one round. Each set-up has projects of its own. */
  requestsIn(setup: string, projects: number): Requests;
}

let rounds = 0;

const kinds: readonly Kind[] = [
  {
    what: "GET by id",
    requestsIn: (setup, projects) => ({ kind: "get", paths: pathsIn(setup, projects) }),
  },
  {
    what: "POST update",
    // Each round uses new projects, because updates start at version 1.
    requestsIn: (setup, projects) => ({ kind: "update", paths: pathsIn(`${setup}-${rounds++}`, projects) }),
  },
];

/** Returns the path of a resource for each connection, in this number of projects. */
function pathsIn(name: string, projects: number): string[] {
  return Array.from({ length: CONNECTIONS }, (_, index) => `/${name}-${index % projects}/resource/id-${index}`);
}

/** A server, or several replicas behind a balancer. */
interface Setup {
  readonly port: number;
  readonly replicas: readonly BenchServer[];
}

/** The measurements of one kind of requests. */
interface Measured {
  readonly rates: number[];
  /** The rate, and the latencies of all rounds, in words. */
  readonly shown: string;
  /** How often the replicas loaded a project, or changes of other replicas to one, for each request. */
  readonly loadsEach: number;
  readonly responses: number;
}

export function share(): AsyncGenerator<Row> {
  return withServers(async function* (keep): AsyncGenerator<Row> {
    if (!storeProgram) {
      yield { what: "share", reason: "no redis-server and no valkey-server" };
      return;
    }
    const store = await keep(startStore());
    const memory = setupOf(await keep(startMock()));
    const one = setupOf(await keep(startReplica(store, "one")));
    for (const kind of kinds) {
      const measured = await measure(kind, 1, { memory, one });
      yield compared(`share: ${kind.what}`, measured.one, measured.memory, { atLeast: 0.4 });
    }
    if (!haproxyProgram) {
      yield { what: `share: ${REPLICAS} replicas`, reason: "no haproxy" };
      return;
    }
    const replicas: BenchServer[] = [];
    for (let index = 0; index < REPLICAS; index++) replicas.push(await keep(startReplica(store, "several")));
    const hashed = { ...(await keep(startBalancer(replicas, "hashed"))), replicas };
    const random = { ...(await keep(startBalancer(replicas, "random"))), replicas };
    for (const { what, requestsIn } of kinds) {
      const measured = await measure({ what, requestsIn }, PROJECTS, { memory, one, hashed, random });
      yield compared(`share: ${what}, ${PROJECTS} projects`, measured.one, measured.memory);
      yield compared(`${REPLICAS} replicas, hashed: ${what}`, measured.hashed, measured.memory);
      yield loadsFigure(`${REPLICAS} replicas, hashed: loads, ${what}`, measured.hashed, { atMost: 0 });
      yield compared(`${REPLICAS} replicas, random: ${what}`, measured.random, measured.memory);
      yield loadsFigure(`${REPLICAS} replicas, random: loads, ${what}`, measured.random);
    }
  });
}

function setupOf(server: BenchServer): Setup {
  return { port: server.port, replicas: [server] };
}

function compared(what: string, measured: Measured, memory: Measured, bar?: Figure["bar"]): Figure {
  const figure = ratio(what, bar, [measured.rates, memory.rates], perSecond);
  return { ...figure, from: `${measured.shown} against ${memory.shown}` };
}

function loadsFigure(what: string, { loadsEach, responses }: Measured, bar?: Figure["bar"]): Figure {
  return { what, value: loadsEach, ...(bar && { bar }), from: `for each of ${responses} requests` };
}

async function measure<Name extends string>(
  { requestsIn }: Kind,
  projects: number,
  setups: Record<Name, Setup>,
): Promise<Record<Name, Measured>> {
  const names = Object.keys(setups) as Name[];
  for (const name of names) await warmUp(setups[name], requestsIn(name, projects));
  const totals = byName(names, () => ({ latencies: noLatencies(), responses: 0, loads: 0 }));
  const takeRound = async (name: Name) => {
    const before = await loadsOf(setups[name]);
    const { responses, latencies, requestsPerSecond } = await load(setups[name], requestsIn(name, projects));
    const total = totals[name];
    total.loads += (await loadsOf(setups[name])) - before;
    total.responses += responses;
    addLatencies(total.latencies, latencies);
    return requestsPerSecond;
  };
  const rates = await inTurn(
    byName(names, (name) => () => takeRound(name)),
    ROUNDS,
  );
  return byName(names, (name) => {
    const { latencies, loads, responses } = totals[name];
    const [p50, p99] = [0.5, 0.99].map((share) => milliseconds(latencyAt(latencies, share)));
    const shown = `${perSecond(median(rates[name]))}, p50 ${p50}, p99 ${p99}`;
    return { rates: rates[name], shown, loadsEach: loads / responses, responses };
  });
}

function byName<Name extends string, Value>(names: readonly Name[], create: (name: Name) => Value) {
  return Object.fromEntries(names.map((name) => [name, create(name)])) as Record<Name, Value>;
}

async function loadsOf({ replicas }: Setup): Promise<number> {
  let sum = 0;
  for (const { url } of replicas) {
    const { loads = 0 } = (await (await fetch(`${url}/__admin/health`)).json()) as { loads?: number };
    sum += loads;
  }
  return sum;
}
