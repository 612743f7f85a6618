import { setTimeout } from "node:timers/promises";

const MAX_ATTEMPTS = 3;

/**
 * Fetches, and asks again where the service says that it is busy or down (429, 503), as much later as it says.
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
