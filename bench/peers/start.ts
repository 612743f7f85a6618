import { setTimeout as wait } from "node:timers/promises";
import { stripVTControlCharacters } from "node:util";
import { type BenchServer, type Command, freePort, launch, serverOf } from "../servers.ts";

/** The `Authorization` header of all requests. Prism requires one. */
export const authorization = "Bearer bench";

const TIMEOUT = 60_000;

/**
 * Starts a server and requests this path until the response is 200 with a JSON object. The ready messages of the servers
 * differ, and some come too early. Throws with the error output if the server ends, or with the last response after the
 * timeout.
 */
export async function startAndRequest(commandFor: (port: number) => Command, path: string): Promise<BenchServer> {
  const port = await freePort();
  const child = launch(commandFor(port), ["ignore", "ignore", "pipe"]);
  const server = serverOf(child, port);
  let errorOutput = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    errorOutput = (errorOutput + text).slice(-2000);
  });
  const deadline = performance.now() + TIMEOUT;
  let response = "nothing";
  while (performance.now() < deadline) {
    const ended = child.exitCode ?? child.signalCode;
    if (ended !== null) throw new Error(`the server ended with ${ended}: ${reasonIn(errorOutput)}`);
    response = await problemOf(`${server.url}${path}`);
    if (response === "") return server;
    await wait(2);
  }
  await server.stop();
  throw new Error(`the server: expected 200 with a JSON object within ${TIMEOUT / 1000} s, found ${response}`);
}

/** Returns the problem of the response, or an empty text for a valid one. */
async function problemOf(url: string): Promise<string> {
  try {
    const response = await fetch(url, { headers: { authorization }, signal: AbortSignal.timeout(TIMEOUT) });
    const text = await response.text();
    if (response.status !== 200) return `${response.status}`;
    return typeof JSON.parse(text) === "object" ? "" : text.slice(0, 100);
  } catch {
    return "nothing";
  }
}

function reasonIn(errorOutput: string): string {
  const lines = stripVTControlCharacters(errorOutput).trim().split("\n");
  return (lines.find((line) => line.includes("Error:")) ?? lines.at(-1)) || "no error output";
}
