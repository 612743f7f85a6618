import type { Exchange } from "../../src/journal/exchange.ts";
import type { MockUnderTest } from "./mock.ts";

/** The project's last request and its answer, as the journal keeps them. */
export function lastExchange(mock: MockUnderTest, project: string): Exchange | undefined {
  return mock.engine.projects.get(project).journal.list()[0];
}
