import { describe, expect, test } from "vitest";
import sample from "../../fixtures/queryResources/200.json" with { type: "json" };
import found from "../../fixtures/searchResources/200.json" with { type: "json" };
import seed from "../../fixtures/seed.json" with { type: "json" };
import type { PagedQueryResult } from "../../src/services/generic-resource/schemas.ts";
import { inProject } from "../setup/control.ts";
import { expectBodiless, expectError } from "../setup/errors.ts";
import { pausesDuring } from "../setup/meanwhile.ts";
import { type MockUnderTest, newProject, onAllTransports, useMock } from "../setup/mock.ts";
import { configure, read, update, write } from "../setup/resources.ts";

/** Returns a query with these parameters; an array repeats its parameter. */
function queryOf(parameters: Record<string, string | readonly string[]>): string {
  return `?${new URLSearchParams(Object.entries(parameters).flatMap(([name, value]) => [value].flat().map((one) => [name, one])))}`;
}

type Parameters = Record<string, string | readonly string[]>;

/** Creates a project with `count` resources, numbered in `arrayOfIntExample`, and without seeded ones. */
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

onAllTransports("querying resources", {}, (mock) => {
  const sorted = async (project: string, parameters: Parameters = {}) =>
    (await read(mock, project, `/sorted-query-parameters${queryOf(parameters)}`)) as unknown as PagedQueryResult;

  describe("queryResources", () => {
    test("returns the sample in the shape of ArrayTestType", async () => {
      const response = await mock.resource(newProject());
      expect([response.status, await response.json()]).toEqual([200, sample]);
      expect(response.headers.get("Mock-Source")).toBe("fixture:queryResources/200.json");
    });

    test("with collection: paged, queryResources returns a page of the project's resources", async () => {
      const project = newProject();
      await configure(mock, project, { collection: "paged" });
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

    test("with collection: paged, queryResources also accepts the parameters of queryWithSortedParameters", async () => {
      const project = await projectOf(mock, 3);
      await configure(mock, project, { collection: "paged" });
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

  describe("searchResources", () => {
    test("returns its fixture, a paging envelope, for any search", async () => {
      const parameters = { "text.en": "linen", fuzzy: "true", fuzzyLevel: "1.5", staged: "false", filter: "a" };
      const response = await mock.resource(newProject(), `/searchApiPattern${queryOf(parameters)}`);
      expect([response.status, await response.json()]).toEqual([200, found]);
      expect(found).toMatchObject({ count: found.results.length, total: expect.any(Number) });
    });
  });

  describe("checkResourceExists", () => {
    test("checkResourceExists returns 200 if the project has a resource, else 404", async () => {
      const project = newProject();
      const head = () => mock.resource(project, "?stringParameter=x", { method: "HEAD" });
      await expectBodiless(await head(), 200);
      await deleteSeed(mock, project);
      await expectBodiless(await head(), 404);
      await write(mock, project);
      await expectBodiless(await head(), 200);
    });
  });

  describe("queryWithSortedParameters", () => {
    test("returns pages of the current state in the order of creation", async () => {
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

    test("sees creations, updates and deletions immediately", async () => {
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
    ])("with the query %j, returns the expected page", async (parameters, expected, envelope) => {
      const page = await sorted(await projectOf(mock, 5), parameters);
      expect(numbers(page)).toEqual(expected);
      expect(page).toMatchObject({ limit: 20, offset: 0, ...envelope });
    });

    test.each([
      ["where", "version = ", 11],
      ["where", "version = :unbound", 11],
      ["sort", "version down", 9],
    ])("an invalid %s, %j, is 400 with the column", async (name, text, column) => {
      const response = await mock.resource(newProject(), `/sorted-query-parameters${queryOf({ [name]: text })}`);
      await expectError(response, "InvalidField", { field: name, column });
    });
  });
});

describe("a query over many resources", { tags: ["slow"] }, () => {
  const mock = useMock("over a socket");
  const many = 10_000;
  const instant = (number: number) => new Date(Date.UTC(2025, 0, 1) + number * 1000).toISOString();

  /** Creates a project with resources one second apart. */
  async function projectOfMany(): Promise<string> {
    const project = newProject();
    const records = Array.from({ length: many }, (_, number) => {
      const times = { createdAt: instant(number), lastModifiedAt: instant(many - number) };
      return { id: `r${number}`, version: 1, ...times, objectTypeProperty: { arrayOfIntExample: [number] } };
    });
    expect((await inProject(mock, project, "PUT", "/state", { resources: records })).status).toBe(204);
    return project;
  }

  test("compares dates while other requests get responses", async () => {
    const project = await projectOfMany();
    const path = `/sorted-query-parameters${queryOf({ where: Array(20).fill('createdAt != "2024-01-01T00:00:00Z"') })}`;
    const { response, pauses } = await pausesDuring(mock, () => mock.resource(project, path));
    expect(response.status).toBe(200);
    expect(numbers(await response.json())[0]).toBe(0);
    expect(pauses).toBeGreaterThan(0);
  });
});
