import { parentPort, workerData } from "node:worker_threads";

/**
 * A worker that sends health checks to the server at `workerData.url`, one after the other. It replies to each message
 * after the current check. The reply has the number of checks since the last reply, and the time of the longest one.
 */
let longest = 0;
let responses = 0;
let isRequested = false;

parentPort?.on("message", () => {
  isRequested = true;
});

for (;;) {
  const started = performance.now();
  // A new connection for each check, because a busy server closes idle connections.
  await (await fetch(`${workerData.url}/__admin/health`, { headers: { Connection: "close" } })).arrayBuffer();
  longest = Math.max(longest, performance.now() - started);
  responses++;
  if (isRequested) {
    parentPort?.postMessage({ longest, responses });
    longest = 0;
    responses = 0;
    isRequested = false;
  }
  await new Promise((resolve) => setTimeout(resolve, 2));
}
