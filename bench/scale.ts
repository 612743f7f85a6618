import { createRandom } from "../src/project/random.ts";
import { type Figure, milliseconds, perSecond, ratio } from "./figures.ts";
import type { Requests } from "./load.ts";
import { inTurn, rateOf, warmUp } from "./measuring.ts";
import { type BenchServer, startMock } from "./servers.ts";

/** The number of generated resources by project. All projects are on one server. */
const sizes = { ten: 10, hundred: 100, thousand: 1000, large: 100_000 };
type Project = keyof typeof sizes;

interface Resource {
  id: string;
  key: string;
}

/** Compares the same calls in a project with 100,000 resources and in a project with few. */
export async function* atScale(): AsyncGenerator<Figure> {
  const server = await startMock();
  try {
    yield* rates(server, await fill(server));
    yield* times(server);
  } finally {
    await server.stop();
  }
}

export type Filled = Record<Project, Resource[]>;

/** Generates the resources of each project, and takes a snapshot of them. */
export async function fill(server: BenchServer): Promise<Filled> {
  const resources: Partial<Filled> = {};
  for (const [project, size] of Object.entries(sizes)) {
    const added: Resource[] = [];
    for (let seed = 1; added.length < size; seed++) {
      const generate = Math.min(size - added.length, 5000);
      const response = await control(server, "POST", `${project}/resources`, { generate, seed });
      added.push(...(JSON.parse(response) as { resources: Resource[] }).resources);
    }
    resources[project as Project] = added;
    await control(server, "POST", `${project}/snapshots`, { name: "kept" });
  }
  return resources as Filled;
}

interface Kind {
  what: string;
  /** The project that the large one is compared with. */
  small: "ten" | "thousand";
  requestsFor(project: Project, selected: readonly Resource[]): Requests;
  connections?: number;
}

/**
 * Requests that must have the same rate in the large and in a small project. They use every resource of the small
 * project, and the same number of resources of the large one. More resources are slower in a project of any size,
 * because they exceed the caches of the processor.
 */
export const kinds: readonly Kind[] = [
  { what: "read by id", small: "ten", requestsFor: readById },
  { what: "read by key", small: "ten", requestsFor: readByKey },
  { what: "update", small: "ten", requestsFor: update, connections: sizes.ten },
  { what: "read 1,000 by id", small: "thousand", requestsFor: readById },
  { what: "read 1,000 by key", small: "thousand", requestsFor: readByKey },
];

function readById(project: Project, selected: readonly Resource[]): Requests {
  return get(selected.map(({ id }) => `/${project}/resource/${id}`));
}

function readByKey(project: Project, selected: readonly Resource[]): Requests {
  return get(selected.map(({ key }) => `/${project}/resource/key=${encodeURIComponent(key)}`));
}

function update(project: Project, selected: readonly Resource[]): Requests {
  return { kind: "update", paths: selected.map(({ id }) => `/${project}/resource/${id}`) };
}

/** Warms the server up, and returns a function that measures the rate of such requests in a project. */
export async function warmRate(server: BenchServer, resources: Filled, kind: Kind, project: Project) {
  const { small, requestsFor, connections } = kind;
  const requests = requestsFor(project, randomSubset(sizes[small], resources[project]));
  await restore(server, project);
  await warmUp(server, requests, connections);
  return async () => {
    // The load generator sends updates from version 1.
    await restore(server, project);
    return rateOf(server, requests, connections);
  };
}

async function* rates(server: BenchServer, resources: Filled): AsyncGenerator<Figure> {
  for (const kind of kinds) {
    const { large, other } = await inTurn({
      large: await warmRate(server, resources, kind, "large"),
      other: await warmRate(server, resources, kind, kind.small),
    });
    yield ratio(`${kind.what}, 100,000 resources`, { atLeast: 0.8 }, [large, other], perSecond);
  }
}

function get(paths: readonly string[]): Requests {
  return { kind: "get", paths };
}

/** Measures calls that must take about the same time in the large project and in a project with a hundred resources. */
async function* times(server: BenchServer): AsyncGenerator<Figure> {
  const calls: Record<string, { before?: Call; timed: Call; after?: Call }> = {
    snapshot: {
      timed: (project) => control(server, "POST", `${project}/snapshots`, { name: "bench" }),
      after: (project) => control(server, "DELETE", `${project}/snapshots/bench`),
    },
    restore: { timed: (project) => restore(server, project) },
    "first page of a query": {
      timed: (project) => send(server, "GET", `/${project}/resource/sorted-query-parameters`),
    },
    reset: {
      before: (project) => restore(server, project),
      timed: (project) => control(server, "POST", `${project}/reset`),
    },
  };
  for (const [what, { before, timed, after }] of Object.entries(calls)) {
    const timeIn = (project: Project) => async () => {
      await before?.(project);
      const started = performance.now();
      await timed(project);
      const time = performance.now() - started;
      await after?.(project);
      return time;
    };
    const { large, hundred } = await inTurn({ large: timeIn("large"), hundred: timeIn("hundred") }, 40);
    yield ratio(`${what}, 100,000 resources`, { atMost: 3 }, [large, hundred], milliseconds);
  }
}

type Call = (project: Project) => Promise<unknown>;

/**
 * Returns a random subset of the resources, the same one in each run. Resources at equal distances would compete for
 * the same lines of the processor's caches.
 */
function randomSubset(count: number, resources: readonly Resource[]): Resource[] {
  if (resources.length <= count) return [...resources];
  const random = createRandom("bench");
  return Array.from({ length: count }, () => resources[Math.floor(random() * resources.length)] as Resource);
}

/** Restores the snapshot that `fill` took. */
function restore(server: BenchServer, project: Project): Promise<string> {
  return control(server, "POST", `${project}/snapshots/kept/restore`);
}

function control(server: BenchServer, method: string, path: string, body?: unknown): Promise<string> {
  return send(server, method, `/__admin/projects/${path}`, body);
}

async function send(server: BenchServer, method: string, path: string, body?: unknown): Promise<string> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
  return text;
}
