import type { ShareOptions } from "../mock.ts";
import type { Options } from "./flags.ts";
import { Misuse } from "./values.ts";

const DEFAULT_PREFIX = "resource-mock";
const DEFAULT_TTL = 86_400;

/** Returns the shared store, or undefined without `--share`. Throws Misuse for a flag that needs `--share`. */
export function shareOptions({ share: url, sharePrefix, shareTtl }: Options<"serve">): ShareOptions | undefined {
  if (url !== undefined) return { url, prefix: sharePrefix ?? DEFAULT_PREFIX, ttl: shareTtl ?? DEFAULT_TTL };
  const alone = sharePrefix !== undefined ? "--share-prefix" : shareTtl !== undefined ? "--share-ttl" : undefined;
  if (alone) throw new Misuse(`${alone}: expected together with --share, found alone`);
  return undefined;
}
