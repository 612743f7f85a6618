import { expect, test } from "vitest";
import { MAX_KEPT_BODY } from "../../src/contract/limits.ts";
import { waitFor } from "../../src/control/wait-for-requests.ts";
import type { Project } from "../../src/project/project.ts";
import type { View } from "../../src/rules/matching/matcher.ts";
import { Effort } from "../../src/rules/matching/pattern.ts";
import { exchangeWith } from "../journal/exchanges.ts";
import { newProject, useMock } from "../setup/mock.ts";

const mock = useMock("in process");
const idIn = ({ request }: View) => (request as { id?: string }).id;

/** Waits for `count` requests, and calls `see` for each. Returns the ids of the arrived ones. */
async function wait(project: Project, count: number, see: (view: View) => void) {
  const until = { count, timeout: 1_000_000, signals: [] };
  const differences = (view: View) => {
    see(view);
    return [];
  };
  const { numbers } = await waitFor(project, { match: {}, size: 0, differences }, until, new Effort());
  return numbers.map((number) => project.journal.at(number)?.id);
}

test("counts each request once that arrives during the search in past requests", async () => {
  const project = mock.engine.projects.get(newProject());
  for (const id of ["1", "2"]) project.record(exchangeWith({ id }));
  const seen: unknown[] = [];
  const arrived = await wait(project, 3, (view) => {
    seen.push(idIn(view));
    if (seen.length === 1) project.record(exchangeWith({ id: "3" }));
  });
  expect([arrived, seen.toSorted()]).toEqual([
    ["3", "2", "1"],
    ["1", "2", "3"],
  ]);
});

test("sees the same part of a long body in new requests as in past ones", async () => {
  const project = mock.engine.projects.get(newProject());
  const requestBody = Buffer.from(JSON.stringify("x".repeat(2 * MAX_KEPT_BODY)));
  const bodies: unknown[] = [];
  project.record(exchangeWith({ requestBody }));
  await wait(project, 2, ({ body = {} }) => {
    if (bodies.push("unread" in body && body.unread) === 1) project.record(exchangeWith({ requestBody }));
  });
  const cut = `(${requestBody.length} bytes, which the journal has cut)`;
  expect(bodies).toEqual([cut, cut]);
});
