import { expect, test } from "vitest";
import { createAccessLog } from "../../src/http/access-log.ts";
import type { Exchange } from "../../src/journal/kept-exchange.ts";
import type { Rule } from "../../src/rules/scenario.ts";
import type { Settings } from "../../src/state/settings-schema.ts";
import { addRule } from "../setup/activation.ts";
import { lastExchange } from "../setup/journal.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { configure } from "../setup/resources.ts";

const mock = useMock("in process");

/** Returns the journaled exchange of a request, with the given members replaced. */
async function exchange(
  path: string,
  init: RequestInit,
  changes: Partial<Exchange> = {},
  settings: Partial<Settings> = {},
  rules: readonly Rule[] = [],
): Promise<Exchange> {
  const project = newProject();
  await configure(mock, project, settings);
  for (const rule of rules) await addRule(mock, project, rule);
  await mock.inside(project, ({ clock }) => clock.set(Date.parse("2024-05-17T09:30:00.123Z"), true));
  await mock.resource(project, path, init).catch(() => "broken connection");
  const last = await lastExchange(mock, project);
  if (!last) throw new Error("the journal is empty");
  const serverTime = Date.parse("2025-06-01T12:00:00.456Z");
  return { ...last, path: last.path.replace(project, "demo"), serverTime, duration: 1.2346, ...changes };
}

/** Returns the log texts of these exchanges, one per write. */
async function logged(format: "pretty" | "json", exchanges: readonly Exchange[]): Promise<string[]> {
  const writes: string[] = [];
  const log = createAccessLog(format, (text) => writes.push(text));
  for (const each of exchanges) log("demo", each);
  await new Promise(setImmediate);
  return writes;
}

test("pretty logs the time, request, status, source and duration", async () => {
  const exchanges = [
    await exchange("?floatParameter=1.5", {}),
    await exchange("", json("POST", { objectTypeProperty: {} })),
  ];
  expect((await logged("pretty", exchanges)).join("")).toBe(
    [
      "12:00:00.456 GET /demo/resource?floatParameter=1.5 200 fixture:queryResources/200.json 1.2 ms\n",
      "12:00:00.456 POST /demo/resource 201 state 1.2 ms\n",
    ].join(""),
  );
});

test("pretty logs the sandbox that a header selects", async () => {
  const writes: string[] = [];
  const log = createAccessLog("pretty", (text) => writes.push(text));
  const project = newProject();
  const key = `${project}~t1`;
  for (const [path, init] of [
    [`/${project}/resource`, { headers: { "Mock-Sandbox": "t1" } }],
    [`/${key}/resource`, {}],
  ] as const) {
    await mock.fetch(path, init);
    const last = await lastExchange(mock, key);
    if (last) log(key, last);
  }
  await new Promise(setImmediate);
  const [selected = "", addressed = ""] = writes.join("").split("\n");
  expect(selected).toContain(` GET /${project}/resource 200 fixture:queryResources/200.json sandbox:t1 `);
  expect(addressed).toContain(` GET /${key}/resource 200 fixture:queryResources/200.json `);
  expect(addressed).not.toContain("sandbox:");
});

test("pretty logs the contract violation of a request", async () => {
  const [text] = await logged("pretty", [await exchange("?floatParameter=x", {})]);
  expect(text).toBe(
    '12:00:00.456 GET /demo/resource?floatParameter=x 400 error 1.2 ms  floatParameter: expected a decimal number, found "x"\n',
  );
});

test.each([["/some-id", json("POST", { version: 7, actions: [] }), "rejected: ConcurrentModification: "]])(
  "pretty logs why %s was rejected",
  async (path, init, why) => {
    const each = await exchange(path, init, {}, { unknownIds: path === "/nobody" ? "not-found" : "fixture" });
    const [text = ""] = await logged("pretty", [each]);
    expect(text).toContain(` error 1.2 ms  ${why}`);
  },
);

const skipped = { when: { query: { q: "none" } }, latency: { fixed: 0 } };

test.each<[string, readonly Rule[], RequestInit, Partial<Settings>, string]>([
  ["a rule", [{ respond: { status: 500 } }, skipped], {}, {}, "500 rule:r-1 1.2 ms  rule r-1 responded with 500"],
  [
    "a scenario from a preference",
    [skipped],
    { headers: { Prefer: "scenario=server-error" } },
    {},
    "500 scenario:server-error 1.2 ms  scenario server-error rule 1 responded with 500",
  ],
  [
    "an off-contract response",
    [{ raw: { status: 502 } }],
    {},
    {},
    "502 rule:r-1 off-contract 1.2 ms  rule r-1 responded off-contract with 502",
  ],
  [
    "no rule",
    [{ settings: { auth: "strict" } }, { times: 1, latency: { fixed: 0 } }],
    {},
    {},
    '401 error 1.2 ms  rejected: invalid_token: Authorization: expected "Bearer <ACCESS_TOKEN>", found no Authorization header',
  ],
])("pretty logs the reason if the status comes from %s", async (_name, rules, init, settings, expected) => {
  const path = settings.validation === "report" ? "?floatParameter=x" : "";
  const [text = ""] = await logged("pretty", [await exchange(path, init, {}, settings, rules)]);
  expect(text).toBe(`12:00:00.456 GET /demo/resource${path} ${expected}\n`);
});

test.each(["pretty", "json"] as const)("the log in the format %s contains no tokens", async (format) => {
  const query = "?access_token=secret&a%63cess%5Ftoken=secret&facet=x%20y&access_token";
  const [text = ""] = await logged(format, [await exchange(query, {})]);
  expect(text).toContain("access_token=[redacted]&a%63cess%5Ftoken=[redacted]&facet=x%20y&access_token");
  expect(text).not.toContain("secret");
});

test("json logs the same data as JSON members", async () => {
  const [text = ""] = await logged("json", [await exchange("/some-id?a=b", {}, { id: "0123abcd-1" })]);
  expect(JSON.parse(text)).toEqual({
    time: "2025-06-01T12:00:00.456Z",
    project: "demo",
    id: "0123abcd-1",
    method: "GET",
    path: "/demo/resource/some-id",
    query: "a=b",
    operation: "getResourceById",
    status: 200,
    source: "fixture:getResourceById/200.json",
    duration: 1.235,
    violations: 0,
  });
});

/** All kinds of line ends, and the control characters that start terminal commands: ESC and the one-character CSI. */
const control = "\n\r\u0000\u000b\f\u001b[31m\u007f\u0085\u009b31m\u2028\u2029";

test.each(["pretty", "json"] as const)(
  "the log in the format %s escapes line ends and terminal commands from clients",
  async (format) => {
    const violation = { code: "InvalidField", message: `x${control}y` } as const;
    const each = await exchange("", {}, { path: `/demo${control}/x`, query: control, violations: [violation] });
    const [text = ""] = await logged(format, [each]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters, which the log must not contain
    expect(text).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]+\n$/);
    if (format === "json") expect(JSON.parse(text)).toMatchObject({ path: `/demo${control}/x`, query: control });
  },
);
