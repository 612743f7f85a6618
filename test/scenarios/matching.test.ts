import { expect, test } from "vitest";
import type { When } from "../../src/scenarios/scenario.ts";
import { json, newProject, onBothTransports } from "../setup/mock.ts";
import { image } from "../setup/requests.ts";
import { addRule, lastDecisions } from "./switching.ts";

type Request = [path: string, init?: RequestInit];
const update = (body: object): Request => ["/x", json("POST", { version: 1, actions: [], ...body })];

/** A matcher, a request that it is for, and one that it is not for with the reason told. */
const rows: [name: string, when: When, match: Request, other: Request, why: string][] = [
  ["path, exact", { path: { id: "a b" } }, ["/a%20b"], ["/a"], 'path parameter id is "a"'],
  ["path, matches", { path: { id: { matches: "^a" } } }, ["/abc"], ["/ba"], 'path parameter id is "ba"'],
  ["path, another operation's", { path: { key: "k" } }, ["/key=k"], ["/k"], "it is for other operations"],
  ["query, exact", { query: { filter: "x y" } }, ["?filter=x+y"], ["?filter=x"], 'query parameter filter is "x"'],
  ["query, missing", { query: { filter: "x" } }, ["?filter=x"], [""], "query parameter filter is nothing"],
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
    "header, exact, in any case",
    { header: { "X-Tenant": "a" } },
    ["", { headers: { "x-tenant": "a" } }],
    ["", { headers: { "x-tenant": "b" } }],
    "header X-Tenant is another",
  ],
  [
    "header, matches",
    { header: { "User-Agent": { matches: "shop/[0-9]+$" } } },
    ["", { headers: { "User-Agent": "shop/12" } }],
    ["", { headers: { "User-Agent": "shop/x" } }],
    "header User-Agent is another",
  ],
  ["header, missing", { header: { "X-A": "a" } }, ["", { headers: { "X-A": "a" } }], [""], "header X-A is missing"],
  [
    "body, a subset",
    { body: { extra: 1 } },
    update({ extra: 1, more: 2 }),
    update({ extra: 2 }),
    "the body is another",
  ],
  [
    "body, a subset further in",
    { body: { actions: [{ action: "changeSomeProperty" }] } },
    update({ actions: [{ action: "changeSomeProperty", someProperty: "x" }] }),
    update({ actions: [{ action: "doSomeThing" }] }),
    "the body is another",
  ],
  [
    "body, lists item by item",
    { body: { actions: [{}, { action: "doSomeThing" }] } },
    update({ actions: [{ action: "changeSomeProperty" }, { action: "doSomeThing" }] }),
    update({ actions: [{ action: "changeSomeProperty" }] }),
    "the body is another",
  ],
  [
    "body, an empty list",
    { body: { actions: [] } },
    update({}),
    update({ actions: [{ action: "doSomeThing" }] }),
    "the body is another",
  ],
  [
    "body, a pattern further in",
    { body: { actions: [{ someProperty: { matches: "^lin" } }] } },
    update({ actions: [{ action: "changeSomeProperty", someProperty: "linen" }] }),
    update({ actions: [{ action: "changeSomeProperty", someProperty: "silk" }] }),
    "the body is another",
  ],
  [
    "body, a pattern for all of it",
    { body: { matches: '"action":"do' } },
    update({ actions: [{ action: "doSomeThing" }] }),
    update({}),
    "the body is another",
  ],
  [
    "body, exact values",
    { body: { other: null } },
    update({ other: null }),
    update({ other: 0 }),
    "the body is another",
  ],
  ["body, none", { body: {} }, update({}), [""], "there is no JSON body"],
  ["body, no JSON", { body: {} }, update({}), ["/images", image("image/png")], "there is no JSON body"],
  [
    "all that is named",
    { path: { id: "x" }, query: { q: "1" }, header: { "X-A": "a" } },
    ["/x?q=1", { headers: { "X-A": "a" } }],
    ["/x?q=1", { headers: { "X-A": "b" } }],
    "header X-A is another",
  ],
];

onBothTransports("a rule's when", {}, (mock) => {
  test.each(rows)("%s", async (_name, when, match, other, why) => {
    const project = newProject();
    await addRule(mock, project, { when, respond: { status: 500 } });
    expect((await mock.resource(project, ...match)).status).toBe(500);
    expect((await mock.resource(project, ...other)).status).toBe(200);
    expect(lastDecisions(mock, project)).toContain(`rule r-1 skipped: ${why}`);
  });

  test("an object's inherited members are not the body's", async () => {
    const project = newProject();
    await addRule(mock, project, { when: { body: { toString: { matches: "." } } }, respond: { status: 500 } });
    expect((await mock.resource(project, ...update({}))).status).toBe(200);
    expect((await mock.resource(project, ...update({ toString: "x" }))).status).toBe(500);
  });

  test("a pattern takes time linear in the text: the classic that takes other engines for ever", async () => {
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
