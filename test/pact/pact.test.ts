import { describe, expect, test } from "vitest";
import type { ErrorDetail } from "../../src/contract/errors.ts";
import { MAX_INTERACTIONS } from "../../src/contract/limits.ts";
import type { Pact } from "../../src/control/client/types.ts";
import { exampleOf, requestTemplate, responseTemplate } from "../../src/control/pact/pact-template.ts";
import { pactOf } from "../../src/control/pact-operations.ts";
import { Effort } from "../../src/rules/matching/pattern.ts";
import { contract as serviceContract } from "../../src/services/generic-resource/contract.ts";
import { exchangeWith } from "../journal/exchanges.ts";
import { expectProblem, inProject } from "../setup/control.ts";
import { json, type MockUnderTest, newProject, onTransports } from "../setup/mock.ts";
import { configure, draft, stateOf, update, write } from "../setup/resources.ts";
import { useService } from "./exchanges.ts";
import { failuresOf } from "./replay.ts";

const secret = "s3cr3t";

async function pactFrom(mock: MockUnderTest, project: string, query = ""): Promise<Pact> {
  const { status, body } = await inProject<Pact>(mock, project, "GET", `/pact?consumer=shop${query}`);
  expect(status).toBe(200);
  return body;
}

const descriptions = ({ interactions }: Pact) =>
  interactions.map(({ description }) => description.replace(/ \([\da-f]{8}\)$/, ""));
const rule = (...matchers: object[]) => ({ combine: "AND", matchers });

onTransports("the pact of a project", {}, (mock) => {
  test("has one interaction for each operation, status and shape, with matchers by the types of the contract", async () => {
    const project = newProject();
    const { id } = await write(mock, project);
    for (const name of ["a", "b"]) await mock.resource(project, `/${name}`);
    await mock.resource(project, `/${id}`);
    await mock.resource(project, `/${id}`, update(7));
    const pact = await pactFrom(mock, project);
    expect(pact).toMatchObject({
      consumer: { name: "shop" },
      provider: { name: "generic-resource-service" },
      metadata: { pactSpecification: { version: "4.0" }, "resource-mock": { omitted: [] } },
    });
    expect(descriptions(pact)).toEqual([
      "createResource returns 201",
      "getResourceById returns 200",
      "getResourceById returns 200",
      "updateResource returns 409 ConcurrentModification",
    ]);
    const [created, ...rest] = pact.interactions;
    expect(created?.request).toMatchObject({
      method: "POST",
      path: `/${project}/resource`,
      headers: { "Content-Type": ["application/json"] },
      body: { content: draft, contentType: "application/json", encoded: false },
    });
    expect(created?.response).toMatchObject({
      status: 201,
      headers: { Location: [`/${project}/resource/${id}`] },
      body: {
        content: { version: 1, objectTypeProperty: { arrayOfIntExample: [1], arrayOfStringExample: ["linen"] } },
      },
      matchingRules: {
        body: {
          "$.version": rule({ match: "integer" }),
          "$.objectTypeProperty.arrayOfIntExample": rule({ match: "type", min: 1 }),
          "$.objectTypeProperty.arrayOfIntExample[*]": rule({ match: "integer" }),
          "$.objectTypeProperty.arrayOfStringExample[*]": rule({ match: "type" }),
        },
      },
    });
    const stale = rest.at(-1);
    expect(stale?.providerStates).toEqual([{ name: "a resource exists", params: { project, id, version: 1 } }]);
    expect(stale?.response.matchingRules).toMatchObject({
      body: {
        "$.errors[*].code": rule({ match: "equality" }),
        "$.errors[*].currentVersion": rule({ match: "integer" }),
      },
    });
    expect(stale?.request.matchingRules).toMatchObject({
      path: rule({ match: "regex", regex: "^/[^/]+/resource/[^/]+$" }),
    });
  });

  test("has no secrets, and a placeholder with a matcher for the token", async () => {
    const project = newProject();
    await configure(mock, project, { validation: "off" });
    await mock.resource(project, `/a?access_token=${secret}`, { headers: { Authorization: `Bearer ${secret}` } });
    await mock.resource(
      project,
      "",
      json("POST", { ...draft, password: secret }, { Cookie: secret, "X-Other": secret }),
    );
    await mock.resource(project, "/b", { headers: { Authorization: `Basic ${secret}` } });
    const pact = await pactFrom(mock, project);
    expect(descriptions(pact)).toHaveLength(3);
    expect(JSON.stringify(pact)).not.toContain(secret);
    const read = pact.interactions.find(({ request }) => request.generators);
    expect(read?.request).toMatchObject({
      headers: { Authorization: [expect.stringMatching(/^Bearer .+$/)] },
      matchingRules: { header: { Authorization: rule({ match: "regex", regex: "^Bearer .+$" }) } },
    });
    expect(read?.providerStates?.[0]).toEqual({ name: "a token exists", params: { project } });
  });

  test("is the same after the project was restored from an archive", async () => {
    const [project, copy] = [newProject(), newProject()];
    await mock.resource(project, "/a", { headers: { Authorization: `Bearer ${secret}` } });
    await mock.resource(project, "/b", { headers: { Authorization: `Basic ${secret}` } });
    await inProject(mock, copy, "PUT", "/archive", { from: project });
    expect(await pactFrom(mock, copy, "&as=shop")).toEqual(await pactFrom(mock, project, "&as=shop"));
  });

  test("names provider states after the scenarios that were active", async () => {
    const project = newProject();
    for (const scenario of ["server-error", "paged-query"]) {
      await inProject(mock, project, "PUT", `/scenarios/${scenario}`, { times: 1 });
      await mock.resource(project);
    }
    const { interactions } = await pactFrom(mock, project);
    const states = interactions.map(({ providerStates = [] }) => providerStates.map(({ name }) => name));
    expect(states).toEqual([["paged-query", "a resource exists"], ["server-error"]]);
  });

  test("brings the resources of its pages to a project without them", async () => {
    const project = newProject();
    const fresh = newProject();
    await inProject(mock, fresh, "PUT", "/state", { resources: [] });
    await inProject(mock, project, "POST", "/resources", { generate: 30, seed: 1 });
    await inProject(mock, project, "PUT", "/resources/an-id", { ...draft, key: "linen" });
    const queries: Record<string, string>[] = [
      { limit: "10", offset: "20" },
      { where: 'key="linen" and version = 1' },
      { where: 'id in ("an-id", "another")' },
      { where: "key = :key", "var.key": "linen" },
      { where: "version >= 1", offset: "7", sort: "version" },
    ];
    for (const query of queries) {
      const { status } = await mock.resource(project, `/sorted-query-parameters?${new URLSearchParams(query)}`);
      expect(status).toBe(200);
    }
    await mock.resource(project, "/namespace-action", json("POST", { mine: true }));
    await mock.resource(project, "/namespace-action");
    const pact = await pactFrom(mock, project, `&as=${fresh}`);
    expect(pact.interactions.length).toBeGreaterThanOrEqual(5);
    expect(await failuresOf(mock, pact)).toEqual([]);
    expect((await stateOf(mock, fresh)).resources).toEqual([]);
  });

  test("omits a page whose resources no provider state brings", async () => {
    const project = newProject();
    for (const key of ["a", "b"]) await inProject(mock, project, "POST", "/resources", { ...draft, key });
    const query = new URLSearchParams({ where: 'key in ("a", "b")', offset: "1" });
    await mock.resource(project, `/sorted-query-parameters?${query}`);
    const { interactions, metadata } = await pactFrom(mock, project);
    expect(interactions).toEqual([]);
    expect(metadata["resource-mock"].omitted).toEqual([
      "queryWithSortedParameters 200: no provider state satisfies where",
    ]);
  });

  test("omits the error of a rule whose response violates the contract", async () => {
    const project = newProject();
    const respond = { status: 200, body: { version: { $from: "/headers/x-version" }, objectTypeProperty: {} } };
    await inProject(mock, project, "POST", "/rules", { operation: "getResourceById", respond });
    expect((await mock.resource(project, "/a", { headers: { "X-Version": "text" } })).status).toBe(500);
    const { interactions, metadata } = await pactFrom(mock, project);
    expect(interactions).toEqual([]);
    expect(metadata["resource-mock"].omitted).toEqual([
      "getResourceById 500: the response of a rule or function violates the contract",
    ]);
  });

  test("takes a text of a client in a decision for no effect", async () => {
    const project = newProject();
    await mock.resource(project, "", json("POST", { objectTypeProperty: "evolve changed the response: no" }));
    const { interactions, metadata } = await pactFrom(mock, project);
    expect(metadata["resource-mock"].omitted).toEqual([]);
    expect(interactions.map(({ response }) => response.status)).toEqual([400]);
  });

  test("omits exchanges that are no part of the contract, and lists them", async () => {
    const project = newProject();
    await inProject(mock, project, "PUT", "/scenarios/bad-gateway", { times: 1 });
    await mock.resource(project);
    await inProject(mock, project, "DELETE", "/scenarios/bad-gateway");
    await inProject(mock, project, "PUT", "/scenarios/connection-reset", { times: 1 });
    await expect(mock.resource(project)).rejects.toThrow();
    await inProject(mock, project, "DELETE", "/scenarios/connection-reset");
    await inProject(mock, project, "PUT", "/scenarios/evolved", { times: 1 });
    await mock.resource(project);
    await mock.fetch(`/${project}/unknown`);
    await mock.resource(project, "", { ...json("POST", {}), body: "{" });
    await mock.resource(project, "/namespace-action", json("POST", null));
    await mock.resource(project, "/namespace-action");
    await configure(mock, project, { validation: "report" });
    await mock.resource(project, "", json("POST", { objectTypeProperty: { arrayOfIntExample: "no array" } }));
    await mock.resource(project, "", json("POST", { ...draft, text: "x".repeat(100_000) }));
    await configure(mock, project, { maxBodyBytes: 10 });
    await mock.resource(project, "", json("POST", draft));
    const { interactions, metadata } = await pactFrom(mock, project);
    expect(interactions).toEqual([]);
    expect(metadata["resource-mock"].omitted).toEqual([
      "createResource 201: the journal has only a part of it",
      "createResource 201: the request violates the contract, and the mock accepted it",
      "createResource 400: the body of the request is not a JSON object or array",
      "createResource 413: the journal has no body that is too large",
      "other requests 404: the contract has no such path or method",
      "queryResources 0: the connection broke",
      "queryResources 200: the effect evolve changed the response",
      "queryResources 502: the response is off-contract",
      "readNamespaceAction 200: the body of the response is null",
      "writeNamespaceAction 200: the body of the request is not a JSON object or array",
    ]);
  });

  test("is the same after the same requests, also with another project key", { tags: ["slow"] }, async () => {
    const texts: string[] = [];
    for (const name of ["repeated", "repeated", "repeated-2"]) {
      await inProject(mock, name, "DELETE", "");
      await useService(mock, name);
      texts.push(JSON.stringify(await pactFrom(mock, name, "&as=shop")));
    }
    expect(texts[1]).toBe(texts[0]);
    const states = (text = "") => (JSON.parse(text) as Pact).interactions.map(({ description }) => description);
    expect(states(texts[2])).toEqual(states(texts[0]));
    expect(texts[0]).not.toContain('"/repeated/');
  });

  test("is the same in any order of the requests, and needs an empty project last", async () => {
    const pactAfter = async (...requests: [path: string, init?: RequestInit][]) => {
      const project = newProject();
      await inProject(mock, project, "PUT", "/state", { resources: [] });
      for (const [path, init] of requests) await mock.resource(project, path, init);
      return pactFrom(mock, project, "&as=shop");
    };
    const head: [string, RequestInit] = ["", { method: "HEAD" }];
    const pact = await pactAfter(head, ["/a"], ["/b"]);
    expect(await pactAfter(head, ["/b"], ["/a"])).toEqual(pact);
    expect(descriptions(pact)).toEqual(["getResourceById returns 200", "checkResourceExists returns 404"]);
  });

  test("of a sandbox has the paths of its project", async () => {
    await mock.resource("shop", "/a", { headers: { "Mock-Sandbox": "t1" } });
    const { interactions } = await pactFrom(mock, "shop~t1");
    expect(interactions[0]?.request.path).toBe("/shop/resource/a");
  });

  test.each<[name: string, body: object]>([
    ["nested arrays", { deep: JSON.parse("[".repeat(190) + "]".repeat(190)) }],
    ["long names around many values", { ["n".repeat(30_000)]: Array(15_000).fill(1) }],
    ["many values in objects with long names", { ["n".repeat(900)]: Array(30_000).fill(1) }],
  ])("is not much larger than a body with %s", async (_name, body) => {
    const project = newProject();
    await write(mock, project, "POST", { ...draft, ...body });
    const text = JSON.stringify(await pactFrom(mock, project));
    expect(text.length).toBeLessThan(500_000);
  });

  test("needs the name of the consumer", async () => {
    const project = newProject();
    await mock.resource(project);
    for (const query of ["", "?consumer=", `?consumer=${"x".repeat(101)}`, "?consumer=a&provider=%20"]) {
      expectProblem(await inProject(mock, project, "GET", `/pact${query}`), 400, "InvalidField", "expected a name");
    }
    expectProblem(await inProject(mock, project, "GET", "/pact?consumer=a&as=oauth"), 400, "InvalidField", "reserved");
    expect((await pactFrom(mock, project, "&provider=other")).provider.name).toBe("other");
  });
});

describe("templates", () => {
  const array = { type: "array" } as const;

  test.each([
    ["an empty array", [], [], { $: rule({ match: "type" }) }],
    [
      "items with different members",
      [{ a: 1, b: 2 }, { a: 3 }],
      [{ a: 1 }],
      {
        $: rule({ match: "type", min: 1 }),
        "$[*].a": rule({ match: "number" }),
      },
    ],
  ])("reduce %s to what all items have in common", (_name, body, value, rules) => {
    expect(responseTemplate(body, array)).toMatchObject({ value, rules });
  });

  test("have no paths to empty names and names with quotes, which no path can express", () => {
    const body = { "": { a: 1 }, "it's": [1], a: "\ud800" };
    const a = { "$.a": rule({ match: "type" }) };
    const response = responseTemplate(exampleOf(body), undefined);
    expect([response.value, response.rules]).toEqual([{ a: "\ufffd" }, a]);
    const request = requestTemplate(exampleOf(body), undefined);
    expect([request.value, request.rules]).toEqual([{ ...body, a: "\ufffd" }, a]);
  });
});

test("a pact has at most MAX_INTERACTIONS interactions, and says so", async () => {
  const exchanges = Array.from({ length: MAX_INTERACTIONS + 1 }, (_, index) =>
    exchangeWith({
      query: `name-${index}=1`,
      responseBody: "{}",
      responseHeaders: { "Content-Type": "application/json" },
    }),
  );
  const source = { exchanges, contract: serviceContract, scenarios: new Map(), effort: new Effort(), version: "1" };
  const { interactions, metadata } = await pactOf(source, { consumer: "shop", provider: "service" });
  expect(interactions).toHaveLength(MAX_INTERACTIONS);
  expect(metadata["resource-mock"].omitted).toEqual([expect.stringContaining("the pact reached its limit")]);
});

test("a rule responds with the 503 of an upstream", async () => {
  const body = { statusCode: 503, message: "Later", errors: [{ code: "ServiceUnavailable", message: "Later" }] };
  const exchanges = [
    exchangeWith({ source: "upstream", status: 503, responseBody: Buffer.from(JSON.stringify(body)) }),
  ];
  const source = { exchanges, contract: serviceContract, scenarios: new Map(), effort: new Effort(), version: "1" };
  const { interactions } = await pactOf(source, { consumer: "shop", provider: "service" });
  const params = { project: "p", operation: "queryResources", status: 503, body };
  expect(interactions[0]?.providerStates).toEqual([{ name: "a rule responds", params }]);
});

test("a violating response of an upstream is omitted, and other errors are not the service's", async () => {
  const violation: ErrorDetail = {
    code: "InvalidResponse",
    message: "The response: The status: expected one of 200, found 418",
  };
  const upstream = { url: "http://service", requestHeaders: {}, ms: 1, violations: [violation] };
  const exchanges = [
    exchangeWith({ source: "upstream", status: 418, upstream }),
    exchangeWith({ source: "upstream", status: 418, upstream: { ...upstream, violations: [] } }),
    exchangeWith({ source: "upstream", status: 200, responseBody: "{}", upstream }),
    exchangeWith({ source: "error", status: 502 }),
  ];
  const source = { exchanges, contract: serviceContract, scenarios: new Map(), effort: new Effort(), version: "1" };
  const { interactions, metadata } = await pactOf(source, { consumer: "shop", provider: "service" });
  expect(interactions).toEqual([]);
  expect(metadata["resource-mock"].omitted).toEqual([
    "queryResources 200: the response violates the contract",
    "queryResources 418: the response violates the contract",
    "queryResources 502: the response is not the service's",
  ]);
});
