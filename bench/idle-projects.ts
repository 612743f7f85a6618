import type { Figure } from "./figures.ts";
import { withServer } from "./measuring.ts";
import { type BenchServer, startMockWithHeap } from "./servers.ts";

const PROJECTS = 10_000;
const LANES = 32;

/**
 * Measures the heap bytes per idle project after a garbage collection. The figure is for projects with one request in
 * the journal. The note beside it is for projects that only a read of their settings has created.
 */
export async function* idleProjects(): AsyncGenerator<Figure> {
  const used = await kibibytesEach((project) => `/${project}/resource`);
  const unused = await kibibytesEach((project) => `/__admin/projects/${project}/settings`);
  yield {
    what: "10,000 idle projects, each",
    value: used,
    unit: "KiB",
    bar: { atMost: 4 },
    from: `heap, with one GET in its journal; ${unused.toFixed(1)} KiB without`,
  };
}

function kibibytesEach(pathIn: (project: string) => string): Promise<number> {
  return withServer(startMockWithHeap, async (server) => {
    // The same number of requests to one project fills code caches, connections and a journal before the measurement.
    await sendAll(server, () => pathIn("warm-up"));
    const before = await server.heapBytes();
    await sendAll(server, (index) => pathIn(`idle-${index}`));
    return ((await server.heapBytes()) - before) / PROJECTS / 1024;
  });
}

async function sendAll(server: BenchServer, path: (index: number) => string): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < PROJECTS) {
      const response = await fetch(`${server.url}${path(next++)}`);
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`${response.url}: expected 2xx, found ${response.status}`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
