import { createHash, timingSafeEqual } from "node:crypto";

/** Whether a secret that was sent is the one that is expected, in a time that tells nothing of where they differ, nor of their lengths. */
export function isSameSecret(sent: string, expected: string): boolean {
  const hash = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(hash(sent), hash(expected));
}
