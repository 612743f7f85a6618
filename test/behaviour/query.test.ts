import { describe, expect, test } from "vitest";
import sample from "../../fixtures/queryResources/200.json" with { type: "json" };
import found from "../../fixtures/searchResources/200.json" with { type: "json" };
import seed from "../../fixtures/seed.json" with { type: "json" };
import type { PagedQueryResult } from "../../src/contract/schemas.ts";
import { expectBodiless, expectError } from "../setup/errors.ts";
import { pausesDuring } from "../setup/meanwhile.ts";
import { type MockUnderTest, newProject, onBothTransports } from "../setup/mock.ts";
import { configure, read, update, write } from "../setup/resources.ts";

/** A query with these parameters; an array is passed several times. */
function queryOf(parameters: Record<string, string | readonly string[]>): string {
  return `?${new URLSearchParams(Object.entries(parameters).flatMap(([name, value]) => [value].flat().map((one) => [name, one])))}`;
}

type Parameters = Record<string, string | readonly string[]>;

/** A project that holds `count` resources of its own, numbered in `arrayOfIntExample`, and no seeded ones. */
async function projectOf(mock: MockUnderTest, count: number): Promise<string> {
  const project = newProject();
  await deleteSeed(mock, project);
  for (let number = 1; number <= count; number++) {
    const strings = number % 2 === 0 ? ["even"] : ["odd", "größe"];
    const content = { arrayOfIntExample: [number], arrayOfStringExample: strings };
    await write(mock, project, "POST", { objectTypeProperty: content });
  }
  return project;
}

async function deleteSeed(mock: MockUnderTest, project: string): Promise<void> {
  for (const { id } of seed.resources) {
    expect((await mock.resource(project, `/${id}`, { method: "DELETE" })).status).toBe(200);
  }
}

const numbers = ({ results }: PagedQueryResult) =>
  results.map(({ objectTypeProperty }) => objectTypeProperty.arrayOfIntExample?.[0]);

onBothTransports("querying resources", {}, (mock) => {
  const sorted = async (project: string, parameters: Parameters = {}) =>
    (await read(mock, project, `/sorted-query-parameters${queryOf(parameters)}`)) as unknown as PagedQueryResult;

  describe("operation 1", () => {
    test("answers the sample in the shape of ArrayTestType", async () => {
      const response = await mock.resource(newProject());
      expect([response.status, await response.json()]).toEqual([200, sample]);
      expect(response.headers.get("Mock-Source")).toBe("fixture:queryResources/200.json");
    });

    test("with collection: paged, answers the envelope over the project's state", async () => {
      const project = newProject();
      configure(mock, project, { collection: "paged" });
      const response = await mock.resource(project);
      expect(response.headers.get("Mock-Source")).toBe("state");
      expect(await response.json()).toEqual({
        limit: 20,
        offset: 0,
        count: seed.resources.length,
        total: seed.resources.length,
        results: seed.resources.map(({ id, key, createdAt, lastModifiedAt, ...body }) => body),
      });
    });

    test("with collection: paged, takes the parameters of operation 12 beside its own", async () => {
      const project = await projectOf(mock, 3);
      configure(mock, project, { collection: "paged" });
      const parameters = {
        limit: "1",
        offset: "1",
        sort: "objectTypeProperty.arrayOfIntExample desc",
        withTotal: "false",
      };
      const page = (await (await mock.resource(project, queryOf(parameters))).json()) as PagedQueryResult;
      expect([page, numbers(page)]).toEqual([{ limit: 1, offset: 1, count: 1, results: expect.any(Array) }, [2]]);

      const wrong = await mock.resource(project, queryOf({ limit: "x", floatParameter: "1" }));
      await expectError(wrong, "InvalidField", { field: "limit" });
      const own = await mock.resource(project, queryOf({ limit: "1", floatParameter: "x" }));
      await expectError(own, "InvalidField", { field: "floatParameter" });
      const predicate = await mock.resource(project, queryOf({ where: "version >" }));
      await expectError(predicate, "InvalidField", { field: "where", column: 10 });
    });
  });

  describe("operation 4", () => {
    test("answers its fixture, a paging envelope, whatever is searched for", async () => {
      const parameters = { "text.en": "linen", fuzzy: "true", fuzzyLevel: "1.5", staged: "false", filter: "a" };
      const response = await mock.resource(newProject(), `/searchApiPattern${queryOf(parameters)}`);
      expect([response.status, await response.json()]).toEqual([200, found]);
      expect(found).toMatchObject({ count: found.results.length, total: expect.any(Number) });
    });
  });

  describe("operation 5", () => {
    test("is 200 while the project has any resource, and 404 when it has none", async () => {
      const project = newProject();
      const head = () => mock.resource(project, "?stringParameter=x", { method: "HEAD" });
      await expectBodiless(await head(), 200);
      await deleteSeed(mock, project);
      await expectBodiless(await head(), 404);
      await write(mock, project);
      await expectBodiless(await head(), 200);
    });
  });

  describe("operation 12", () => {
    test("pages through the live state in the order of creation", async () => {
      const project = await projectOf(mock, 45);
      const pages = [
        await sorted(project),
        await sorted(project, { offset: "20" }),
        await sorted(project, { offset: "40" }),
        await sorted(project, { offset: "60" }),
      ];
      expect(pages.map(({ results, ...envelope }) => envelope)).toEqual([
        { limit: 20, offset: 0, count: 20, total: 45 },
        { limit: 20, offset: 20, count: 20, total: 45 },
        { limit: 20, offset: 40, count: 5, total: 45 },
        { limit: 20, offset: 60, count: 0, total: 45 },
      ]);
      expect(pages.flatMap(numbers)).toEqual(Array.from({ length: 45 }, (_, index) => index + 1));
    });

    test("sees creations, updates and deletions at once", async () => {
      const project = await projectOf(mock, 2);
      const { id } = await write(mock, project, "POST", { objectTypeProperty: { arrayOfIntExample: [9] } });
      expect(await sorted(project, { where: `id = "${id}"` })).toMatchObject({ total: 1, results: [{ version: 1 }] });
      await mock.resource(project, `/${id}`, update(1));
      expect(await sorted(project, { where: "version = 2" })).toMatchObject({ total: 1, results: [{ version: 2 }] });
      await mock.resource(project, `/${id}`, { method: "DELETE" });
      expect(await sorted(project)).toMatchObject({ total: 2 });
    });

    test.each<[Parameters, number[], object]>([
      [{ limit: "2" }, [1, 2], { limit: 2, count: 2, total: 5 }],
      [{ limit: "0" }, [], { limit: 0, count: 0, total: 5 }],
      [{ limit: "500", offset: "4" }, [5], { limit: 500, offset: 4, count: 1, total: 5 }],
      [{ withTotal: "true" }, [1, 2, 3, 4, 5], { total: 5 }],
      [{ sort: "objectTypeProperty.arrayOfIntExample desc" }, [5, 4, 3, 2, 1], {}],
      [
        { sort: ["objectTypeProperty.arrayOfStringExample asc", "objectTypeProperty.arrayOfIntExample desc"] },
        [4, 2, 5, 3, 1],
        {},
      ],
      [{ where: "objectTypeProperty(arrayOfIntExample contains any (1, 4))" }, [1, 4], { total: 2 }],
      [
        {
          where: [
            "objectTypeProperty(arrayOfStringExample contains all (:both))",
            "not(objectTypeProperty(arrayOfIntExample contains any (:n)))",
          ],
          "var.both": ["odd", "größe"],
          "var.n": "3",
        },
        [1, 5],
        { total: 2 },
      ],
      [
        {
          where: 'version = 1 and objectTypeProperty(arrayOfStringExample contains any ("even"))',
          sort: "objectTypeProperty.arrayOfIntExample desc",
          limit: "1",
        },
        [4],
        { limit: 1, total: 2, count: 1 },
      ],
      [{ where: "key is defined" }, [], { total: 0 }],
      [{ where: "createdAt > :t", "var.t": "2000-01-01T00:00:00Z", expand: ["a", "b"] }, [1, 2, 3, 4, 5], {}],
    ])("%j", async (parameters, expected, envelope) => {
      const page = await sorted(await projectOf(mock, 5), parameters);
      expect(numbers(page)).toEqual(expected);
      expect(page).toMatchObject({ limit: 20, offset: 0, ...envelope });
    });

    test("leaves the total out with withTotal=false", async () => {
      const page = await sorted(newProject(), { withTotal: "false", where: "version >= 1" });
      expect(Object.keys(page)).toEqual(["limit", "offset", "count", "results"]);
    });

    test("answers resources as their reads do, extra fields too", async () => {
      const project = newProject();
      const { id, resource } = await write(mock, project, "POST", { objectTypeProperty: {}, season: "SS25" });
      expect(await sorted(project, { where: `id = "${id}"` })).toMatchObject({ results: [resource] });
    });

    test.each([
      ["where", "version = ", 11],
      ["where", 'version = "1"', 11],
      ["where", "versoin = 1", 1],
      ["where", "version = :unbound", 11],
      ["sort", "versoin", 1],
      ["sort", "version down", 9],
    ])("a bad %s, %j, is 400 with the column", async (name, text, column) => {
      const response = await mock.resource(newProject(), `/sorted-query-parameters${queryOf({ [name]: text })}`);
      await expectError(response, "InvalidField", { field: name, column });
    });

    test("takes ten different sort keys; more are 400, and repeated ones have no effect", async () => {
      const project = await projectOf(mock, 2);
      const path = "objectTypeProperty.arrayOfIntExample";
      const others = ["id", "key", "createdAt", "lastModifiedAt"].flatMap((field) => [field, `${field} desc`]);
      const sortBy = (sort: string[]) => mock.resource(project, `/sorted-query-parameters${queryOf({ sort })}`);
      expect((await sortBy([path, `${path} desc`, ...others])).status).toBe(200);
      await expectError(await sortBy([path, `${path} desc`, ...others, "version"]), "InvalidField", {
        field: "sort",
        message: "sort 11 of 11: column 1: expected at most 10 different keys, found more",
      });
      const repeated = await sorted(project, { sort: Array(50).fill(`${path} desc`) });
      expect(numbers(repeated)).toEqual([2, 1]);
    });

    describe("over many resources", () => {
      const many = 20_000;
      const instant = (number: number) => new Date(Date.UTC(2025, 0, 1) + number * 1000).toISOString();

      /** Only the last key tells the resources apart, so that every comparison looks at all of them. */
      const absent = ["arrayOfStringExample", "arrayOfFloatExample", "arrayOfTwonumbersExample"];
      const tenKeys = ["version", "version desc", "key"]
        .concat(absent.flatMap((name) => [`objectTypeProperty.${name}`, `objectTypeProperty.${name} desc`]))
        .concat("createdAt desc");

      /** A project with resources that were created one second after the other. */
      async function projectOfMany(): Promise<string> {
        const project = newProject();
        await deleteSeed(mock, project);
        const records = Array.from({ length: many }, (_, number) => {
          const times = { createdAt: instant(number), lastModifiedAt: instant(many - number) };
          return { id: `r${number}`, version: 1, ...times, objectTypeProperty: { arrayOfIntExample: [number] } };
        });
        await mock.engine.projects.get(project).store.addAll(records);
        return project;
      }

      test.each<[string, Parameters, number[]]>([
        ["sorts", { sort: tenKeys }, [many - 1]],
        ["compares dates", { where: Array(50).fill('createdAt != "2024-01-01T00:00:00Z"') }, [0]],
      ])("%s while other requests are answered", async (_name, parameters, [first]) => {
        const project = await projectOfMany();
        const path = `/sorted-query-parameters${queryOf(parameters)}`;
        const { response, pauses } = await pausesDuring(mock, () => mock.resource(project, path));
        expect(response.status).toBe(200);
        expect(numbers(await response.json())[0]).toBe(first);
        expect(pauses).toBeGreaterThan(0);
      });

      test("looks into a long array while other requests are answered", async () => {
        const project = newProject();
        const arrayOfObjectType = Array.from({ length: 300_000 }, (_, integerExample) => ({ integerExample }));
        const record = { id: "a", version: 1, createdAt: instant(0), lastModifiedAt: instant(0) };
        await mock.engine.projects
          .get(project)
          .store.addAll([{ ...record, objectTypeProperty: { arrayOfObjectType } }]);
        const none = Array.from({ length: 20 }, (_, number) => `integerExample = ${-1 - number}`).join(" or ");
        const where = `id = "a" and objectTypeProperty(arrayOfObjectType(${none}))`;
        const path = `/sorted-query-parameters${queryOf({ where })}`;
        const { response, pauses } = await pausesDuring(mock, () => mock.resource(project, path));
        expect(await response.json()).toMatchObject({ total: 0 });
        expect(pauses).toBeGreaterThan(0);
      });

      test("is 503 when the project is reset meanwhile", async () => {
        const project = await projectOfMany();
        const path = `/sorted-query-parameters${queryOf({ where: Array(50).fill('createdAt != "2024-01-01T00:00:00Z"') })}`;
        const resetWhenUnderWay = async () => {
          const response = mock.resource(project, path);
          await mock.fetch("/__admin/health");
          mock.engine.resetProject(project);
          return response;
        };
        await expectError(await resetWhenUnderWay(), "ServiceUnavailable");
      });
    });
  });
});
