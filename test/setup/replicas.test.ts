import { expect, it, onTestFinished } from "vitest";
import { startReplicas } from "./replicas.ts";

it("replaces a killed replica behind the same address", async () => {
  const replicas = await startReplicas(2, []);
  onTestFinished(() => replicas.close());
  const processes = replicas.replicas.map((replica) => replica.process.pid);

  await replicas.replace(1);
  replicas.balancer.use([1]);

  expect((await fetch(`${replicas.url}/p/resource`)).status).toBe(200);
  expect(replicas.replicas[0]?.process.pid).toBe(processes[0]);
  expect(replicas.replicas[1]?.process.pid).not.toBe(processes[1]);
});
