import { describe, expect, test } from "vitest";
import { environmentName, flagHelp, flags, Misuse, readFlags } from "../../src/cli/flags.ts";

/** What the command line and the environment are misunderstood with. */
function misuse(args: readonly string[], environment: Record<string, string> = {}): string {
  try {
    readFlags(args, environment);
  } catch (error) {
    expect(error).toBeInstanceOf(Misuse);
    return (error as Misuse).message;
  }
  throw new Error("nothing is wrong with it");
}

test("without flags, everything is as documented", () => {
  expect(readFlags([], {})).toMatchObject({
    port: 8080,
    host: "0.0.0.0",
    fixtures: undefined,
    scenarios: undefined,
    scenario: undefined,
    auth: "lenient",
    validation: "enforce",
    unknownIds: "fixture",
    clients: undefined,
    seed: 0,
    latency: undefined,
    adminToken: undefined,
    cors: undefined,
    watch: false,
    log: "pretty",
  });
});

const rows: [flag: string, text: string, option: object][] = [
  ["--port", "0", { port: 0 }],
  ["--port", "65535", { port: 65_535 }],
  ["--host", "::1", { host: "::1" }],
  ["--fixtures", "./mine", { fixtures: "./mine" }],
  ["--scenarios", "./mine", { scenarios: "./mine" }],
  ["--scenario", "slow", { scenario: ["slow"] }],
  ["--auth", "strict", { auth: "strict" }],
  ["--auth", "off", { auth: "off" }],
  ["--validation", "report", { validation: "report" }],
  ["--unknown-ids", "not-found", { unknownIds: "not-found" }],
  ["--client", "shop:s3:cret", { clients: new Map([["shop", "s3:cret"]]) }],
  ["--seed", "9007199254740991", { seed: Number.MAX_SAFE_INTEGER }],
  ["--latency", "200", { latency: { fixed: 200 } }],
  ["--latency", '{"uniform":[50,200]}', { latency: { uniform: [50, 200] } }],
  ["--admin-token", "s3cret", { adminToken: "s3cret" }],
  ["--cors", "*", { cors: "*" }],
  ["--cors", "http://localhost:3000", { cors: "http://localhost:3000" }],
  ["--log", "json", { log: "json" }],
];

describe.each(rows)("%s %s", (flag, text, option) => {
  const twin = environmentName({ name: flag.slice(2) });

  test("as two arguments, as one, and as its environment twin", () => {
    expect(readFlags([flag, text], {})).toMatchObject(option);
    expect(readFlags([`${flag}=${text}`], {})).toMatchObject(option);
    expect(readFlags([], { [twin]: text })).toMatchObject(option);
  });

  test("the argument wins over the twin", () => {
    expect(readFlags([flag, text], { [twin]: "???" })).toMatchObject(option);
  });

  test("an empty twin is no twin", () => {
    expect(readFlags([], { [twin]: "" })).toEqual(readFlags([], {}));
  });
});

test.each([
  [["--watch"], {}, true],
  [["--watch=false"], { RESOURCE_MOCK_WATCH: "true" }, false],
  [[], { RESOURCE_MOCK_WATCH: "1" }, true],
  [[], { RESOURCE_MOCK_WATCH: "yes" }, true],
  [[], { RESOURCE_MOCK_WATCH: "no" }, false],
  [[], { RESOURCE_MOCK_WATCH: "0" }, false],
])("a switch: %j with %j is %s", (args, environment, watch) => {
  expect(readFlags(args, environment)).toMatchObject({ watch });
});

test("what may be repeated is: as flags, or with commas in the environment", () => {
  const clients = new Map([
    ["a", "1"],
    ["b", ""],
  ]);
  expect(readFlags(["--client", "a:1", "--client", "b:"], {})).toMatchObject({ clients });
  expect(readFlags([], { RESOURCE_MOCK_CLIENT: "a:1, b:" })).toMatchObject({ clients });
  const scenario = ["slow", "flaky"];
  expect(readFlags(["--scenario", "slow", "--scenario=flaky"], {})).toMatchObject({ scenario });
  expect(readFlags([], { RESOURCE_MOCK_SCENARIO: "slow,flaky" })).toMatchObject({ scenario });
});

test.each([
  [["--prot", "1"], 'unknown flag --prot; Did you mean "--port"?'],
  [["--nonsense"], "unknown flag --nonsense; see resource-mock --help"],
  [["-p", "1"], "unknown flag -p; see resource-mock --help"],
  [["--port", "1", "extra"], 'unknown argument "extra"; see resource-mock --help'],
  [["--port"], "--port: expected N, found nothing"],
  [["--fixtures"], "--fixtures: expected DIR, found nothing"],
  [["--port", "1", "--port", "2"], "--port: may be passed once"],
  [["--watch=maybe"], '--watch: expected true or false, found "maybe"'],
  [["--port", "http"], '--port: expected a whole number from 0 to 65535, found "http"'],
  [["--port", "65536"], '--port: expected a whole number from 0 to 65535, found "65536"'],
  [["--port=-1"], '--port: expected a whole number from 0 to 65535, found "-1"'],
  [["--port="], '--port: expected a whole number from 0 to 65535, found ""'],
  [["--seed", "1.5"], '--seed: expected a whole number from 0 to 9007199254740991, found "1.5"'],
  [["--auth", "strct"], '--auth: expected lenient, strict, off, found "strct". Did you mean "strict"?'],
  [["--validation", "none"], '--validation: expected enforce, report, off, found "none".'],
  [["--unknown-ids", "404"], '--unknown-ids: expected fixture, not-found, found "404".'],
  [["--log", "text"], '--log: expected pretty, json, off, found "text".'],
  [["--latency", "fast"], '--latency: expected milliseconds, or JSON such as {"uniform":[50,200]}, found "fast"'],
  [["--admin-token", "a b"], "--admin-token: expected printable ASCII without spaces"],
  [["--cors", "localhost"], '--cors: expected * or an origin such as http://localhost:3000, found "localhost"'],
  [
    ["--cors", "http://localhost:3000/"],
    '--cors: expected * or an origin such as http://localhost:3000, found "http://localhost:3000/"',
  ],
  [["--client", "shop"], '--client: expected ID:SECRET, found "shop"'],
  [["--client", ":secret"], '--client: expected ID:SECRET, found ":secret"'],
])("%j is told as: %s", (args, message) => {
  expect(misuse(args)).toBe(message);
});

test.each([
  ["RESOURCE_MOCK_PORT", "x", 'RESOURCE_MOCK_PORT: expected a whole number from 0 to 65535, found "x"'],
  ["RESOURCE_MOCK_AUTH", "on", 'RESOURCE_MOCK_AUTH: expected lenient, strict, off, found "on".'],
  ["RESOURCE_MOCK_UNKNOWN_IDS", "x", 'RESOURCE_MOCK_UNKNOWN_IDS: expected fixture, not-found, found "x".'],
  ["RESOURCE_MOCK_WATCH", "on", 'RESOURCE_MOCK_WATCH: expected true or false, found "on"'],
])("%s=%s is told by the name of the variable", (name, value, message) => {
  expect(misuse([], { [name]: value })).toContain(message);
});

test("the help lists every flag, with what it takes and its default", () => {
  const lines = flagHelp().split("\n");
  for (const flag of Object.values(flags)) {
    const line = lines.find((each) => each.startsWith(`  --${flag.name} `));
    expect(line).toContain(flag.help);
    if (flag.value !== undefined) expect(line).toContain(`--${flag.name} ${flag.value}`);
    if (flag.default !== undefined) expect(line).toContain(`default ${flag.default}`);
  }
  expect(lines).toHaveLength(Object.keys(flags).length);
});
