import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { Report } from "../../../src/verify/report.ts";
import { command } from "../../setup/command.ts";
import { folderOf } from "../../setup/folder.ts";
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

test.each([
  ["createResource returns 200", 1],
  ["sort is ignored", 1],
  ["createResource has no Location", 0],
])("the command reports the same: %s", async (deviation, exitCode) => {
  const { deviate, reported } = all.find(({ name }) => name === deviation) ?? expect.unreachable(deviation);
  await using service = await startDeviating(mock.url ?? "", deviate);
  const file = join(folderOf({}), "report.json");
  const flags = ["--upstream", service.url, "--project", newProject(), "--token", token, "--report", file];
  const { code } = await command(["verify", ...flags]);
  const { checks } = JSON.parse(readFileSync(file, "utf8")) as Report;
  const found = checks.filter(({ outcome }) => outcome === "fail" || outcome === "differs").map(({ name }) => name);
  expect([code, found]).toEqual([exitCode, reported]);
});
