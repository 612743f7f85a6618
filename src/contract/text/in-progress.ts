import { counted, cut } from "./shown.ts";

/** A request that has arrived and has no response yet. */
interface Pending {
  readonly operation?: string;
  readonly method: string;
  readonly path: string;
  /** In milliseconds. */
  readonly duration: number;
}

/** The number of requests that the text names. */
const NAMED = 3;

/** Returns a text such as `1 request is in progress (getResourceById, 300 ms)`. */
export function inProgressText(requests: readonly Pending[]): string {
  const names = requests.slice(0, NAMED).map(({ operation, method, path, duration }) => {
    return `${operation ?? `${method} ${cut(path, 100)}`}, ${Math.round(duration)} ms`;
  });
  if (requests.length > NAMED) names.push("…");
  return `${counted(requests.length, "request")} ${requests.length === 1 ? "is" : "are"} in progress (${names.join("; ")})`;
}
