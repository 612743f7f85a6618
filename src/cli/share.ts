import type { SharedHome } from "../homes/share/index.ts";
import { Misuse, type Options } from "../library/index.ts";

const DEFAULT_PREFIX = "resource-mock";
/** The default time after which untouched projects expire, in seconds. */
const DEFAULT_TTL_MS = 86_400_000;

/**
 * Opens the shared store; undefined without `--share`. Throws Misuse for a flag that needs `--share`, and for
 * `--projects`, which keeps projects in another way.
 */
export async function openShare(options: Options<"serve">): Promise<SharedHome | undefined> {
  const { share: url, sharePrefix, shareTtl, projects, maxProjects } = options;
  if (url === undefined) {
    const alone = sharePrefix !== undefined ? "--share-prefix" : shareTtl !== undefined ? "--share-ttl" : undefined;
    if (alone) throw new Misuse(`${alone}: expected together with --share, found alone`);
    return undefined;
  }
  if (projects !== undefined) {
    throw new Misuse("--projects: expected without --share, found both; the shared store keeps the projects");
  }
  const { openSharedHome } = await import("../homes/share/index.ts");
  return openSharedHome({ url, prefix: sharePrefix ?? DEFAULT_PREFIX, ttl: shareTtl ?? DEFAULT_TTL_MS, maxProjects });
}
