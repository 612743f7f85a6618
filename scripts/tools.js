// Installs the tools of test/tools, and links them into node_modules, where the tests, the checks and the build find them.
// JavaScript for old Nodes: npm may run this file with a Node that reads no TypeScript.
import { spawnSync } from "node:child_process";
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const folder = join("test", "tools");
const isWindows = process.platform === "win32";
const readJson = (path) => JSON.parse(readFileSync(path, "utf8"));

/** The lock file of the last complete installation. */
const installed = join(folder, "node_modules", ".installed.json");
const lock = readFileSync(join(folder, "package-lock.json"), "utf8");
if (!existsSync(installed) || readFileSync(installed, "utf8") !== lock) {
  const { status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund"], {
    cwd: folder,
    stdio: "inherit",
    shell: isWindows,
  });
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(installed, lock);
}

for (const name of Object.keys(readJson(join(folder, "package.json")).devDependencies)) {
  const target = join(folder, "node_modules", name);
  const link = join("node_modules", name);
  replace(link, () =>
    symlinkSync(isWindows ? join(process.cwd(), target) : relative(dirname(link), target), link, "junction"),
  );
  const { bin = {} } = readJson(join(target, "package.json"));
  const programs = typeof bin === "string" ? { [name.replace(/^.*\//, "")]: bin } : bin;
  for (const [program, file] of Object.entries(programs)) linkProgram(program, join("..", name, file));
}

/** Makes a program available to npm scripts. `file`: its path, relative to the folder of the programs. */
function linkProgram(program, file) {
  const link = join("node_modules", ".bin", program);
  if (isWindows) writeFileSync(`${link}.cmd`, `@node "%~dp0\\${file}" %*\r\n`);
  else replace(link, () => symlinkSync(file, link));
}

/** Creates a link, in place of one of an earlier run. A package that is not a link belongs to `npm ci`, and stays. */
function replace(link, create) {
  const found = lstatSync(link, { throwIfNoEntry: false });
  if (found && !found.isSymbolicLink()) return;
  if (found) rmSync(link, { force: true });
  mkdirSync(dirname(link), { recursive: true });
  create();
}
