import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import type { IncomingMessage } from "node:http";
import { get } from "node:https";
import { createServer } from "node:net";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { flagsOf } from "../../src/cli/flags.ts";
import { createResourceMock } from "../../src/index.ts";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import { commandHere } from "../setup/command.ts";
import { folderOf, writeInto } from "../setup/folder.ts";
import { json } from "../setup/mock.ts";
import { bin } from "../setup/run.ts";
import { serving } from "../setup/serving.ts";
import { basic, form } from "../setup/tokens.ts";

const wrongCart = { "getCart/200.json": { sum: { centAmount: "12" } } };
const wrongCartLine = '/getCart/200.json: /sum/centAmount: expected integer, found "12"';

describe("resource-mock", () => {
  test.each([["--help"], ["-h"], ["help"], ["serve", "--help"], ["--port", "1", "--help"]])(
    "resource-mock %s lists the commands and every flag",
    async (...args) => {
      const { code, stdout, stderr } = await commandHere(args);
      expect([code, stderr]).toEqual([0, ""]);
      for (const name of ["serve", "check", "openapi", "compare"])
        expect(stdout).toMatch(new RegExp(`^ {2}${name} `, "m"));
      for (const { name } of flagsOf("serve")) expect(stdout).toContain(`  --${name}`);
      expect(stdout).toContain("RESOURCE_MOCK_PORT");
    },
  );

  test.each([
    ["check", ["--contract FILE", "--behaviour FILE", "--fixtures DIR", "--scenarios DIR"]],
    ["openapi", ["--contract FILE", "--behaviour FILE", "--fixtures DIR"]],
  ])("resource-mock %s --help lists only the flags of the command", async (name, expected) => {
    const { code, stdout, stderr } = await commandHere([name, "--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`Usage: resource-mock ${name} [flags]`);
    expect(stdout.match(/(?<=^ {2})--\w+ [A-Z]+/gm)).toEqual(expected);
  });

  test("--help says that the mock behaves like the service in an OpenAPI document", async () => {
    const { stdout } = await commandHere(["--help"]);
    expect(stdout.split("\n").slice(0, 3)).toEqual([
      "resource-mock: a mock server that behaves like the service in an OpenAPI document",
      "",
      "Without --contract, resource-mock behaves like its built-in example, the Generic Resource Service.",
    ]);
  });

  test.each([
    ["names --contract after its address", [], " (the built-in example service; --contract FILE mocks your own)"],
    ["does not name --contract with a contract", ["--contract", "examples/petstore/petstore.yaml"], ""],
    ["does not name --contract in its JSON log", ["--log", "json"], ""],
  ])("the server %s", { tags: ["process"] }, async (_name, args, expected) => {
    const server = await serving({ args });
    await (await fetch(`${server.url}/__admin/health`)).text();
    expect(await server.stop()).toBe(0);
    expect(server.output().split("\n")[0]).toBe(`resource-mock listening on ${server.url}${expected}`);
  });

  test("the server keeps its compiled code after the first response, as processes are often killed", {
    tags: ["process"],
  }, async () => {
    const NODE_COMPILE_CACHE = folderOf({});
    const server = await serving({ environment: { NODE_COMPILE_CACHE } });
    const files = () => readdirSync(NODE_COMPILE_CACHE, { recursive: true, withFileTypes: true });
    const kept = () => files().filter((file) => file.isFile()).length;
    expect(kept()).toBe(0);
    await (await fetch(`${server.url}/__admin/health`)).text();
    await expect.poll(kept).toBeGreaterThan(0);
    expect(await server.stop()).toBe(0);
  });

  test("--version prints the version of the package", async () => {
    expect(await commandHere(["--version"])).toEqual({ code: 0, stdout: `${manifest.version}\n`, stderr: "" });
  });

  test.each([
    [
      ["sreve"],
      {},
      'unknown command "sreve"; expected serve, check, compare, coverage, openapi, mcp, pact, sweep. Did you mean "serve"?',
    ],
    [
      ["swep"],
      {},
      'unknown command "swep"; expected serve, check, compare, coverage, openapi, mcp, pact, sweep. Did you mean "sweep"?',
    ],
    [["xyzzy"], {}, 'unknown command "xyzzy"; expected serve, check, compare, coverage, openapi, mcp, pact, sweep\n'],
    [
      ["helpp"],
      {},
      'unknown command "helpp"; expected serve, check, compare, coverage, openapi, mcp, pact, sweep. Did you mean "help"?',
    ],
    [["--tls-dir", "tls"], {}, "--tls-dir: expected together with --https-port, found alone"],
    [
      ["--port", "8443", "--https-port", "8443"],
      {},
      "--https-port: expected another port than --port, found 8443 for both",
    ],
    [["--https-port", "0", "--tls-key", "key.pem"], {}, "--tls-key: expected together with --tls-cert, found alone"],
    [
      ["--https-port", "0", "--tls-cert", "a", "--tls-key", "b", "--tls-name", "c.test"],
      {},
      "--tls-name: expected without --tls-cert, found both; only created certificates use it",
    ],
    [
      ["--https-port", "0", "--tls-cert", "nowhere.pem", "--tls-key", "k"],
      {},
      "nowhere.pem: expected a PEM file, found",
    ],
    [["--fixtures", "/does/not/exist"], {}, "/does/not/exist: not found"],
    [["--scenarios", "/does/not/exist"], {}, "/does/not/exist: not found"],
    [["--scenario", "slwo"], {}, '--scenario: scenario "slwo" not found'],
    [
      ["--port", "0", "--host", "203.0.113.1"],
      {},
      "this machine does not have the address 203.0.113.1; use 127.0.0.1 ",
    ],
    [["--port", "0", "--host", "no..host"], {}, 'the host "no..host" has no known address; use 127.0.0.1 for '],
  ])(
    "the command line %j with the environment %j prints one line, and exits with code 2",
    async (args, environment, line) => {
      const { code, stdout, stderr } = await commandHere(args, environment);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr.startsWith(`resource-mock: ${line}`)).toBe(true);
      expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    },
  );

  test("--https-port and --tls-dir serve HTTPS, with the same CA after a restart", { tags: ["process"] }, async () => {
    const folder = join(folderOf({}), "tls");
    const args = ["--https-port", "0", "--tls-dir", folder, "--log", "off"];
    const first = await serving({ args });
    expect(first.output()).toBe(`resource-mock listening on ${first.url} and ${first.httpsUrl}\n`);
    const ca = await (await fetch(`${first.url}/__admin/ca.pem`)).text();
    expect(await first.stop()).toBe(0);
    const second = await serving({ args, environment: { RESOURCE_MOCK_TLS_NAME: "api.shop.test" } });
    expect(await (await fetch(`${second.url}/__admin/ca.pem`)).text()).toBe(ca);
    const request = get(`${second.httpsUrl}/p/resource`, { ca, servername: "api.shop.test", agent: false });
    const [{ statusCode }] = (await once(request, "response")) as [IncomingMessage];
    expect(statusCode).toBe(200);
    request.destroy();
    expect(await second.stop()).toBe(0);
    expect(second.output()).not.toContain("PRIVATE");
  });

  test("a port in use prints one line and exits with code 2", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as { port: number };
    expect(await commandHere(["--host", "127.0.0.1", "--port", `${port}`])).toEqual({
      code: 2,
      stdout: "",
      stderr: `resource-mock: port ${port} is in use; use port 0 to pick a free port\n`,
    });
    server.close();
  });
});

describe("an unknown environment variable", () => {
  const environment = { RESOURCE_MOCK_PROT: "4701" };
  const warning =
    'resource-mock: warning: unknown environment variable RESOURCE_MOCK_PROT is ignored. Did you mean "RESOURCE_MOCK_PORT"?\n';

  test("logs a warning to standard error only, and check succeeds", async () => {
    const { code, stdout, stderr } = await commandHere(["check"], environment);
    expect([code, stderr]).toEqual([0, warning]);
    expect(stdout).not.toContain("warning");
  });
});

/** Runs the command with an open file as its standard output, or with a pipe that has no reader. */
async function printing(args: readonly string[], stdout: number | "pipe"): Promise<{ code: number; stderr: string }> {
  const child = spawn(process.execPath, [bin, ...args], {
    stdio: ["ignore", stdout, "pipe"],
  });
  // The pipe closes before the command writes, because the command must load first.
  child.stdout?.destroy();
  const [stderr, [code]] = await Promise.all([text(child.stderr as Readable), once(child, "exit")]);
  return { code, stderr };
}

describe.each([["openapi"], ["--version"]])("the output of resource-mock %s", { tags: ["process"] }, (...args) => {
  test("may have a reader that stops early", async () => {
    expect(await printing(args, "pipe")).toEqual({ code: 0, stderr: "" });
  });

  test("the command fails with exit code 2 when its output cannot be written", async () => {
    const full = openSync("/dev/full", "w");
    const { code, stderr } = await printing(args, full);
    closeSync(full);
    expect([code, stderr]).toEqual([2, "resource-mock: ENOSPC: no space left on device, write\n"]);
  });
});

describe("resource-mock serve", { tags: ["process"] }, () => {
  test("applies its flags and environment variables", async () => {
    const server = await serving({
      args: ["--unknown-ids", "not-found", "--client", "shop:s3cret", "--log", "off"],
      environment: { RESOURCE_MOCK_VALIDATION: "report", RESOURCE_MOCK_AUTH: "strict" },
    });
    const grant = (secret: string) =>
      fetch(`${server.url}/oauth/token`, form({ grant_type: "client_credentials" }, basic("shop", secret)));
    expect((await grant("secret")).status).toBe(401);
    const { access_token } = (await (await grant("s3cret")).json()) as { access_token: string };
    const get = (path: string, headers = {}) => fetch(`${server.url}/demo/resource${path}`, { headers });
    const headers = { Authorization: `Bearer ${access_token}` };
    expect((await get("")).status).toBe(401);
    expect((await get("?floatParameter=x", headers)).status).toBe(200);
    expect((await get("/unknown", headers)).status).toBe(404);
    expect(await server.stop()).toBe(0);
  });

  test("creates projects with the settings and the seed of its flags, and prints one line with --log off", async () => {
    const server = await serving({
      args: [
        ...["--log", "off", "--seed", "7", "--latency", "0.5"],
        ...["--collection", "paged", "--max-image-bytes", "3"],
      ],
      environment: {
        RESOURCE_MOCK_MAX_BODY_BYTES: "40",
        RESOURCE_MOCK_JOURNAL_SIZE: "5",
        RESOURCE_MOCK_RATE_LIMIT: "1/60000",
      },
    });
    expect(server.url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(await (await fetch(`${server.url}/__admin/projects/demo/settings`)).json()).toMatchObject({
      collection: "paged",
      maxImageBytes: 3,
      maxBodyBytes: 40,
      journalSize: 5,
      latency: { fixed: 0.5 },
      rateLimit: { limit: 1, window: 60_000 },
    });
    const created = json("POST", { objectTypeProperty: {} });
    const { headers } = await fetch(`${server.url}/demo/resource`, created);
    const locations = [7, 8].map(async (seed) => {
      const mock = await createResourceMock({ seed });
      return (await mock.fetch("/demo/resource", created)).headers.get("Location");
    });
    const [same, other] = await Promise.all(locations);
    expect([headers.get("Location") === same, headers.get("Location") === other]).toEqual([true, false]);
    expect((await fetch(`${server.url}/demo/resource`)).status).toBe(429);
    expect(await server.stop()).toBe(0);
    expect(server.output()).toBe(`resource-mock listening on ${server.url}\n`);
  });

  test("reports a relative path of a folder as it was passed", async () => {
    const folder = folderOf({ "fixtures/getCart/200.json": { cartId: 1 }, "fixtures/misc/1.json": {} });
    const { code, stderr } = await commandHere(["--port", "0", "--fixtures", "fixtures/"], {}, folder);
    const more = "(and 1 more; resource-mock check lists them)";
    expect([code, stderr]).toEqual([
      2,
      `resource-mock: fixtures/getCart/200.json: /cartId: expected string, found 1 ${more}\n`,
    ]);
  });

  test("warns about ignored files of the user", async () => {
    const folder = folderOf({ "getCart/200.jsn": {}, "getCart/old/200.json": {}, "README.md": "" });
    const server = await serving({ args: ["--log", "off", "--fixtures", folder] });
    const line = `${folder}/getCart/200.jsn: ignored, expected a file with the extension .json`;
    const more = "(and 1 more; resource-mock check lists them)";
    await server.line(/^resource-mock: warning: /);
    expect(server.output()).toContain(`resource-mock: warning: ${line} ${more}\n`);
    expect(await server.stop()).toBe(0);
  });

  test("with --watch, the server loads changed fixtures, and keeps the last valid fixtures if a file is invalid", async () => {
    const folder = folderOf({ "getCart/200.json": { cartId: "first" } });
    const server = await serving({ args: ["--watch", "--log", "off", "--fixtures", folder] });
    const cart = async () => (await fetch(`${server.url}/demo/resource/namespace-action-with-example`)).json();
    expect(await cart()).toEqual({ cartId: "first" });

    writeInto(folder, "getCart/200.json", { cartId: 2 });
    await server.line(/^resource-mock: kept the last valid fixtures and scenarios$/);
    expect(server.output()).toContain(`resource-mock: ${folder}/getCart/200.json: /cartId: expected string, found 2\n`);
    expect(await cart()).toEqual({ cartId: "first" });

    writeInto(folder, "getCart/200.json", { cartId: "third" });
    await server.line(/^resource-mock: fixtures and scenarios reloaded$/);
    expect(await cart()).toEqual({ cartId: "third" });

    // As git and many editors do: a new file replaces the old one. Later, another program writes into it.
    renameSync(join(folderOf({ "200.json": { cartId: "fourth" } }), "200.json"), join(folder, "getCart/200.json"));
    await expect.poll(cart).toEqual({ cartId: "fourth" });
    writeInto(folder, "getCart/200.json", { cartId: "fifth" });
    await expect.poll(cart).toEqual({ cartId: "fifth" });
    expect(await server.stop()).toBe(0);
  });

  test("with --watch, the server loads the files of a folder that was deleted and created again", async () => {
    const folder = join(folderOf({ "mine/getCart/200.json": { cartId: "first" } }), "mine");
    const server = await serving({ args: ["--watch", "--log", "off", "--fixtures", folder] });
    rmSync(folder, { recursive: true });
    await server.line(/^resource-mock: kept the last valid fixtures and scenarios$/);

    writeInto(folder, "getCart/200.json", { cartId: "second" });
    await server.line(/^resource-mock: fixtures and scenarios reloaded$/);
    const cart = await fetch(`${server.url}/demo/resource/namespace-action-with-example`);
    expect(await cart.json()).toEqual({ cartId: "second" });
    expect(await server.stop()).toBe(0);
  });

  test.each([
    ["pretty", /^\d\d:\d\d:\d\d\.\d{3} GET \/demo\/resource\?floatParameter=x 400 error [\d.]+ ms {2}floatParameter: /],
    [
      "json",
      /^\{"time":"[^"]+","project":"demo",.*"path":"\/demo\/resource","query":"floatParameter=x",.*"status":400,/,
    ],
  ])("with --log %s, the server prints a line for each request", async (format, line) => {
    const server = await serving({ args: ["--log", format] });
    await fetch(`${server.url}/demo/resource?floatParameter=x`);
    await server.line(line);
    await server.stop();
    expect(server.output().trimEnd().split("\n")).toHaveLength(2);
  });
});

describe("resource-mock check", () => {
  test.each<[what: string, files: Record<string, unknown>, counts: string]>([
    ["an empty folder", {}, "164 fixtures (0 of them in mine), 5 seeded resources (0 of them in mine)"],
    [
      "some fixtures",
      { "getCart/200.json": {}, "getCart/200.other.json": {}, "README.md": "", "getCart/.DS_Store": "" },
      "165 fixtures (2 of them in mine), 5 seeded resources (0 of them in mine)",
    ],
    [
      "a seed",
      { "seed.json": [{ objectTypeProperty: {} }] },
      "164 fixtures (0 of them in mine), 1 seeded resource (1 of them in mine)",
    ],
  ])("counts the files of the user in %s", async (_what, files, counts) => {
    const folder = folderOf({ "mine/.keep": "" });
    for (const [path, content] of Object.entries(files)) writeInto(folder, `mine/${path}`, content);
    const { code, stdout, stderr } = await commandHere(["check", "--fixtures", "mine/"], {}, folder);
    expect([code, stdout, stderr]).toEqual([0, `${counts} and 25 scenarios are valid\n`, ""]);
  });

  test("names the ignored files of the user", async () => {
    const folder = folderOf({
      "mine/getCart/200.jsn": {},
      "mine/getCart/200": {},
      "mine/getCart/old/200.json": {},
      "mine/seed.jsn": [],
      "rules/slow.js": "",
      "rules/mine.json": { description: "Ours.", rules: [{ respond: { status: 503 } }] },
      "rules/scenario.schema.json": {},
    });
    const args = ["check", "--fixtures", "mine", "--scenarios", "rules"];
    const { code, stdout, stderr } = await commandHere(args, {}, folder);
    expect([code, stdout, stderr.split("\n")]).toEqual([
      0,
      "164 fixtures (0 of them in mine), 5 seeded resources (0 of them in mine) and 26 scenarios (1 of them in rules) are valid\n",
      [
        "mine/getCart/200: ignored, expected a file with the extension .json",
        "mine/getCart/200.jsn: ignored, expected a file with the extension .json",
        "mine/getCart/old: ignored, expected a file with the extension .json",
        "mine/seed.jsn: ignored, expected a file with the extension .json",
        "rules/slow.js: ignored, expected a file with the extension .json",
        "5 files ignored",
        "",
      ],
    ]);
  });

  test("lists every problem and exits with code 2", async () => {
    const files = { ...wrongCart, "misc/200.json": {}, "seed.json": "[", "getCart/299.json": {} };
    const folder = folderOf(files);
    const { code, stdout, stderr } = await commandHere(["check", "--fixtures", folder]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.split("\n")).toEqual([
      `${folder}${wrongCartLine}`,
      expect.stringContaining(`${folder}/getCart/299.json: expected <status>`),
      `${folder}/misc: expected the name of an operation.`,
      expect.stringContaining(`${folder}/seed.json: expected JSON: `),
      "4 problems",
      "",
    ]);
  });

  test("validates scenarios that use invalid fixtures", async () => {
    const fixtures = folderOf({ "getCart/200.ours.json": { cartId: 1 } });
    const scenarios = folderOf({
      "mine.json": {
        description: "Ours.",
        rules: [{ operation: "getCart", respond: { status: 200, fixture: "ours" } }],
      },
      "wrong.json": { description: "Wrong.", rules: [{ operation: "getCrat", respond: { status: 500 } }] },
    });
    const { code, stderr } = await commandHere(["check", "--fixtures", fixtures, "--scenarios", scenarios]);
    expect([code, stderr.split("\n")]).toEqual([
      2,
      [
        expect.stringContaining(`${fixtures}/getCart/200.ours.json: /cartId: expected string, found 1`),
        expect.stringMatching(/wrong\.json: \/rules\/0\/operation: .*getCart/),
        "2 problems",
        "",
      ],
    ]);
  });
});

describe("resource-mock openapi", () => {
  test("prints the contract, with the fixtures as examples", async () => {
    const folder = folderOf({ "getCart/200.json": { cartId: "ours" } });
    const { code, stdout, stderr } = await commandHere(["openapi", "--fixtures", folder]);
    expect([code, stderr]).toEqual([0, ""]);
    const document = JSON.parse(stdout) as {
      openapi: string;
      paths: Record<string, Record<string, { operationId: string }>>;
    };
    expect(document.openapi).toBe("3.1.0");
    const listed = Object.values(document.paths).flatMap((path) =>
      Object.values(path).map(({ operationId }) => operationId),
    );
    expect(listed.sort()).toEqual([...serviceContract.ids].sort());
    expect(stdout).toContain('"cartId": "ours"');
  });
});
