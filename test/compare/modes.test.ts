// @module-tag slow
import { describe, expect, test } from "vitest";
import { newProject, useMock } from "../setup/mock.ts";
import { configure } from "../setup/resources.ts";
import { compareAt } from "./upstreams.ts";

const writes = ["createResource", "overwriteResource", "createOrOverwriteResource"];

/** Returns the checks that report a deviation, with what they saw. */
function reported({ results }: Awaited<ReturnType<typeof compareAt>>): string[] {
  return results
    .filter(({ outcome }) => outcome === "fail" || outcome === "differs")
    .map(({ name, seen }) => `${name} (${seen})`);
}

describe("a mock with another seed", () => {
  const mock = useMock("over a socket", { seed: 7 });

  test.each<[string, Parameters<typeof configure>[2], string[]?]>([
    ["unknownIds: not-found", { unknownIds: "not-found" }],
    ["collection: paged", { collection: "paged" }],
    ["latency", { latency: { uniform: [0, 10] } }, [...writes, "updateResource"]],
  ])("passes with %s", async (_name, settings, only) => {
    const project = newProject();
    await configure(mock, project, settings);
    const result = await compareAt(mock.url, { project, only });
    expect([reported(result), result.leftOver]).toEqual([[], []]);
  });
});

describe("a mock with strict auth", () => {
  const clients = new Map([["ci", "s3cret"]]);
  const mock = useMock("over a socket", { settings: { auth: "strict", unknownIds: "not-found" }, clients });

  test.each<[project: string, only?: string[]]>([
    ["strict"],
    ["demo~t1", ["getResourceByKey", "updateResource"]],
    ["p@q", ["getResourceByKey", "updateResource"]],
    ["100%", ["getResourceByKey", "updateResource"]],
    ["a/b", ["getResourceByKey", "updateResource"]],
  ])("passes every check with a client in the project %s, and skips none", async (project, only) => {
    const credentials = { client: { id: "ci", secret: "s3cret" }, tokenUrl: new URL(`${mock.url}/oauth/token`) };
    const { results, leftOver } = await compareAt(mock.url, { project, credentials, only });
    expect(results.filter(({ outcome }) => outcome !== "pass")).toEqual([]);
    expect(leftOver).toEqual([]);
  });
});
