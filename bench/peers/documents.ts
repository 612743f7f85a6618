import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { gunzipSync } from "node:zlib";
import { sample } from "../against-bare.ts";
import { type Figure, mebibytes, median, perSecond, ratio } from "../figures.ts";
import type { Requests } from "../load.ts";
import { inTurn, type Keep, rateOf, warmUp, withServer, withServers } from "../measuring.ts";
import { type Command, repository, startBare } from "../servers.ts";
import { firstRequests } from "./first-requests.ts";
import { install, pack } from "./install.ts";
import { authorization, startAndRequest } from "./start.ts";

/** A document with a path that a GET can read. */
interface Document {
  readonly name: string;
  readonly path: string;
  /** The npm package with the document, and the path of its file there; else a file of this repository. */
  readonly spec?: string;
  readonly file: string;
}

const petstore: Document = { name: "petstore", file: "examples/petstore/petstore.yaml", path: "/pets/1" };

const documents: readonly Document[] = [
  {
    name: "GitHub",
    spec: "@octokit/openapi@latest",
    file: "@octokit/openapi/generated/api.github.com.json",
    path: "/meta",
  },
  {
    name: "Kubernetes",
    spec: "kubernetes-client@9.0.0",
    file: "kubernetes-client/lib/specs/swagger-1.13.json.gz",
    path: "/api/v1/namespaces",
  },
  petstore,
];

interface Server {
  readonly name: string;
  /** The npm package. */
  readonly package: string;
  /** Returns the arguments of Node for the path of the package's command, a document and a port. */
  args(bin: string, document: string, port: string): string[];
}

const own = (name: string, ...flags: string[]): Server => ({
  name,
  package: "resource-mock",
  args: (bin, document, port) => {
    return [bin, "--contract", document, "--port", port, "--host", "127.0.0.1", "--log", "off", ...flags];
  },
});

/** The mock servers that read OpenAPI documents. */
const servers: readonly Server[] = [
  own("resource-mock", "--no-cache"),
  own("resource-mock, from its cache"),
  {
    name: "@stoplight/prism-cli",
    package: "@stoplight/prism-cli",
    args: (bin, document, port) => [bin, "mock", document, "--port", port, "--verboseLevel", "silent"],
  },
  {
    name: "@scalar/cli",
    package: "@scalar/cli",
    args: (bin, document, port) => [bin, "document", "mock", document, "--port", port],
  },
  {
    name: "@mockoon/cli",
    package: "@mockoon/cli",
    args: (bin, document, port) => [bin, "start", "--data", document, "--hostname", "127.0.0.1", "--port", port],
  },
];

/** What a server needs from its start to its first response, or why it has not responded. */
export type DocumentFigure = { server: string; document: string } & (
  | { cpuSeconds: number; memory: number }
  | { problem: string }
);

const ROUNDS = 3;

/**
 * Measures the start of mock servers with documents, the rate of GETs on the petstore, and the first requests of all
 * operations, in turn. `further` is another document, as `FILE:PATH`. Downloads the servers and documents for this run.
 */
export async function* compareDocuments(further: string | undefined): AsyncGenerator<DocumentFigure | Figure> {
  const folder = mkdtempSync(`${tmpdir()}/resource-mock-documents-`);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  try {
    const commands = await installed(folder);
    const [, file = "", path = ""] = /^(.*):(\/.*)$/.exec(further ?? "") ?? [];
    const own: Document[] = further === undefined ? [] : [{ name: file.split("/").at(-1) ?? "", file, path }];
    for (const document of [...documents, ...own]) {
      const local = await provide(document, folder);
      for (const { name, commandFor } of commands) {
        const start = () => startAndRequest((port) => commandFor(local, `${port}`), document.path);
        const named = { server: name, document: document.name };
        try {
          const rounds: { cpu: number; memory: number }[] = [];
          for (let round = 0; round < ROUNDS; round++)
            rounds.push(
              await withServer(start, async (running) => ({
                cpu: running.cpuSeconds(),
                memory: running.residentBytes(),
              })),
            );
          const cpuSeconds = median(rounds.map(({ cpu }) => cpu));
          yield { ...named, cpuSeconds, memory: median(rounds.map(({ memory }) => memory)) };
        } catch (error) {
          yield { ...named, problem: (error as Error).message };
        }
      }
      if (document === petstore) yield* withServers((keep) => rates(commands, local, document.path, keep));
      else yield* firstRequests(document.name, local);
    }
  } finally {
    remove();
  }
}

type Installed = { readonly name: string; commandFor(document: string, port: string): Command };

async function installed(folder: string): Promise<Installed[]> {
  const packed = await pack(repository, folder);
  const bins = new Map<string, string>();
  for (const { package: name } of servers) {
    if (bins.has(name)) continue;
    const { bin } = await install(`${folder}/${name}`, name, name === "resource-mock" ? packed : `${name}@latest`);
    bins.set(name, bin);
  }
  // Files in the home folder of a server are removed with the folder.
  const environment = { HOME: folder, USERPROFILE: folder, XDG_CACHE_HOME: folder };
  return servers.map(({ name, package: of, args }) => {
    const bin = bins.get(of) ?? "";
    return { name, commandFor: (document, port) => ({ args: args(bin, document, port), folder, environment }) };
  });
}

/** Returns the path of a copy of the document. */
async function provide({ name, spec, file }: Document, folder: string): Promise<string> {
  const place = `${folder}/${name}`;
  mkdirSync(place);
  const copy = `${place}/document.${/ya?ml$/.test(file) ? "yaml" : "json"}`;
  if (spec === undefined) {
    copyFileSync(file.startsWith("/") ? file : repository + file, copy);
    return copy;
  }
  await install(place, spec.replace(/@[^@]*$/, ""), spec);
  const written = readFileSync(`${place}/node_modules/${file}`);
  writeFileSync(copy, file.endsWith(".gz") ? gunzipSync(written) : written);
  return copy;
}

/** Compares the GETs of one item with those of a bare server that sends the same bytes as resource-mock. */
async function* rates(all: readonly Installed[], document: string, path: string, keep: Keep): AsyncGenerator<Figure> {
  const requests: Requests = { kind: "get", paths: [path], headers: `Authorization: ${authorization}\r\n` };
  const [mock, ...others] = all.filter(({ name }) => !name.endsWith("cache"));
  const open = ({ commandFor }: Installed) =>
    keep(startAndRequest((port) => commandFor(document, `${port}`), path)).catch(() => undefined);
  const running = mock && (await open(mock));
  if (!mock || !running) return;
  const bare = await keep(startBare({ GET: await sample(running, path) })());
  const measured = { bare, [mock.name]: running };
  for (const other of others) {
    const server = await open(other);
    if (server) measured[other.name] = server;
  }
  for (const server of Object.values(measured)) await warmUp(server, requests);
  const taken = await inTurn(
    Object.fromEntries(Object.entries(measured).map(([name, server]) => [name, () => rateOf(server, requests)])),
    11,
  );
  const { bare: against = [], ...rest } = taken;
  for (const [name, values] of Object.entries(rest)) {
    const bar = name === mock.name ? { atLeast: 0.55 } : undefined;
    yield ratio(`petstore: GET, ${name}`, bar, [values, against], perSecond);
  }
}

export function documentLine(figure: DocumentFigure): string {
  const title = `${figure.document}: ${figure.server}`.padEnd(46);
  if ("problem" in figure) return `${title} not measured: ${figure.problem}`;
  return `${title} ${`${figure.cpuSeconds.toFixed(2)} s of CPU`.padStart(15)}${mebibytes(figure.memory).padStart(10)}`;
}
