import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { flushCompileCache } from "node:module";
import { counted } from "../contract/index.ts";
import { createAccessLog } from "../http/index.ts";
import { Misuse, runMock, type ServeOptions } from "../library/index.ts";
import { firstProblem, problemLine } from "../state/index.ts";

/** The kinds of warnings about the contract of which the server prints the first one when it starts. */
const SHOWN_WARNINGS = 10;

/** What follows the address in the first line if the mock has no contract of the user. */
const HINT = " (the built-in example service; --contract FILE mocks your own)";

/**
 * Starts the server and prints its address when it is ready. The server stops at SIGTERM or SIGINT. If the parent process is
 * Node and has opened a channel for messages, the server also stops when the parent ends.
 */
export async function run(command: ServeOptions): Promise<void> {
  const { open, share: url, sharePrefix: prefix, shareTtl: ttl, dynamic, watch, log, cors = false, ...rest } = command;
  if (watch && url !== undefined && rest.contract !== undefined)
    throw new Misuse("--watch: expected without --share and --contract, as all replicas have one contract");
  const options = dynamic ? { ...rest, settings: { ...rest.settings, responses: "generated" as const } } : rest;
  const warn = (line: string) => void process.stderr.write(`resource-mock: warning: ${line}\n`);
  const print = (line: string) => void process.stdout.write(`${line}\n`);
  let opened: ((url: string) => string[]) | undefined;
  let watcher: { close(): void } | undefined;
  const mock = await runMock(
    { ...options, cors },
    {
      labels: { projects: "--projects", recordTo: "--record-to", report: "--report", scenario: "--scenario" },
      openHome:
        url === undefined
          ? undefined
          : async () => {
              const { openSharedHome } = await import("../homes/share/index.ts");
              return openSharedHome({ url, prefix, ttl, maxProjects: options.maxProjects });
            },
      async prepare(engine, files) {
        const { ignored, warnings = [] } = files;
        const { problem } = engine.home.health;
        const kinds = Map.groupBy(warnings, ({ message }) => message.replace(/"(?:[^"\\]|\\.)*"|\d+/g, ""));
        const shown = [...kinds.values()].flatMap(([first]) => first ?? []).slice(0, SHOWN_WARNINGS);
        for (const warning of shown) warn(problemLine(warning));
        const more = warnings.length - shown.length;
        if (more > 0) warn(`${counted(more, "more warning")}; resource-mock check lists them`);
        if (ignored.length > 0) warn(firstProblem(ignored));
        if (problem !== undefined) warn(problem);
        if (open) opened = await (await import("./open-archives.ts")).openArchives(engine, open);
        if (log !== "off") engine.onExchange = createAccessLog(log, (text) => process.stdout.write(text));
        // Before listening: if a folder cannot be watched, the command ends and leaves no server running.
        if (watch) watcher = (await import("./watch.ts")).watchFiles(engine, options, files, print);
      },
    },
  );
  const stop = async () => {
    watcher?.close();
    await mock.close().catch((error: Error) => {
      // A missing report must be noticed.
      process.stderr.write(`resource-mock: ${error.message}\n`);
      process.exitCode = 1;
    });
    // The changes that are not in the files are lost.
    if (mock.engine.home.health.unsaved) process.exitCode = 1;
  };
  process.once("SIGTERM", stop).once("SIGINT", stop).once("disconnect", stop);
  const secure = mock.httpsUrl === undefined ? "" : ` and ${mock.httpsUrl}`;
  const hint = rest.contract === undefined && log === "pretty" && !open ? HINT : "";
  print(`resource-mock listening on ${mock.url}${secure}${hint}`);
  opened?.(mock.url).forEach(print);
  keepCompiledCode();
}

/**
 * Keeps the compiled code of this start for the next one after the first response, which takes less than 1 ms. Node keeps it
 * when the process ends, but containers and servers of tests are often killed.
 */
function keepCompiledCode(): void {
  const responded = "http.server.response.finish";
  const keep = () => {
    unsubscribe(responded, keep);
    setImmediate(flushCompileCache);
  };
  subscribe(responded, keep);
}
