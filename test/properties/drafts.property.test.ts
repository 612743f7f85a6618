import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { draft } from "../setup/arbitraries.ts";
import { json, newProject, useMock } from "../setup/mock.ts";
import { runs } from "../setup/runs.ts";

const mock = useMock("in process");

/** Checks that both values are the same JSON. Unlike `toEqual`, it compares members with the name `__proto__`. */
function expectSame(actual: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(actual, expected)) expect(JSON.stringify(actual)).toBe(JSON.stringify(expected));
}

test.each(["POST", "PUT", "PATCH"])("every response returns a valid draft unchanged after %s", async (method) => {
  const project = newProject();
  await fc.assert(
    fc.asyncProperty(draft, async (body) => {
      const written = await mock.resource(project, "", json(method, body));
      expect(written.status).toBe(201);
      const resource = (await written.json()) as { version: number };
      expectSame(resource, { ...JSON.parse(JSON.stringify(body)), version: resource.version });

      const location = written.headers.get("Location") ?? "";
      expectSame(await (await mock.fetch(location)).json(), resource);

      const where = new URLSearchParams({ where: `id = "${location.split("/").at(-1)}"` });
      const page = await mock.resource(project, `/sorted-query-parameters?${where}`);
      expectSame(((await page.json()) as { results: unknown[] }).results, [resource]);
    }),
    runs(50, 200),
  );
});

test("readNamespaceAction returns any JSON that was sent to writeNamespaceAction", async () => {
  const project = newProject();
  await fc.assert(
    fc.asyncProperty(fc.jsonValue(), async (body) => {
      await mock.resource(project, "/namespace-action", json("POST", body));
      expectSame(await (await mock.resource(project, "/namespace-action")).json(), JSON.parse(JSON.stringify(body)));
    }),
    runs(50, 100),
  );
});
