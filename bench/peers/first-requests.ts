import { setTimeout as wait } from "node:timers/promises";
import type { Figure } from "../figures.ts";
import { withServer } from "../measuring.ts";
import { type BenchServer, mockCommand } from "../servers.ts";
import { startAndRequest } from "./start.ts";

const methodsWithBody = new Set(["POST", "PUT", "PATCH"]);

/**
 * Sends the first request of each operation of a document, one after the other. Yields the longest one, and the longest
 * health check meanwhile: the first request of an operation compiles the validators of its schemas.
 */
export async function* firstRequests(name: string, document: string): AsyncGenerator<Figure> {
  const start = () => startAndRequest((port) => mockCommand(port, "--contract", document), "/__admin/health");
  const { longest, wait: kept, count } = await withServer(start, measure);
  const from = `${count} operations`;
  yield { what: `${name}: first request of an operation`, value: longest, unit: "ms", bar: { atMost: 300 }, from };
  const meanwhile = `longest health check meanwhile, of ${from}`;
  yield { what: `${name}: wait of others`, value: kept, unit: "ms", bar: { atMost: 250 }, from: meanwhile };
}

async function measure({ url }: BenchServer) {
  const { paths } = (await (await fetch(`${url}/__admin/contract.json`)).json()) as { paths: Record<string, object> };
  const operations = Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item)
      .filter((method) => /^(?:get|put|post|delete|patch)$/.test(method))
      .map((method) => ({ method: method.toUpperCase(), path: path.replace(/\{[^{}]*\}/g, "1") })),
  );
  const timeOf = async (path: string, init?: RequestInit) => {
    const started = performance.now();
    await (await fetch(url + path, init)).arrayBuffer();
    return performance.now() - started;
  };
  let isDone = false;
  const checks = (async () => {
    const times: number[] = [];
    while (!isDone) {
      times.push(await timeOf("/__admin/health"));
      await wait(2);
    }
    return Math.max(...times);
  })();
  const times: number[] = [];
  for (const { method, path } of operations) {
    const headers = { "Content-Type": "application/json", Authorization: "Bearer bench" };
    times.push(
      await timeOf(path, { method, headers, redirect: "manual", body: methodsWithBody.has(method) ? "{}" : undefined }),
    );
  }
  isDone = true;
  return { longest: Math.max(...times), wait: await checks, count: operations.length };
}
