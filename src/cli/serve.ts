import { dashboardPage } from "../dashboard-page.ts";
import { createAccessLog } from "../http/access-log.ts";
import { createApp } from "../http/app.ts";
import { listen } from "../http/server.ts";
import { loadEngine, type MockOptions } from "../mock.ts";
import { version } from "../version.ts";
import type { ServeOptions } from "./flags.ts";
import { checkLatency } from "./latency.ts";

/** The options of the mock itself. Throws Misuse for a latency that is none. */
export async function mockOptions(options: ServeOptions): Promise<MockOptions> {
  const { fixtures, scenarios, scenario, seed, clients, auth, validation, unknownIds, latency = null } = options;
  const { collection, maxFuzzyLevel, maxImageBytes, maxBodyBytes, journalSize } = options;
  // The check loads a validator, which most starts have no use for.
  if (latency !== null) await checkLatency(latency);
  const limits = { maxFuzzyLevel, maxImageBytes, maxBodyBytes, journalSize };
  const settings = { auth, validation, unknownIds, collection, ...limits, latency };
  return { fixtures, scenarios, scenario, seed, clients, settings };
}

/** Serves until SIGTERM or SIGINT; prints one line when ready. */
export async function serveCommand(options: ServeOptions): Promise<void> {
  const { port, host, fixtures, scenarios, adminToken, cors, watch, log } = options;
  const engine = await loadEngine(await mockOptions(options));
  if (log !== "off") engine.onExchange = createAccessLog(log, (text) => process.stdout.write(text));

  // Before listening: where folders cannot be watched, no server is to stay behind.
  const watcher = watch
    ? (await import("./watch.ts")).watchFiles(engine, { fixtures, scenarios }, (line) =>
        process.stdout.write(`${line}\n`),
      )
    : undefined;

  let draining = false;
  const app = createApp(engine, { version, isDraining: () => draining, adminToken, cors, dashboardPage });
  const server = await listen(app, { port, host });

  const stop = () => {
    draining = true;
    watcher?.close();
    engine.drain();
    void server.close().then(() => engine.projects.closeAll());
  };
  process.once("SIGTERM", stop).once("SIGINT", stop);
  process.stdout.write(`resource-mock listening on ${server.url}\n`);
}
