import { readdirSync, readFileSync } from "node:fs";
import { afterEach, expect, test, vi } from "vitest";
import { createResourceMock, type ResourceMock } from "../../src/index.ts";
import { archiveFileOf, removeArchive, writeArchive } from "../../src/library/testing/test-files.ts";
import { folderOf } from "../setup/folder.ts";

afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

const named = { name: "cart-fails-1a2b3c4d", test: "cart.test.ts > fails" };

/** Returns the file of a failed test in a folder. */
function fileIn(folder: string, name = named.name) {
  const file = archiveFileOf(folder, { ...named, name });
  if (!file) throw new Error("expected a file, found none");
  return file;
}

async function projectWithSecret(mock: ResourceMock) {
  const project = mock.project("cart");
  await mock.fetch(`${project.baseUrl}/resource`, { headers: { Authorization: "Bearer my-secret" } });
  return project;
}

test("writes the archive with its test and the real time, without credentials, and says how to open it", async () => {
  await using mock = await createResourceMock();
  const folder = folderOf({});
  const file = fileIn(`${folder}/of/failed tests/`);
  const project = await projectWithSecret(mock);
  vi.useFakeTimers({ now: 0 });
  const line = await writeArchive(project, file);
  const path = `${folder}/of/failed tests/cart-fails-1a2b3c4d.ndjson`;
  expect(line).toBe(`archive: ${path} (open it with \`npx resource-mock --open '${path}'\`)`);
  const text = readFileSync(path, "utf8");
  const [format, second = "", ...others] = text.split("\n");
  const { source } = JSON.parse(second);
  expect(source).toEqual({ test: "cart.test.ts > fails", savedAt: expect.stringMatching(/^20(?!0)/) });
  expect([format, ...others].join("\n")).toBe(await project.archive());
  expect(text).not.toContain("my-secret");
  expect(readdirSync(`${folder}/of/failed tests`)).toEqual(["cart-fails-1a2b3c4d.ndjson"]);

  await mock.project("copy").restoreArchive(text);
  expect((await mock.project("copy").summary()).archive).toMatchObject(source);
  removeArchive(file);
  removeArchive(file);
  expect(readdirSync(`${folder}/of/failed tests`)).toEqual([]);
});

test("replaces the archive of an earlier run, and cuts a long name of a test", async () => {
  await using mock = await createResourceMock();
  const folder = folderOf({ "cart-fails-1a2b3c4d.ndjson": "earlier" });
  const project = await projectWithSecret(mock);
  await writeArchive(project, { ...fileIn(folder), test: "x".repeat(5000) });
  await mock.project("copy").restoreArchive(readFileSync(`${folder}/cart-fails-1a2b3c4d.ndjson`, "utf8"));
  expect((await mock.project("copy").summary()).archive?.test).toHaveLength(1000);
});

test("the option overrides the environment variable, and an empty variable is ignored", () => {
  expect(archiveFileOf(undefined, named)).toBeUndefined();
  vi.stubEnv("RESOURCE_MOCK_ARCHIVE_FAILURES", "");
  expect(archiveFileOf(undefined, named)).toBeUndefined();
  vi.stubEnv("RESOURCE_MOCK_ARCHIVE_FAILURES", "from-variable");
  expect(archiveFileOf(undefined, named)?.path).toBe("from-variable/cart-fails-1a2b3c4d.ndjson");
  expect(archiveFileOf("from-option", named)?.path).toBe("from-option/cart-fails-1a2b3c4d.ndjson");
  expect(archiveFileOf("/", named)?.path).toBe("//cart-fails-1a2b3c4d.ndjson");
});

test("there are no archives in a sweep, where tests fail on purpose", () => {
  vi.stubEnv("RESOURCE_MOCK_SWEEP", "/run");
  expect(archiveFileOf("archives", named)).toBeUndefined();
});
