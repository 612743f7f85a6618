// @module-tag process
// @module-tag smoke
import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, describe, expect, inject, it } from "vitest";
import { json, newProject } from "../setup/mock.ts";
import { draft, update } from "../setup/resources.ts";
import { openReplicas, type Replicas } from "../share/engines.ts";

// Without Redis, the set-up of the run prints one line, and these tests are skipped.
describe.skipIf(inject("sharedRedis") === "")("three replicas that share a store", () => {
  let replicas: Replicas;
  let onDelay = () => {};
  const untilAborted = (_ms: number, ...signals: AbortSignal[]) =>
    new Promise<void>((resolve) => {
      for (const signal of signals) signal.addEventListener("abort", () => resolve(), { once: true });
      onDelay();
    });
  beforeAll(async () => {
    const urls = Array<string>(3).fill(inject("sharedRedis"));
    replicas = await openReplicas({ urls, prefix: randomUUID(), engine: { wait: untilAborted } });
  });
  afterAll(async () => {
    await replicas.close();
    expect(replicas.defects).toEqual([]);
  });

  async function created(project: string): Promise<string> {
    const response = await replicas.fetch(0, `/${project}/resource`, json("POST", draft));
    expect(response.status).toBe(201);
    return response.headers.get("Location") ?? "";
  }

  it("return a resource that another one has created and updated", async () => {
    const path = await created(newProject());
    expect((await replicas.fetch(1, path, update(1))).status).toBe(200);
    for (let replica = 0; replica < 3; replica++) {
      expect(await (await replicas.fetch(replica, path)).json()).toMatchObject({ version: 2 });
    }
  });

  it("return 409 when another one has updated the version", async () => {
    const path = await created(newProject());
    expect((await replicas.fetch(1, path, update(1))).status).toBe(200);
    expect((await replicas.fetch(2, path, update(1))).status).toBe(409);
  });

  it("accept one of several updates of a version at the same moment", async () => {
    const path = await created(newProject());
    const updates = Array.from({ length: 9 }, () => replicas.send(path, update(1)));
    const statuses = (await Promise.all(updates)).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, ...Array(8).fill(409)]);
  });

  it.each(["projects/PROJECT/reset", "reset"])("end a delayed request by a reset of another one: %s", async (reset) => {
    const project = newProject();
    await replicas.fetch(0, `/__admin/projects/${project}/rules`, json("POST", { latency: { fixed: 600_000 } }));
    const isDelayed = new Promise<void>((resolve) => {
      onDelay = resolve;
    });
    const delayed = replicas.fetch(1, `/${project}/resource`, json("POST", draft));
    await isDelayed;

    await replicas.fetch(2, `/__admin/${reset.replace("PROJECT", project)}`, { method: "POST" });

    expect((await delayed).status).toBe(503);
    const summary = await (await replicas.fetch(0, `/__admin/projects/${project}`)).json();
    expect(summary).toMatchObject({ resources: 5, requests: 0 });
  });
});
