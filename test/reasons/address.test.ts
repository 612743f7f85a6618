import fc from "fast-check";
import { expect, test } from "vitest";
import { hrefOf, projectViews, type Route, routeOf } from "../../src/journal/reasons/address.ts";
import { runs } from "../setup/runs.ts";

const text = fc.string({ minLength: 1, unit: "binary" });
const filter = fc.dictionary(fc.constantFrom("q", "status", "from"), text).map((values) => ({ ...values }));

test("a fragment leads back to the route that it was made from, whatever ids and filters contain", () => {
  const ofProject = fc.record({ project: text, view: fc.constantFrom(...projectViews), item: text, filter });
  fc.assert(
    fc.property(ofProject, ({ project, ...rest }) => {
      const route: Route = { ...rest, project, owner: project };
      expect(routeOf(hrefOf(route))).toEqual(route);
    }),
    runs(100),
  );
  const ofAll = fc.record({ owner: text, item: text, filter });
  fc.assert(
    fc.property(ofAll, (rest) => {
      const route: Route = { ...rest, view: "requests" };
      expect(routeOf(hrefOf(route))).toEqual(route);
    }),
    runs(100),
  );
});

test.each([
  ["", { view: "requests" }],
  ["#/", { view: "requests" }],
  ["#/somewhere/else", { view: "requests" }],
  ["#/projects", { view: "requests" }],
  ["#/projects/shop", { project: "shop", view: "requests" }],
  ["#/projects/shop/nothing", { project: "shop", view: "requests" }],
  ["#/projects/shop/data/my-id", { project: "shop", owner: "shop", view: "data", item: "my-id" }],
  ["#/projects/shop/state/my-id", { project: "shop", owner: "shop", view: "data", item: "my-id" }],
  ["#/projects/shop/requests?status=4xx", { project: "shop", view: "requests", filter: { status: "4xx" } }],
  ["#/projects/%zz/requests", { project: "%zz", view: "requests" }],
  // Only a project has state.
  ["#/all/state", { view: "requests" }],
])("the fragment %j leads to %o", (hash, expected) => {
  expect(routeOf(hash)).toEqual({ filter: {}, ...expected });
});
