// @module-tag slow
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { Report } from "../../../src/verify/report.ts";
import { commandHere } from "../../setup/command.ts";
import { folderOf } from "../../setup/folder.ts";
import { newProject, useMock } from "../../setup/mock.ts";
import { tokenFor } from "../../setup/tokens.ts";
import { heldTimes, verifyAt } from "../upstreams.ts";
import { type Deviation, deviations } from "./deviations.ts";
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

/** Returns the operations whose checks run, or undefined for all. */
function operationsOf({ reported, only }: Deviation): readonly string[] | undefined {
  const ids = only ?? reported.map((name) => name.replace(/:.*/, ""));
  return ids.length > 0 ? ids : undefined;
}

test.each(all)("$name: only the checks of this claim report it", async (deviation) => {
  const { deviate, reported } = deviation;
  const { startTimer, end } = heldTimes();
  await using service = await startDeviating(mock.url ?? "", deviate, end);
  const { results } = await verifyAt(service.url, {
    project: newProject(),
    credentials: { client: { id: "nightly", secret: "s3cr3t" }, tokenUrl: new URL(`${mock.url}/oauth/token`) },
    startTimer,
    only: operationsOf(deviation),
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
])("the command reports the same, and exits with the code: %s, %d", async (name, exitCode) => {
  const deviation = all.find((each) => each.name === name) ?? expect.unreachable(name);
  await using service = await startDeviating(mock.url ?? "", deviation.deviate);
  const file = join(folderOf({}), "report.json");
  const only = operationsOf(deviation)?.join() ?? "";
  const flags = ["--upstream", service.url, "--project", newProject(), "--token", token, "--only", only];
  const { code } = await commandHere(["verify", ...flags, "--report", file]);
  const { checks } = JSON.parse(readFileSync(file, "utf8")) as Report;
  const found = checks.filter(({ outcome }) => outcome === "fail" || outcome === "differs").map((check) => check.name);
  expect([code, found]).toEqual([exitCode, deviation.reported]);
});
