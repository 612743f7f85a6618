import { parentPort, workerData } from "node:worker_threads";

/**
 * A worker that sends health checks to the server at `workerData.url`, one after the other. To each message it replies,
 * after the check in progress, with the longest time of a check since the last reply, and the number of checks.
 */
let longest = 0;
let responses = 0;
let isAsked = false;

parentPort?.on("message", () => {
  isAsked = true;
});

for (;;) {
  const started = performance.now();
  // A connection of its own: a server that was busy closes idle ones.
  await (await fetch(`${workerData.url}/__admin/health`, { headers: { Connection: "close" } })).arrayBuffer();
  longest = Math.max(longest, performance.now() - started);
  responses++;
  if (isAsked) {
    parentPort?.postMessage({ longest, responses });
    longest = 0;
    responses = 0;
    isAsked = false;
  }
  await new Promise((resolve) => setTimeout(resolve, 2));
}
