// @module-tag process
import { cp, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { bundlePage } from "../../src/page/bundle-page.ts";
import { bundled } from "../../tsdown.config.ts";
import { folderOf } from "../setup/folder.ts";
import { repository, run } from "../setup/run.ts";
import { type Consumer, createConsumer, everyTool } from "./consumer.ts";

/** Returns the path of a tool in `node_modules`. Only `npm test` has these tools on its PATH. */
const tool = (name: string) => join(repository, "node_modules", ".bin", name);

/** Compiler options of a strict user, which also check the declarations of the package. */
const compilerOptions = {
  strict: true,
  skipLibCheck: false,
  module: "nodenext",
  target: "es2023",
  lib: ["es2023", "esnext.disposable"],
  types: ["node"],
  typeRoots: [join(repository, "node_modules/@types")],
};

describe("the npm package", () => {
  const tarball = inject("tarball");
  let consumer: Consumer;
  beforeAll(async () => {
    consumer = await createConsumer([]);
  });
  afterAll(() => consumer.remove());

  it("passes the checks of publint", async () => {
    const { messages, pkg } = await publint({
      pkgDir: "package",
      strict: true,
      pack: { tarball: new Uint8Array(await readFile(tarball)).buffer },
    });
    expect(messages.map((message) => formatMessage(message, pkg))).toEqual([]);
  });

  it("names the command to run first if a clone has no tools", async () => {
    const clone = await mkdtemp(join(tmpdir(), "resource-mock-clone-"));
    onTestFinished(() => rm(clone, { recursive: true }));
    for (const path of ["package.json", "scripts"])
      await cp(join(repository, path), join(clone, path), { recursive: true });
    const line = "resource-mock: not installed yet. Run npm ci first.\n";
    await expect(run("npm", ["pack"], clone)).rejects.toThrow(line);
  });

  it("has correct types for modules, CommonJS, bundlers and node10", async () => {
    // The entries for Vitest are modules only, as Vitest is.
    const modules = ["vitest", "vitest/container", "vitest/reporter", "vitest/server"];
    await run(tool("attw"), [tarball, "--profile", "strict", "--exclude-entrypoints", ...modules]);
    await run(tool("attw"), [tarball, "--profile", "esm-only", "--entrypoints", ...modules]);
  });

  it.each(["client", "index", "vitest", "jest", "playwright"])("loads no server with its entry %s", async (entry) => {
    const dist = join(consumer.folder, "node_modules/resource-mock/dist");
    const loaded = new Set<string>();
    const load = async (name: string): Promise<void> => {
      if (loaded.has(name)) return;
      loaded.add(name);
      const imports = (await readFile(join(dist, name), "utf8")).matchAll(/^(?:im|ex)port\b[^;]*?"\.\/([^"]+)";/gm);
      for (const [, imported = ""] of imports) await load(imported);
    };
    await load(`${entry}.mjs`);
    expect(loaded).toContain("shared.mjs");
    expect(loaded).not.toContain("start.mjs");
  });

  it("has only what the entries load first as CommonJS (decision 0026)", async () => {
    const dist = join(consumer.folder, "node_modules/resource-mock/dist");
    const names = (await readdir(dist)).filter((name) => name.endsWith(".cjs"));
    const sizes = await Promise.all(names.map(async (name) => (await readFile(join(dist, name))).length));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(500_000);
  });

  it.each(["client", "msw"])("has an entry for browsers, without modules of Node: %s", async (entry) => {
    const input = join(consumer.folder, `node_modules/resource-mock/dist/${entry}.mjs`);
    const bundle = await rolldown({ input, platform: "browser", external: ["msw"], logLevel: "silent" });
    const [{ imports }] = (await bundle.generate()).output;
    expect(imports.filter((name) => name !== "msw")).toEqual([]);
  });

  it("says that a bundler must keep it external, and runs then", async () => {
    const get = 'createResourceMock().then(async (mock) => console.log((await mock.fetch("/demo/resource")).status))';
    consumer.write("bundled.mjs", `import { createResourceMock } from "resource-mock";\n${get};`);
    consumer.write("bundled.cjs", `const { createResourceMock } = require("resource-mock");\n${get};`);
    const cases = ["bundled.mjs", "bundled.cjs"].flatMap((input) =>
      (["es", "cjs"] as const).flatMap((format) => [true, false].map((isExternal) => ({ input, format, isExternal }))),
    );
    for (const [index, { input, format, isExternal }] of cases.entries()) {
      const bundle = await rolldown({
        input: join(consumer.folder, input),
        platform: "node",
        external: isExternal ? ["resource-mock"] : [],
        logLevel: "silent",
      });
      const folder = `bundle-${index}`;
      const extension = format === "es" ? "mjs" : "cjs";
      await bundle.write({ dir: join(consumer.folder, folder), format, entryFileNames: `main.${extension}` });
      const ran = consumer.run("node", [`${folder}/main.${extension}`]);
      if (isExternal) expect(await ran).toBe("200");
      else await expect(ran).rejects.toThrow("found a bundle without them. Keep the package external");
    }
  });

  it("installs no dependencies", async () => {
    const installed = await readdir(join(consumer.folder, "node_modules"));
    expect(installed.filter((name) => !name.startsWith("."))).toEqual([manifest.name]);
  });

  it.each<[manager: string, install: string[], node: string[], environment: Record<string, string>]>([
    ["pnpm", ["pnpm", "add", "--offline", "--store-dir", "store", tarball], ["node"], {}],
    ["Yarn", ["yarn", "add", `${manifest.name}@file:${tarball}`], ["yarn", "node"], { YARN_NODE_LINKER: "pnp" }],
    [
      "Yarn with node_modules",
      ["yarn", "add", `${manifest.name}@file:${tarball}`],
      ["node"],
      { YARN_NODE_LINKER: "node-modules" },
    ],
  ])("runs as a module and as CommonJS, installed by %s", async (_manager, install, node, environment) => {
    const get = `createResourceMock().then(async (mock) => {
  console.log((await mock.fetch("/demo/resource")).status);
  await mock.close();
});`;
    const folder = folderOf({
      "package.json": { private: true },
      "yarn.lock": "",
      "imported.mjs": `import { createResourceMock } from "${manifest.name}";\n${get}`,
      "required.cjs": `const { createResourceMock } = require("${manifest.name}");\n${get}`,
    });
    const offline = { YARN_ENABLE_NETWORK: "false", YARN_ENABLE_GLOBAL_CACHE: "false", YARN_ENABLE_TELEMETRY: "false" };
    const runHere = ([program = "", ...parameters]: readonly string[]) =>
      run(program === "node" ? program : tool(program), parameters, folder, {
        ...process.env,
        ...offline,
        ...environment,
      });
    await runHere(install);
    for (const file of ["imported.mjs", "required.cjs"]) expect(await runHere([...node, file])).toBe("200");
  });

  it("contains the name and the text of the licence of every bundled package", async () => {
    // The build of the code fails for packages that are not in this list. The pages have their own builds.
    const { moduleIds } = await bundlePage();
    const ofPages = moduleIds.flatMap((file) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1] ?? []);
    const packages = [...new Set([...bundled, ...ofPages])].sort();
    const licences = await readFile(join(consumer.folder, "node_modules/resource-mock/dist/THIRD-PARTY.md"), "utf8");

    for (const name of packages) {
      const folder = join(repository, "node_modules", name);
      const file = (await readdir(folder)).find((each) => /^licen[cs]e/i.test(each)) ?? "LICENSE";
      const text = await readFile(join(folder, file), "utf8");
      expect(text).toMatch(/copyright/i);
      expect(licences).toContain(`\n## ${name}\n\n${text.trim()}\n`);
    }
    const headings = Array.from(licences.matchAll(/^## ((?:@[\w.-]+\/)?[\w.-]+)$/gm), ([, name]) => name);
    expect(headings).toEqual(packages);
  });

  it("starts a mock when imported and when required, and its types pass the check without other packages", async () => {
    const body = `
startResourceMock({ port: 0 }).then(async (mock) => {
  const response = await fetch(new URL("/demo/resource", mock.url));
  console.log(response.status);
  await mock.close();
});
`;
    consumer.write("tsconfig.json", JSON.stringify({ compilerOptions }));
    consumer.write("imported.mts", `import { startResourceMock } from "resource-mock";${body}`);
    consumer.write(
      "required.cts",
      `import mock = require("resource-mock");\nconst { startResourceMock } = mock;${body}`,
    );

    consumer.write(
      "events.mts",
      `import { connectResourceMock } from "resource-mock/client";
for await (const event of await connectResourceMock("http://localhost:8080").events()) event.type.at(0);`,
    );

    await consumer.run("tsc", ["--project", "."]);
    // The oldest TypeScript that the tools contain.
    const older = join(repository, "test/tools/node_modules/@arethetypeswrong/core/node_modules/typescript/bin/tsc");
    await consumer.run("node", [older, "--project", ".", "--noEmit"]);
    for (const file of ["imported.mjs", "required.cjs"]) expect(await consumer.run("node", [file])).toBe("200");
  });

  describe("in an old Node", () => {
    const line = `resource-mock: expected Node ${manifest.engines.node.replace(">=", "")} or newer, found 20.20.2`;
    // A preloaded file, because the tools install no old Node.
    const asOld = ["--require", "./old-node.cjs"];
    const { "./package.json": _, ...entries } = manifest.exports;
    const loads = Object.entries<object>(entries).flatMap(([name, formats]) => {
      const specifier = JSON.stringify(join(manifest.name, name));
      const asModule = ["--input-type=module", "--eval", `await import(${specifier})`];
      const asScript = ["--input-type=commonjs", "--eval", `require(${specifier})`];
      return [{ name, asked: "import", args: asModule }].concat(
        "require" in formats ? [{ name, asked: "require", args: asScript }] : [],
      );
    });
    let user: Consumer;
    beforeAll(async () => {
      user = await createConsumer(everyTool);
      user.write("old-node.cjs", 'Object.defineProperty(process.versions, "node", { value: "20.20.2" });');
    });
    afterAll(() => user.remove());

    // Outside of Jest, @jest/globals has no names for an import.
    const isPossible = ({ name, asked }: (typeof loads)[number]) => name !== "./jest" || asked === "require";
    it.each(loads.filter(isPossible))("the error of $asked of $name names the required version", async ({ args }) => {
      await expect(user.run("node", [...asOld, ...args])).rejects.toThrow(`Error: ${line}\n`);
    });
  });

  it("has a command that finds the files of the package", async () => {
    await consumer.run("node_modules/.bin/resource-mock", ["check"]);
  });
});
