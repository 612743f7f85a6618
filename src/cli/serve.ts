import { createAccessLog } from "../http/access-log.ts";
import { createApp } from "../http/app.ts";
import { listen } from "../http/server.ts";
import { fixtureLayers, loadEngine } from "../mock.ts";
import { version } from "../version.ts";
import type { ServeOptions } from "./flags.ts";

/** Serves until SIGTERM or SIGINT; prints one line when ready. */
export async function serveCommand(options: ServeOptions): Promise<void> {
  const { port, host, fixtures, auth, validation, unknownIds, clients, seed, watch, log } = options;
  const engine = await loadEngine({ fixtures, seed, clients, settings: { auth, validation, unknownIds } });
  if (log !== "off") engine.onExchange = createAccessLog(log, (text) => process.stdout.write(text));
  // A log that cannot be written (a closed pipe, a full disk) is no reason to stop serving.
  process.stdout.on("error", () => {});
  process.stderr.on("error", () => {});

  let draining = false;
  const app = createApp(engine, { version, isDraining: () => draining });
  const server = await listen(app, { port, host });
  const watcher = watch
    ? (await import("./watch.ts")).watchFixtures(engine, fixtureLayers(fixtures), (line) =>
        process.stdout.write(`${line}\n`),
      )
    : undefined;

  const stop = () => {
    draining = true;
    watcher?.close();
    void server.close().then(() => engine.projects.closeAll());
  };
  process.once("SIGTERM", stop).once("SIGINT", stop);
  process.stdout.write(`resource-mock listening on ${server.url}\n`);
}
