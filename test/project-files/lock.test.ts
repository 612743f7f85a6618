import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { LOCK_FILE, lockFolder } from "../../src/homes/files/folder-lock.ts";
import { folderOf } from "../setup/folder.ts";

test("only one process at a time has the lock", async () => {
  const folder = folderOf({});
  const lock = await lockFolder(folder);
  await expect(lockFolder(folder)).rejects.toThrow(
    `${folder}: expected a folder that no other process uses, found the process id ${process.pid}. Stop it, or use another folder.`,
  );
  await lock.release();
  expect(existsSync(join(folder, LOCK_FILE))).toBe(false);
  await (await lockFolder(folder)).release();
});

test("a process takes over the lock of a dead process", { tags: ["process"] }, async () => {
  const folder = folderOf({});
  const child = spawn(process.execPath, ["--version"]);
  await once(child, "exit");
  await takeOver(folder, { pid: child.pid });
});

test("takes over the lock of a dead process whose pid another process has", async () => {
  await takeOver(folderOf({}), { pid: process.pid, started: "1" });
});

test("takes over the lock of a dead process whose pid another process has, without the start of the process", async () => {
  await takeOver(folderOf({}), { pid: process.pid, started: undefined });
});

test("takes over a lock of another container if its server does not mark it", async () => {
  await takeOver(folderOf({}), { pid: process.pid, home: "other" });
});

test("does not take over a lock of another container if its server marks it", async () => {
  const folder = folderOf({});
  const lock = await lockFolder(folder);
  change(folder, { pid: 1, home: "other" });
  await expect(lockFolder(folder)).rejects.toThrow("found the process id 1.");
  await lock.release();
});

test("takes over a lock whose server was killed before it wrote its pid", async () => {
  const folder = folderOf({ [LOCK_FILE]: "" });
  await (await lockFolder(folder, 1)).release();
});

test("one of many processes that take over a lock at the same moment gets the lock", async () => {
  const folder = folderOf({ [LOCK_FILE]: "" });
  const results = await Promise.allSettled(Array.from({ length: 10 }, () => lockFolder(folder, 1)));
  const locks = results.filter((result) => result.status === "fulfilled");
  expect(locks).toHaveLength(1);
  for (const { value } of locks) await value.release();
});

test("does not remove the lock of a server that takes over the lock of a dead process first", async () => {
  const folder = folderOf({});
  const file = join(folder, LOCK_FILE);
  const lock = await lockFolder(folder);
  const first = readFileSync(file, "utf8");
  change(folder, { started: "1" });
  // The other server is faster: it replaces the lock while this one looks for the dead process.
  using kill = vi.spyOn(process, "kill").mockImplementationOnce(() => {
    writeFileSync(file, first);
    throw Object.assign(new Error(), { code: "ESRCH" });
  });
  await expect(lockFolder(folder)).rejects.toThrow(`found the process id ${process.pid}.`);
  expect(kill).toHaveBeenCalledTimes(2);
  expect(readFileSync(file, "utf8")).toBe(first);
  await lock.release();
});

/** Changes the owner of a new lock, as if its process had ended without releasing it. Then takes the lock over. */
async function takeOver(folder: string, owner: object): Promise<void> {
  const own = await lockFolder(folder);
  const text = readFileSync(join(folder, LOCK_FILE), "utf8");
  await own.release();
  writeFileSync(join(folder, LOCK_FILE), text);
  change(folder, owner);
  const lock = await lockFolder(folder, 1);
  expect(JSON.parse(readFileSync(join(folder, LOCK_FILE), "utf8"))).toEqual(JSON.parse(text));
  await lock.release();
}

function change(folder: string, owner: object): void {
  const file = join(folder, LOCK_FILE);
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, "utf8")), ...owner }));
}
