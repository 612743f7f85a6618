import { describe, expect, test } from "vitest";
import { expectError } from "../setup/errors.ts";
import { lastRequest } from "../setup/journal.ts";
import { json, newProject, onAllTransports } from "../setup/mock.ts";
import { complexPath, exampleRequests, image } from "../setup/requests.ts";
import { configure, draft, read, update, write } from "../setup/resources.ts";

/** Requests that violate the contract, with their status without enforcement and the location of the violation. */
const broken: [name: string, path: string, init: RequestInit, status: number, violation: object][] = [
  ["a wrong query type", "?floatParameter=x", {}, 200, { code: "InvalidField", field: "floatParameter" }],
  ["a wrong query type of HEAD", "?integerParameter=x", { method: "HEAD" }, 200, { field: "integerParameter" }],
  ["an empty key", "/key=", {}, 200, { code: "InvalidField", field: "key" }],
  ["a draft without content", "", json("POST", {}), 201, { field: "/objectTypeProperty" }],
  [
    "wrongly typed content",
    "",
    json("PATCH", { objectTypeProperty: { arrayOfIntExample: ["x"] } }),
    201,
    { field: "/objectTypeProperty/arrayOfIntExample/0" },
  ],
  ["a wrong complex body", complexPath, json("POST", { id: 1 }), 200, { field: "/id" }],
  ["no body", "", { method: "POST" }, 201, { code: "InvalidInput" }],
  [
    "a wrong content type",
    "",
    { ...json("POST", draft, { "Content-Type": "text/plain" }) },
    201,
    { code: "UnsupportedMediaType" },
  ],
  ["broken JSON", "", { ...json("POST", 1), body: "{" }, 201, { code: "InvalidJsonInput" }],
  ["an unknown action", "/some-id", update(1, [{ action: "paint" }]), 200, { field: "/actions/0/action" }],
  ["an update without version", "/some-id", json("POST", { actions: [] }), 200, { field: "/version" }],
  ["a fuzzy level above the highest", "/searchApiPattern?fuzzyLevel=11", {}, 200, { field: "fuzzyLevel" }],
  ["a broken predicate", "/sorted-query-parameters?where=version+%3D", {}, 200, { field: "where" }],
  ["a broken sort", "/sorted-query-parameters?sort=colour", {}, 200, { field: "sort" }],
  ["a limit out of bounds", "/sorted-query-parameters?limit=501", {}, 200, { field: "limit" }],
  ["half a result", "/sorted-query-parameters?offset=0.5", {}, 200, { field: "offset" }],
  ["a file that is not an image", "/images", image("image/gif"), 200, { code: "InvalidInput" }],
  ["an image of another type", "/images", image("image/webp"), 200, { code: "UnsupportedMediaType" }],
];

onAllTransports("the setting validation", {}, (mock) => {
  test.each(broken)("enforce rejects %s", async (_name, path, init, _status, violation) => {
    const project = newProject();
    const response = await mock.resource(project, path, init);
    expect(response.status).toBeOneOf([400, 415]);
    expect((await lastRequest(mock, project))?.violations).toEqual([expect.objectContaining(violation)]);
    if (init.method !== "HEAD") expect(await response.json()).toMatchObject({ errors: [violation] });
  });

  test.each(broken)(
    "report and off accept %s, and only report records it",
    async (_name, path, init, status, expected) => {
      for (const validation of ["report", "off"] as const) {
        const project = newProject();
        await configure(mock, project, { validation });
        const response = await mock.resource(project, path, init);
        expect([response.status, await response.text()]).toEqual([status, expect.any(String)]);
        const violations = validation === "report" ? [expect.objectContaining(expected)] : [];
        expect((await lastRequest(mock, project))?.violations).toEqual(violations);
      }
    },
  );

  describe.each(["report", "off"] as const)("with %s", (validation) => {
    const project = async () => {
      const key = newProject();
      await configure(mock, key, { validation });
      return key;
    };

    test("the valid parts of a body are used", async () => {
      const content = { arrayOfIntExample: ["x", 1] };
      const key = await project();
      const { id, resource } = await write(mock, key, "POST", { objectTypeProperty: content, season: "SS25" });
      expect(resource).toEqual({ version: 1, objectTypeProperty: content, season: "SS25" });
      const actions = [{ action: "paint" }, { action: "doSomeThing" }, ["doSomeThing"]];
      expect(await (await mock.resource(key, `/${id}`, update(1, actions))).json()).toMatchObject({ version: 2 });
      expect(await (await mock.resource(key, `/${id}`, update(2, actions.slice(0, 1)))).json()).toMatchObject({
        version: 2,
      });
    });

    test("JSON is read with any content type", async () => {
      const key = await project();
      const init = json("POST", draft, { "Content-Type": "text/plain" });
      expect(await (await mock.resource(key, "", init)).json()).toEqual({ version: 1, ...draft });
    });

    test("a stale version is still 409, and a deleted resource 404", async () => {
      const key = await project();
      const { id } = await write(mock, key);
      await expectError(await mock.resource(key, `/${id}`, update(2)), "ConcurrentModification");
      await mock.resource(key, `/${id}`, { method: "DELETE" });
      await expectError(await mock.resource(key, `/${id}`), "ResourceNotFound");
    });

    test("size limits still apply", async () => {
      const key = await project();
      await configure(mock, key, { maxBodyBytes: 2 });
      await expectError(await mock.resource(key, "", json("POST", draft)), "ContentTooLarge");
    });
  });

  test("the journal keeps the first twenty violations of a request", async () => {
    const project = newProject();
    await configure(mock, project, { validation: "report" });
    const body = { objectTypeProperty: { arrayOfIntExample: Array(1000).fill("x") } };
    expect((await mock.resource(project, "?a=b", json("POST", body))).status).toBe(201);
    expect((await lastRequest(mock, project))?.violations).toHaveLength(20);
  });

  test("a valid request is recorded without violations", async () => {
    const project = newProject();
    await configure(mock, project, { validation: "report" });
    for (const { path, init } of Object.values(exampleRequests)) {
      await mock.resource(project, path, init);
      expect((await lastRequest(mock, project))?.violations).toEqual([]);
    }
  });
});

onAllTransports("initial settings of projects", { settings: { unknownIds: "not-found" } }, (mock) => {
  test("come from the engine, and each project can change them", async () => {
    const [one, other] = [newProject(), newProject()];
    await configure(mock, one, { unknownIds: "fixture" });
    expect(await read(mock, one, "/a")).toMatchObject({ version: 1 });
    await expectError(await mock.resource(other, "/a"), "ResourceNotFound");
  });
});

onAllTransports("the level of a fuzzy search", {}, (mock) => {
  test.each([
    ["10", 200],
    ["10.01", 400],
  ])("a request with the fuzzyLevel %s returns %s", async (level, status) => {
    const response = await mock.resource(newProject(), `/searchApiPattern?fuzzy=true&fuzzyLevel=${level}`);
    expect(response.status).toBe(status);
    if (status === 400) {
      const message = `fuzzyLevel: expected at most 10, the platform's default level, found ${level}`;
      await expectError(response, "InvalidField", { field: "fuzzyLevel", message });
    }
  });
});
