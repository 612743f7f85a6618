import { constants } from "node:fs";
import { access, readFile, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { counted, cut, didYouMean, MAX_SHOWN_VALUE, shown } from "../contract/index.ts";
import { loadService, Misuse } from "../library/index.ts";
import {
  CannotStart,
  type CompareOptions,
  type Credentials,
  compare,
  isFailure,
  junitOf,
  lineOf,
  tableOf,
} from "../tools/compare/index.ts";
import type { Options } from "./flags.ts";
import { createProgress, onSignals, print } from "./terminal.ts";

/**
 * Compares the real service with the mock. Sets the exit code to 1 if a check fails, or if an assumption differs that
 * `--allow` does not name, and to that of the signal after an interruption. Throws Misuse for invalid flags, and if the
 * service is unreachable.
 */
export async function run(options: Options<"compare">): Promise<void> {
  const { project, report, junit, log, resourceId, resourceKey } = options;
  if (!options.upstream) throw new Misuse("--upstream: expected the URL of the service, found nothing");
  const upstream = urlOf("upstream", options.upstream);
  const { contract, comparison } = await loadService(options);
  if (project === undefined && contract.addresses.project !== undefined)
    throw new Misuse("--project: expected a project key, found nothing");
  // In a URL, they are no segments of their own: the requests would reach another path.
  if (/^\.{1,2}$/.test(project ?? "")) throw new Misuse(`--project: expected a project key, found ${shown(project)}`);
  const only = known("only", "the id of an operation", options.only, contract.ids);
  const { assumptions } = await contract.loadAssumptions();
  const ids = assumptions.map(({ id }) => id);
  const allowed = known("allow", "the name of an assumption", options.allow, ids) ?? [];
  const parameters = Object.fromEntries(options.parameter?.map(pairOf) ?? []);
  const names = new Set(contract.operations.flatMap((each) => each.parameters.map(({ name }) => name)));
  known("parameter", "the name of a parameter", Object.keys(parameters), [...names]);
  const credentials = credentialsOf(options);
  const ca = options.upstreamCa === undefined ? undefined : await readPem(options.upstreamCa);
  for (const file of [report, junit]) if (file !== undefined) await ensureWritable(file);

  const stop = new AbortController();
  const release = onSignals((_message, code) => {
    if (stop.signal.aborted) process.exit(code);
    process.stderr.write("\nresource-mock: stopping; deleting the created resources (again: stop at once)\n");
    stop.abort(code);
  });
  let progress: ReturnType<typeof createProgress> | undefined;
  let done = 0;
  try {
    const run: CompareOptions = {
      ...options,
      contract,
      upstream,
      project,
      parameters: { ...(resourceId && { id: resourceId }), ...(resourceKey && { key: resourceKey }), ...parameters },
      credentials,
      ca,
      only,
      signal: stop.signal,
      onResult(result, total) {
        progress ??= createProgress(total);
        if (log) {
          progress.clear();
          process.stdout.write(`${lineOf(result)}\n`);
        }
        progress.update(++done, result.name);
      },
    };
    const found = await compare(run, await comparison?.());
    progress?.clear();
    if (report !== undefined) await writeFile(report, `${JSON.stringify(found.report, undefined, 2)}\n`);
    const { results, leftOver } = found;
    if (junit !== undefined) await writeFile(junit, junitOf(results, allowed));
    await print(`${log ? "\n" : ""}${tableOf(results, allowed)}`);
    if (leftOver.length > 0) {
      process.stderr.write(`resource-mock: could not delete ${counted(leftOver.length, "resource")}:\n`);
      for (const line of leftOver) process.stderr.write(`  ${line}\n`);
    }
    if (stop.signal.aborted) process.exitCode = stop.signal.reason;
    else if (results.some((result) => isFailure(result, allowed))) process.exitCode = 1;
  } catch (error) {
    progress?.clear();
    throw error instanceof CannotStart ? new Misuse(`--upstream: ${error.message}`) : error;
  } finally {
    release();
  }
}

/** Returns the names of a flag. Throws Misuse for an unknown name. */
function known(flag: string, expected: string, names: readonly string[] | undefined, all: readonly string[]) {
  const unknown = names?.find((name) => !all.includes(name));
  if (unknown === undefined) return names;
  const hint = didYouMean(unknown, all) || ` Known: ${cut(all.join(", ") || "none", MAX_SHOWN_VALUE)}.`;
  throw new Misuse(`--${flag}: expected ${expected}, found ${shown(unknown)}.${hint}`);
}

function pairOf(text: string): [name: string, value: string] {
  const [, name, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
  if (name === undefined || value === undefined)
    throw new Misuse(`--parameter: expected NAME=VALUE, found ${shown(text)}`);
  return [name, value];
}

function credentialsOf({ token, client, tokenUrl }: Options<"compare">): Credentials | undefined {
  const [[id, secret] = []] = client ?? [];
  if (id !== undefined && secret !== undefined && tokenUrl !== undefined)
    return { client: { id, secret }, tokenUrl: urlOf("token-url", tokenUrl) };
  return token === undefined ? undefined : { token };
}

/** Throws Misuse for a URL with credentials, because URLs are part of reports. */
function urlOf(flag: string, text: string): URL {
  const url = new URL(text);
  if (!url.username && !url.password) return url;
  const hint = "use --token or --client";
  throw new Misuse(`--${flag}: expected a URL without credentials, found one with credentials; ${hint}`);
}

async function readPem(file: string): Promise<string> {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new Misuse(`--upstream-ca: expected a PEM file, found ${error.message}`);
  });
  if (text.includes("-----BEGIN CERTIFICATE-----")) return text;
  throw new Misuse(`--upstream-ca: ${file}: expected a certificate as PEM, found none`);
}

/** Throws Misuse if a file cannot be written, so that no run is in vain. */
async function ensureWritable(file: string): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory()) throw new Misuse(`${file}: expected a file, found a folder`);
  await access(found ? file : dirname(file), constants.W_OK).catch(() => {
    throw new Misuse(`${file}: expected a file in a folder that exists and is writable`);
  });
}
