import type { ShareOptions } from "../mock.ts";
import type { Options } from "./flags.ts";
import { Misuse } from "./values.ts";

const DEFAULT_PREFIX = "resource-mock";
const DEFAULT_TTL = 86_400;

/**
 * Returns the shared store, or undefined without `--share`. Throws Misuse for a flag that needs `--share`, and for
 * `--projects`, which keeps projects in another way.
 */
export function shareOptions(options: Options<"serve">): ShareOptions | undefined {
  const { share: url, sharePrefix, shareTtl, projects } = options;
  if (url !== undefined && projects !== undefined) {
    throw new Misuse("--projects: expected without --share, found both; the shared store keeps the projects");
  }
  if (url !== undefined) return { url, prefix: sharePrefix ?? DEFAULT_PREFIX, ttl: shareTtl ?? DEFAULT_TTL };
  const alone = sharePrefix !== undefined ? "--share-prefix" : shareTtl !== undefined ? "--share-ttl" : undefined;
  if (alone) throw new Misuse(`${alone}: expected together with --share, found alone`);
  return undefined;
}
