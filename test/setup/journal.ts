import type { Exchange } from "../../src/journal/exchange.ts";
import type { MockUnderTest } from "./mock.ts";

/** Returns the last request of a project with its response, from the journal. */
export function lastExchange(mock: Pick<MockUnderTest, "inside">, project: string): Promise<Exchange | undefined> {
  return mock.inside(project, ({ journal }) => journal.list()[0]);
}
