import { expect, test } from "vitest";
import { createContract } from "../../src/contract/contract.ts";
import type { Operation } from "../../src/contract/operation-table.ts";
import type { CoverageReport } from "../../src/journal/coverage-report.ts";
import { control, inProject } from "../setup/control.ts";
import { newProject, onTransports } from "../setup/mock.ts";

const THINGS = 5000;

const schema = { type: "object", required: ["id"], properties: { id: { type: "integer" } } } as const;
const common = { summary: "A thing.", tag: "things", parameters: [] };
const responses = { 200: { description: "A thing.", schema, examples: { one: { id: 1 } } } };

/** Two operations for each of many things, in fifty folders. */
const operations = Array.from({ length: THINGS }, (_, number): Operation[] => {
  const path = `/team${number % 50}/things${number}`;
  return [
    { ...common, id: `list${number}`, method: "GET", path, responses },
    { ...common, id: `get${number}`, method: "GET", path: `${path}/{id}`, responses },
  ];
}).flat();

const contract = createContract({ info: { title: "Things" }, operations });

onTransports("a contract of 10,000 operations", { service: { contract } }, (mock) => {
  test("the first and the last operation respond", async () => {
    const paths = [
      ["/team0/things0", 1],
      [`/${newProject()}/team49/things${THINGS - 1}/7`, 7],
    ] as const;
    for (const [path, id] of paths) {
      const response = await mock.fetch(path);
      expect([response.status, await response.json()]).toEqual([200, { id }]);
    }
  });

  test("the 404 for an unknown path names operations with similar paths", async () => {
    const { headers } = await mock.fetch("/team7/thing57");
    expect(headers.get("Mock-Reason")).toMatch(/Nearest: GET \/team7\/things57, /);
  });

  test("the coverage lists the operations with requests, and the ids of the others", async () => {
    const project = newProject();
    await mock.fetch(`/${project}/team7/things7`);
    const { body: coverage } = await inProject<CoverageReport>(mock, project, "GET", "/coverage");
    expect(coverage.operations).toMatchObject([{ operation: "list7", statuses: { 200: 1 } }]);
    expect(coverage.unused).toEqual(contract.ids.filter((id) => id !== "list7"));
    expect(coverage.totals.operations).toEqual({ exercised: 1, declared: 2 * THINGS });
    expect(coverage.summary.operations).toBe(0.01);
  });

  test("the coverage as text has rows for operations with requests, and some names of others", async () => {
    const project = newProject();
    await mock.fetch(`/${project}/team7/things7`);
    const text = await (
      await mock.fetch(`/__admin/projects/${project}/coverage`, { headers: { Accept: "text/plain" } })
    ).text();
    expect(text).toContain("\nno requests: 9999 operations, such as list0, get0, list1\n");
    expect(text.match(/^list7 /gm)).toHaveLength(2);
    expect(text.length).toBeLessThan(1000);
  });

  test("the document lists all operations", async () => {
    const { body: document } = await control<{ paths: object }>(mock, "GET", "/contract.json");
    expect(Object.keys(document.paths)).toHaveLength(2 * THINGS);
  });
});
