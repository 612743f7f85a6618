import fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";
import { loadOperations } from "../../src/control/subjects.ts";
import { controls } from "../../src/services/generic-resource/control/index.ts";
import { inheritedNames } from "../setup/arbitraries.ts";
import { bodiesOf } from "../setup/control-bodies.ts";
import { expectPrototypesUntouched } from "../setup/defects.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { mutated } from "../setup/mutations.ts";
import { everyOperation } from "../setup/requests.ts";
import { runs } from "../setup/runs.ts";

const controlOperations = await loadOperations(controls);

/** Delays of rules take no time. */
const mock = useMock("in process", { wait: async () => {} });

afterEach(expectPrototypesUntouched);

/**
 * Names of members that every JavaScript object inherits must behave like all other names. Node's own `fetch`, which tests
 * use over a socket, sends no header `__proto__`.
 */
describe.each(["in process", "over HTTPS", "over HTTP/2"] as const)(
  "a name of an inherited member (%s)",
  (transport) => {
    const mock = useMock(transport);
    describe.each(inheritedNames)("%s", (name) => {
      const named = (value: unknown) => JSON.parse(`{${JSON.stringify(name)}:${JSON.stringify(value)}}`);

      test.each([["a"], [{ matches: "." }]])("matches a header, parameter or member against %j", async (expected) => {
        const project = newProject();
        for (const when of [{ headers: named(expected) }, { query: named(expected) }, { body: named(expected) }]) {
          const rule = await mock.fetch(
            `/__admin/projects/${project}/rules`,
            json("POST", { when, respond: { status: 400 } }),
          );
          expect(rule.status).toBe(201);
        }
        expect((await mock.resource(project, "", json("PUT", { objectTypeProperty: {} }))).status).toBe(201);
        const requests: [string, RequestInit][] = [
          ["", { headers: [[name, "a"]] }],
          [`?${name}=a`, {}],
          ["/namespace-action", json("POST", named("a"))],
        ];
        for (const [path, init] of requests) expect((await mock.resource(project, path, init)).status).toBe(400);

        for (const match of [{ headers: named(expected) }, { query: named(expected) }, { body: named(expected) }]) {
          const verified = await mock.fetch(
            `/__admin/projects/${project}/requests/verify`,
            json("POST", { match, count: 1 }),
          );
          expect(await verified.json()).toEqual({ pass: true, matched: 1 });
        }
      });

      test("is stored in a resource and returned", async () => {
        const project = newProject();
        const body = { ...named({ [name]: 1 }), objectTypeProperty: {} };
        const created = await mock.resource(project, "", json("POST", body));
        expect(JSON.parse(await created.text())).toEqual(JSON.parse(JSON.stringify({ version: 1, ...body })));
      });
    });
  },
);

const rules = bodiesOf(controlOperations.find(({ id }) => id === "addRule") as (typeof controlOperations)[number]);
const requests = everyOperation.map(([, request]) => request);

test("random rules never cause a defect", async () => {
  await fc.assert(
    fc.asyncProperty(fc.oneof(...rules.map(mutated)), fc.constantFrom(...inheritedNames), async (rule, name) => {
      const project = newProject();
      const headers = { "Content-Type": "application/json" };
      const added = await mock.fetch(`/__admin/projects/${project}/rules`, { method: "POST", body: rule, headers });
      expect(added.status).toBeLessThan(500);
      if (added.status !== 201) return;
      for (const { path, init } of requests) {
        const request = { ...init, headers: { ...init.headers, [name]: "a" } };
        // The rule may break the connection.
        const response = await mock.resource(project, path, request).catch((error) => {
          expect(error.message).toBe("fetch failed");
        });
        if (!response) continue;
        const source = response.headers.get("Mock-Source");
        expect(source).not.toBe("defect");
        if (response.status >= 500) expect(source).toMatch(/^rule:/);
      }
      mock.engine.closeProject(project);
    }),
    runs(50, 150),
  );
});
