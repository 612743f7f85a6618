import { expect, test } from "vitest";
import type { When } from "../../src/scenarios/scenario.ts";
import { addRule, lastDecisions } from "../setup/activation.ts";
import { json, newProject, onTransports } from "../setup/mock.ts";
import { image } from "../setup/requests.ts";

type Request = [path: string, init?: RequestInit];
const update = (body: object): Request => ["/x", json("POST", { version: 1, actions: [], ...body })];

/** A `when`, a matching request, and another request with the reason for skipping it. */
const rows: [name: string, when: When, match: Request, other: Request, why: string][] = [
  ["path, exact", { path: { id: "a b" } }, ["/a%20b"], ["/a"], 'path parameter id is "a"'],
  ["path, matches", { path: { id: { matches: "^a" } } }, ["/abc"], ["/ba"], 'path parameter id is "ba"'],
  ["path, another operation's", { path: { key: "k" } }, ["/key=k"], ["/k"], "it applies to other operations"],
  ["query, exact", { query: { filter: "x y" } }, ["?filter=x+y"], ["?filter=x"], 'query parameter filter is "x"'],
  ["query, missing", { query: { filter: "x" } }, ["?filter=x"], [""], "query parameter filter is missing"],
  ["query, a number", { query: { limit: 5 } }, ["?limit=5"], ["?limit=6"], 'query parameter limit is "6"'],
  ["query, a boolean", { query: { staged: true } }, ["?staged=true"], ["?staged=1"], 'query parameter staged is "1"'],
  [
    "query, any of several",
    { query: { arrayOfString: "b" } },
    ["?arrayOfString=a&arrayOfString=b"],
    ["?arrayOfString=a"],
    'query parameter arrayOfString is "a"',
  ],
  [
    "query, matches",
    { query: { "text.en": { matches: "(?i)LINEN|silk" } } },
    ["?text.en=blue+linen"],
    ["?text.en=wool"],
    'query parameter text.en is "wool"',
  ],
  [
    "headers, exact, in any case",
    { headers: { "X-Tenant": "a" } },
    ["", { headers: { "x-tenant": "a" } }],
    ["", { headers: { "x-tenant": "b" } }],
    "header X-Tenant does not match",
  ],
  [
    "headers, matches",
    { headers: { "User-Agent": { matches: "shop/[0-9]+$" } } },
    ["", { headers: { "User-Agent": "shop/12" } }],
    ["", { headers: { "User-Agent": "shop/x" } }],
    "header User-Agent does not match",
  ],
  ["headers, missing", { headers: { "X-A": "a" } }, ["", { headers: { "X-A": "a" } }], [""], "header X-A is missing"],
  [
    "body, a subset",
    { body: { extra: 1 } },
    update({ extra: 1, more: 2 }),
    update({ extra: 2 }),
    "body member extra is 2",
  ],
  [
    "body, a subset further in",
    { body: { actions: [{ action: "changeSomeProperty" }] } },
    update({ actions: [{ action: "changeSomeProperty", someProperty: "x" }] }),
    update({ actions: [{ action: "doSomeThing" }] }),
    'body member actions/0/action is "doSomeThing"',
  ],
  [
    "body, lists item by item",
    { body: { actions: [{}, { action: "doSomeThing" }] } },
    update({ actions: [{ action: "changeSomeProperty" }, { action: "doSomeThing" }] }),
    update({ actions: [{ action: "changeSomeProperty" }] }),
    "body member actions is an array of 1",
  ],
  [
    "body, an empty list",
    { body: { actions: [] } },
    update({}),
    update({ actions: [{ action: "doSomeThing" }] }),
    "body member actions is an array of 1",
  ],
  [
    "body, a pattern further in",
    { body: { actions: [{ someProperty: { matches: "^lin" } }] } },
    update({ actions: [{ action: "changeSomeProperty", someProperty: "linen" }] }),
    update({ actions: [{ action: "changeSomeProperty", someProperty: "silk" }] }),
    'body member actions/0/someProperty is "silk"',
  ],
  [
    "body, a pattern for all of it",
    { body: { matches: '"action":"do' } },
    update({ actions: [{ action: "doSomeThing" }] }),
    update({}),
    "the body is an object",
  ],
  [
    "body, exact values",
    { body: { other: null } },
    update({ other: null }),
    update({ other: 0 }),
    "body member other is 0",
  ],
  [
    "body, missing",
    { body: {} },
    ["/namespace-action", json("POST", {})],
    ["/namespace-action", { method: "POST" }],
    "the body is missing",
  ],
  ["body, not JSON", { body: {} }, update({}), ["/images", image("image/png")], 'the body is "(not JSON)"'],
  ["body, of another operation", { body: {} }, update({}), [""], "it applies to other operations"],
  ["method, in any case", { method: "post" }, update({}), ["/x"], "it applies to other operations"],
  ["path, whole, decoded", { path: "/PROJECT/resource/a b" }, ["/a%20b"], ["/a"], 'the path is "/PROJECT/resource/a"'],
  [
    "path, whole, as sent",
    { path: "/PROJECT/resource/a%20b" },
    ["/a%20b"],
    ["/a"],
    'the path is "/PROJECT/resource/a"',
  ],
  ["path, its prefix", { path: "/PROJECT/resource/a*" }, ["/abc"], ["/b"], 'the path is "/PROJECT/resource/b"'],
  ["path, a pattern", { path: { matches: "/a.c$" } }, ["/abc"], ["/ab"], 'the path is "/PROJECT/resource/ab"'],
  [
    "query, a secret",
    { query: { access_token: "a" } },
    ["?access_token=a"],
    ["?access_token=b"],
    "query parameter access_token is [redacted]",
  ],
  [
    "query, a secret in another spelling",
    { query: { "Api-Key": "a" } },
    ["?Api-Key=a"],
    ["?Api-Key=b"],
    "query parameter Api-Key is [redacted]",
  ],
  [
    "headers, a key",
    { headers: { "X-Api-Key": "a" } },
    ["", { headers: { "X-Api-Key": "a" } }],
    ["", { headers: { "X-Api-Key": "b" } }],
    "header X-Api-Key does not match",
  ],
  [
    "headers, a cookie",
    { headers: { Cookie: { matches: "^a=" } } },
    ["", { headers: { Cookie: "a=1" } }],
    ["", { headers: { Cookie: "session=b" } }],
    "header Cookie does not match",
  ],
  [
    "body, a form within a text",
    { body: { form: "a" } },
    update({ form: "a" }),
    update({ form: "grant=x&client_secret=TOPSECRET&password=b" }),
    'body member form is "grant=x&client_secret=[redacted]&password=[redacted]"',
  ],
  [
    "headers, a secret",
    { headers: { Authorization: "Bearer a" } },
    ["", { headers: { Authorization: "Bearer a" } }],
    ["", { headers: { Authorization: "Bearer b" } }],
    "header Authorization does not match",
  ],
  [
    "body, a secret",
    { body: { client_secret: { list: ["a"] } } },
    update({ client_secret: { list: ["a"] } }),
    update({ client_secret: { list: ["b"] } }),
    "body member client_secret/list/0 is [redacted]",
  ],
  [
    "all members",
    { path: { id: "x" }, query: { q: "1" }, headers: { "X-A": "a" } },
    ["/x?q=1", { headers: { "X-A": "a" } }],
    ["/x?q=1", { headers: { "X-A": "b" } }],
    "header X-A does not match",
  ],
];

onTransports("a rule's when", {}, (mock) => {
  test.each(rows)("%s", async (_name, when, match, other, why) => {
    const project = newProject();
    const meant = JSON.parse(JSON.stringify(when).replace("PROJECT", project)) as When;
    await addRule(mock, project, { when: meant, respond: { status: 500 } });
    expect((await mock.resource(project, ...match)).status).toBe(500);
    expect((await mock.resource(project, ...other)).status).toBe(200);
    expect(await lastDecisions(mock, project)).toContain(`rule r-1 skipped: ${why.replace("PROJECT", project)}`);
  });

  test("inherited properties do not match body members", async () => {
    const project = newProject();
    await addRule(mock, project, { when: { body: { toString: { matches: "." } } }, respond: { status: 500 } });
    expect((await mock.resource(project, ...update({}))).status).toBe(200);
    expect((await mock.resource(project, ...update({ toString: "x" }))).status).toBe(500);
  });

  test("a pattern takes linear time, even with nested repetitions", async () => {
    const project = newProject();
    await addRule(mock, project, { when: { query: { filter: { matches: "^(a+)+$" } } }, respond: { status: 500 } });
    expect((await mock.resource(project, `?filter=${"a".repeat(4000)}b`)).status).toBe(200);
    expect((await mock.resource(project, `?filter=${"a".repeat(4000)}`)).status).toBe(500);
  });

  test("texts above 4,096 characters match no pattern", async () => {
    const project = newProject();
    await addRule(mock, project, { when: { query: { filter: { matches: "a" } } }, respond: { status: 500 } });
    expect((await mock.resource(project, `?filter=${"a".repeat(4097)}`)).status).toBe(200);
  });
});
