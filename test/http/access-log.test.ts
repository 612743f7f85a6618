import { expect, test } from "vitest";
import { createAccessLog } from "../../src/http/access-log.ts";
import type { Exchange } from "../../src/journal/exchange.ts";
import type { Settings } from "../../src/settings/settings.ts";
import { lastExchange } from "../setup/journal.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { configure } from "../setup/resources.ts";

const mock = useMock("in process");

/** An exchange as it was, with what the test makes of it. */
async function exchange(
  path: string,
  init: RequestInit,
  changes: Partial<Exchange> = {},
  settings: Partial<Settings> = {},
): Promise<Exchange> {
  const project = newProject();
  configure(mock, project, settings);
  mock.engine.projects.get(project).clock.set(Date.parse("2024-05-17T09:30:00.123Z"), true);
  await mock.resource(project, path, init);
  const last = lastExchange(mock, project);
  if (!last) throw new Error("nothing was journaled");
  return { ...last, path: last.path.replace(project, "demo"), duration: 1.2346, ...changes };
}

/** What is written for these exchanges, each write for itself. */
async function logged(format: "pretty" | "json", exchanges: readonly Exchange[]): Promise<string[]> {
  const writes: string[] = [];
  const log = createAccessLog(format, (text) => writes.push(text));
  for (const each of exchanges) log("demo", each);
  await new Promise(setImmediate);
  return writes;
}

test("pretty tells time, request, answer, where it came from, and how long it took", async () => {
  const exchanges = [
    await exchange("?floatParameter=1.5", {}),
    await exchange("", json("POST", { objectTypeProperty: {} })),
  ];
  expect((await logged("pretty", exchanges)).join("")).toBe(
    [
      "09:30:00.123 GET /demo/resource?floatParameter=1.5 200 fixture:queryResources/200.json 1.2 ms\n",
      "09:30:00.123 POST /demo/resource 201 state 1.2 ms\n",
    ].join(""),
  );
});

test("pretty tells why a request broke the contract", async () => {
  const [text] = await logged("pretty", [await exchange("?floatParameter=x", {})]);
  expect(text).toBe(
    '09:30:00.123 GET /demo/resource?floatParameter=x 400 error 1.2 ms  floatParameter: expected a decimal number, found "x"\n',
  );
});

test.each([
  ["/nobody", {}, "refused: ResourceNotFound: "],
  ["/a/b/c", {}, "refused: EndpointNotFound: "],
  ["/some-id", json("POST", { version: 7, actions: [] }), "refused: ConcurrentModification: "],
])("pretty tells why %s was refused", async (path, init, why) => {
  const each = await exchange(path, init, {}, { unknownIds: path === "/nobody" ? "not-found" : "fixture" });
  const [text = ""] = await logged("pretty", [each]);
  expect(text).toContain(` error 1.2 ms  ${why}`);
});

test.each(["pretty", "json"] as const)("%s shows no tokens", async (format) => {
  const query = "?access_token=secret&a%63cess%5Ftoken=secret&facet=x%20y&access_token";
  const [text = ""] = await logged(format, [await exchange(query, {})]);
  expect(text).toContain("access_token=[redacted]&a%63cess%5Ftoken=[redacted]&facet=x%20y&access_token");
  expect(text).not.toContain("secret");
});

test("json has the same as members", async () => {
  const [text = ""] = await logged("json", [await exchange("/some-id?a=b", {}, { id: "0123abcd-1" })]);
  expect(JSON.parse(text)).toEqual({
    time: "2024-05-17T09:30:00.123Z",
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

test("lines of one turn go out in one write", async () => {
  const each = await exchange("", {});
  expect(await logged("json", [each, each, each])).toEqual([expect.stringMatching(/^(\{.*\}\n){3}$/)]);
});

/** Line ends of all kinds, and what terminals take for commands (ESC, and CSI as one character). */
const control = "\n\r\u0000\u000b\f\u001b[31m\u007f\u0085\u009b31m\u2028\u2029";

test.each(["pretty", "json"] as const)(
  "%s: nothing that a client sends breaks a line or colours it",
  async (format) => {
    const violation = { code: "InvalidField", message: `x${control}y` } as const;
    const each = await exchange("", {}, { path: `/demo${control}/x`, query: control, violations: [violation] });
    const [text = ""] = await logged(format, [each]);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not be there
    expect(text).toMatch(/^[^\u0000-\u001f\u007f-\u009f\u2028\u2029]+\n$/);
    if (format === "json") expect(JSON.parse(text)).toMatchObject({ path: `/demo${control}/x`, query: control });
  },
);
