import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository } from "../setup/run.ts";

/**
 * The arrows of the code: which folder of `src` may know which. They run one way, from the bottom of this table to its
 * top. A new folder needs its line.
 */
const arrows: Readonly<Record<string, readonly string[]>> = {
  text: [],
  schedule: [],
  contract: ["text"],
  settings: ["contract"],
  state: ["schedule", "contract", "settings", "text"],
  query: ["schedule", "contract", "state", "text"],
  fixtures: ["contract", "state", "text"],
  auth: ["contract", "settings", "text"],
  generate: ["contract", "settings", "text"],
  matching: ["schedule", "contract", "text"],
  scenarios: ["schedule", "contract", "fixtures", "matching", "settings", "text"],
  journal: ["contract", "state", "matching", "text"],
  projects: ["schedule", "contract", "settings", "state", "scenarios", "journal", "text"],
  // A request and its response, as the steps of the pipeline see them.
  call: ["schedule", "contract", "settings", "fixtures", "auth", "scenarios", "projects", "text"],
  operations: ["schedule", "contract", "state", "query", "call", "text"],
  engine: [
    "schedule",
    "contract",
    "settings",
    "state",
    "fixtures",
    "auth",
    "generate",
    "scenarios",
    "journal",
    "projects",
    "call",
    "operations",
    "text",
  ],
  control: [
    "schedule",
    "contract",
    "settings",
    "state",
    "fixtures",
    "auth",
    "generate",
    "matching",
    "scenarios",
    "journal",
    "projects",
    "call",
    "engine",
    "text",
  ],
  http: ["schedule", "contract", "auth", "scenarios", "journal", "projects", "call", "engine", "control", "text"],
  "package-files.ts": [],
  "version.ts": [],
  "build-flag.d.ts": [],
  "mock.ts": ["contract", "fixtures", "scenarios", "engine", "package-files.ts"],
  "options.ts": ["contract", "settings", "text", "mock.ts"],
  // The libraries. The client knows the server's types, and none of its code: see below.
  client: ["settings", "state", "matching", "scenarios", "journal", "control"],
  // A client like any other; and the values of a setting, and how a shell quotes.
  dashboard: ["client", "settings", "text"],
  "dashboard-page.ts": ["contract", "dashboard"],
  cli: [
    "contract",
    "settings",
    "text",
    "fixtures",
    "engine",
    "http",
    "dashboard-page.ts",
    "mock.ts",
    "options.ts",
    "version.ts",
  ],
  "testcontainers.ts": ["settings", "version.ts", "client"],
  "index.ts": ["fixtures", "engine", "http", "dashboard-page.ts", "mock.ts", "options.ts", "version.ts", "client"],
  "msw.ts": ["http"],
  testing: ["text", "journal", "projects", "cli", "client", "index.ts"],
  vitest: ["client", "testcontainers.ts", "testing"],
  jest: ["client", "testing"],
};

interface Import {
  /** A file of `src`, by its path there; or a package, as it is named. */
  readonly to: string;
  readonly isOurs: boolean;
  /** Gone once the types are: it loads nothing. */
  readonly typeOnly: boolean;
  /** `import()`: loaded when it is come to. */
  readonly dynamic: boolean;
}

const statement = /^(?:import|export)\s(type\s)?([^;"']*?)\bfrom "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm;

function importsOf(file: string): Import[] {
  const text = readFileSync(`${repository}src/${file}`, "utf8");
  return [...text.matchAll(statement)].map(([, typed, names = "", from, bare, dynamic]) => {
    const specifier = from ?? bare ?? dynamic ?? "";
    const isOurs = specifier.startsWith(".");
    return {
      to: isOurs ? join(file, "..", specifier) : specifier,
      isOurs,
      typeOnly: typed !== undefined || /^\{(\s*type\s+[^,}]+,?)+\s*\}\s*$/.test(names),
      dynamic: dynamic !== undefined,
    };
  });
}

const files = globSync("**/*.{ts,tsx}", { cwd: `${repository}src` }).sort();
const imports = new Map(files.map((file) => [file, importsOf(file)]));
const folderOf = (file: string) => file.split("/")[0] ?? file;

test("the statements are found", () => {
  expect(imports.get("engine/serve.ts")).toContainEqual({
    to: "operations/handlers.ts",
    isOurs: true,
    typeOnly: false,
    dynamic: false,
  });
  expect(imports.get("operations/query.ts")).toContainEqual(
    expect.objectContaining({ to: "query/predicate.ts", typeOnly: false }),
  );
  expect(imports.get("auth/authorize.ts")).toContainEqual(
    expect.objectContaining({ to: "settings/settings.ts", typeOnly: true }),
  );
  expect(imports.get("contract/validator.ts")).toContainEqual(
    expect.objectContaining({ to: "contract/ajv.ts", typeOnly: false, dynamic: true }),
  );
});

test.each(files)("%s knows only what it may", (file) => {
  const allowed = arrows[folderOf(file)];
  expect(allowed, `${folderOf(file)} has no line in the table of arrows`).toBeDefined();
  const forbidden = (imports.get(file) ?? [])
    .filter(({ isOurs, to }) => isOurs && !to.startsWith("..") && folderOf(to) !== folderOf(file))
    .filter(({ to }) => !allowed?.includes(to) && !allowed?.includes(folderOf(to)));
  expect(forbidden.map(({ to }) => to)).toEqual([]);
});

test("and the table allows no more than there is", () => {
  for (const [folder, allowed] of Object.entries(arrows)) {
    const known = files.filter((file) => folderOf(file) === folder).flatMap((file) => imports.get(file) ?? []);
    const isUsed = (arrow: string) => known.some(({ to }) => to === arrow || folderOf(to) === arrow);
    expect([folder, allowed.filter((arrow) => !isUsed(arrow))]).toEqual([folder, []]);
  }
});

test("the table itself runs one way, but for single files", () => {
  const order = Object.keys(arrows);
  for (const [folder, allowed] of Object.entries(arrows)) {
    const below = allowed.filter((to) => order.indexOf(to) > order.indexOf(folder));
    expect([folder, below]).toEqual([folder, []]);
  }
});

test("no file knows itself by way of others", () => {
  const done = new Set<string>();
  function visit(file: string, way: readonly string[]): void {
    expect(way, "a cycle of imports").not.toContain(file);
    if (done.has(file)) return;
    for (const { to, isOurs } of imports.get(file) ?? []) if (isOurs) visit(to, [...way, file]);
    done.add(file);
  }
  for (const file of files) visit(file, []);
});

test("only the contract itself and the entries know the service's operations: all others are given a contract", () => {
  const knowing = (file: string) =>
    files.filter((each) => imports.get(each)?.some(({ to, typeOnly }) => to === file && !typeOnly)).map(folderOf);
  expect(new Set(knowing("contract/operations.ts"))).toEqual(new Set(["contract"]));
  expect(new Set(knowing("contract/service-contract.ts"))).toEqual(new Set(["mock.ts", "cli"]));
});

test("Hono is known at the edge only", () => {
  const knowing = files.filter((file) => imports.get(file)?.some(({ to }) => /^(@hono\/|hono(\/|$))/.test(to)));
  expect(new Set(knowing.map(folderOf))).toEqual(new Set(["http"]));
});

/** Files are read by their loaders; bytes are what some of the rest is about, and secrets want the platform's comparison. Schemas are known by their hash. */
const mayKnowNode: Readonly<Record<string, readonly string[]>> = {
  "text/json-reader.ts": ["node:buffer"],
  "text/json-builder.ts": ["node:buffer"],
  "text/json-pieces.ts": ["node:buffer"],
  "contract/validator.ts": ["node:crypto"],
  "state/document.ts": ["node:buffer"],
  "journal/entry.ts": ["node:buffer"],
  "auth/same-secret.ts": ["node:crypto"],
};

test.each([
  "text",
  "contract",
  "settings",
  "query",
  "state",
  "journal",
  "projects",
  "call",
  "operations",
  "engine",
  "auth",
  "matching",
  "scenarios",
  "generate",
])("the rules in %s know nothing of Node but what they must", (folder) => {
  for (const file of files.filter((each) => folderOf(each) === folder)) {
    const builtIns = imports.get(file)?.filter(({ to }) => to.startsWith("node:")) ?? [];
    expect([file, builtIns.map(({ to }) => to)]).toEqual([file, mayKnowNode[file] ?? []]);
  }
});

/** Every file that is loaded, and every package, by the time this one has been; without what `import()` loads later. */
function loadedWith(...entries: string[]): Set<string> {
  const loaded = new Set<string>();
  function load(file: string): void {
    if (loaded.has(file)) return;
    loaded.add(file);
    for (const { to, isOurs, typeOnly, dynamic } of imports.get(file) ?? []) {
      if (typeOnly || dynamic) continue;
      if (isOurs) load(to);
      else loaded.add(to);
    }
  }
  for (const entry of entries) load(entry);
  return loaded;
}

const packagesIn = (loaded: Set<string>) => [...loaded].filter((name) => !/\.(tsx?|json)$/.test(name)).sort();

describe("what is heavy is loaded only where it is needed", () => {
  const light =
    /^(node:(buffer|crypto|fs|http|module|net|path|timers|url|util)|hono|@hono\/node-server(\/utils\/response)?|sorted-btree|fastest-levenshtein|re2js|eventsource-parser)$/;

  test.each([
    ["the command, until it listens", ["cli/bin.ts", "cli/serve.ts"]],
    ["the library, in process and on a socket", ["index.ts"]],
  ])("%s", (_name, entries) => {
    const heavy = packagesIn(loadedWith(...entries)).filter((name) => !light.test(name));
    expect(heavy).toEqual([]);
  });

  test("the client, which runs in browsers too, loads nothing of Node nor of the server", () => {
    const loaded = [...loadedWith("client/client.ts")];
    expect(loaded.filter((name) => name.startsWith("node:"))).toEqual([]);
    expect(new Set(loaded.filter((name) => name.endsWith(".ts")).map(folderOf))).toEqual(new Set(["client"]));
  });

  test("the dashboard's page loads nothing of Node, and of the server but the choices that settings have", () => {
    const loaded = loadedWith("dashboard/main.tsx");
    const server = [...loaded].filter((name) => /\.tsx?$/.test(name) && !/^(dashboard|client)\//.test(name));
    expect(server.sort()).toEqual(["contract/schema.ts", "settings/settings.ts", "text/shell.ts"]);
    expect(packagesIn(loaded)).toEqual(["eventsource-parser", "preact", "preact/hooks"]);
  });
});
