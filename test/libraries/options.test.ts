import { once } from "node:events";
import { createServer } from "node:net";
import { runInNewContext } from "node:vm";
import { describe, expect, test } from "vitest";
import { createResourceMock, startResourceMock } from "../../src/index.ts";
import { json } from "../setup/mock.ts";
import { repository, run } from "../setup/run.ts";

/** The libraries as JavaScript calls them, without type checks of the options. */
type Start = (options?: unknown) => Promise<AsyncDisposable>;
const starts = { createResourceMock, startResourceMock } as unknown as Record<string, Start>;

/** Returns the error for invalid options. */
async function errorOf(start: Start, options: unknown): Promise<unknown> {
  try {
    await using _mock = await start(options);
  } catch (error) {
    return error;
  }
  throw new Error("expected an error, found none");
}

const invalid: [options: unknown, problem: string][] = [
  [{ sede: 1 }, 'sede: unknown option. Did you mean "seed"?'],
  [
    { nonsense: 1 },
    "nonsense: unknown option. Known: settings, contract, behaviour, noCache, fixtures, scenarios, scenario, clients, seed, maxStateBytes, maxProjects, projects, projectsReadOnly, upstream, upstreamCa, upstreamTimeout, recordTo, cors, report, now",
  ],
  [{ constructor: 1 }, "constructor: unknown option."],
  [{ settings: { latency: 50 } }, "settings: /latency: expected null or object, found 50"],
  [
    { settings: { auth: "stric" } },
    'settings: /auth: expected one of "lenient", "present", "strict", "off", found "stric". Did you mean "strict"?',
  ],
  [{ seed: "abc" }, 'seed: expected a whole number from 0 to 9007199254740991, found "abc"'],
  [{ fixtures: "" }, 'fixtures: expected the path of a folder, found ""'],
  [{ projects: "p", projectsReadOnly: "yes" }, 'projectsReadOnly: expected true or false, found "yes"'],
  [{ projectsReadOnly: true }, "projectsReadOnly: expected together with projects, found alone"],
  [{ scenario: "conflict" }, 'scenario: expected an array, each item the name of a scenario, found "conflict"'],
  [{ scenario: ["conflict", 1] }, "scenario: expected the name of a scenario, found 1"],
  [{ clients: { shop: "s" } }, "clients: expected a Map from client ids to secrets, both strings, found an"],
  [{ now: 0 }, "now: expected a function, found 0"],
  ...[
    [() => new Date(), "returns an object"],
    [() => undefined, "returns nothing"],
    [() => Number.NaN, "returns NaN"],
    [() => 1e300, "returns 1e+300"],
    [() => 5n, "returns 5"],
    [async () => 5, "returns an object"],
    [() => JSON.parse("x"), "throws \"SyntaxError: Unexpected token 'x'"],
  ].map(([now, found]): [unknown, string] => [
    { now },
    `now: expected a function that returns milliseconds since 1970, from 0 to 253402300799999, found one that ${found}`,
  ]),
  [{ cors: "localhost" }, 'cors: expected * or an origin such as http://localhost:3000, or false, found "localhost"'],
  [{ cors: true }, "cors: expected * or an origin such as http://localhost:3000, or false, found true"],
];

describe.each(Object.entries(starts))("%s", (name, start) => {
  test.each(invalid)("rejects %o", async (options, problem) => {
    const error = await errorOf(start, options);
    expect(error).toBeInstanceOf(TypeError);
    expect((error as Error).message.slice(0, name.length + problem.length + 2)).toBe(`${name}: ${problem}`);
    expect((error as Error).message).not.toContain("\n");
  });

  test.each([
    [null, "null"],
    [8080, "8080"],
    [[], "an empty array"],
  ])("rejects %j, which is not an object", async (options, found) => {
    const error = await errorOf(start, options);
    expect(error).toEqual(new TypeError(`${name}: expected an object of options, found ${found}`));
  });

  test("lists every problem", async () => {
    const error = await errorOf(start, { seed: -1, settings: { auth: 1, atuh: 1 } });
    expect((error as Error).message.match(new RegExp(`^${name}: (seed|settings): `, "gm"))).toHaveLength(3);
  });

  test("rejects an unknown scenario", async () => {
    expect(String(await errorOf(start, { scenario: ["slwo"] }))).toContain(
      'scenario "slwo" not found. Did you mean "slow"?',
    );
  });

  test("ignores undefined options and settings", async () => {
    const options = {
      seed: undefined,
      fixtures: undefined,
      clients: undefined,
      settings: { auth: undefined, latency: null },
    };
    await using mock = (await start(options)) as Awaited<ReturnType<typeof createResourceMock>>;
    expect(await mock.project("p").settings.get()).toMatchObject({ auth: "lenient", latency: null });
  });

  test("responds with the last time if `now` fails later", async () => {
    const times: (() => unknown)[] = [() => undefined, () => JSON.parse("x"), () => 1e300];
    let failing: (() => unknown) | undefined;
    const now = () => (failing ? failing() : 1_000);
    await using mock = (await start({ now })) as Awaited<ReturnType<typeof createResourceMock>>;
    await mock.fetch("/p/resource");
    for (failing of times) {
      expect((await mock.fetch("/p/resource")).status).toBe(200);
      expect(await mock.project("p").clock.get()).toMatchObject({ now: "1970-01-01T00:00:01.000Z" });
    }
    expect(await mock.project("p").requests.list()).toHaveLength(4);
  });

  test("accepts valid options, including a Map of another realm", async () => {
    const options = {
      settings: { auth: "strict", latency: { fixed: 0 }, rateLimit: { limit: 5, window: 1000 } },
      scenario: [],
      seed: 0,
      clients: runInNewContext('new Map([["shop", "s3cret"]])'),
      now: () => 0,
    };
    await using mock = (await start(options)) as Awaited<ReturnType<typeof createResourceMock>>;
    expect(await mock.project("p").settings.get()).toMatchObject({
      auth: "strict",
      rateLimit: { limit: 5, window: 1000 },
    });
  });
});

test.each([
  [{ prot: 0 }, 'prot: unknown option. Did you mean "port"?'],
  [{ https: 1 }, "https: expected true, false or an object of options, found 1"],
  [{ https: { constructor: 1 } }, "https: constructor: unknown option. Known: port, names, dir, cert, key, clientCa."],
  [
    { https: { names: ["a.test", "a b"] } },
    'https: names: expected a host name such as api.shop.test, or an IP address, found "a b"',
  ],
  [{ https: { names: Array(101).fill("a.test") } }, "https: names: expected at most 100, found 101"],
  [{ https: { cert: "cert.pem" } }, "https.cert: expected together with https.key, found alone"],
  [
    { https: { cert: "a", key: "b", dir: "c" } },
    "https.dir: expected without https.cert, found both; only created certificates use it",
  ],
  [{ port: 65_536 }, "port: expected a whole number from 0 to 65535, found 65536"],
  [{ host: "" }, 'host: expected an address, such as 127.0.0.1, or a host name, found ""'],
  [{ adminToken: "s3 cret" }, 'adminToken: expected printable ASCII without spaces, found " " in it'],
])("startResourceMock rejects %o", async (options, problem) => {
  expect(await errorOf(startResourceMock as Start, options)).toEqual(new TypeError(`startResourceMock: ${problem}`));
});

test.each([[{ auth: "stric" }], [{ latency: { fixed: -1 } }]])(
  "reports the settings %o with the message of the control API",
  async (settings) => {
    await using mock = await createResourceMock();
    const response = await mock.fetch("/__admin/projects/p/settings", json("PATCH", settings));
    const { detail } = (await response.json()) as { detail: string };
    const problem = `createResourceMock: settings: ${detail}`;
    expect(await errorOf(createResourceMock as Start, { settings })).toEqual(new TypeError(problem));
  },
);

test.each(["port", "host", "adminToken"])("createResourceMock rejects %s", async (name) => {
  const problem = `createResourceMock: ${name}: is an option of startResourceMock; createResourceMock opens no socket`;
  expect(await errorOf(createResourceMock as Start, { [name]: "x" })).toEqual(new TypeError(problem));
});

test("the error for a port in use has one sentence and the code of Node", async () => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  const error = await errorOf(startResourceMock as Start, { port });
  server.close();
  expect(error).toMatchObject({
    message: `port ${port} is in use; use port 0 to pick a free port`,
    code: "EADDRINUSE",
    cause: expect.objectContaining({ syscall: "listen" }),
  });
});

test.each([
  ["no options", "{}", false],
  ["changed settings", '{ settings: { auth: "strict" } }', true],
])("with %s, the validator is loaded only if necessary", { tags: ["process"] }, async (_name, options, loaded) => {
  const code = `
    import { registerHooks } from "node:module";
    let loaded = false;
    registerHooks({
      resolve(specifier, context, next) {
        loaded ||= specifier.startsWith("ajv/");
        return next(specifier, context);
      },
    });
    const { checkOptions } = await import("./src/library/options/read.ts");
    await checkOptions("startResourceMock", ${options});
    console.log(loaded);
  `;
  expect(await run(process.execPath, ["--input-type=module", "--eval", code], repository)).toBe(`${loaded}`);
});
