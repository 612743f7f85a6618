import type { Figure } from "./figures.ts";
import { withServer } from "./measuring.ts";
import { type BenchServer, startMockWithHeap } from "./servers.ts";

const PROJECTS = 10_000;
const LANES = 32;

/**
 * What the heap holds more for each project, after a collection: one that has answered a request, which its journal and
 * its counts hold, and beside it one that has merely come to life, here by a look at its settings.
 */
export async function* idleProjects(): AsyncGenerator<Figure> {
  const used = await kibibytesEach((project) => `/${project}/resource`);
  const unused = await kibibytesEach((project) => `/__admin/projects/${project}/settings`);
  yield {
    what: "10,000 idle projects, each",
    value: used,
    unit: "KiB",
    bar: { atMost: 4 },
    from: `heap, with one GET in its journal; ${unused.toFixed(1)} KiB merely come to life`,
  };
}

function kibibytesEach(pathIn: (project: string) => string): Promise<number> {
  return withServer(startMockWithHeap, async (server) => {
    // As many requests to one project first: what code, connections and a full journal hold is no project's.
    await askAll(server, () => pathIn("warm-up"));
    const before = await server.heapBytes();
    await askAll(server, (index) => pathIn(`idle-${index}`));
    return ((await server.heapBytes()) - before) / PROJECTS / 1024;
  });
}

async function askAll(server: BenchServer, path: (index: number) => string): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < PROJECTS) {
      const response = await fetch(`${server.url}${path(next++)}`);
      await response.arrayBuffer();
      if (!response.ok) throw new Error(`${response.url} answered ${response.status}`);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}
