import { type Balancer, openBalancer } from "./balancer.ts";
import { type Serving, serving } from "./serving.ts";

/** Replicas of the command, each in a process of its own, behind a balancer that picks a random one for each request. */
export interface Replicas {
  /** The address of the balancer. */
  readonly url: string;
  readonly balancer: Balancer;
  /** The running replicas, by number. */
  readonly replicas: readonly Serving[];
  /** Kills a replica, and starts another process in its place. Requests during the kill fail. */
  replace(replica: number): Promise<void>;
  close(): Promise<void>;
}

/** Starts replicas with these arguments, such as `--share`. The same seed results in the same picks of the balancer. */
export async function startReplicas(count: number, args: readonly string[], seed = "replicas"): Promise<Replicas> {
  const replicas = await Promise.all(Array.from({ length: count }, () => serving({ args })));
  const balancer = await openBalancer(
    replicas.map(({ url }) => url),
    seed,
  );
  return {
    url: balancer.url,
    balancer,
    replicas,
    async replace(replica) {
      await replicas[replica]?.stop("SIGKILL");
      const next = await serving({ args });
      replicas[replica] = next;
      balancer.replace(replica, next.url);
    },
    async close() {
      await balancer.close();
      await Promise.all(replicas.map((each) => each.stop("SIGKILL")));
    },
  };
}
