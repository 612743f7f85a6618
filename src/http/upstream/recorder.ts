import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import {
  contentOf,
  findProblems,
  isRecordedSecret,
  jsonValue,
  MAX_RECORDED_BYTES,
  MAX_RECORDED_FILES,
  MAX_RECORDED_SECRETS,
  MIN_SECRET,
  responseFor,
  withoutSecrets,
} from "../../contract/index.ts";
import type { Call } from "../../engine/index.ts";
import type { Decision, UpstreamExchange } from "../../journal/index.ts";
import { createFolder } from "../../journal/reports/index.ts";
import { noBody, pathOf, recordedName, SEED } from "../../state/index.ts";
import type { Checked } from "./check-response.ts";
import { createSeedRecorder } from "./recorded-seed.ts";

interface RecorderOptions {
  readonly folder: string;
  /** Texts that no file may contain. */
  readonly secrets: readonly string[];
  /** Receives a line for each new kind of failure. */
  readonly warn: (line: string) => void;
  readonly maxFiles?: number;
  /** In bytes. */
  readonly maxBytes?: number;
}

/**
 * Writes a response as a fixture, or its items to `seed.json`, unless it violates the contract or the folder has the same
 * response. Adds the path to the exchange. Returns the decision about it. Never rejects: a full disk must not stop the
 * forwarding. Call it again only after it has resolved: the numbers of the files tell the order of the responses.
 */
export type Recorder = (call: Call, exchange: UpstreamExchange, checked: Checked) => Promise<Decision>;

/** Returns a recorder for a folder that exists. */
export function createRecorder(options: RecorderOptions): Recorder {
  const { folder, secrets, warn, maxFiles = MAX_RECORDED_FILES, maxBytes = MAX_RECORDED_BYTES } = options;
  const warned = new Set<string>();
  const addToSeed = createSeedRecorder(folder);
  /** The paths of the fixtures in the folder, and one of them by its content. */
  const [paths, byContent] = [new Set<string>(), new Map<string, string>()];
  /** The greatest number of a recorded one. */
  let number = 0;
  let files = 0;
  let bytes = 0;

  /** Adds the new fixtures in the folder, of earlier runs and of other recorders. A file that is not JSON has no equal. */
  async function findNew(): Promise<void> {
    for (const entry of await readdir(folder, { recursive: true })) {
      const path = entry.replaceAll("\\", "/");
      const [, operation = "", status, recorded] =
        /^(.+)\/(\d{3})\.(?:recorded-(\d{5,9})|[^/]+)\.json$/.exec(path) ?? [];
      if (status === undefined || paths.has(path)) continue;
      paths.add(path);
      number = Math.max(number, Number(recorded ?? 0));
      const value = jsonValue(await readFile(join(folder, path), "utf8"));
      if (value !== undefined) byContent.set(contentKey(operation, Number(status), value), path);
    }
  }

  async function write(call: Call, exchange: UpstreamExchange, json: unknown): Promise<Decision> {
    const { operation, request } = call;
    const status = exchange.status ?? 0;
    const found = secretsOf(request, exchange);
    if (found.length > MAX_RECORDED_SECRETS) {
      return notRecorded(`the exchange has ${found.length} credentials, more than ${MAX_RECORDED_SECRETS}`);
    }
    const value = withoutSecrets(json, [...secrets, ...found]);
    const [problem] = await findProblems(responseFor(operation, status)?.schema ?? noBody, value);
    if (problem) return notRecorded(`without its secrets, ${problem.pointer}: ${problem.message}`);
    const seeded = await addToSeed(call, status, value);
    if (seeded === false) return notRecorded(`${SEED} has the same items`);
    if (seeded === true) {
      exchange.recorded = SEED;
      return { kind: "recorded", fixture: SEED };
    }
    await findNew();
    const same = byContent.get(contentKey(operation.id, status, value));
    if (same !== undefined) return notRecorded(`${same} is the same`);
    const text = `${JSON.stringify(value, undefined, 2)}\n`;
    const size = Buffer.byteLength(text);
    if (files >= maxFiles) return notRecorded(`this run has recorded ${maxFiles} fixtures`);
    if (bytes + size > maxBytes) return notRecorded(`this run has recorded ${maxBytes} bytes`);
    let path: string;
    do path = pathOf(operation.id, status, recordedName(++number));
    while (!(await writeNew(folder, path, text)));
    files++;
    bytes += size;
    exchange.recorded = path;
    return { kind: "recorded", fixture: path, ...(seeded !== undefined && { unseeded: seeded }) };
  }

  return async (call, exchange, { violations, json }) => {
    if (violations.length > 0 || !json) return notRecorded("it violates the contract");
    try {
      return await write(call, exchange, json.value);
    } catch (error) {
      const { code = "", message } = error as NodeJS.ErrnoException;
      const why = reasons[code] ?? (code || message);
      if (!warned.has(why)) warn(`warning: responses cannot be recorded: ${folder}: ${why}`);
      warned.add(why);
      return notRecorded(`${folder}: ${why}`);
    }
  };
}

function notRecorded(reason: string): Decision {
  return { kind: "not-recorded", reason };
}

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ENOTDIR: "expected a folder, found a file",
  EEXIST: "expected a folder, found a file",
};

/**
 * Writes a new file so that a reader, such as `--watch`, sees either no file or the whole file. Returns false if the file
 * exists, or if another recorder of the folder is writing it.
 */
async function writeNew(folder: string, path: string, text: string): Promise<boolean> {
  const target = join(folder, path);
  // Loading ignores files that begin with a dot.
  const unfinished = join(dirname(target), `.${basename(target)}`);
  await createFolder(dirname(target));
  try {
    await writeFile(unfinished, text, { flag: "wx", flush: true });
    const isNew = !existsSync(target);
    await (isNew ? rename(unfinished, target) : rm(unfinished));
    return isNew;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    await rm(unfinished, { force: true }).catch(() => {});
    throw error;
  }
}

/** Returns what is equal for equal responses of an operation. */
function contentKey(operationId: string, status: number, value: unknown): string {
  const content = contentOf(value) ?? "";
  return `${operationId} ${status} ${createHash("sha256").update(content).digest("base64")}`;
}

/** Returns the tokens, cookies and keys in the headers and the query of an exchange: a body can repeat them. */
function secretsOf({ headers, query }: Call["request"], { responseHeaders = {} }: UpstreamExchange): string[] {
  const found: string[] = [];
  for (const each of [headers, responseHeaders]) {
    for (const [name, value] of Object.entries(each)) {
      if (!/^(authorization|cookie|set-cookie|x-api-key|api-key|x-auth-token)$/i.test(name)) continue;
      for (const text of [value ?? ""].flat()) found.push(...valuesIn(name.toLowerCase(), text));
    }
  }
  for (const [name, value] of new URLSearchParams(query)) if (isRecordedSecret(name)) found.push(value);
  return [...new Set(found)].filter((text) => text.length >= MIN_SECRET);
}

function valuesIn(name: string, text: string): string[] {
  if (name === "set-cookie") return valuesIn("cookie", text.split(";", 1)[0] ?? "");
  if (name === "cookie") return text.split(";").map((pair) => pair.slice(pair.indexOf("=") + 1).trim());
  const [scheme = "", credentials = ""] = text.split(/\s+/, 2);
  if (scheme.toLowerCase() !== "basic") return [credentials || scheme];
  const plain = Buffer.from(credentials, "base64").toString();
  return [credentials, plain, ...plain.split(":")];
}
