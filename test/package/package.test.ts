import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { repository, run } from "../setup/run.ts";

/** A tool of the repository's own `node_modules`, which `npm test` has on its path and a bare `vitest` has not. */
const tool = (name: string) => join(repository, "node_modules", ".bin", name);

describe("the npm package", () => {
  let folder: string;
  let tarball: string;
  let consumer: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "resource-mock-package-"));
    consumer = join(folder, "consumer");
    await mkdir(consumer);
    await run("npm", ["pack", "--pack-destination", folder]);
    tarball = join(folder, `${manifest.name}-${manifest.version}.tgz`);
    await writeFile(join(consumer, "package.json"), "{}");
    await run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], consumer);
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  it("holds the built code, the files it serves and the documents", async () => {
    const files = (await run("tar", ["-tzf", tarball])).split("\n").map((path) => path.replace("package/", ""));
    const inDist = files.filter((path) => path.startsWith("dist/"));

    expect([...new Set(files.map((path) => path.split("/")[0]))].sort()).toEqual(
      ["CHANGELOG.md", "LICENSE", "README.md", "dist", "fixtures", "package.json", "scenarios"].sort(),
    );
    expect(inDist.filter((path) => !/^dist\/([\w-]+(\.d)?\.[cm](js|ts)|THIRD-PARTY-LICENSES)$/.test(path))).toEqual([]);
  });

  it("is well formed for publishing", async () => {
    const { messages, pkg } = await publint({
      pkgDir: "package",
      strict: true,
      pack: { tarball: new Uint8Array(await readFile(tarball)).buffer },
    });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it("has types that are right for modules, CommonJS and bundlers", async () => {
    await run(tool("attw"), [tarball, "--profile", "node16"]);
  });

  it("installs nothing but itself", async () => {
    const installed = await readdir(join(consumer, "node_modules"));
    expect(installed.filter((name) => !name.startsWith("."))).toEqual([manifest.name]);
  });

  it("carries the licence of every package that is bundled", async () => {
    const licences = await readFile(join(consumer, "node_modules/resource-mock/dist/THIRD-PARTY-LICENSES"), "utf8");
    for (const name of ["hono", "@hono/node-server", "ajv"]) expect(licences).toMatch(new RegExp(`^${name}$`, "m"));
  });

  it.each([
    ["imported", "consumer.mts", `import { startResourceMock } from "resource-mock";`],
    [
      "required",
      "consumer.cts",
      `import resourceMock = require("resource-mock");\nconst { startResourceMock } = resourceMock;`,
    ],
  ])("answers from its fixtures when %s", async (_how, file, load) => {
    await writeFile(
      join(consumer, file),
      `${load}
startResourceMock({ port: 0 }).then(async (mock) => {
  const response = await mock.fetch(new Request("http://localhost/demo/resource"));
  console.log(response.status);
  await mock[Symbol.asyncDispose]();
});
`,
    );
    const typeRoots = join(repository, "node_modules/@types");
    await run(
      tool("tsc"),
      [
        "--strict",
        "--module",
        "nodenext",
        "--target",
        "es2023",
        "--lib",
        "es2023,esnext.disposable,dom",
        "--types",
        "node",
        "--typeRoots",
        typeRoots,
        file,
      ],
      consumer,
    );

    expect(await run(process.execPath, [file.replace("ts", "js")], consumer)).toBe("200");
  });

  it("brings the command, which finds the package's files", async () => {
    await run(join(consumer, "node_modules/.bin/resource-mock"), ["check"]);
  });
});
