import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { connectResourceMock } from "../../src/client.ts";
import { createResourceMock, type ResourceMock } from "../../src/index.ts";
import { archiveText } from "../setup/archives.ts";
import { commandHere } from "../setup/command.ts";
import { folderOf } from "../setup/folder.ts";
import { json } from "../setup/mock.ts";
import { draft } from "../setup/resources.ts";
import { serving } from "../setup/serving.ts";

/** Creates a project with one resource, one request and an active scenario. */
async function projectOf(mock: ResourceMock, key: string): Promise<string> {
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
      "a.ndjson": (await projectOf(mock, "shop")).replace("\n", `\n${JSON.stringify({ source })}\n`),
      "b.ndjson": await projectOf(mock, "shop~a b"),
    });
    const files = ["a.ndjson", "b.ndjson"].map((name) => join(folder, name));
    const server = await open(files);
    const projects = await connectResourceMock(server.url).projects();
    const restoredAt = expect.any(String);
    expect(projects).toMatchObject([
      { key: "shop", requests: 1, archive: { ...source, file: files[0], restoredAt } },
      { key: "shop~a b", requests: 1, archive: { file: files[1], restoredAt } },
    ]);
    // This server has not received the requests.
    expect(await connectResourceMock(server.url).coverage()).toMatchObject({ requests: 0 });
    expect(await connectResourceMock(server.url).project("shop").coverage()).toMatchObject({ requests: 1 });
    const ui = `${server.url}/__admin/ui#/projects`;
    await server.line(/b\.ndjson/);
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
    const folder = folderOf({ "a.ndjson": await projectOf(mock, "shop"), "long.ndjson": await projectOf(mock, long) });
    const [file, longFile] = ["a.ndjson", "long.ndjson"].map((name) => join(folder, name));
    const files = [file, file, longFile, longFile, file].join(", ");
    const server = await open([], { RESOURCE_MOCK_OPEN: files });
    const projects = await connectResourceMock(server.url).projects();
    expect(projects.map(({ key }) => key)).toEqual(["shop", "shop-2", long, `${"k".repeat(254)}-2`, "shop-3"]);
    await server.line(/a\.ndjson as the project "shop-3"/);
    expect(await server.stop()).toBe(0);
  });

  const archive = archiveText({
    format: "resource-mock-archive/4",
    core: {
      origin: { seed: "0", projectKey: "KEY" },
      clock: { offset: 0 },
      counts: { requests: 0, errors: 0, violations: 0, stubbed: 0, requestIds: 0, lastSerial: 0 },
      facts: { start: "sample", numbered: 0 },
      uses: [],
    },
    end: true,
  });
  const location = "/core/origin/projectKey: expected";

  const changed = (from: string, to: string) => ({ "a.ndjson": archive.replace(from, to) });

  test.each<[problem: string, name: string, files: Record<string, unknown>, message: string]>([
    ["a missing file", "nothing.ndjson", {}, "not found"],
    ["a folder", ".", {}, "expected a file, found a folder. Pass the files in it."],
    ["an incomplete line", "a.ndjson", { "a.ndjson": archive.slice(0, -10) }, "Line 3 is not JSON: "],
    [
      "an incomplete file",
      "a.ndjson",
      changed('{"end":true}\n', ""),
      '/end: line 3: expected the last line {"end":true}, found none',
    ],
    [
      "another format",
      "a.ndjson",
      changed("archive/4", "archive/1"),
      '/format: line 1: expected "resource-mock-archive/4", found',
    ],
    ["a state", "a.ndjson", { "a.ndjson": { resources: [] } }, "expected an archive, found a state document. PUT "],
    ["a reserved key", "a.ndjson", changed("KEY", "__admin"), `${location} a key that is not reserved`],
    ["a key that no URL has", "a.ndjson", changed("KEY", "\\ud800"), `${location} a text other than "." and ".."`],
  ])("the command ends with exit code 2 and one line for %s", async (_problem, name, files, message) => {
    const file = join(folderOf(files), name);
    const { code, stdout, stderr } = await commandHere(["--port", "0", "--open", file]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.startsWith(`resource-mock: ${file}: ${message}`)).toBe(true);
    expect(stderr.trimEnd().split("\n")).toHaveLength(1);
  });

  test("names the file that exceeds a limit of the server", async () => {
    const folder = folderOf({ "a.ndjson": archive, "b.ndjson": archive });
    const files = [join(folder, "a.ndjson"), join(folder, "b.ndjson")];
    const { code, stderr } = await commandHere(["--port", "0", "--max-projects", "1", "--open", ...files]);
    expect([code, stderr.startsWith(`resource-mock: ${files[1]}: Projects: expected at most 1`)]).toEqual([2, true]);
  });

  test.each([
    ["--projects", "projects"],
    ["--share", "redis://127.0.0.1:1"],
  ])("the server rejects an archive together with %s", async (flag, value) => {
    const { code, stderr } = await commandHere(["--port", "0", flag, value, "--open", "a.ndjson"]);
    expect([code, stderr]).toEqual([
      2,
      `resource-mock: --open: expected without ${flag}, found both; to restore an archive in a running server, send it to PUT /__admin/projects/{projectKey}/archive\n`,
    ]);
  });
});
