import { beforeAll, expect, test } from "vitest";
import { newProject, useMock } from "../../setup/mock.ts";
import { tokenFor } from "../../setup/tokens.ts";
import { verifyAt } from "../upstreams.ts";
import { deviations } from "./deviations.ts";
import { startDeviating } from "./service.ts";

const mock = useMock("over a socket", { settings: { auth: "strict" }, checkResponses: false });

let token = "";
beforeAll(async () => {
  token = await tokenFor(mock);
});

const all = deviations(() => `Bearer ${token}`);

test("the names of the deviations are unique", () => {
  const names = all.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test.each(all)("$name: only the checks of this claim report it", async ({ deviate, reported, timeout = 60_000 }) => {
  await using service = await startDeviating(mock.url ?? "", deviate);
  const { results } = await verifyAt(service.url, {
    project: newProject(),
    credentials: { client: { id: "nightly", secret: "s3cr3t" }, tokenUrl: new URL(`${mock.url}/oauth/token`) },
    timeout,
  });
  const found = results.filter(({ outcome }) => outcome === "fail" || outcome === "differs");
  // The observed behaviour of an unexpected report is part of the message of a failed test.
  const names = found.map(({ name, seen }) => (reported.includes(name) ? name : `${name} (${seen})`));
  expect(names.toSorted()).toEqual(reported.toSorted());
});
