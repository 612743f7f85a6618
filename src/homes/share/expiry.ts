const REFRESH_SHARE = 0.1;
const REFRESH_MS = 60_000;

/**
 * Returns the interval in which the expiry of a used document is moved, in milliseconds. Documents therefore expire up to
 * this time later.
 */
export function refreshInterval(ttl: number): number {
  return Math.min(ttl * REFRESH_SHARE, REFRESH_MS);
}
