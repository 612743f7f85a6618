import { createHash } from "node:crypto";
import { ServiceError, shown } from "../contract/index.ts";
import type { ResourceRecord } from "../state/index.ts";
import { invalid } from "./control-response.ts";

/**
 * Returns the entity tag (RFC 9110, 8.8.3) of a resource. It depends on the content, as a client can replace a resource
 * without a change of its version.
 */
export function entityTag(record: ResourceRecord): string {
  return `"${createHash("sha256").update(JSON.stringify(record)).digest("base64url").slice(0, 24)}"`;
}

/** The description of the header `If-Match`. */
export const IF_MATCH =
  "The `ETag` of a previous response. If the resource has another tag now or does not exist, the call returns 412 and changes nothing. `*` matches any existing resource.";

/**
 * Throws PreconditionFailed if the record does not match the header `If-Match` (RFC 9110, 13.1.1). Throws InvalidField for
 * an invalid header. Without the header, every record matches.
 */
export function requireMatch(ifMatch: string | undefined, record: ResourceRecord | undefined): void {
  if (ifMatch === undefined) return;
  const isAny = ifMatch === "*";
  if (!isAny && !/^(W\/)?"[^"]*"$/.test(ifMatch)) {
    throw invalid("If-Match", `expected * or an entity tag, found ${shown(ifMatch)}`);
  }
  if (record && (isAny || ifMatch === entityTag(record))) return;
  const found = record ? `another tag, ${entityTag(record)}: the resource has changed` : "no resource";
  const message = `If-Match: expected the tag of the stored resource, found ${found}. Read the resource again`;
  throw new ServiceError({ code: "PreconditionFailed", message, field: "If-Match" });
}
