import { globSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  type CommandName,
  commandNames,
  defaultOf,
  flagHelp,
  flagsOf,
  readFlags,
  unknownVariables,
} from "../../src/cli/flags.ts";
import { Misuse } from "../../src/library/index.ts";
import { repository } from "../setup/run.ts";

type Environment = Record<string, string>;

const serveOptions = (args: readonly string[], environment: Environment = {}) => readFlags("serve", args, environment);

/** Returns the error message for invalid arguments or variables. */
async function misuse(command: CommandName, args: readonly string[], environment: Environment = {}): Promise<string> {
  const error: unknown = await readFlags(command, args, environment).catch((error) => error);
  expect(error).toBeInstanceOf(Misuse);
  return (error as Misuse).message;
}

test("without flags, every option has its documented default, and settings have those of the contract", async () => {
  expect(await serveOptions([])).not.toHaveProperty("settings");
  expect(await serveOptions([])).toMatchObject({
    port: 8080,
    host: "::",
    fixtures: undefined,
    scenarios: undefined,
    scenario: undefined,
    https: undefined,
    clients: undefined,
    seed: 0,
    sharePrefix: "resource-mock",
    shareTtl: 86_400_000,
    adminToken: undefined,
    cors: undefined,
    watch: false,
    log: "pretty",
  });
});

test("times have one format in all commands", async () => {
  const times = commandNames.flatMap(flagsOf).filter(({ name }) => /time|ttl/.test(name));
  expect(times.map(({ name }) => name)).toEqual(["upstream-timeout", "share-ttl", "timeout", "max-time", "timeout"]);
  for (const { value, read } of times) {
    expect(value).toBe("TIME");
    const texts = ["1500", "1500ms", "1.5s", "0.025m"];
    expect(await Promise.all(texts.map((text) => read([text])))).toEqual([1500, 1500, 1500, 1500]);
    for (const text of ["0", "-1", "5 s", "5d", "", "1e9h"]) {
      expect(() => read([text])).toThrow(/^expected milliseconds from 1 to \d+, or a time such as 90s or 5m, found /);
    }
  }
});

const rows: [flag: string, text: string, option: object][] = [
  ["--port", "0", { port: 0 }],
  ["--host", "::1", { host: "::1" }],
  ["--fixtures", "./mine", { fixtures: "./mine" }],
  ["--scenarios", "./mine", { scenarios: "./mine" }],
  ["--scenario", "slow", { scenario: ["slow"] }],
  ["--auth", "strict", { settings: { auth: "strict" } }],
  ["--collection", "paged", { settings: { collection: "paged" } }],
  ["--start", "empty", { settings: { start: "empty" } }],
  ["--max-image-bytes", "0", { settings: { maxImageBytes: 0 } }],
  ["--journal-size", "5", { settings: { journalSize: 5 } }],
  ["--client", "shop:s3:cret", { clients: new Map([["shop", "s3:cret"]]) }],
  ["--seed", "9007199254740991", { seed: Number.MAX_SAFE_INTEGER }],
  ["--latency", "200", { settings: { latency: { fixed: 200 } } }],
  ["--latency", '{"uniform":[50,200]}', { settings: { latency: { uniform: [50, 200] } } }],
  ["--rate-limit", "10/1000", { settings: { rateLimit: { limit: 10, window: 1000 } } }],
  ["--rate-limit", '{"limit":3,"window":60000}', { settings: { rateLimit: { limit: 3, window: 60_000 } } }],
  ["--admin-token", "s3cret", { adminToken: "s3cret" }],
  ["--allowed-host", "mock.shop.test", { allowedHosts: ["mock.shop.test"] }],
  ["--cors", "*", { cors: "*" }],
  ["--log", "json", { log: "json" }],
];

test.each(rows)(
  "the command %s reads the flag %s from two arguments, one argument, and the environment variable",
  async (...row) => {
    const [flag, text, option] = row;
    const variable = `RESOURCE_MOCK_${flag.slice(2).toUpperCase().replaceAll("-", "_")}`;
    expect(await serveOptions([flag, text])).toMatchObject(option);
    expect(await serveOptions([`${flag}=${text}`])).toMatchObject(option);
    expect(await serveOptions([], { [variable]: text })).toMatchObject(option);
    // The argument overrides the variable.
    expect(await serveOptions([flag, text], { [variable]: "???" })).toMatchObject(option);
    // An empty variable is ignored, unless the mock would admit more clients.
    if (flag !== "--admin-token") {
      expect(await serveOptions([], { [variable]: "" })).toEqual(await serveOptions([]));
    }
  },
);

test.each<[CommandName, string, string]>([
  ["serve", "ADMIN_TOKEN", "expected printable ASCII without spaces"],
  ["mcp", "ADMIN_TOKEN", "expected printable ASCII without spaces"],
  ["serve", "TLS_CLIENT_CA", "expected the path of a PEM file"],
])(
  "the command %s rejects an empty RESOURCE_MOCK_%s, because a missing secret must not open the mock",
  async (command, name, text) => {
    const variable = `RESOURCE_MOCK_${name}`;
    const message = new RegExp(`^${variable}: ${text}, found .*\\. Unset the variable to start without it$`);
    expect(await misuse(command, [], { [variable]: "" })).toMatch(message);
    // The flag overrides the variable.
    const flag = `--${name.toLowerCase().replaceAll("_", "-")}`;
    expect(await misuse(command, [flag], { [variable]: "" })).toContain(`${flag}: expected`);
  },
);

test("a token can look like the addresses that Kubernetes sets", async () => {
  const environment = { RESOURCE_MOCK_ADMIN_TOKEN: "tcp://a" };
  expect(await serveOptions([], environment)).toMatchObject({ adminToken: "tcp://a" });
});

test("compare reads an empty RESOURCE_MOCK_TOKEN as not set", async () => {
  const environment = { RESOURCE_MOCK_TOKEN: "" };
  expect(await readFlags("compare", [], environment)).toEqual(await readFlags("compare", [], {}));
});

test("ignores an address in RESOURCE_MOCK_PORT, as Kubernetes sets it", async () => {
  expect(await serveOptions([], { RESOURCE_MOCK_PORT: "tcp://10.0.0.1:8080" })).toMatchObject({ port: 8080 });
});

test.each([
  [["--watch"], {}, true],
  [["--watch=false"], { RESOURCE_MOCK_WATCH: "true" }, false],
  [[], { RESOURCE_MOCK_WATCH: "1" }, true],
  [[], { RESOURCE_MOCK_WATCH: "TRUE" }, true],
  [[], { RESOURCE_MOCK_WATCH: "On" }, true],
  [[], { RESOURCE_MOCK_WATCH: "no" }, false],
  [["--watch=OFF"], { RESOURCE_MOCK_WATCH: "Yes" }, false],
])("the switch --watch: %j with %j is %s", async (args, environment, watch) => {
  expect(await serveOptions(args, environment as Environment)).toMatchObject({ watch });
});

test("every switch has the same spellings, in upper and lower case", async () => {
  const switches = commandNames.flatMap(flagsOf).filter(({ value }) => value === undefined);
  expect(switches.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["watch", "projects-read-only", "strict", "resume", "dry-run", "read-only"]),
  );
  for (const { read } of switches) {
    for (const text of ["true", "TRUE", "1", "yes", "Yes", "on", "ON"]) expect(read([text])).toBe(true);
    for (const text of ["false", "False", "0", "no", "NO", "off", "Off"]) expect(read([text])).toBe(false);
    for (const text of ["constructor", "2", "yess"])
      expect(() => read([text])).toThrow("expected true or false, found");
  }
});

test("repeatable flags can be repeated, or comma-separated in the environment variable", async () => {
  const clients = new Map([
    ["a", "1"],
    ["b", ""],
  ]);
  expect(await serveOptions(["--client", "a:1", "--client", "b:"])).toMatchObject({ clients });
  expect(await serveOptions([], { RESOURCE_MOCK_CLIENT: "a:1, b:" })).toMatchObject({ clients });
  const scenario = ["slow", "flaky"];
  expect(await serveOptions(["--scenario", "slow", "--scenario=flaky"])).toMatchObject({ scenario });
  expect(await serveOptions([], { RESOURCE_MOCK_SCENARIO: "slow,flaky" })).toMatchObject({ scenario });
});

const latencyForms =
  'expected MS, or JSON such as {"fixed":200}, {"uniform":[50,200]}, {"lognormal":{"median":100,"sigma":0.5}}';

const rateLimitForms = 'expected LIMIT/MS, or JSON such as {"limit":10,"window":1000}';

test.each([
  [["--maxbodybytes=1"], 'unknown flag --maxbodybytes. Did you mean "--max-body-bytes"?'],
  [["--verison"], 'unknown flag --verison. Did you mean "--version"?'],
  [["--nonsense"], "unknown flag --nonsense; see resource-mock --help"],
  [["--port", "1", "extra"], 'unknown argument "extra"; see resource-mock --help'],
  [["--port"], "--port: expected N, found nothing"],
  [["--port", "1", "--port", "2"], "--port: expected once, found several times"],
  [["--watch=maybe"], '--watch: expected true or false, found "maybe"'],
  [["--port", "http"], '--port: expected a whole number from 0 to 65535, found "http"'],
  [["--auth", "strct"], '--auth: expected one of lenient, present, strict, off, found "strct". Did you mean "strict"?'],
  [["--start", "none"], '--start: expected one of sample, empty, found "none"'],
  [["--max-image-bytes", "-1"], '--max-image-bytes: expected a whole number from 0 to 33554432, found "-1"'],
  [["--latency", "fast"], `--latency: ${latencyForms}, found "fast"`],
  [["--rate-limit", "10"], `--rate-limit: ${rateLimitForms}, found "10"`],
  [["--rate-limit", "0/1000"], "--rate-limit: /limit: expected at least 1, found 0"],
  [["--rate-limit", '{"limit":1.5,"window":1}'], "--rate-limit: /limit: expected integer, found 1.5"],
  [["--admin-token", ""], '--admin-token: expected printable ASCII without spaces, found ""'],
  [["--host", ""], '--host: expected an address, such as 127.0.0.1, or a host name, found ""'],
  [
    ["--cors", "http://localhost:3000/"],
    '--cors: expected * or an origin such as http://localhost:3000, found "http://localhost:3000/"',
  ],
  [["--client", ":secret"], "--client: expected ID:SECRET, found no id"],
  [
    ["--allowed-host", "http://mock.shop.test"],
    '--allowed-host: expected a host name such as mock.shop.test, found "http://mock.shop.test"',
  ],
])("the command line %j is rejected with: %s", async (args, message) => {
  expect(await misuse("serve", args)).toBe(message);
});

describe("the flags of a command", () => {
  test.each<[CommandName, string[], string]>([
    [
      "check",
      ["--watch"],
      "--watch: not used by check; flags of check: --contract, --behaviour, --fixtures, --scenarios, --json",
    ],
    ["check", ["extra"], 'unknown argument "extra"; see resource-mock check --help'],
  ])("the command %s rejects %j with: %s", async (command, args, message) => {
    expect(await misuse(command, args)).toBe(message);
  });

  test("set only its own options, and variables of other commands are ignored", async () => {
    const environment = { RESOURCE_MOCK_PORT: "x", RESOURCE_MOCK_SCENARIOS: "theirs" };
    expect(await readFlags("check", ["--fixtures", "ours"], environment)).toEqual({
      fixtures: "ours",
      scenarios: "theirs",
      json: false,
    });
  });
});

describe("the environment variable of a flag", () => {
  test("has the name of the command if commands use the flag differently", () => {
    const variableOf = (command: CommandName, flag: string) =>
      flagsOf(command).find(({ name }) => name === flag)?.variable;
    expect(variableOf("serve", "report")).toBe("RESOURCE_MOCK_REPORT");
    expect(variableOf("coverage", "report")).toBe("RESOURCE_MOCK_COVERAGE_REPORT");
    expect(variableOf("compare", "report")).toBe("RESOURCE_MOCK_COMPARE_REPORT");
    expect(variableOf("compare", "token-url")).toBe("RESOURCE_MOCK_TOKEN_URL");
  });

  test.each(commandNames)(
    "the variable of %s has the same meaning in every command that reads the variable",
    (command) => {
      const others = commandNames.filter((other) => other !== command).flatMap(flagsOf);
      for (const { variable, name, value } of flagsOf(command)) {
        for (const other of others.filter((each) => each.variable === variable)) {
          expect([other.name, other.value]).toEqual([name, value]);
        }
      }
    },
  );

  test("for the server does not change other commands", async () => {
    const shared = ["contract", "behaviour", "fixtures", "scenarios", "admin-token", "upstream", "upstream-ca"];
    const environment = Object.fromEntries(
      flagsOf("serve")
        .filter(({ name }) => !shared.includes(name))
        .map(({ variable }) => [variable, "/reports"]),
    );
    for (const command of commandNames.filter((each) => each !== "serve")) {
      expect(await readFlags(command, [], environment)).toEqual(await readFlags(command, [], {}));
    }
  });
});

test.each([
  ["RESOURCE_MOCK_PORT", "x", 'RESOURCE_MOCK_PORT: expected a whole number from 0 to 65535, found "x"'],
  ["RESOURCE_MOCK_AUTH", "on", 'RESOURCE_MOCK_AUTH: expected one of lenient, present, strict, off, found "on"'],
  ["RESOURCE_MOCK_UNKNOWN_IDS", "x", 'RESOURCE_MOCK_UNKNOWN_IDS: expected one of fixture, not-found, auto, found "x"'],
  ["RESOURCE_MOCK_SCENARIO", ",", 'RESOURCE_MOCK_SCENARIO: expected the name of a scenario, found ""'],
  ["RESOURCE_MOCK_OPEN", ",", 'RESOURCE_MOCK_OPEN: expected the path of a file, found ""'],
  ["RESOURCE_MOCK_WATCH", "onn", 'RESOURCE_MOCK_WATCH: expected true or false, found "onn"'],
  ["RESOURCE_MOCK_LATENCY", '{"fixed":"1"}', 'RESOURCE_MOCK_LATENCY: /fixed: expected number, found "1"'],
])("the error for %s=%s contains the name of the variable", async (name, value, message) => {
  expect(await misuse("serve", [], { [name]: value })).toBe(message);
});

test.each<CommandName>(["serve", "check", "openapi"])(
  "the help of %s lists its flags with values and defaults",
  (command) => {
    const lines = flagHelp(command).split("\n");
    for (const flag of flagsOf(command)) {
      const { name, value, help, repeatable, default: fallback } = flag;
      const line = lines.find((each) => each.startsWith(`  --${name} `));
      expect(line).toContain(`  ${help}`);
      if (value !== undefined) expect(line).toContain(`--${name} ${value}  `);
      if (fallback !== undefined) expect(line).toContain(`default ${defaultOf(flag)}`);
      if (repeatable) expect(line).toContain("repeatable; comma-separated in the environment variable");
    }
    expect(lines).toHaveLength(flagsOf(command).length);
  },
);

test.each([
  ["RESOURCE_MOCK_PROT", ' Did you mean "RESOURCE_MOCK_PORT"?'],
  ["RESOURCE_MOCK_BOGUS", " See resource-mock --help."],
])("the unknown variable %s logs a warning", (name, hint) => {
  const warning = `unknown environment variable ${name} is ignored.${hint}`;
  expect(unknownVariables({ [name]: "4701", RESOURCE_MOCK_PORT: "0", PATH: "/" })).toEqual([warning]);
});

test("the variables that Kubernetes sets for a Service named resource-mock log no warning", () => {
  const names = ["SERVICE_HOST", "SERVICE_PORT", "SERVICE_PORT_HTTP", "PORT_8080_TCP", "PORT_8080_TCP_ADDR"];
  expect(unknownVariables(Object.fromEntries(names.map((name) => [`RESOURCE_MOCK_${name}`, "x"])))).toEqual([]);
});

test("the variables of the libraries, the image and Compose log no warning", () => {
  const patterns = ["src/**/*.ts", "docs/**/*.md", "test/setup/*.ts", "README.md", "CONTRIBUTING.md", "package.json"];
  const files = globSync([...patterns, "Dockerfile", "compose.yaml", "examples/*/compose.yaml"], { cwd: repository });
  const texts = files.map((file) => readFileSync(`${repository}${file}`, "utf8"));
  const names = new Set(texts.flatMap((text) => text.match(/RESOURCE_MOCK_[A-Z_]+/g) ?? []));
  expect(names).toContain("RESOURCE_MOCK_PUBLISH");
  expect(unknownVariables(Object.fromEntries([...names].map((name) => [name, "x"])))).toEqual([]);
});
