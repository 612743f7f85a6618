import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { control, expectProblem, inProject } from "../setup/control.ts";
import { newProject, onTransports } from "../setup/mock.ts";

onTransports("an error of the control API", {}, (mock) => {
  test.each([
    ["GET", "/projects/p/setings", "GET /__admin/projects/{projectKey}/settings"],
    ["GET", "/heath", "GET /__admin/health"],
    ["POST", "/projects/p/requests/a/b/c/d", "/__admin/projects/{projectKey}/"],
    ["GET", "/projects//state", "/__admin/projects"],
    ["POST", "/projects/p/verify", "Nearest: POST /__admin/projects/{projectKey}/requests/verify,"],
    ["POST", "/projects/p/wait", "Nearest: POST /__admin/projects/{projectKey}/requests/wait,"],
    ["POST", "/projects/p/requests/1/2/rewind", "Nearest: POST /__admin/projects/{projectKey}/requests/{id}/rewind,"],
  ])("lists the most similar paths for an unknown path (%s %j)", async (method, path, nearest) => {
    const reply = await control(mock, method, path);
    expectProblem(reply, 404, "EndpointNotFound", "For all calls, see GET /__admin/openapi.json");
    expect((reply.body as { detail: string }).detail).toContain(nearest);
  });

  test.each([
    ["GET", "/projects/", "/__admin/projects"],
    ["GET", "//projects", "/__admin/projects"],
    ["POST", "/projects/p//reset/", "/__admin/projects/p/reset"],
  ])("names the path without extra slashes (%s %j)", async (method, path, expected) => {
    const hint = `The path has an extra slash or an empty segment; without it, the path is ${expected}. Nearest: `;
    expectProblem(await control(mock, method, path), 404, "EndpointNotFound", hint);
  });

  test.each([
    ["POST", "/health", "GET"],
    ["DELETE", "/projects/p/requests/wait", "GET, POST"],
    ["HEAD", "/projects", "GET"],
    ["OPTIONS", "/projects", "GET"],
  ])("lists the allowed methods for a wrong method (%s %s)", async (method, path, allow) => {
    const reply = await control(mock, method, path);
    expect([reply.status, reply.headers.get("Allow")]).toEqual([405, allow]);
    if (method !== "HEAD") expectProblem(reply, 405, "MethodNotAllowed", allow);
  });

  describe("a body", () => {
    const send = async (body: string | Uint8Array, type = "application/json") => {
      const init = { method: "POST", body: body as BodyInit, headers: { "Content-Type": type } };
      const response = await mock.fetch(`/__admin/projects/${newProject()}/snapshots`, init);
      return { status: response.status, headers: response.headers, body: await response.json() };
    };

    test("a body of broken JSON gets 400 with line and column", async () => {
      expectProblem(await send('{"name":"a",}'), 400, "InvalidJsonInput", "(line 1, column 13)");
      expectProblem(
        await send('{"name":\n'),
        400,
        "InvalidJsonInput",
        "Unexpected end of JSON input (line 2, column 1)",
      );
      expectProblem(await send('{\n"name":[1,]}'), 400, "InvalidJsonInput", "Unexpected token ']' (line 2, column 11)");
      expectProblem(await send(new Uint8Array([0x22, 0xff, 0x22])), 400, "InvalidJsonInput", "UTF-8");
    });

    test("a missing body, and a body that is nested too deep, get 400", async () => {
      const { status, body } = await inProject(mock, newProject(), "POST", "/snapshots");
      expect([status, body]).toMatchObject([400, { detail: "body: expected JSON (application/json), found nothing" }]);
      expectProblem(await send("[".repeat(100_000)), 400, "InvalidInput", "expected at most 200 levels of nesting");
    });

    test("can have a content type with a charset", async () => {
      expect((await send('{"name":"ü"}', "application/json; charset=utf-8")).status).toBe(201);
    });

    test("a body with a content encoding gets 415", async () => {
      const headers = { "Content-Type": "application/json", "Content-Encoding": "gzip" };
      const init = { method: "POST", body: gzipSync('{"name":"a"}'), headers };
      const response = await mock.fetch(`/__admin/projects/${newProject()}/snapshots`, init);
      const reply = { status: response.status, headers: response.headers, body: await response.json() };
      expect(expectProblem(reply, 415, "UnsupportedMediaType", 'found "gzip"')).toMatchObject([
        { parameter: "Content-Encoding" },
      ]);
    });

    test("a body without bytes is absent, whatever its content type", async () => {
      const empty = (method: string, path: string) =>
        mock.fetch(`/__admin/projects/${newProject()}${path}`, { method, body: new URLSearchParams() });
      expect((await empty("POST", "/reset")).status).toBe(204);
      expect((await empty("POST", "/tokens")).status).toBe(201);
      expect((await empty("PUT", "/scenarios/slow")).status).toBe(200);
      expect(await (await empty("POST", "/snapshots")).json()).toMatchObject({
        status: 400,
        detail: "body: expected JSON (application/json), found nothing",
      });
    });

    test("a form gets 415 if the operation has no body", async () => {
      const init = { method: "POST", body: new URLSearchParams({ a: "b" }) };
      const response = await mock.fetch(`/__admin/projects/${newProject()}/reset`, init);
      expect([response.status, await response.json()]).toMatchObject([
        415,
        { detail: "Content-Type: expected application/json, found application/x-www-form-urlencoded" },
      ]);
    });
  });

  test("reports unknown and repeated parameters", async () => {
    const reply = await control(mock, "GET", "/projects?limit=1&limit=2&ofset=1");
    const errors = expectProblem(reply, 400, "InvalidField");
    expect(errors).toMatchObject([
      { parameter: "limit" },
      { parameter: "ofset", detail: expect.stringContaining("offset") },
    ]);
    expectProblem(await control(mock, "GET", "/health/x?y"), 404, "EndpointNotFound");
    expectProblem(
      await inProject(mock, "p", "GET", "/clock?pretty"),
      400,
      "InvalidField",
      "No parameter is allowed here",
    );
  });

  test("does not occur for a plain health check", async () => {
    const { status, body } = await control(mock, "GET", "/health");
    const { loads, ...own } = body;
    expect([status, own]).toEqual([200, { status: "ok", version: "0.0.0-test", uptime: expect.any(Number) }]);
    expect(loads).toBeOneOf([undefined, expect.any(Number)]);
    expect((await mock.fetch("/__admin/health", { method: "HEAD" })).status).toBe(200);
  });
});
