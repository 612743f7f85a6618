import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { connectResourceMock } from "../../src/client/client.ts";
import type { ArchiveDocument } from "../../src/client/types.ts";
import { createResourceMock, type ResourceMock } from "../../src/index.ts";
import { commandHere } from "../setup/command.ts";
import { folderOf } from "../setup/folder.ts";
import { json } from "../setup/mock.ts";
import { draft } from "../setup/resources.ts";
import { serving } from "../setup/serving.ts";

/** Creates a project with one resource, one request and an active scenario. */
async function projectOf(mock: ResourceMock, key: string): Promise<ArchiveDocument> {
  const project = mock.project(key);
  await project.use("flaky");
  await mock.fetch(`${project.baseUrl}/resource`, json("POST", draft));
  return project.archive();
}

async function useMock(): Promise<ResourceMock> {
  const mock = await createResourceMock({ seed: 7 });
  onTestFinished(() => mock.close());
  return mock;
}

/** Returns a response with all its parts that must be equal in a copy of the project. */
async function shownOf(response: Response): Promise<unknown> {
  const headers = Object.fromEntries([...response.headers].filter(([name]) => /^(location|mock-)/.test(name)));
  return [response.status, headers, await response.text()];
}

const open = (files: readonly string[], environment?: Record<string, string>) =>
  serving({ args: [...(files.length > 0 ? ["--open", ...files] : []), "--log", "off"], environment });

describe("resource-mock --open", () => {
  test("restores archives before the server is ready, and prints a link for each", { tags: ["process"] }, async () => {
    const mock = await useMock();
    const source = { test: "cart.test.ts > saves", savedAt: "2026-01-01T00:00:00.000Z" };
    const folder = folderOf({
      "a.json": { ...(await projectOf(mock, "shop")), source },
      "b.json": await projectOf(mock, "shop~a b"),
    });
    const files = ["a.json", "b.json"].map((name) => join(folder, name));
    const server = await open(files);
    const projects = await connectResourceMock(server.url).projects();
    const restoredAt = expect.any(String);
    expect(projects).toMatchObject([
      { key: "shop", requests: 1, archive: { ...source, file: files[0], restoredAt } },
      { key: "shop~a b", requests: 1, archive: { file: files[1], restoredAt } },
    ]);
    const ui = `${server.url}/__admin/ui#/projects`;
    await server.line(/b\.json/);
    expect(server.output().split("\n").slice(1, 3)).toEqual([
      `resource-mock opened ${files[0]} as the project "shop": ${ui}/shop/requests`,
      `resource-mock opened ${files[1]} as the project "shop~a b": ${ui}/shop~a%20b/requests`,
    ]);

    const create = "/shop/resource";
    for (let index = 0; index < 5; index++) {
      const [expected, found] = await Promise.all([
        mock.fetch(create, json("POST", draft)).then(shownOf),
        fetch(server.url + create, json("POST", draft)).then(shownOf),
      ]);
      expect(found).toEqual(expected);
    }
    expect(await server.stop()).toBe(0);
  });

  test("numbers archives with the same key, and reads files from the environment variable", {
    tags: ["process"],
  }, async () => {
    const mock = await useMock();
    const long = "k".repeat(256);
    const folder = folderOf({ "a.json": await projectOf(mock, "shop"), "long.json": await projectOf(mock, long) });
    const [file, longFile] = ["a.json", "long.json"].map((name) => join(folder, name));
    const files = [file, file, longFile, longFile, file].join(", ");
    const server = await open([], { RESOURCE_MOCK_OPEN: files });
    const projects = await connectResourceMock(server.url).projects();
    expect(projects.map(({ key }) => key)).toEqual(["shop", "shop-2", long, `${"k".repeat(254)}-2`, "shop-3"]);
    await server.line(/a\.json as the project "shop-3"/);
    expect(await server.stop()).toBe(0);
  });

  const archive = JSON.stringify({
    format: "resource-mock-archive/1",
    core: {
      origin: { seed: "0", projectKey: "KEY" },
      clock: { offset: 0 },
      requests: 0,
      errors: 0,
      violations: 0,
      stubbed: 0,
      requestIds: 0,
      forgotten: 0,
      uses: [],
    },
    settings: {},
    rules: { scenarios: [], rules: [], added: 0, periods: [] },
    coverage: { operations: [], violations: [], otherViolations: 0 },
    state: { resources: [], deleted: { ids: [], keys: [] }, images: [], numbered: 0 },
    snapshots: [],
    journal: [],
  });
  const location = "/core/origin/projectKey: expected";

  const changed = (from: string, to: string) => ({ "a.json": archive.replace(from, to) });

  test.each<[problem: string, name: string, files: Record<string, unknown>, message: string]>([
    ["a missing file", "nothing.json", {}, "not found"],
    ["a folder", ".", {}, "expected a file, found a folder. Pass the files in it."],
    ["an incomplete file", "a.json", { "a.json": archive.slice(0, -10) }, "The archive is not JSON: "],
    [
      "another format",
      "a.json",
      changed("archive/1", "archive/2"),
      '/format: expected "resource-mock-archive/1", found',
    ],
    ["a state", "a.json", { "a.json": { resources: [] } }, "/format: is required, found nothing (and 8 more)"],
    ["a reserved key", "a.json", changed("KEY", "__admin"), `${location} a key that is not reserved`],
    ["a key that no URL has", "a.json", changed("KEY", "\\ud800"), `${location} Unicode, found half of a character`],
  ])("ends with exit code 2 and one line for %s", async (_problem, name, files, message) => {
    const file = join(folderOf(files), name);
    const { code, stdout, stderr } = await commandHere(["--port", "0", "--open", file]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.startsWith(`resource-mock: ${file}: ${message}`)).toBe(true);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test("names the file that exceeds a limit of the server", async () => {
    const folder = folderOf({ "a.json": archive, "b.json": archive });
    const files = [join(folder, "a.json"), join(folder, "b.json")];
    const { code, stderr } = await commandHere(["--port", "0", "--max-projects", "1", "--open", ...files]);
    expect([code, stderr.startsWith(`resource-mock: ${files[1]}: Projects: expected at most 1`)]).toEqual([2, true]);
  });

  test.each([
    ["--projects", "projects"],
    ["--share", "redis://127.0.0.1:1"],
  ])("is rejected together with %s", async (flag, value) => {
    const { code, stderr } = await commandHere(["--port", "0", flag, value, "--open", "a.json"]);
    expect([code, stderr]).toEqual([
      2,
      `resource-mock: --open: expected without ${flag}, found both. To restore an archive in a running server, send it to PUT /__admin/projects/{projectKey}/archive.\n`,
    ]);
  });
});
