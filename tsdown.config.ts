import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { defineConfig, type Rolldown, type UserConfig } from "tsdown";
import { compiledValidators } from "./scripts/validators.ts";
import { buildPage } from "./src/dashboard/build.ts";
import { type FileTexts, readFolder, type ShippedFiles } from "./src/fixtures/shipped.ts";
import { readFiles } from "./src/mock.ts";

/** The public entries by the name of their files in dist. Each is one of `exports` in package.json. */
const library = {
  client: "src/client/client.ts",
  index: "src/index.ts",
  jest: "src/jest/jest.ts",
  msw: "src/msw.ts",
  testcontainers: "src/testcontainers.ts",
};

/** Entries that are modules only, as what they are for is: Vitest. */
const modules = {
  vitest: "src/vitest/test.ts",
  "vitest-container": "src/vitest/container.ts",
  "vitest-server": "src/vitest/server.ts",
};

/** What the entries for Vitest and Jest load by its name, and no user of the package: a mock in this process. */
const internal = { "in-process": "src/testing/in-process.ts" };

/** What the entries may import at run time besides Node's built-ins: the optional peers of package.json. */
const peers = ["@jest/globals", "msw", "testcontainers", "vitest"];

/**
 * Everything else is bundled, so that installing the package installs nothing more. Named one by one, so that a
 * dependency of a dependency that creeps in fails the build.
 */
const bundled = [
  "@faker-js/faker",
  "@hono/node-server",
  "ajv",
  "eventsource-parser",
  "fast-deep-equal",
  "fast-uri",
  "fastest-levenshtein",
  "hono",
  "json-schema-faker",
  "json-schema-traverse",
  "re2js",
  "sorted-btree",
];

// What is shipped is held against the contract here, once, and need not be at each start. A problem ends the build.
await readFiles();

const dashboard = await buildPage({ minify: true });

/** What the command loads on the way to listening is one file: each more costs a part of a millisecond at every start. */
const startGroup: Rolldown.CodeSplittingGroup = {
  debugName: "start",
  name: (id, context) => (loadedAtStart((each) => context.getModuleInfo(each)).has(id) ? "start" : null),
};

/** What the package's build and the image's have in common. */
export const build = {
  hash: false,
  define: { IS_BUILT: "true" },
  deps: { onlyBundle: bundled, neverBundle: peers, onlyImport: peers },
  plugins: [compiledValidators(), shippedFiles(), dashboardPage(), thirdPartyLicences()],
  outputOptions: (options, format) =>
    format === "es" ? { ...options, codeSplitting: { groups: [startGroup] } } : options,
  failOnWarn: true,
  logLevel: "warn",
} satisfies UserConfig;

export default defineConfig({
  ...build,
  // All files lie flat in dist: as deep as src/package-files.ts, from where it finds fixtures and scenarios.
  entry: { ...library, ...modules, ...internal, bin: "src/cli/bin.ts" },
  // The command is always run as a module; required are only the library's entries.
  format: { esm: {}, cjs: { entry: { ...library, ...internal } } },
  dts: { entry: Object.values({ ...library, ...modules }) },
  // Jest cannot require a module, so CommonJS is still built.
  checks: { legacyCjs: false },
  suppressWarnings: "TypeScript 7.0 does not yet have a stable API",
});

/** The modules that the command's own two files import, and all that these do. */
function loadedAtStart(moduleInfo: (id: string) => Rolldown.ModuleInfo | null): Set<string> {
  const entries = ["src/cli/bin.ts", "src/cli/serve.ts"].map((entry) => join(import.meta.dirname, entry));
  const loaded = new Set<string>();
  const load = (id: string) => {
    if (loaded.has(id)) return;
    loaded.add(id);
    for (const imported of moduleInfo(id)?.importedIds ?? []) load(imported);
  };
  entries.forEach(load);
  return loaded.difference(new Set(entries));
}

/** Puts the shipped fixtures and scenarios into one file, which is read at each start. */
function shippedFiles(): Rolldown.Plugin {
  const dense = (texts: FileTexts) =>
    Object.fromEntries(Object.entries(texts).map(([place, text]) => [place, JSON.stringify(JSON.parse(text))]));
  return {
    name: "shipped-files",
    generateBundle({ format }) {
      if (format !== "es") return;
      const files: ShippedFiles = {
        fixtures: dense(readFolder("fixtures")),
        scenarios: dense(readFolder("scenarios")),
      };
      this.emitFile({ type: "asset", fileName: "shipped.json", source: JSON.stringify(files) });
    },
  };
}

/** The dashboard, which the control API gives out as it is. */
function dashboardPage(): Rolldown.Plugin {
  return {
    name: "dashboard-page",
    generateBundle({ format }) {
      if (format === "es") this.emitFile({ type: "asset", fileName: "dashboard.html", source: dashboard.html });
    },
  };
}

/** Puts the licences of all that is bundled into dist: they ask to go with every copy. */
function thirdPartyLicences(): Rolldown.Plugin {
  return {
    name: "third-party-licences",
    async generateBundle({ format }, bundle) {
      // The modules bundle all that the CommonJS files do, and the command besides.
      if (format !== "es") return;
      const folders = new Map<string, string>();
      const modules = Object.values(bundle).flatMap((output) => (output.type === "chunk" ? output.moduleIds : []));
      for (const module of [...modules, ...dashboard.moduleIds]) {
        const [folder, name] = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(module) ?? [];
        if (folder && name) folders.set(name, folder);
      }
      const texts = [...folders].sort().map(async ([name, folder]) => `## ${name}\n\n${await licence(folder)}\n`);
      const source = ["# What is bundled, and its licences\n", ...(await Promise.all(texts))].join("\n");
      this.emitFile({ type: "asset", fileName: "THIRD-PARTY.md", source });
    },
  };
}

async function licence(folder: string): Promise<string> {
  const file = (await readdir(folder)).find((name) => /^licen[cs]e/i.test(name));
  if (!file) throw new Error(`${folder} has no licence file to bundle it under`);
  return (await readFile(join(folder, file), "utf8")).trim();
}
