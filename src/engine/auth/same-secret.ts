import { createHash, timingSafeEqual } from "node:crypto";

/**
 * Returns whether the secrets are equal. The time of the comparison depends neither on the first difference nor on the
 * lengths.
 */
export function isSameSecret(sent: string, expected: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(sent), hash(expected));
}
