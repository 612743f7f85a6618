import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { defineConfig, type Rolldown } from "tsdown";

/** The public entries by the name of their files in dist. Each is one of `exports` in package.json. */
const library = {
  index: "src/index.ts",
};

/** What the entries may import at run time besides Node's built-ins: the optional peers of package.json. */
const peers: string[] = [];

/**
 * Everything else is bundled, so that installing the package installs nothing more. Named one by one, so that a
 * dependency of a dependency that creeps in fails the build.
 */
const bundled = [
  "@hono/node-server",
  "ajv",
  "ajv-formats",
  "fast-deep-equal",
  "fast-uri",
  "hono",
  "json-schema-traverse",
  "sorted-btree",
];

export default defineConfig({
  // All files lie flat in dist: as deep as src/package-files.ts, from where it finds fixtures and scenarios.
  entry: { ...library, bin: "src/cli/bin.ts" },
  // The command is always run as a module; required are only the library's entries.
  format: { esm: {}, cjs: { entry: library } },
  dts: { entry: Object.values(library) },
  hash: false,
  deps: { onlyBundle: bundled, onlyImport: peers },
  plugins: [thirdPartyLicences()],
  // Jest cannot require a module, so CommonJS is still built.
  checks: { legacyCjs: false },
  suppressWarnings: "TypeScript 7.0 does not yet have a stable API",
  failOnWarn: true,
  logLevel: "warn",
});

/** Puts the licences of all that is bundled into dist: they ask to go with every copy. */
function thirdPartyLicences(): Rolldown.Plugin {
  return {
    name: "third-party-licences",
    async generateBundle({ format }, bundle) {
      // The modules bundle all that the CommonJS files do, and the command besides.
      if (format !== "es") return;
      const folders = new Map<string, string>();
      for (const output of Object.values(bundle)) {
        for (const module of output.type === "chunk" ? output.moduleIds : []) {
          const [folder, name] = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(module) ?? [];
          if (folder && name) folders.set(name, folder);
        }
      }
      const texts = [...folders].sort().map(async ([name, folder]) => `${name}\n\n${await licence(folder)}\n`);
      const source = (await Promise.all(texts)).join(`\n${"-".repeat(80)}\n\n`);
      this.emitFile({ type: "asset", fileName: "THIRD-PARTY-LICENSES", source });
    },
  };
}

async function licence(folder: string): Promise<string> {
  const file = (await readdir(folder)).find((name) => /^licen[cs]e/i.test(name));
  if (!file) throw new Error(`${folder} has no licence file to bundle it under`);
  return (await readFile(join(folder, file), "utf8")).trim();
}
