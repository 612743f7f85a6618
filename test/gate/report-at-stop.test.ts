import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { startResourceMock } from "../../src/index.ts";
import { junitProblems } from "../reports/validate-junit.ts";
import { commandHere } from "../setup/command.ts";
import { folderOf } from "../setup/folder.ts";
import { serving } from "../setup/serving.ts";

const files = ["coverage.json", "coverage.junit.xml", "coverage.md", "journal.har"];

const json = (folder: string, file: string) => JSON.parse(readFileSync(join(folder, file), "utf8"));

test.each(["SIGTERM", "SIGINT"] as const)(
  "--report writes the reports at %s",
  { tags: ["process"] },
  async (signal) => {
    const folder = join(folderOf({}), "new/reports");
    const server = await serving({ args: ["--report", folder] });
    expect(readdirSync(folder)).toEqual([]);
    const created = await fetch(`${server.url}/first/resource`, {
      method: "POST",
      headers: { "Content-Type": "application/json", Authorization: "Bearer secret-token" },
      body: JSON.stringify({ objectTypeProperty: {} }),
    });
    expect(created.status).toBe(201);
    await fetch(`${server.url}/second/resource/nobody`, { headers: { Prefer: "code=429" } });

    expect(await server.stop(signal)).toBe(0);

    expect(readdirSync(folder).sort()).toEqual(files);
    expect(json(folder, "coverage.json")).toMatchObject({ requests: 2, summary: { operations: 12.5 } });
    expect(readFileSync(join(folder, "coverage.md"), "utf8")).toContain("| getResourceById |");
    expect(await junitProblems(readFileSync(join(folder, "coverage.junit.xml"), "utf8"))).toEqual([]);
    const { entries } = json(folder, "journal.har").log;
    expect(entries.map((entry: { response: { status: number } }) => entry.response.status)).toEqual([201, 429]);
    expect(readFileSync(join(folder, "journal.har"), "utf8")).not.toContain("secret-token");
  },
);

test("close() of the libraries writes the reports once, with all requests since the start in the coverage", async () => {
  const folder = folderOf({});
  const mock = await startResourceMock({ report: folder });
  await fetch(`${mock.url}/early/resource?floatParameter=x`);
  await mock.reset();
  await mock.reset();
  expect(await mock.coverage()).toMatchObject({ requests: 0 });
  await fetch(`${mock.url}/deleted/resource`);
  await mock.project("deleted").delete();
  await fetch(`${mock.url}/open/resource`);
  await Promise.all([mock.close(), mock.close()]);
  expect(readdirSync(folder).sort()).toEqual(files);
  expect(json(folder, "coverage.json")).toMatchObject({ requests: 3, summary: { violations: 1 } });
  expect(json(folder, "journal.har").log.entries).toMatchObject([{ _project: "open" }]);
});

test.each([
  ["--report", []],
  ["--projects", []],
  ["--record-to", ["--upstream", "http://127.0.0.1:1"]],
])("a folder of %s that cannot be written is found at the start", async (flag, more) => {
  const path = join(folderOf({ file: "text" }), "file");
  // In /proc, no process can create folders, and Node's own function for missing parents would never end.
  const isLinux = process.platform === "linux";
  const all = [[path, "EEXIST"], ...(isLinux ? [["/proc/missing/below", "ENOENT"]] : [])];
  // The administrator may write to every folder.
  if (isLinux && process.getuid?.() !== 0) all.push(["/proc", "EACCES"]);
  for (const [found, reason] of all) {
    expect(await commandHere(["--port", "0", flag, `${found}`, ...more])).toEqual({
      code: 2,
      stdout: "",
      stderr: `resource-mock: ${flag}: expected a folder that this process can write to, found ${JSON.stringify(found)} (${reason})\n`,
    });
  }
});

test("a folder of the option report that cannot be written is found at the start", async () => {
  const path = join(folderOf({ file: "text" }), "file");
  await expect(startResourceMock({ report: join(path, "below") })).rejects.toThrow(
    'report: expected a folder that this process can write to, found "',
  );
  await expect(startResourceMock({ report: "" })).rejects.toThrow(TypeError);
});

test("a full disk leaves no part of a file, and the message names the file", { tags: ["process"] }, async () => {
  const folder = folderOf({});
  // Blocks of 1,024 bytes: the limit of the files that the server writes. The system reports it like a full disk.
  const { url, stop, output } = await serving({ args: ["--report", folder], before: "ulimit -f 64" });
  for (let request = 0; request < 100; request++) await fetch(`${url}/shop/resource/x?${"y".repeat(1000)}`);
  expect(await stop()).toBe(1);
  const file = join(folder, "journal.har");
  expect(output()).toContain(`resource-mock: --report: ${file}: expected a file that can be written, found EFBIG`);
  expect(readdirSync(folder).sort()).toEqual(files.filter((name) => name !== "journal.har"));
});

test("a folder that is removed meanwhile is created again; a file in its place is an error with exit code 1", {
  tags: ["process"],
}, async () => {
  const folder = folderOf({});
  const reports = join(folder, "reports");
  const first = await serving({ args: ["--report", reports] });
  rmSync(reports, { recursive: true });
  expect(await first.stop()).toBe(0);
  expect(existsSync(join(reports, "coverage.json"))).toBe(true);
  const second = await serving({ args: ["--report", reports] });
  rmSync(reports, { recursive: true });
  writeFileSync(reports, "");
  expect(await second.stop()).toBe(1);
  expect(second.output()).toContain("resource-mock: --report: ");
});
