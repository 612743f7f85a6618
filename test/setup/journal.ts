import type { RequestEntry } from "../../src/journal/entry.ts";
import type { Exchange } from "../../src/journal/kept-exchange.ts";
import { inProject } from "./control.ts";
import type { MockUnderTest } from "./mock.ts";

/** Returns the requests in the journal of a project, newest first. */
export async function journalOf(mock: Pick<MockUnderTest, "fetch">, project: string): Promise<RequestEntry[]> {
  const { body } = await inProject<{ requests: RequestEntry[] }>(mock, project, "GET", "/requests?limit=1000");
  return body.requests;
}

/** Returns the entry of the last request of a project, from the journal. */
export async function lastRequest(
  mock: Pick<MockUnderTest, "fetch">,
  project: string,
): Promise<RequestEntry | undefined> {
  return (await journalOf(mock, project))[0];
}

/** Returns the last request of a project with its response, as the mock keeps it. */
export function lastExchange(mock: Pick<MockUnderTest, "inside">, project: string): Promise<Exchange | undefined> {
  return mock.inside(project, ({ journal }) => journal.list()[0]);
}
