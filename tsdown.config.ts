import { createHash } from "node:crypto";
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { minifySync } from "rolldown/utils";
import { defineConfig, type Rolldown, type UserConfig } from "tsdown";
import { namedTypes } from "./scripts/declarations.ts";
import { compiledValidators } from "./scripts/validators.ts";
import { readFiles } from "./src/library/mock.ts";
import { bundlePage } from "./src/page/bundle-page.ts";
import { type BundledFiles, type FileTexts, readFolder } from "./src/state/fixtures/layer-files.ts";

const named = (...names: string[]) => Object.fromEntries(names.map((name) => [name, `src/${name}.ts`]));

/** The public entries by the name of their files in dist. Each entry is in `exports` in package.json. */
const library = named("client", "index", "jest", "jest-reporter", "msw", "playwright", "testcontainers");

/** Entries without a CommonJS build, because Vitest itself has none. */
const modules = named("vitest", "vitest-reporter", "vitest-container", "vitest-server");

/** An internal entry: the entries for Vitest and Jest load it to run a mock in their process. */
const internal = named("in-process");

/** The file that all public entries load first. */
const guard = named("require-node");

/** The packages that entries may import at runtime: the optional peer dependencies of package.json. */
const peers = ["@jest/globals", "@playwright/test", "msw", "testcontainers", "vitest"];

/**
 * The packages that are bundled, so that the npm package has no dependencies. The build fails for a package that is not
 * in this list, such as a new dependency of a dependency.
 */
export const bundled = [
  "@faker-js/faker",
  "@hono/node-server",
  "@ioredis/commands",
  "@modelcontextprotocol/sdk",
  "@peculiar/asn1-schema",
  "@peculiar/asn1-x509",
  "@peculiar/utils",
  "ajv",
  "ajv-formats",
  "asn1js",
  "cluster-key-slot",
  "debug",
  "denque",
  "eventsource-parser",
  "fast-deep-equal",
  "fast-json-patch",
  "fast-uri",
  "fastest-levenshtein",
  "hono",
  "ioredis",
  "js-yaml",
  "json-schema-faker",
  "json-schema-traverse",
  "ms",
  "pvtsutils",
  "pvutils",
  "re2js",
  "redis-errors",
  "sorted-btree",
  "standard-as-callback",
  "tslib",
  "zod",
];

// The build validates the bundled files, so the server does not validate them at its start. An invalid file fails the build.
await readFiles();

const dashboard = await bundlePage({ minify: true });

/** The files of each group load together, with all that they import. A group is one file, as each further file takes time. */
const groups: Rolldown.CodeSplittingGroup[] = Object.entries({
  // What the server shares with the client and with the libraries for tests, so that these do not load the server.
  shared: [
    "src/contract/json-schema.ts",
    "src/contract/limits.ts",
    "src/contract/text/did-you-mean.ts",
    "src/journal/reasons/why.ts",
    "src/project/project-key.ts",
    "src/project/random.ts",
    "src/state/fixtures/files-error.ts",
    "src/state/sandbox.ts",
    "src/tools/collect/index.ts",
    "src/tools/sweep-run/sweep-files.ts",
  ],
  // The command, until it listens.
  start: ["src/cli/index.ts", "src/cli/serve.ts"],
  // The client, for the libraries.
  client: ["src/client.ts"],
  // The control API, before the operations of its subjects.
  control: ["src/http/control.ts", "src/control/define-operation.ts", "src/control/control-schemas.ts"],
  // A verification, which most tests call.
  verification: ["src/control/verify-requests.ts"],
}).map(([name, files], index) => {
  let members: Set<string> | undefined;
  return {
    debugName: name,
    // Called for each module, after all of them are loaded.
    name(id, context) {
      members ??= importedBy(files, (each) => context.getModuleInfo(each));
      return members.has(id) ? name : null;
    },
    // What several groups import belongs to the first.
    priority: 10 - index,
  };
});

const plugins = [namedTypes(), bundledFiles(), pages(), thirdPartyLicences(), denseCode()];

/** The options that the builds of the package and of the image share. */
export const build: UserConfig = {
  hash: false,
  define: { IS_BUILT: "true", BUILD_ID: JSON.stringify(sourcesHash()) },
  // As a module it needs no `require`, so that the client runs in browsers.
  alias: { "fastest-levenshtein": "fastest-levenshtein/esm/mod.js" },
  deps: { onlyBundle: bundled, neverBundle: peers, onlyImport: peers },
  plugins: [compiledValidators(), ...plugins],
  outputOptions: (options, format) => ({
    ...options,
    banner: ({ name, fileName }) => (isPublic(name) ? guardStatement(fileName) : ""),
    ...(format === "es" && { codeSplitting: { groups } }),
  }),
  failOnWarn: true,
  logLevel: "warn",
  // Readers of the output would look for a problem.
  checks: { bundlerTimings: false },
};

export default defineConfig({
  ...build,
  // dist has no subfolders, because src/library/mock.ts finds fixtures and scenarios relative to its own folder.
  entry: { ...library, ...modules, ...internal, ...guard, bin: "src/bin.ts" },
  // The command and the mock run as modules. Only what library entries load first also has a CommonJS build, for Jest,
  // which cannot `require` a module (decision 0026). It validates nothing but rare values of variables.
  format: {
    esm: {},
    cjs: {
      entry: { ...library, ...guard },
      dts: false,
      define: { ...build.define, IS_COMMONJS: "true" },
      plugins,
    },
  },
  dts: { entry: Object.values({ ...library, ...modules }) },
  hooks: { "build:done": copyTypes },
  // Jest cannot `require` an ES module, so it needs the CommonJS build.
  checks: { ...build.checks, legacyCjs: false },
  suppressWarnings: "TypeScript 7.0 does not yet have a stable API",
});

/** Returns a hash of all sources and of the versions of the packages. */
function sourcesHash(): string {
  const files = globSync(["src/**/*.ts", "package-lock.json"], { cwd: import.meta.dirname }).sort();
  const hash = createHash("sha256");
  for (const file of files) hash.update(readFileSync(join(import.meta.dirname, file)));
  return hash.digest("hex").slice(0, 16);
}

function isPublic(name: string): boolean {
  return Object.hasOwn({ ...library, ...modules }, name);
}

/** Returns the statement that comes before all others in the file of an entry, so that the guard runs first. */
function guardStatement(file: string): string {
  return file.endsWith(".cjs") ? 'require("./require-node.cjs");' : 'import "./require-node.mjs";';
}

/** Returns the ids of these files and of all modules that they import, directly or indirectly, except entries. */
function importedBy(files: readonly string[], moduleInfo: (id: string) => Rolldown.ModuleInfo | null): Set<string> {
  const loaded = new Set<string>();
  const load = (id: string) => {
    if (loaded.has(id)) return;
    loaded.add(id);
    const { importedIds = [], code } = moduleInfo(id) ?? {};
    // The entry of a room exports more than an importer uses: follow the imported names to their files.
    for (const imported of importedIds) {
      if (/[\\/]src[\\/].*[\\/]index\.ts$/.test(imported))
        for (const file of filesOf(code ?? "", id, imported)) load(file);
      else load(imported);
    }
  };
  for (const file of files) load(join(import.meta.dirname, file));
  const isEntry = (id: string) => moduleInfo(id)?.isEntry || moduleInfo(id)?.dynamicImporters.length;
  return new Set([...loaded].filter((id) => !isEntry(id)));
}

const fromStatement = /(?:import|export)\s*\{([^}]*)\}\s*from\s*"([^"]+)"/g;

/** Returns the files with what the code of a module imports from the entry of a room. */
function filesOf(code: string, id: string, entry: string): string[] {
  const names = (list: string) =>
    list
      .split(",")
      .map((each) => each.trim())
      .filter((each) => each !== "" && !each.startsWith("type "))
      .map((each) => each.split(" ")[0]);
  const wanted = [...code.matchAll(fromStatement)]
    .filter(([, , from = ""]) => join(id, "..", from) === entry)
    .flatMap(([, list = ""]) => names(list));
  const exported = [...readFileSync(entry, "utf8").matchAll(/export (?:\{([^}]*)\}|\*) from "([^"]+)"/g)];
  return exported.flatMap(([, list, from = ""]) => {
    const file = join(entry, "..", from);
    const own = list === undefined ? declaredIn(readFileSync(file, "utf8")) : names(list);
    return own.some((name) => wanted.includes(name)) ? [file] : [];
  });
}

/** Returns the names of the values that the code of a module exports where it declares them. */
function declaredIn(code: string): string[] {
  return Array.from(
    code.matchAll(/^export (?:async )?(?:function\*?|const|let|class) (\w+)/gm),
    ([, name = ""]) => name,
  );
}

/** Writes the bundled fixtures and scenarios into one file, which the server reads at each start. */
function bundledFiles(): Rolldown.Plugin {
  const dense = (texts: FileTexts) =>
    Object.fromEntries(Object.entries(texts).map(([path, text]) => [path, JSON.stringify(JSON.parse(text))]));
  return {
    name: "bundled-files",
    generateBundle({ format }) {
      if (format !== "es") return;
      const files: BundledFiles = {
        fixtures: dense(readFolder("fixtures")),
        scenarios: dense(readFolder("scenarios")),
      };
      this.emitFile({ type: "asset", fileName: "bundled.json", source: JSON.stringify(files) });
    },
  };
}

/** Writes the pages into dist. The control API serves these files. */
function pages(): Rolldown.Plugin {
  return {
    name: "pages",
    generateBundle({ format }) {
      if (format !== "es") return;
      this.emitFile({ type: "asset", fileName: "dashboard.html", source: dashboard.html });
    },
  };
}

/** Writes the licences of all bundled packages into dist, because the licences require it. */
function thirdPartyLicences(): Rolldown.Plugin {
  return {
    name: "third-party-licences",
    async generateBundle({ format }, bundle) {
      // The ES modules bundle every package of the CommonJS files, and those of the command.
      if (format !== "es") return;
      const folders = new Map<string, string>();
      const modules = Object.values(bundle).flatMap((output) => (output.type === "chunk" ? output.moduleIds : []));
      for (const module of [...modules, ...dashboard.moduleIds]) {
        const [folder, name] = /^.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(module.replaceAll("\\", "/")) ?? [];
        if (folder && name) folders.set(name, folder);
      }
      const texts = [...folders].sort().map(async ([name, folder]) => `## ${name}\n\n${await licence(folder)}\n`);
      const source = ["# Bundled packages and their licences\n", ...(await Promise.all(texts))].join("\n");
      this.emitFile({ type: "asset", fileName: "THIRD-PARTY.md", source });
    },
  };
}

/** Copies the types of the library entries for CommonJS: they are the same, but TypeScript wants a file of each format. */
function copyTypes(): void {
  const dist = join(import.meta.dirname, "dist");
  const copied = new Set<string>();
  const copy = (name: string): void => {
    if (copied.has(name)) return;
    copied.add(name);
    const text = readFileSync(join(dist, `${name}.d.mts`), "utf8");
    const common = text.replaceAll(/(from "\.\/[\w-]+)\.mjs"/g, '$1.cjs"');
    writeFileSync(join(dist, `${name}.d.cts`), common.replace(/export \{ (\w+) as default \};/, "export = $1;"));
    for (const [, imported = ""] of text.matchAll(/from "\.\/([\w-]+)\.mjs"/g)) copy(imported);
  };
  Object.keys(library).forEach(copy);
}

/** Makes files smaller that nobody reads: those of compiled validators, and of packages without our code. */
function denseCode(): Rolldown.Plugin {
  const isOurs = (id: string) => id.startsWith(join(import.meta.dirname, "src")) && !/[\\/]validators-/.test(id);
  return {
    name: "dense-code",
    generateBundle(_options, bundle) {
      for (const output of Object.values(bundle)) {
        if (output.type !== "chunk" || output.isEntry || output.moduleIds.some(isOurs)) continue;
        if (output.fileName.includes(".d.")) continue;
        output.code = minifySync(output.fileName, output.code).code;
      }
    },
  };
}

async function licence(folder: string): Promise<string> {
  const file = (await readdir(folder)).find((name) => /^licen[cs]e/i.test(name));
  if (!file) throw new Error(`${folder}: expected a licence file, found none`);
  return (await readFile(join(folder, file), "utf8")).trim();
}
