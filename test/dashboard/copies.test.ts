import { describe, expect, test } from "vitest";
import { connectionTo } from "../../src/control/client/connection.ts";
import { projectControl } from "../../src/control/client/project-control.ts";
import type { ProjectControl, RequestEntry } from "../../src/control/client/types.ts";
import { matchers } from "../../src/library/testing/matchers.ts";
import { assertionOf, ruleOf } from "../../src/page/dashboard/request/copies.ts";
import { inProject } from "../setup/control.ts";
import { json, type MockUnderTest, newProject, useMock } from "../setup/mock.ts";
import { exampleRequests } from "../setup/requests.ts";

expect.extend(matchers);

/** A request that is sent to a project, and what happens before. */
interface Case {
  readonly name: string;
  readonly path?: string;
  readonly init?: RequestInit;
  readonly before?: (mock: MockUnderTest, project: string) => Promise<unknown>;
}

const set = (settings: object) => (mock: MockUnderTest, project: string) =>
  inProject(mock, project, "PATCH", "/settings", settings);
const addRule = (rule: object) => (mock: MockUnderTest, project: string) =>
  inProject(mock, project, "POST", "/rules", rule);

const hostile = `it's "50 %" & <b> \\ \`$HOME\` 😀 \u202E`;
const draft = (more: object) => json("POST", { objectTypeProperty: {}, ...more });

const cases: Case[] = [
  ...Object.entries(exampleRequests).map(([name, { path, init }]) => ({ name, path, init })),
  { name: "a stale version", path: "/my-id", init: json("POST", { version: 9, actions: [{ action: "doSomeThing" }] }) },
  { name: "an invalid body", path: "/my-id", init: json("POST", { version: "one", actions: [] }) },
  { name: "no body", path: "/my-id", init: { method: "POST" } },
  { name: "an invalid parameter", path: "/images?variant=x", init: exampleRequests.uploadImage.init },
  { name: "a missing token", path: "/my-id", before: set({ auth: "strict" }) },
  { name: "an unknown id", path: `/${encodeURIComponent(hostile)}`, before: set({ unknownIds: "not-found" }) },
  {
    name: "marks in path and query",
    path: `/key=${encodeURIComponent(hostile)}?a=${encodeURIComponent(hostile)}&a=2&b=`,
  },
  { name: "marks in a body", init: draft({ hostile, [hostile]: { "~/": [null, 1.5, "\u0000"] } }) },
  { name: "secrets", path: "?access_token=abc", init: draft({ password: "abc", list: [{ api_key: "x", name: "y" }] }) },
  { name: "a member __proto__", init: { ...draft({}), body: '{"objectTypeProperty":{},"__proto__":{"a":1}}' } },
  {
    name: "an off-contract page",
    path: "/my-id",
    before: addRule({ raw: { status: 502, headers: { "Content-Type": "text/html" }, body: "<html>no</html>" } }),
  },
  { name: "off-contract bytes", path: "/my-id", before: addRule({ raw: { status: 299, bodyBase64: "/wD+" } }) },
  { name: "an off-contract status without a body", path: "/my-id", before: addRule({ raw: { status: 204 } }) },
  { name: "Prefer", path: "/my-id", init: { headers: { Prefer: "code=403" } } },
];

/** Returns the newest entry of the journal. */
async function newest(mock: MockUnderTest, project: string): Promise<RequestEntry> {
  const { body } = await inProject<{ requests: RequestEntry[] }>(mock, project, "GET", "/requests?limit=1");
  const [entry] = body.requests;
  if (!entry) throw new Error("expected a request in the journal, found none");
  return entry;
}

function controlOf(mock: MockUnderTest, key: string): ProjectControl {
  const url = mock.url ?? "";
  return projectControl({ connection: connectionTo(url), key });
}

/** Returns what the client receives. A rule returns secrets as the journal shows them, so the sizes can differ. */
function essence({ response: { status, headers, body } }: RequestEntry) {
  const shown = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const { "preference-applied": _applied, ...others } = Object.fromEntries(shown);
  const { bytes: _bytes, ...content } = body ?? {};
  return { status, headers: others, content };
}

/** Runs a statement of a test as it was copied. */
function run(statement: string, control: ProjectControl): Promise<void> {
  return new Function("expect", "mock", `return (async () => { ${statement} })()`)(expect, control);
}

describe("the copied rule and the copied assertion of a request", () => {
  const mock = useMock("over a socket");

  test.each(cases)("$name", async ({ path = "", init, before }) => {
    const project = newProject();
    await before?.(mock, project);
    await mock.resource(project, path, init);
    const first = await newest(mock, project);

    const statement = assertionOf(first);
    await run(statement, controlOf(mock, project));
    await expect(run(statement, controlOf(mock, newProject()))).rejects.toThrow();

    const { rule } = { rule: undefined, ...ruleOf(first) };
    // Without the settings and rules of before, only the copied rule can lead to the same response.
    await inProject(mock, project, "POST", "/reset");
    const added = await inProject(mock, project, "POST", "/rules", rule);
    expect(added).toMatchObject({ status: 201 });
    const prefers = new Headers(init?.headers).has("Prefer");
    await mock.resource(project, path, prefers ? undefined : init);
    const second = await newest(mock, project);
    expect(second.source).toBe("rule:r-1");
    expect(essence(second)).toEqual(essence(first));
    // Another request does not match.
    await mock.resource(project, "/another-id-of-this-test");
    const other = await newest(mock, project);
    expect(other.source).not.toBe("rule:r-1");
  });

  test("a broken connection", async () => {
    const project = newProject();
    await addRule({ operation: "getCart", fault: "EMPTY_RESPONSE" })(mock, project);
    await mock.resource(project, "/namespace-action-with-example").catch(() => {});
    const entry = await newest(mock, project);
    await run(assertionOf(entry), controlOf(mock, project));
    expect(ruleOf(entry)).toEqual({ rule: { operation: "getCart", fault: "EMPTY_RESPONSE" } });
  });

  test("a request without an operation has an assertion, but no rule", async () => {
    const project = newProject();
    await mock.resource(project, "/my-id");
    await mock.fetch(`/${project}/nowhere?a=1`);
    const entry = await newest(mock, project);
    await run(assertionOf(entry), controlOf(mock, project));
    expect(ruleOf(entry)).toEqual({ reason: "no operation matches the request" });
  });

  test("a response that the journal has cut has no rule", async () => {
    const project = newProject();
    await mock.resource(project, "", draft({ text: "x".repeat(100_000) }));
    const entry = await newest(mock, project);
    await run(assertionOf(entry), controlOf(mock, project));
    expect(ruleOf(entry)).toEqual({ reason: "the journal keeps only the start of the response body" });
  });
});
