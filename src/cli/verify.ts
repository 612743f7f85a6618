import { constants } from "node:fs";
import { access, readFile, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { counted, didYouMean, serviceContract, shown } from "../contract/index.ts";
import { Misuse } from "../library/index.ts";
import {
  CannotStart,
  type Credentials,
  junitOf,
  lineOf,
  type Outcome,
  tableOf,
  verify,
} from "../tools/compare/index.ts";
import type { Options } from "./flags.ts";
import { print } from "./print.ts";
import { createProgress } from "./progress.ts";

/** The exit code after an interruption: 128 and the number of SIGINT. */
const INTERRUPTED = 130;

/**
 * Verifies the real service. Sets the exit code to 1 if a check fails, with `--strict` also if an assumption differs, and to
 * 130 after an interruption. Throws Misuse for flags that cannot be combined, and if the service is unreachable.
 */
export async function verifyCommand(options: Options<"verify">): Promise<void> {
  const { upstream, project, readOnly, resourceId, resourceKey, jobs, timeout, strict, report, junit, log } = options;
  if (!upstream) throw new Misuse("--upstream: expected the URL of the service, found nothing");
  if (upstream.search || upstream.hash)
    throw new Misuse("--upstream: expected a URL without query and fragment, found one");
  if (project === undefined) throw new Misuse("--project: expected a project key, found nothing");
  // In a URL, they are no segments of their own: the requests would reach another path.
  if (/^\.{1,2}$/.test(project)) throw new Misuse(`--project: expected a project key, found ${shown(project)}`);
  const only = operationsOf(options.only);
  const credentials = credentialsOf(options);
  const ca = options.upstreamCa === undefined ? undefined : await readPem(options.upstreamCa);
  for (const file of [report, junit]) if (file !== undefined) await ensureWritable(file);

  const stop = new AbortController();
  const interrupt = () => {
    if (stop.signal.aborted) process.exit(INTERRUPTED);
    process.stderr.write("\nresource-mock: stopping; deleting the created resources (again: stop at once)\n");
    stop.abort();
  };
  process.on("SIGINT", interrupt).on("SIGTERM", interrupt);
  let progress: ReturnType<typeof createProgress> | undefined;
  let done = 0;
  try {
    const {
      results,
      report: found,
      leftOver,
    } = await verify({
      contract: serviceContract,
      upstream,
      project,
      credentials,
      ca,
      timeout,
      jobs,
      readOnly,
      only,
      resourceId,
      resourceKey,
      signal: stop.signal,
      onResult(result, total) {
        progress ??= createProgress(total);
        if (log) {
          progress.clear();
          process.stdout.write(`${lineOf(result)}\n`);
        }
        progress.update(++done, result.name);
      },
    });
    progress?.clear();
    if (report !== undefined) await writeFile(report, `${JSON.stringify(found, undefined, 2)}\n`);
    const failing: readonly Outcome[] = strict ? ["fail", "differs"] : ["fail"];
    if (junit !== undefined) await writeFile(junit, junitOf(results, failing));
    await print(`${log ? "\n" : ""}${tableOf(results)}`);
    if (leftOver.length > 0) {
      process.stderr.write(`resource-mock: could not delete ${counted(leftOver.length, "resource")}:\n`);
      for (const line of leftOver) process.stderr.write(`  ${line}\n`);
    }
    if (stop.signal.aborted) process.exitCode = INTERRUPTED;
    else if (results.some(({ outcome }) => failing.includes(outcome))) process.exitCode = 1;
  } catch (error) {
    progress?.clear();
    throw error instanceof CannotStart ? new Misuse(`--upstream: ${error.message}`) : error;
  } finally {
    process.off("SIGINT", interrupt).off("SIGTERM", interrupt);
  }
}

/** Throws Misuse for an unknown operation. */
function operationsOf(only: readonly string[] | undefined): readonly string[] | undefined {
  const { ids } = serviceContract;
  const unknown = only?.find((id) => !ids.some((known) => known === id));
  if (unknown === undefined) return only;
  const hint = didYouMean(unknown, ids) || ` Known: ${ids.join(", ")}.`;
  throw new Misuse(`--only: expected the id of an operation, found ${shown(unknown)}.${hint}`);
}

function credentialsOf({ token, client, tokenUrl }: Options<"verify">): Credentials | undefined {
  if (client && token !== undefined) throw new Misuse("--token: expected without --client, found both");
  if (client && !tokenUrl) throw new Misuse("--client: expected together with --token-url, found alone");
  if (tokenUrl && !client) throw new Misuse("--token-url: expected together with --client, found alone");
  if (client && tokenUrl) return { client, tokenUrl };
  return token === undefined ? undefined : { token };
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
