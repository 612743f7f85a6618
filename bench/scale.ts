import type { BenchServer } from "./servers.ts";

/**
 * How the mock behaves when a project grows: the same calls in a project of few resources and in one of 100,000, in
 * turn on one server. Times are milliseconds a call.
 */
export interface ScaleFigure {
  what: string;
  small: number;
  large: number;
}

const LARGE = 100_000;
const ROUNDS = 40;

/** Fills the projects `small` (100 resources) and `large`; their first ids, to read them by. */
export async function fill(server: BenchServer): Promise<void> {
  await control(server, "POST", "small/resources", { generate: 100, seed: 1 });
  await control(server, "POST", "large/resources", { generate: LARGE, seed: 1 });
  for (const project of ["small", "large"]) await control(server, "POST", `${project}/snapshots`, { name: "kept" });
}

/** The times of what is to cost the same however many resources there are. */
export async function scaleFigures(server: BenchServer): Promise<ScaleFigure[]> {
  const calls: Record<string, (project: string) => Promise<void>> = {
    "snapshot, 100,000 resources": async (project) => {
      await control(server, "POST", `${project}/snapshots`, { name: "bench" });
      await control(server, "DELETE", `${project}/snapshots/bench`);
    },
    "restore, 100,000 resources": (project) => resetTo(server, project),
    "first page of a query, 100,000 resources": (project) =>
      request(server, "GET", `/${project}/resource/sorted-query-parameters`),
    "reset, 100,000 resources": async (project) => {
      await resetTo(server, project);
      await control(server, "POST", `${project}/reset`);
    },
  };
  const figures: ScaleFigure[] = [];
  for (const [what, call] of Object.entries(calls)) {
    const times = { small: [] as number[], large: [] as number[] };
    for (let round = 0; round < ROUNDS; round++) {
      for (const project of ["small", "large"] as const) {
        const started = performance.now();
        await call(project);
        times[project].push(performance.now() - started);
      }
    }
    figures.push({ what, small: median(times.small), large: median(times.large) });
  }
  return figures;
}

/** The last of a project's resources, which are not the seed's: at version 1, as many as asked for. */
export async function someRecords(
  server: BenchServer,
  project: string,
  count: number,
): Promise<{ id: string; key?: string }[]> {
  const address = `${server.url}/__admin/projects/${project}/resources`;
  const { total } = (await (await fetch(`${address}?limit=1`)).json()) as { total: number };
  const response = await fetch(`${address}?limit=${count}&offset=${total - count}`);
  const { resources } = (await response.json()) as { resources: { id: string; key?: string }[] };
  return resources;
}

/** Puts the project back to how `fill` left it. */
export function resetTo(server: BenchServer, project: string): Promise<void> {
  return control(server, "POST", `${project}/snapshots/kept/restore`);
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

function control(server: BenchServer, method: string, path: string, body?: unknown): Promise<void> {
  return request(server, method, `/__admin/projects/${path}`, body);
}

async function request(server: BenchServer, method: string, path: string, body?: unknown): Promise<void> {
  const response = await fetch(`${server.url}${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 300)}`);
}
