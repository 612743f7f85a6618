// @module-tag smoke
// @module-tag process
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { bin, repository, run } from "../setup/run.ts";

/** Returns the files that `exports` and `bin` name, such as `dist/index.mjs`. */
function entryFiles(value: unknown = [manifest.exports, manifest.bin]): string[] {
  if (typeof value === "string") return [value.replace(/^\.\//, "")];
  return Object.values(value as object).flatMap(entryFiles);
}

test("the build writes every file that package.json exports, from a source that exists", () => {
  const config = readFileSync(join(repository, "tsdown.config.ts"), "utf8");
  const entries = new Map(
    Array.from(config.matchAll(/^ +"?([\w-]+)"?: "(src\/[^"]+)",$/gm), ([, name, file = ""]) => [name, file]),
  );
  entries.set("bin", /\bbin: "(src\/[^"]+)"/.exec(config)?.[1] ?? "");
  const built = entryFiles().filter((file) => file !== "package.json");
  const sources = built.map((file) => entries.get(/^dist\/([\w-]+)(\.d)?\.[cm](js|ts)$/.exec(file)?.[1] ?? ""));
  expect(built.filter((_file, index) => !existsSync(join(repository, sources[index] || "no source")))).toEqual([]);
});

test("the package contains the served files and the documents", async () => {
  const [packed] = JSON.parse(await run("npm", ["pack", "--dry-run", "--ignore-scripts", "--json"]));
  const files = packed.files.map(({ path }: { path: string }) => path).filter((path: string) => !/^dist\//.test(path));
  const served = globSync("{fixtures,scenarios,schemas}/**/*.json", { cwd: repository });
  expect(files.sort()).toEqual(["CHANGELOG.md", "LICENSE", "README.md", "package.json", ...served].sort());
});

test("the command and the library start outside of a test runner", async () => {
  expect(await run(process.execPath, [bin, "--version"])).toBe(manifest.version);
  const program = `import { createResourceMock } from "./src/index.ts";
const mock = await createResourceMock();
console.log((await mock.fetch("/p/resource")).status);
await mock.close();`;
  expect(await run(process.execPath, ["--input-type=module", "--eval", program])).toBe("200");
});
