import { expect, test } from "vitest";
import { archivePieces, readArchive, restoreArchive } from "../../src/archive/archive.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { draft } from "../setup/resources.ts";

const mock = useMock("in process");

const bytesOf = (value: unknown) => Buffer.from(typeof value === "string" ? value : JSON.stringify(value));

async function textOf(project: string): Promise<string> {
  return [...(await archivePieces(mock.engine.projects.get(project)))].join("");
}

test("the text of an archive can be read and restored without HTTP", async () => {
  const project = newProject();
  await mock.resource(project, "", json("POST", draft));
  const text = await textOf(project);
  const copy = newProject();
  await restoreArchive(mock.engine, copy, await readArchive(bytesOf(text)));
  expect(await textOf(copy)).toBe(text);
});

test("the text shows one moment: later requests do not change it", async () => {
  const project = newProject();
  await mock.resource(project, "", json("POST", draft));
  const pieces = await archivePieces(mock.engine.projects.get(project));
  const before = await textOf(project);
  await mock.resource(project, "", json("POST", draft));
  await mock.fetch(`/__admin/projects/${project}/settings`, json("PATCH", { auth: "off" }));
  expect([...pieces].join("")).toBe(before);
});

test.each([
  ["text that is not JSON", "{", "InvalidJsonInput", undefined],
  ["another value", "[]", "InvalidField", ""],
  ["another format", { format: "resource-mock-archive/0" }, "InvalidField", "/format"],
  ["a missing format", { core: {} }, "InvalidField", "/format"],
  ["a number that would change", '{ "format": 1e400 }', "InvalidField", "/format"],
] as const)("reading rejects %s", async (_name, content, code, field) => {
  await expect(readArchive(bytesOf(content))).rejects.toMatchObject({
    details: expect.arrayContaining([expect.objectContaining({ code, ...(field !== undefined && { field }) })]),
  });
});
