// @module-tag smoke
// @module-tag process
import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { bin, repository, run, slashed } from "../setup/run.ts";

/** Returns the files that `exports` and `bin` name, such as `dist/index.mjs`. */
function entryFiles(value: unknown = [manifest.exports, manifest.bin]): string[] {
  if (typeof value === "string") return [value.replace(/^\.\//, "")];
  return Object.values(value as object).flatMap(entryFiles);
}

test("every file that package.json exports is built from the source of its name", () => {
  const built = entryFiles().filter((file) => file !== "package.json");
  const sources = built.map((file) => file.replace(/^dist\/([\w-]+)(\.d)?\.[cm](js|ts)$/, "src/$1.ts"));
  expect(sources.filter((file) => !existsSync(join(repository, file)))).toEqual([]);
});

test("the package contains the served files and the documents", async () => {
  const [packed] = JSON.parse(await run("npm", ["pack", "--dry-run", "--ignore-scripts", "--json"]));
  const files = packed.files.map(({ path }: { path: string }) => path).filter((path: string) => !/^dist\//.test(path));
  const served = globSync("{fixtures,scenarios,schemas}/**/*.json", { cwd: repository }).map(slashed);
  expect(files.sort()).toEqual(["CHANGELOG.md", "LICENSE", "README.md", "package.json", ...served].sort());
});

test("npm runs no script of the package when users install it", () => {
  const scripts = ["preinstall", "install", "postinstall", "prepare"];
  expect(scripts.filter((name) => name in manifest.scripts)).toEqual([]);
});

test("the command and the library start outside of a test runner", async () => {
  expect(await run(process.execPath, [bin, "--version"])).toBe(manifest.version);
  const program = `import { createResourceMock } from "./src/index.ts";
const mock = await createResourceMock();
console.log((await mock.fetch("/p/resource")).status);
await mock.close();`;
  expect(await run(process.execPath, ["--input-type=module", "--eval", program])).toBe("200");
});
