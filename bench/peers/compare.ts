import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { sample } from "../against-bare.ts";
import { mebibytes, median, milliseconds, perSecond } from "../figures.ts";
import type { Requests } from "../load.ts";
import { inTurn, rateOf, warmUp, withServer } from "../measuring.ts";
import { type BenchServer, bareCommand, repository, startMock } from "../servers.ts";
import { type Installed, install, pack } from "./install.ts";
import { type Material, type Peer, peers, provide, resourcePath } from "./peers.ts";
import { authorization, startAndRequest } from "./start.ts";

/** The measurements of a server, or the reason why it could not be installed or started. */
export type PeerFigure = Candidate & (Measured | { problem: string });

interface Candidate {
  name: string;
  serves: string;
  installed?: Omit<Installed, "bin">;
}

interface Measured {
  /** Milliseconds from the spawn to the end of the first valid response. */
  start: number;
  requestsPerSecond: number;
  /** Resident memory after the first response, in bytes. */
  memory: number;
}

interface Participant extends Candidate {
  requests: Requests;
  start(): Promise<BenchServer>;
}

/**
 * Compares resource-mock with other mock servers and with the bare server. Downloads the servers for this run, reads one
 * resource from each, and removes them at the end. Reports a reason for each server that cannot be installed or started.
 */
export async function compareWithPeers(): Promise<PeerFigure[]> {
  const folder = mkdtempSync(`${tmpdir()}/resource-mock-peers-`);
  const remove = () => rmSync(folder, { recursive: true, force: true });
  process.once("exit", remove);
  const response = await withServer(startMock, (server) => sample(server, resourcePath));
  const openapi = execFileSync(process.execPath, [`${repository}dist/bin.mjs`, "openapi"], { encoding: "utf8" });
  const material = { resource: JSON.parse(response.body), openapi };

  const participants: Participant[] = [
    {
      name: "bare node:http",
      serves: "the same bytes as resource-mock",
      requests: requestsTo(resourcePath),
      start: () => startAndRequest((port) => bareCommand({ GET: response }, port), resourcePath),
    },
  ];
  const failed: PeerFigure[] = [];
  for (const peer of peers) {
    try {
      participants.push(await prepared(peer, folder, material));
    } catch (error) {
      failed.push({ name: peer.name, serves: peer.serves, problem: (error as Error).message });
    }
  }
  const figures = [...(await measured(participants)), ...failed];
  remove();
  return figures;
}

/** Installs a peer, and checks that it responds. */
async function prepared(peer: Peer, parent: string, material: Material): Promise<Participant> {
  const { name, serves, path } = peer;
  const folder = `${parent}/${name}`;
  const spec = name === "resource-mock" ? await pack(repository, parent) : `${name}@latest`;
  const { bin, ...installed } = await install(folder, name, spec);
  provide(folder, material);
  // Files in the home folder of the peer are removed with the folder.
  const environment = { HOME: folder, USERPROFILE: folder };
  const start = () => startAndRequest((port) => ({ args: peer.args(bin, `${port}`), folder, environment }), path);
  const requests = requestsTo(path);
  await withServer(start, (server) => rateOf(server, requests));
  return { name, serves, installed, requests, start };
}

function requestsTo(path: string): Requests {
  return { kind: "get", paths: [path], headers: `Authorization: ${authorization}\r\n` };
}

async function measured(participants: readonly Participant[]): Promise<PeerFigure[]> {
  const inTurnOf = (value: (participant: Participant, index: number) => Promise<number>, rounds?: number) =>
    inTurn(Object.fromEntries(participants.map((each, index) => [each.name, () => value(each, index)])), rounds);
  const starts = await inTurnOf(async ({ start }) => {
    const started = performance.now();
    return withServer(start, async () => performance.now() - started);
  }, 7);
  const memory = await inTurnOf(({ start }) => withServer(start, async (server) => server.residentBytes()), 3);
  const servers = await Promise.all(participants.map(({ start }) => start()));
  for (const [index, { requests }] of participants.entries()) await warmUp(servers[index] as BenchServer, requests);
  const rates = await inTurnOf(({ requests }, index) => rateOf(servers[index] as BenchServer, requests));
  await Promise.all(servers.map((server) => server.stop()));
  return participants.map(({ name, serves, installed }) => ({
    name,
    serves,
    installed,
    start: median(starts[name] ?? []),
    requestsPerSecond: median(rates[name] ?? []),
    memory: median(memory[name] ?? []),
  }));
}

export function peerLine(figure: PeerFigure): string {
  const { name, installed } = figure;
  const title = `${name} ${installed?.version ?? ""}`.padEnd(38);
  if ("problem" in figure) return `${title} not measured: ${figure.problem}`;
  const cells = [milliseconds(figure.start), perSecond(figure.requestsPerSecond), mebibytes(figure.memory)];
  const size = installed ? `${(installed.size / 1e6).toFixed(1)} MB, ${installed.packages} packages` : "";
  return `${title} ${cells.map((cell) => cell.padStart(10)).join("")}   ${size}`;
}
