import type { Exchange } from "../../src/journal/exchange.ts";
import type { MockUnderTest } from "./mock.ts";

/** Returns the last request of a project with its response, from the journal. */
export function lastExchange(mock: Pick<MockUnderTest, "engine">, project: string): Exchange | undefined {
  return mock.engine.projects.get(project).journal.list()[0];
}
