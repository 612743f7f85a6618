import { globSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { rolldown } from "rolldown";
import { describe, expect, test } from "vitest";
import { repository } from "../setup/run.ts";

/** The rooms: the folders of `src`. Imports go from a room to those before it. */
const rooms = "contract state rules journal project engine homes control http page tools library cli";

/** The rooms before `http` apply rules to data. */
const pureRooms = ["contract", "state", "rules", "journal", "project", "engine", "control"];

interface Import {
  readonly from: string;
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
      from: file,
      to: isOurs ? join(file, "..", specifier) : specifier,
      isOurs,
      typeOnly: typed !== undefined || /^\{(\s*type\s+[^,}]+,?)+\s*\}\s*$/.test(names),
      dynamic: dynamic !== undefined,
    };
  });
}

const files = globSync("**/*.{ts,tsx}", { cwd: `${repository}src` }).sort();
const imports = new Map(files.map((file) => [file, importsOf(file)]));
const all = [...imports.values()].flat();
const roomOf = (file: string) => file.split("/")[0] ?? file;
const order = rooms.split(" ");
const shown = ({ from, to }: Import) => `${from}: ${to}`;

/** The imports from one room to another, without the entries of the package, which are the files beside the rooms. */
const between = all.filter(
  ({ from, to, isOurs }) => isOurs && from.includes("/") && roomOf(to) !== roomOf(from) && !to.startsWith("../"),
);

describe("rooms", () => {
  test("src has the rooms, and the entries of the package", () => {
    expect(new Set(files.filter((file) => file.includes("/")).map(roomOf))).toEqual(new Set(order));
    const { exports } = JSON.parse(readFileSync(`${repository}package.json`, "utf8"));
    const published = Object.keys(exports).map((name) => `${name.slice(2).replaceAll("/", "-") || "index"}.ts`);
    const internal = ["bin.ts", "in-process.ts", "require-node.ts"];
    const entries = files.filter((file) => !file.includes("/"));
    expect(new Set(entries)).toEqual(new Set([...published, ...internal].filter((name) => !name.includes("json"))));
  });

  test("a room imports only rooms before it", () => {
    const backwards = between.filter(({ from, to }) => order.indexOf(roomOf(to)) > order.indexOf(roomOf(from)));
    expect(backwards.map(shown)).toEqual([]);
  });

  test("other rooms import a room through its entry, or the entry of a folder of its own", () => {
    expect(between.filter(({ to }) => basename(to) !== "index.ts").map(shown)).toEqual([]);
  });
});

test("only the contract room and the entries import the operations; other code receives a contract", () => {
  const importers = new Set(all.filter(({ to, typeOnly }) => to === "contract/operations.ts" && !typeOnly));
  expect(new Set([...importers].map(({ from }) => roomOf(from)))).toEqual(new Set(["contract"]));
  const users = files.filter((file) => /\bserviceContract\b/.test(readFileSync(`${repository}src/${file}`, "utf8")));
  expect(new Set(users.map(roomOf))).toEqual(new Set(["contract", "library", "cli"]));
});

test("only the http room imports Hono", () => {
  const importers = all.filter(({ to }) => /^(@hono\/|hono(\/|$))/.test(to));
  expect(new Set(importers.map(({ from }) => roomOf(from)))).toEqual(new Set(["http"]));
});

test("the rooms before http open no connections, and use files only for fixtures and summaries of steps", () => {
  const users = all.filter(
    ({ from, to }) => pureRooms.includes(roomOf(from)) && /^node:(fs|net|tls|http2|dns|child_process)/.test(to),
  );
  expect(new Set(users.map(({ from }) => from.split("/").slice(0, 2).join("/")))).toEqual(
    new Set(["state/fixtures", "journal/reports"]),
  );
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

const light =
  /^(node:(buffer|crypto|fs(\/promises)?|http|module|net|os|path|timers|url|util|v8)|hono|@hono\/node-server(\/utils\/response)?|sorted-btree(\/extended\/diffAgainst\.js)?|fastest-levenshtein|re2js|eventsource-parser)$/;

test.each([
  ["the command, before it listens,", ["bin.ts", "cli/run.ts", "cli/serve.ts"]],
  ["the library", ["index.ts"]],
])("%s loads only light packages", (_name, entries) => {
  const heavy = [...loadedWith(...entries)].filter((name) => !/\.(tsx?|json)$/.test(name) && !light.test(name));
  expect(heavy).toEqual([]);
});

describe("what runs in browsers loads no module of Node, and only small parts of the server", () => {
  test.each([
    ["the client", "client.ts", ["contract/limits.ts", "state/sandbox/name.ts"]],
    [
      "the dashboard",
      "page/dashboard/main.tsx",
      [
        "contract/limits.ts",
        "contract/schema.ts",
        "contract/text/headers.ts",
        "contract/text/json.ts",
        "contract/text/shell.ts",
        "contract/text/sources.ts",
        "journal/reasons/address.ts",
        "journal/reasons/why.ts",
        "state/sandbox/name.ts",
        "state/settings.ts",
      ],
    ],
    ["the API reference", "page/api-docs/main.tsx", ["contract/text/shell.ts"]],
  ])("%s", async (_name, input, expected) => {
    const bundle = await rolldown({ input: `${repository}src/${input}`, platform: "browser", external: /^node:/ });
    const { output } = await bundle.generate();
    expect(output.flatMap((file) => ("imports" in file ? file.imports : []))).toEqual([]);
    const { modules } = output[0];
    const rendered = Object.keys(modules).filter((id) => modules[id]?.renderedLength && !id.includes("node_modules"));
    const server = rendered
      .map((id) => id.replace(/^.*\/src\//, ""))
      .filter((id) => !/^(page|control\/client)\//.test(id));
    expect(server.sort()).toEqual(expected);
  });
});
