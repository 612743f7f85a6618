import { setTimeout } from "node:timers/promises";

const MAX_ATTEMPTS = 3;

/**
 * Fetches, and retries after 429 and 503. Waits between the attempts for as long as `Retry-After` says.
 *
 * @param {string} url
 * @param {RequestInit} [init]
 */
export async function patientFetch(url, init) {
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(url, init);
    if (![429, 503].includes(response.status) || attempt === MAX_ATTEMPTS) return response;
    await setTimeout(1000 * Number(response.headers.get("Retry-After") ?? 1));
  }
}
