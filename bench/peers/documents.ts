import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { gunzipSync } from "node:zlib";
import { mebibytes, median } from "../figures.ts";
import { withServer } from "../measuring.ts";
import { repository } from "../servers.ts";
import { install, pack } from "./install.ts";
import { startAndRequest } from "./start.ts";

/** Large documents of other services from npm, each with a path that a GET can read. */
const documents = [
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
    path: "/api/v1/namespaces/default",
  },
];

/** The mock servers that read OpenAPI documents, with their arguments for a document and a port. */
const servers: readonly { name: string; args(bin: string, document: string, port: string): string[] }[] = [
  {
    name: "resource-mock",
    args: (bin, document, port) => [bin, "--contract", document, "--port", port, "--host", "127.0.0.1", "--log", "off"],
  },
  {
    name: "@stoplight/prism-cli",
    args: (bin, document, port) => [bin, "mock", document, "--port", port, "--verboseLevel", "silent"],
  },
  { name: "@scalar/cli", args: (bin, document, port) => [bin, "document", "mock", document, "--port", port] },
  {
    name: "@mockoon/cli",
    args: (bin, document, port) => [bin, "start", "--data", document, "--hostname", "127.0.0.1", "--port", port],
  },
];

/** What a server needs from its start to its first response, or why it has not responded. */
export type DocumentFigure = { server: string; document: string } & (
  | { cpuSeconds: number; memory: number }
  | { problem: string }
);

const ROUNDS = 3;

/** Measures the start of mock servers with large documents, in turn. Downloads the servers and documents for this run. */
export async function compareDocuments(): Promise<DocumentFigure[]> {
  const folder = mkdtempSync(`${tmpdir()}/resource-mock-documents-`);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  const figures: DocumentFigure[] = [];
  try {
    const own = await pack(repository, folder);
    const bins = new Map<string, string>();
    for (const { name } of servers) {
      const { bin } = await install(`${folder}/${name}`, name, name === "resource-mock" ? own : `${name}@latest`);
      bins.set(name, bin);
    }
    for (const { name: document, spec, file, path } of documents) {
      const place = `${folder}/${document}`;
      mkdirSync(place);
      await install(place, spec.replace(/@[^@]*$/, ""), spec);
      const written = readFileSync(`${place}/node_modules/${file}`);
      const plain = `${place}/document.json`;
      writeFileSync(plain, file.endsWith(".gz") ? gunzipSync(written) : written);
      for (const { name: server, args } of servers) {
        const start = () =>
          startAndRequest((port) => {
            const environment = { HOME: folder, USERPROFILE: folder };
            return { args: args(bins.get(server) ?? "", plain, `${port}`), folder, environment };
          }, path);
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
          figures.push({ server, document, cpuSeconds, memory: median(rounds.map(({ memory }) => memory)) });
        } catch (error) {
          figures.push({ server, document, problem: (error as Error).message });
        }
      }
    }
  } finally {
    remove();
  }
  return figures;
}

export function documentLine(figure: DocumentFigure): string {
  const title = `${figure.document}: ${figure.server}`.padEnd(38);
  if ("problem" in figure) return `${title} not measured: ${figure.problem}`;
  return `${title} ${`${figure.cpuSeconds.toFixed(2)} s of CPU`.padStart(15)}${mebibytes(figure.memory).padStart(10)}`;
}
