import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { repository } from "../setup/run.ts";

/**
 * The folders of `src` that each folder may import. Imports go from the bottom of this table to its top. A new folder
 * needs a line.
 */
const table: Readonly<Record<string, string>> = {
  // The limits. Every folder may import them.
  "limits.ts": "",
  text: "",
  schedule: "",
  contract: "text",
  settings: "contract",
  sandbox: "contract text",
  state: "contract text",
  query: "schedule contract state text",
  fixtures: "contract state text",
  auth: "contract settings sandbox text",
  generate: "contract settings text",
  matching: "schedule contract text",
  scenarios: "contract state fixtures matching settings text",
  journal: "schedule contract state matching text",
  // The reason for a response in words. The dashboard and the libraries for tests import it.
  reasons: "journal text",
  har: "contract journal text",
  // The formats of reports, for commands and for the server.
  reports: "journal text",
  projects: "contract settings state scenarios journal text",
  pact: "contract state query matching scenarios journal projects text",
  // The request and the response that the steps of the pipeline share.
  call: "schedule contract settings fixtures auth scenarios journal projects text",
  // The real service of --upstream. The folders below import only its types, and mock.ts loads it with the flag.
  upstream: "contract fixtures scenarios journal projects call text",
  operations: "contract state query journal call text",
  engine:
    "schedule contract settings sandbox state fixtures auth generate matching scenarios journal projects call operations text",
  // A project as lines: the format of archives, of the files of --projects, and of the parts in a shared store.
  archive: "schedule contract settings state matching scenarios journal projects call engine text",
  control:
    "schedule contract settings sandbox state query fixtures auth generate matching scenarios journal har reports projects pact call engine archive text",
  http: "schedule contract sandbox auth scenarios journal projects call engine control text",
  // The home of projects that processes share in Valkey or Redis. The command loads it with --share.
  share: "schedule contract auth state scenarios journal projects archive engine text",
  // The certificates for HTTPS.
  tls: "fixtures text",
  // A run of `resource-mock sweep`: the names of its files, and its failure in the mocks that take part.
  "sweep-files.ts": "scenarios",
  "sweep-run.ts": "contract scenarios sweep-files.ts",
  // A client of the real service, over HTTP only.
  verify: "contract text reports",
  "writable-folder.ts": "text",
  // The homes of --projects. mock.ts loads them with the flag.
  "project-files": "schedule contract fixtures scenarios projects archive engine text writable-folder.ts",
  "package-files.ts": "",
  "version.ts": "",
  "build-flag.d.ts": "",
  // Loaded before all else, so they use nothing that an old Node lacks.
  "node-version.ts": "",
  "require-node.ts": "node-version.ts",
  "mock.ts":
    "contract fixtures scenarios call upstream engine sweep-files.ts sweep-run.ts project-files package-files.ts",
  "options.ts": "contract settings text mock.ts",
  // The libraries. The client imports only types from the server; a test below checks this.
  client: "settings sandbox state matching scenarios journal har pact control",
  // The requirements for the coverage of a run, for the command and the reporters.
  gate: "contract journal client reports text",
  // A page that sends requests as any browser does. It imports only the quoting for shells.
  "api-docs": "text",
  // A client like any other. It also imports the schemas of the settings, texts, and the parts that show an operation.
  dashboard: "client settings sandbox reasons text api-docs",
  // A client like any other, with the schemas of the control API.
  mcp: "contract settings state matching scenarios journal control client text",
  "bundle-page.ts": "",
  "pages.ts": "contract control bundle-page.ts",
  // Runs a command and servers as processes, without the engine.
  sweep: "contract scenarios sweep-files.ts reports text",
  // The reports that a server writes when it stops.
  "report-at-stop.ts": "journal engine har gate",
  // The archives of --open.
  "open-archives.ts": "contract fixtures projects reasons engine archive text",
  cli: "client gate journal reports contract sweep settings text fixtures engine http pages.ts verify mock.ts writable-folder.ts report-at-stop.ts share open-archives.ts options.ts tls mcp version.ts node-version.ts",
  "testcontainers.ts": "settings version.ts client",
  "index.ts":
    "contract fixtures journal engine http tls pages.ts mock.ts writable-folder.ts report-at-stop.ts options.ts version.ts client gate",
  "msw.ts": "http",
  testing: "text sweep-files.ts scenarios journal reasons projects pact cli client gate index.ts",
  "playwright.ts": "client testing",
  vitest: "client gate testcontainers.ts testing",
  jest: "client gate testing",
};

const allowedImports: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(table).map(([folder, allowed]) => [folder, allowed.split(" ").filter(Boolean)]),
);

interface Import {
  /** The path of a file within `src`, or the name of a package. */
  readonly to: string;
  readonly isOurs: boolean;
  /** An import of types only, which loads nothing at runtime. */
  readonly typeOnly: boolean;
  /** An `import()`, which loads the module when it runs. */
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

test("files have only allowed imports", () => {
  const forbidden = files.flatMap((file) => {
    const allowed = allowedImports[folderOf(file)];
    if (!allowed) return [`${file}: ${folderOf(file)} has no line in allowedImports`];
    return (imports.get(file) ?? [])
      .filter(
        ({ isOurs, to }) => isOurs && !to.startsWith("..") && to !== "limits.ts" && folderOf(to) !== folderOf(file),
      )
      .filter(({ to }) => !allowed.includes(to) && !allowed.includes(folderOf(to)))
      .map(({ to }) => `${file}: ${to}`);
  });
  expect(forbidden).toEqual([]);
});

test("every allowed import is in use", () => {
  const unused = Object.entries(allowedImports).flatMap(([folder, allowed]) => {
    const known = files.filter((file) => folderOf(file) === folder).flatMap((file) => imports.get(file) ?? []);
    const isUsed = (arrow: string) => known.some(({ to }) => to === arrow || folderOf(to) === arrow);
    return allowed.filter((arrow) => !isUsed(arrow)).map((arrow) => `${folder}: ${arrow}`);
  });
  expect(unused).toEqual([]);
});

test("a folder may import only folders above it in the table", () => {
  const order = Object.keys(allowedImports);
  const below = Object.entries(allowedImports).flatMap(([folder, allowed]) =>
    allowed.filter((to) => order.indexOf(to) > order.indexOf(folder)).map((to) => `${folder}: ${to}`),
  );
  expect(below).toEqual([]);
});

test("only the contract folder and the entries import the operations; other code receives a contract", () => {
  const importers = (file: string) =>
    files.filter((each) => imports.get(each)?.some(({ to, typeOnly }) => to === file && !typeOnly)).map(folderOf);
  expect(new Set(importers("contract/operations.ts"))).toEqual(new Set(["contract"]));
  expect(new Set(importers("contract/service-contract.ts"))).toEqual(new Set(["mock.ts", "cli"]));
});

test("only the http folder imports Hono", () => {
  const importers = files.filter((file) => imports.get(file)?.some(({ to }) => /^(@hono\/|hono(\/|$))/.test(to)));
  expect(new Set(importers.map(folderOf))).toEqual(new Set(["http"]));
});

/** The Node modules that rule code may import: buffers for bytes, crypto for hashes of schemas and comparison of secrets. */
const allowedBuiltIns: Readonly<Record<string, readonly string[]>> = {
  "text/json-reader.ts": ["node:buffer"],
  "state/budget.ts": ["node:v8"],
  "text/base64.ts": ["node:buffer"],
  "text/json-pieces.ts": ["node:buffer"],
  "contract/validator.ts": ["node:crypto"],
  "journal/entry.ts": ["node:buffer"],
  "journal/without-secrets.ts": ["node:buffer"],
  "pact/interaction.ts": ["node:buffer"],
  "auth/same-secret.ts": ["node:crypto"],
};

test("rule code imports only the allowed modules of Node", () => {
  const folders =
    "text contract settings sandbox query state journal projects pact call operations engine auth matching scenarios generate";
  const builtIns = files
    .filter((file) => folders.split(" ").includes(folderOf(file)))
    .map((file) => [file, imports.get(file)?.flatMap(({ to }) => (to.startsWith("node:") ? [to] : []))] as const);
  expect(Object.fromEntries(builtIns.filter(([, names]) => names?.length))).toEqual(allowedBuiltIns);
});

/** Returns all files and packages that load with these entries, without those that `import()` loads later. */
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

describe("heavy packages load on demand", () => {
  const light =
    /^(node:(buffer|crypto|fs|http|module|net|path|timers|url|util|v8)|hono|@hono\/node-server(\/utils\/response)?|sorted-btree(\/extended\/diffAgainst\.js)?|fastest-levenshtein|re2js|eventsource-parser)$/;

  test.each([
    ["the command, before it listens,", ["cli/bin.ts", "cli/run.ts", "cli/serve.ts"]],
    ["the library", ["index.ts"]],
  ])("%s loads only light packages", (_name, entries) => {
    const heavy = packagesIn(loadedWith(...entries)).filter((name) => !light.test(name));
    expect(heavy).toEqual([]);
  });

  test("the client loads no module of Node, and of the server only limits and names, because it also runs in browsers", () => {
    const loaded = [...loadedWith("client/client.ts")];
    expect(loaded.filter((name) => name.startsWith("node:"))).toEqual([]);
    expect(new Set(loaded.filter((name) => name.endsWith(".ts")).map(folderOf))).toEqual(
      new Set(["client", "limits.ts", "sandbox"]),
    );
  });

  test("the dashboard loads no module of Node, and only a few files of the server", () => {
    const loaded = loadedWith("dashboard/main.tsx");
    const server = [...loaded].filter((name) => /\.tsx?$/.test(name) && !/^(dashboard|api-docs|client)\//.test(name));
    expect(server.sort()).toEqual([
      "contract/schema.ts",
      "limits.ts",
      "reasons/address.ts",
      "reasons/why.ts",
      "sandbox/name.ts",
      "settings/settings.ts",
      "text/headers.ts",
      "text/json.ts",
      "text/shell.ts",
      "text/sources.ts",
    ]);
    expect(packagesIn(loaded)).toEqual(["eventsource-parser", "preact", "preact/hooks"]);
  });

  test("the API reference loads no module of Node, and only one file of the server", () => {
    const loaded = loadedWith("api-docs/main.tsx");
    const server = [...loaded].filter((name) => /\.tsx?$/.test(name) && !name.startsWith("api-docs/"));
    expect(server).toEqual(["text/shell.ts"]);
    expect(packagesIn(loaded)).toEqual(["preact", "preact/hooks"]);
  });
});
