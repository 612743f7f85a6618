import { setTimeout } from "node:timers/promises";
import type { Octokit } from "@octokit/rest";

export interface Repository {
  readonly owner: string;
  readonly repo: string;
}

/** Returns the number of the open issue with a title. If the repository has no such issue, creates the issue. */
export async function reportProblem(octokit: Octokit, repository: Repository, title: string): Promise<number> {
  const { issues } = octokit.rest;
  const open = await octokit.paginate(issues.listForRepo, { ...repository, state: "open", per_page: 100 });
  const known = open.find((issue) => issue.title === title);
  if (known) return known.number;
  const created = await retryAfterLimit(() => issues.create({ ...repository, title }));
  return created.data.number;
}

/**
 * Sends a request. If GitHub limits the rate of requests, waits as long as `Retry-After` says, and sends the request again
 * once. The SDK does not retry by itself.
 */
async function retryAfterLimit<T>(send: () => Promise<T>): Promise<T> {
  try {
    return await send();
  } catch (error) {
    const { status, response } = error as { status?: number; response?: { headers: Record<string, string> } };
    if (status !== 429) throw error;
    await setTimeout(1000 * Number(response?.headers["retry-after"] ?? 1));
    return send();
  }
}
