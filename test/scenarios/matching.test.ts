import { expect, test } from "vitest";
import type { When } from "../../src/rules/scenario.ts";
import { addRule, lastDecisions } from "../setup/activation.ts";
import { json, newProject, onTransports } from "../setup/mock.ts";
import { image } from "../setup/requests.ts";

type Request = [path: string, init?: RequestInit];
const update = (body: object): Request => ["/x", json("POST", { version: 1, actions: [], ...body })];

/**
 * A `when`, a matching request, and another request with the reason for skipping it, one for each kind of reason.
 * `test/matching/agreement.test.ts` has the requests that match.
 */
const rows: [name: string, when: When, match: Request, other: Request, why: string][] = [
  ["path, exact", { path: { id: "a b" } }, ["/a%20b"], ["/a"], 'path parameter id is "a", expected "a b"'],
  ["path, another operation's", { path: { key: "k" } }, ["/key=k"], ["/k"], "it applies to other operations"],
  [
    "query, exact",
    { query: { filter: "x y" } },
    ["?filter=x+y"],
    ["?filter=x"],
    'query parameter filter is "x", expected "x y"',
  ],
  [
    "query, missing",
    { query: { filter: "x" } },
    ["?filter=x"],
    [""],
    'query parameter filter is missing, expected "x"',
  ],
  [
    "headers, exact, in any case",
    { headers: { "X-Tenant": "a" } },
    ["", { headers: { "x-tenant": "a" } }],
    ["", { headers: { "x-tenant": "b" } }],
    "header X-Tenant does not match",
  ],
  ["headers, missing", { headers: { "X-A": "a" } }, ["", { headers: { "X-A": "a" } }], [""], "header X-A is missing"],
  [
    "query, all values in order",
    { query: { filter: ["x", "y"] } },
    ["?filter=x&filter=y"],
    ["?filter=y&filter=x"],
    "query parameter filter is an array of 2, expected an array of 2",
  ],
  [
    "query, absent",
    { query: { filter: { absent: true } } },
    [""],
    ["?filter=x"],
    'query parameter filter is "x", expected nothing',
  ],
  [
    "headers, absent",
    { headers: { "X-Api-Key": { absent: true } } },
    [""],
    ["", { headers: { "X-Api-Key": "TOPSECRET" } }],
    "header X-Api-Key is [redacted], expected nothing",
  ],
  [
    "cookies, a secret",
    { cookies: { sid: "1" } },
    ["", { headers: { Cookie: "sid=1" } }],
    ["", { headers: { Cookie: "sid=TOPSECRET" } }],
    "cookie sid is [redacted], expected [redacted]",
  ],
  [
    "body, an absent member",
    { body: { note: { absent: true } } },
    update({}),
    update({ note: "x" }),
    'body member note is "x", expected nothing',
  ],
  [
    "body, a subset further in",
    { body: { actions: [{ action: "changeSomeProperty" }] } },
    update({ actions: [{ action: "changeSomeProperty", someProperty: "x" }] }),
    update({ actions: [{ action: "doSomeThing" }] }),
    'body member actions/0/action is "doSomeThing", expected "changeSomeProperty"',
  ],
  [
    "body, lists item by item",
    { body: { actions: [{}, { action: "doSomeThing" }] } },
    update({ actions: [{ action: "changeSomeProperty" }, { action: "doSomeThing" }] }),
    update({ actions: [{ action: "changeSomeProperty" }] }),
    "body member actions is an array of 1, expected an array of 2",
  ],
  [
    "body, an item of a list",
    { body: { actions: { contains: { action: "doSomeThing" } } } },
    update({ actions: [{ action: "changeSomeProperty" }, { action: "doSomeThing" }] }),
    update({ actions: [{ action: "changeSomeProperty" }] }),
    "body member actions is an array of 1, expected an array with a matching item",
  ],
  [
    "body, a pattern for all of it",
    { body: { matches: '"action":"do' } },
    update({ actions: [{ action: "doSomeThing" }] }),
    update({}),
    'the body is an object, expected a match of "\\"action\\":\\"do"',
  ],
  [
    "body, missing",
    { body: {} },
    ["/namespace-action", json("POST", {})],
    ["/namespace-action", { method: "POST" }],
    "the body is missing, expected an object",
  ],
  [
    "body, not JSON",
    { body: {} },
    update({}),
    ["/images", image("image/png")],
    'the body is "(not JSON)", expected an object',
  ],
  [
    "path, whole, decoded",
    { path: "/PROJECT/resource/a b" },
    ["/a%20b"],
    ["/a"],
    'the path is "/PROJECT/resource/a", expected "/PROJECT/resource/a b"',
  ],
  [
    "query, a secret",
    { query: { access_token: "a" } },
    ["?access_token=a"],
    ["?access_token=b"],
    "query parameter access_token is [redacted], expected [redacted]",
  ],
  [
    "body, a form within a text",
    { body: { form: "a" } },
    update({ form: "a" }),
    update({ form: "grant=x&client_secret=TOPSECRET&password=b" }),
    'body member form is "grant=x&client_secret=[redacted]&password=[redacted]", expected "a"',
  ],
  [
    "body, a secret",
    { body: { client_secret: { list: ["a"] } } },
    update({ client_secret: { list: ["a"] } }),
    update({ client_secret: { list: ["b"] } }),
    "body member client_secret/list/0 is [redacted], expected [redacted]",
  ],
];

onTransports("a rule's when", {}, (mock) => {
  test.each(rows)("%s", async (_name, when, match, other, why) => {
    const project = newProject();
    const meant = JSON.parse(JSON.stringify(when).replace("PROJECT", project)) as When;
    await addRule(mock, project, { when: meant, respond: { status: 500 } });
    expect((await mock.resource(project, ...match)).status).toBe(500);
    expect((await mock.resource(project, ...other)).status).toBe(200);
    expect(await lastDecisions(mock, project)).toContain(`rule r-1 skipped: ${why.replaceAll("PROJECT", project)}`);
  });

  test("texts above 4,096 characters match no pattern", async () => {
    const project = newProject();
    await addRule(mock, project, { when: { query: { filter: { matches: "a" } } }, respond: { status: 500 } });
    expect((await mock.resource(project, `?filter=${"a".repeat(4097)}`)).status).toBe(200);
  });
});
