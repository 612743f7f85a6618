import { once } from "node:events";
import { readdirSync } from "node:fs";
import { createServer } from "node:net";
import { expect, test } from "vitest";
import { createResourceMock, startResourceMock } from "../../src/index.ts";
import { folderOf } from "../setup/folder.ts";

const draft = { objectTypeProperty: { arrayOfIntExample: [1] } };

test("the option projects keeps projects between mocks", async () => {
  const projects = folderOf({});
  const first = await createResourceMock({ projects });
  const { id } = await first.project("shop").seed(draft);
  await first.close();
  const second = await startResourceMock({ projects });
  expect(await second.project("shop").resources.get(id)).toMatchObject(draft);
  await second.close();
});

test("two mocks in one process cannot use one folder", async () => {
  const projects = folderOf({});
  await using _first = await createResourceMock({ projects });
  await expect(createResourceMock({ projects })).rejects.toThrow(`found one with the process id ${process.pid}`);
});

test("a mock that cannot listen does not keep the folder", async () => {
  const projects = folderOf({});
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as { port: number };
  await expect(startResourceMock({ projects, port })).rejects.toThrow("in use");
  expect(readdirSync(projects)).toEqual([]);
  taken.close();
});
