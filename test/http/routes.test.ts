import { expect, test } from "vitest";
import { serviceContract } from "../../src/contract/service-contract.ts";
import { routesOf } from "../../src/http/routes.ts";

const routes = routesOf(serviceContract.operations);
const of = (template: string) => routes.find((route) => route.template === `/{projectKey}/resource${template}`);

test("returns one route per path, with more literal text first", () => {
  const paths = routes.map(({ template }) => template.replace("/{projectKey}/resource", ""));
  expect(new Set(paths).size).toBe(paths.length);
  expect(paths.indexOf("/{id}")).toBeGreaterThan(paths.indexOf("/key={key}"));
  for (const literal of ["/searchApiPattern", "/sorted-query-parameters", "/images", "/namespace-action"]) {
    expect(paths.indexOf(literal)).toBeLessThan(paths.indexOf("/key={key}"));
  }
});

test("returns the operations and the methods of a path", () => {
  expect(of("")?.allow).toBe("GET, HEAD, POST, PATCH, PUT");
  expect(of("/{id}")?.allow).toBe("GET, POST, DELETE");
  expect(of("")?.operations.get("HEAD")?.id).toBe("checkResourceExists");
  expect(routes.flatMap(({ operations }) => [...operations.values()])).toHaveLength(serviceContract.operations.length);
});

test.each([
  ["", "/:projectKey/resource", {}],
  ["/{id}", "/:projectKey/resource/:id", {}],
  ["/key={key}", "/:projectKey/resource/:key{key(?:=|%3[Dd])[^/]*}", { key: "key=" }],
])("returns the Hono pattern for %j", (template, pattern, prefixes) => {
  expect(of(template)).toMatchObject({ pattern, prefixes });
});
