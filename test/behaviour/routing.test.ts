import { describe, expect, test } from "vitest";
import { expectBodiless, expectError, requestId } from "../setup/errors.ts";
import { journalOf, lastRequest } from "../setup/journal.ts";
import { json, newProject, onAllTransports } from "../setup/mock.ts";
import { complexPath, everyOperation } from "../setup/requests.ts";
import { draft } from "../setup/resources.ts";

onAllTransports("routing", {}, (mock) => {
  test.each(everyOperation)("a request to %s returns a response with its source", async (id, example) => {
    const project = newProject();
    const response = await mock.resource(project, example.path, example.init);
    expect(response.status).toBe(example.status);
    expect(response.headers.get("Mock-Source")).toMatch(/^(state|fixture:\w+\/200\.json)$/);
    expect(await lastRequest(mock, project)).toMatchObject({
      operation: id,
      id: response.headers.get("Mock-Request-Id"),
    });
    if (example.init.method !== "HEAD") expect(response.headers.get("Content-Type")).toBe("application/json");
  });

  describe("literal segments win over {id} for every method", () => {
    test.each([
      ["/searchApiPattern", "GET"],
      ["/sorted-query-parameters", "GET"],
      ["/images", "POST"],
      ["/namespace-action", "POST, GET"],
      ["/namespace-action-with-example", "GET"],
      ["/key=abc", "GET"],
      [complexPath, "POST"],
    ])("the path %s accepts only %s", async (path, allow) => {
      const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((method) => !allow.split(", ").includes(method));
      for (const method of methods) {
        const init = method === "GET" ? {} : json(method, { version: 1, actions: [] });
        const response = await mock.resource(newProject(), path, init);
        expect(response.headers.get("Allow")).toBe(allow);
        await expectError(response, "MethodNotAllowed", { message: expect.stringContaining(allow) });
      }
    });

    test.each([
      ["GET", "/searchapipattern"],
      ["GET", "/imagesx"],
      ["GET", "/keys=abc"],
      ["GET", "/artificially-complex"],
      ["DELETE", "/sorted-query-parameters2"],
    ])("the request %s %s contains an id", async (method, path) => {
      expect((await mock.resource(newProject(), path, { method })).status).toBe(200);
    });
  });

  test.each([
    ["", "DELETE", "GET, HEAD, POST, PATCH, PUT"],
    ["", "OPTIONS", "GET, HEAD, POST, PATCH, PUT"],
    ["/some-id", "PUT", "GET, POST, DELETE"],
    ["/some-id", "PATCH", "GET, POST, DELETE"],
    ["/some-id", "OPTIONS", "GET, POST, DELETE"],
    ["/some-id", "PROPFIND", "GET, POST, DELETE"],
  ])("at %j, %s is 405 with the allowed methods", async (path, method, allow) => {
    const response = await mock.resource(newProject(), path, { method });
    expect(response.headers.get("Allow")).toBe(allow);
    await expectError(response, "MethodNotAllowed");
  });

  test.each([
    ["/demo/resource/", "/demo/resource"],
    ["//demo/resource", "/demo/resource"],
    ["/demo//resource", "/demo/resource"],
    ["/demo/resource/key=a//", "/demo/resource/key=a"],
    ["/oauth//token/", "/oauth/token"],
  ])("the 404 for %s names the path without extra slashes", async (path, expected) => {
    const hint = `The path has an extra slash or an empty segment; without it, the path is ${expected}`;
    const message = `No operation matches GET ${path}. ${hint}. Nearest: `;
    await expectError(await mock.fetch(path), "EndpointNotFound", { message: expect.stringContaining(message) });
  });

  test.each(["/demo/nothing/else/", "/demo/", "//", "/demo/resource/a/b"])(
    "the 404 for %s names no other path, because no operation has it",
    async (path) => {
      const message = `No operation matches GET ${path}. Nearest: `;
      await expectError(await mock.fetch(path), "EndpointNotFound", { message: expect.stringContaining(message) });
    },
  );

  describe("HEAD", () => {
    test("at the collection is checkResourceExists, not queryResources", async () => {
      const project = newProject();
      const response = await mock.resource(project, "", { method: "HEAD" });
      expect(response.headers.get("Mock-Source")).toBe("state");
      await expectBodiless(response, 200);
      expect(await lastRequest(mock, project)).toMatchObject({ operation: "checkResourceExists" });
    });

    test.each(["/some-id", "/key=abc", "/searchApiPattern", "/namespace-action", "/images"])(
      "is 405 at %s",
      async (path) => {
        const response = await mock.resource(newProject(), path, { method: "HEAD" });
        expect(response.headers.get("Allow")).toMatch(/GET|POST/);
        await expectBodiless(response, 405);
      },
    );

    test("HEAD of an unknown path gets 404", async () => {
      await expectBodiless(await mock.fetch("/demo/nothing", { method: "HEAD" }), 404);
    });
  });

  describe("an unknown path is 404 with the nearest operations", () => {
    test.each([
      ["GET", "/demo/resources", "GET /{projectKey}/resource"],
      ["GET", "/demo/resource/sorted-query-parameters/", "GET /{projectKey}/resource/sorted-query-parameters"],
      ["GET", "/demo/resource/key/abc", "GET /{projectKey}/resource/key={key}"],
      [
        "POST",
        "/demo/resource/artificially-complex/path/one/two",
        "POST /{projectKey}/resource/artificially-complex/path/uri-parameter-one={uriParameterOne}/{uriParameterTwo}",
      ],
      ["GET", "/", "GET /{projectKey}/resource"],
      ["GET", "/demo/resource/", "GET /{projectKey}/resource"],
    ])("the error for %s %s names the nearest operations: %s", async (method, path, first) => {
      const response = await mock.fetch(path, method === "GET" ? {} : json(method, draft));
      const nearest = expect.arrayContaining([first]);
      await expectError(response, "EndpointNotFound", { nearest, message: expect.stringContaining(first) });
    });

    test("the message of a 404 stays short for a long path", async () => {
      const response = await mock.fetch(`/demo/${"a/".repeat(5000)}`);
      const [error] = await expectError(response, "EndpointNotFound");
      expect(error?.message.length).toBeLessThan(600);
    });
  });

  describe("project keys", () => {
    test.each(["__mine", "__", "oauth"])("the project key %s is reserved", async (key) => {
      const message = expect.stringContaining("projectKey: expected a key that is not reserved");
      await expectError(await mock.resource(key), "EndpointNotFound", { message });
      expect(await mock.has(key)).toBe(false);
    });

    test("encoded reserved keys are rejected too", async () => {
      await expectError(await mock.fetch("/%5F%5fmine/resource"), "EndpointNotFound");
      await expectError(await mock.fetch("/%6Fauth/resource/some-id"), "EndpointNotFound");
    });

    test.each(["_", "_admin", "oauth2", "OAuth", "admin", "a".repeat(256)])(
      "the project key %s is not reserved",
      async (key) => {
        expect((await mock.resource(key)).status).toBe(200);
      },
    );

    test("more than 256 characters are rejected", async () => {
      const key = "a".repeat(257);
      await expectError(await mock.resource(key), "InvalidField", { field: "projectKey" });
      await expectError(await mock.fetch(`/${key}/nothing`), "EndpointNotFound");
      expect(await mock.has(key)).toBe(false);
    });
  });

  describe("a request that matches no operation", () => {
    const requests: [string, string, RequestInit][] = [
      ["a path", "/static/app.js", {}],
      ["a path below the resources", "/resource/a/b/c", {}],
      ["a method", "/resource/some-id", { method: "PUT" }],
      ["HEAD on another path", "/resource/some-id", { method: "HEAD" }],
    ];

    test.each(requests)("creates no project: %s", async (_name, path, init) => {
      const project = newProject();
      const response = await mock.fetch(`/${project}${path}`, init);
      expect([404, 405]).toContain(response.status);
      expect(response.headers.get("Mock-Request-Id")).toBe("none");
      expect(await mock.has(project)).toBe(false);
    });

    test.each(requests)("is in the journal of a project that exists: %s", async (_name, path, init) => {
      const project = newProject();
      await mock.resource(project);
      const { status } = await mock.fetch(`/${project}${path}`, init);
      expect(await lastRequest(mock, project)).toMatchObject({
        request: { path: `/${project}${path}` },
        response: { status },
      });
    });
  });

  test("every response has a unique request id in its project", async () => {
    const project = newProject();
    const ids = new Set<string | null>();
    for (const path of ["", "/a", "/key=", "?floatParameter=x", "/a/b/c", "/searchApiPattern"]) {
      const response = await mock.resource(project, path);
      expect(response.headers.get("Mock-Request-Id")).toMatch(requestId);
      ids.add(response.headers.get("Mock-Request-Id"));
    }
    expect(ids.size).toBe(6);
    expect(await journalOf(mock, project)).toHaveLength(6);
  });
});
