import { globSync, readFileSync } from "node:fs";
import { isAbsolute, posix } from "node:path";
import { rolldown } from "rolldown";
import { describe, expect, test } from "vitest";
import { repository, slashed } from "../setup/run.ts";

/** The rooms of `src`, each with the rooms that it imports. Imports go from the bottom of this table to its top. */
const table: Readonly<Record<string, string>> = {
  contract: "",
  openapi: "contract",
  state: "contract",
  rules: "contract state",
  journal: "contract state rules",
  project: "contract state rules journal",
  engine: "contract state rules journal project",
  homes: "contract state rules journal project engine",
  control: "contract state rules journal project engine homes",
  http: "contract state rules journal project engine control",
  page: "contract state rules journal control",
  tools: "contract state rules journal control",
  services: "contract state rules engine control tools",
  library: "contract openapi state rules journal project engine homes control http page tools services",
  cli: "contract state journal project engine homes control http tools services library",
};

const rooms = Object.keys(table);

interface Import {
  /** The path of a file within `src`, or the name of a package. */
  readonly to: string;
  readonly isOurs: boolean;
  /** The text between `import` and `from`. */
  readonly names: string;
}

const statement =
  /^(?:import|export)\s([^;"']*?)\bfrom "([^"]+)"|^import "([^"]+)"|(?:\bconst (\{[^}]*\}) = await )?\bimport\("([^"]+)"\)/gm;

function importsOf(file: string): Import[] {
  const text = readFileSync(`${repository}src/${file}`, "utf8");
  return [...text.matchAll(statement)].map(([, listed, from, bare, taken, dynamic]) => {
    const names = listed ?? taken ?? "";
    const specifier = from ?? bare ?? dynamic ?? "";
    const isOurs = specifier.startsWith(".");
    return { to: isOurs ? posix.join(file, "..", specifier) : specifier, isOurs, names };
  });
}

const files = globSync("**/*.{ts,tsx}", { cwd: `${repository}src` })
  .map(slashed)
  .sort();
const imports = new Map(files.map((file) => [file, importsOf(file)]));
const roomOf = (file: string) => file.split("/")[0] ?? file;
const isInRoom = (file: string) => file.includes("/");

/** All imports of a room by another room. */
const between = files
  .filter(isInRoom)
  .flatMap((file) =>
    (imports.get(file) ?? [])
      .filter(({ isOurs, to }) => isOurs && !to.startsWith("..") && roomOf(to) !== roomOf(file))
      .map((each) => ({ file, ...each })),
  );

test("src has the rooms of the table, and beside them only the entries of the package", () => {
  expect(new Set(files.filter(isInRoom).map(roomOf))).toEqual(new Set(rooms));
  const { exports } = JSON.parse(readFileSync(`${repository}package.json`, "utf8"));
  const entries = [...JSON.stringify(exports).matchAll(/dist\/([\w-]+)\.mjs/g)].map(([, name]) => `${name}.ts`);
  const ours = ["bin.ts", "in-process.ts", "require-node.ts"];
  expect(new Set(files.filter((file) => !isInRoom(file)))).toEqual(new Set([...entries, ...ours]));
});

test("each room imports the rooms in its line of the table, which are above it", () => {
  for (const room of rooms) {
    const imported = new Set(between.filter(({ file }) => roomOf(file) === room).map(({ to }) => roomOf(to)));
    const sorted = [...imported].sort((a, b) => rooms.indexOf(a) - rooms.indexOf(b)).join(" ");
    expect(`${room}: ${sorted}`).toBe(`${room}: ${table[room]}`);
    for (const above of imported) expect(rooms.indexOf(above)).toBeLessThan(rooms.indexOf(room));
  }
});

test("a room is imported through an entry: its index.ts, or that of a folder for certain users or on demand", () => {
  expect(between.filter(({ to }) => !to.endsWith("/index.ts")).map(({ file, to }) => `${file}: ${to}`)).toEqual([]);
});

test("the entry of a room exports only names that others import", () => {
  // Folders that load on demand import the entry of their own room too.
  const all = files.flatMap((file) => imports.get(file) ?? []);
  const imported = new Set(all.flatMap(({ names, to }) => namesIn(names).map((name) => `${to}: ${name}`)));
  // `bin.ts` loads the command with `import()`.
  const unused = rooms.slice(0, -1).flatMap((room) => {
    const entry = `${room}/index.ts`;
    const exported = (imports.get(entry) ?? []).flatMap(({ names }) => namesIn(names));
    return exported.map((name) => `${entry}: ${name}`).filter((name) => !imported.has(name));
  });
  expect(unused).toEqual([]);
});

/** Returns the names in `type Settings, { a, type B }` or `{ a as c }`, as the exporting file names them. */
function namesIn(names: string): string[] {
  const list = /\{([^}]*)\}/.exec(names)?.[1] ?? "";
  return list.split(",").flatMap(
    (each) =>
      each
        .trim()
        .replace(/^type /, "")
        .split(" ")[0] || [],
  );
}

test("the entry of each room says what the room is for", () => {
  for (const room of rooms) {
    const text = readFileSync(`${repository}src/${room}/index.ts`, "utf8");
    expect(text, `${room}/index.ts`).toMatch(/^\/\*\*\n( \* .+\n( \*\n)?){1,12} \*\/\n/);
  }
});

test("only the library and the command know the services; other code receives a contract", () => {
  const importers = between.filter(({ to }) => roomOf(to) === "services").map(({ file }) => roomOf(file));
  expect(new Set(importers)).toEqual(new Set(["library", "cli"]));
});

test("only the http room imports Hono", () => {
  const importers = files.filter((file) => imports.get(file)?.some(({ to }) => /^(@hono\/|hono(\/|$))/.test(to)));
  expect(new Set(importers.map(roomOf))).toEqual(new Set(["http"]));
});

/** The modules of Node that rule code may import. */
const allowedBuiltIns = ["node:buffer", "node:crypto", "node:perf_hooks", "node:timers", "node:util", "node:v8"];

/** The readers of fixtures, and the writers of reports. */
const readersAndWriters = /^state\/fixtures\/|^journal\/(reports|har)\//;

test("rule code imports no modules of Node that do input and output", () => {
  const ruleCode = ["contract", "state", "rules", "journal", "project", "engine"];
  const found = files
    .filter((file) => ruleCode.includes(roomOf(file)) && !readersAndWriters.test(file))
    .flatMap((file) => (imports.get(file) ?? []).map(({ to }) => `${file}: ${to}`))
    .filter((line) => / node:/.test(line) && !allowedBuiltIns.some((name) => line.endsWith(` ${name}`)));
  expect(found).toEqual([]);
});

/** Returns what loads with an entry after bundling, without what `import()` loads later. */
async function loadedWith(entry: string): Promise<{ ours: string[]; packages: string[] }> {
  const bundle = await rolldown({
    input: `${repository}src/${entry}`,
    external: (id) => !id.startsWith(".") && !isAbsolute(id),
    transform: { define: { IS_BUILT: "true" } },
    logLevel: "silent",
  });
  const { output } = await bundle.generate({ format: "es" });
  await bundle.close();
  const chunks = new Map(output.flatMap((each) => (each.type === "chunk" ? [[each.fileName, each] as const] : [])));
  const ours = new Set<string>();
  const packages = new Set<string>();
  const seen = new Set<string>();
  function load(name: string): void {
    if (seen.has(name)) return;
    seen.add(name);
    const chunk = chunks.get(name);
    if (!chunk) packages.add(name);
    for (const id of chunk?.moduleIds ?? []) ours.add(slashed(id).replace(`${repository}src/`, ""));
    for (const imported of chunk?.imports ?? []) load(imported);
  }
  load(output[0].fileName);
  return { ours: [...ours].sort(), packages: [...packages].sort() };
}

describe("heavy packages load on demand", () => {
  const light =
    /^(node:(buffer|diagnostics_channel|fs|module|net|path|perf_hooks|timers|url|util|v8)|hono|hono\/.*|sorted-btree(\/extended\/diffAgainst\.js)?|fastest-levenshtein|re2js|eventsource-parser)$/;

  test.each([
    ["the command", "bin.ts"],
    ["the command, before it listens,", "cli/serve.ts"],
    ["the library", "index.ts"],
  ])("%s loads only light packages", async (_name, entry) => {
    const { packages } = await loadedWith(entry);
    expect(packages.filter((name) => !light.test(name))).toEqual([]);
  });

  test("the client loads no module of Node, and of the server only limits, names and texts, as it also runs in browsers", async () => {
    const { ours, packages } = await loadedWith("client.ts");
    expect(packages.filter((name) => name.startsWith("node:"))).toEqual([]);
    expect(ours.filter((file) => !file.startsWith("control/client/"))).toEqual([
      "client.ts",
      "contract/limits.ts",
      "contract/text/did-you-mean.ts",
      "contract/text/shown.ts",
      "project/project-key.ts",
      "state/sandbox.ts",
    ]);
  });

  test("the dashboard loads no module of Node, and only a few files of the server", async () => {
    const { ours, packages } = await loadedWith("page/dashboard/main.tsx");
    expect(packages.filter((name) => name.startsWith("node:"))).toEqual([]);
    expect(ours.filter((file) => !/^(page|control\/client)\//.test(file))).toEqual([
      "contract/cached.ts",
      "contract/explain.ts",
      "contract/formats.ts",
      "contract/json-schema.ts",
      "contract/limits.ts",
      "contract/text/did-you-mean.ts",
      "contract/text/json-reader.ts",
      "contract/text/pattern.ts",
      "contract/text/shown.ts",
      "contract/wire/media-kinds.ts",
      "contract/wire/typed-value.ts",
      "contract/wire/xml-text.ts",
      "journal/reasons/address.ts",
      "journal/reasons/why.ts",
      "rules/effects/effect-words.ts",
      "state/sandbox.ts",
      "state/settings-schema.ts",
    ]);
  });
});
