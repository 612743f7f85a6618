import { setTimeout as wait } from "node:timers/promises";
import { type BenchServer, type Command, freePort, launch, serverOf } from "../servers.ts";

/** One that Prism takes for a token; all servers are asked with it. */
export const authorization = "Bearer bench";

const PATIENCE = 60_000;

/**
 * Starts a server and asks for this path until it answers 200 with a JSON object: each tells in its own way that it is
 * ready, and some before they are. Throws its last words when it ends, or what it answers when time is up.
 */
export async function startAndAsk(commandFor: (port: number) => Command, path: string): Promise<BenchServer> {
  const port = await freePort();
  const child = launch(commandFor(port), ["ignore", "ignore", "pipe"]);
  const server = serverOf(child, port);
  let words = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    words = (words + text).slice(-2000);
  });
  const deadline = performance.now() + PATIENCE;
  let response = "nothing";
  while (performance.now() < deadline) {
    const ended = child.exitCode ?? child.signalCode;
    if (ended !== null) throw new Error(`it ended with ${ended}: ${reasonIn(words)}`);
    response = await ask(`${server.url}${path}`);
    if (response === "") return server;
    await wait(2);
  }
  await server.stop();
  throw new Error(`after ${PATIENCE / 1000} s it answered ${response}`);
}

/** What is wrong with the answer, if anything. */
async function ask(url: string): Promise<string> {
  try {
    const response = await fetch(url, { headers: { authorization }, signal: AbortSignal.timeout(PATIENCE) });
    const text = await response.text();
    if (response.status !== 200) return `${response.status}`;
    return typeof JSON.parse(text) === "object" ? "" : text.slice(0, 100);
  } catch {
    return "nothing";
  }
}

function reasonIn(words: string): string {
  const lines = words.trim().split("\n");
  return (lines.find((line) => line.includes("Error:")) ?? lines.at(-1)) || "it said nothing";
}
