import { createAccessLog } from "../http/access-log.ts";
import { createApp } from "../http/app.ts";
import { corsOf } from "../http/cors.ts";
import { listen } from "../http/server.ts";
import { loadEngine, type MockOptions } from "../mock.ts";
import { upstreamProblem } from "../options.ts";
import { pages } from "../pages.ts";
import { settingNames } from "../settings/settings.ts";
import { version } from "../version.ts";
import { flagsOf, type Options } from "./flags.ts";
import { httpsOptions } from "./https.ts";
import { Misuse } from "./values.ts";

/** Returns the options of the mock itself. */
export function mockOptions(options: Options<"serve">): MockOptions {
  const { fixtures, scenarios, scenario, seed, maxStateBytes, maxProjects, clients } = options;
  const { upstream, upstreamCa, upstreamTimeout, recordTo } = options;
  const problem = upstreamProblem(options, flagName);
  if (problem) throw new Misuse(problem);
  const settings = settingNames.map((name) => [name, options[name]]);
  return {
    fixtures,
    scenarios,
    scenario,
    seed,
    maxStateBytes,
    maxProjects,
    clients,
    upstream,
    upstreamCa,
    upstreamTimeout,
    recordTo,
    settings: Object.fromEntries(settings),
  };
}

function flagName(option: string): string {
  return `--${flagsOf("serve").find((flag) => flag.option === option)?.name}`;
}

/** Starts the server and prints one line when it is ready. The server stops at SIGTERM or SIGINT. */
export async function serveCommand(options: Options<"serve">): Promise<void> {
  const { port, host, fixtures, scenarios, adminToken, cors, watch, log } = options;
  const https = await httpsOptions(options);
  const engine = await loadEngine(mockOptions(options));
  if (log !== "off") engine.onExchange = createAccessLog(log, (text) => process.stdout.write(text));

  // Start watching before listening: if a folder cannot be watched, the command ends and leaves no server running.
  const watcher = watch
    ? (await import("./watch.ts")).watchFiles(engine, { fixtures, scenarios }, (line) =>
        process.stdout.write(`${line}\n`),
      )
    : undefined;

  const app = createApp(engine, {
    version,
    adminToken,
    cors: cors === undefined ? undefined : corsOf(cors),
    caCertificate: https?.caCertificate,
    pages,
  });
  const server = await listen(app, { port, host, https });
  const stop = () => {
    watcher?.close();
    engine.drain();
    void server.close().then(() => engine.projects.closeAll());
  };
  process.once("SIGTERM", stop).once("SIGINT", stop);
  const urls = [server.url, ...(server.httpsUrl === undefined ? [] : [server.httpsUrl])];
  process.stdout.write(`resource-mock listening on ${urls.join(" and ")}\n`);
}
