import { describe, expect, test } from "vitest";
import type { OperationId } from "../../src/contract/known-service.ts";
import { challenge } from "../../src/engine/auth/authorize.ts";
import { inProject } from "../setup/control.ts";
import { expectBodiless, expectError } from "../setup/errors.ts";
import { lastRequest } from "../setup/journal.ts";
import { json, newProject, onTransports } from "../setup/mock.ts";
import { everyOperation, exampleRequests } from "../setup/requests.ts";
import { configure, draft, recordOf, write } from "../setup/resources.ts";
import { bearer, form, tokenFor } from "../setup/tokens.ts";

/** The required scopes (section 5 of the interface). Without required scopes, a valid token of the project is enough. */
const view = ["manage_test", "view_test"];
const scopes: Readonly<Record<OperationId, readonly string[]>> = {
  queryResources: view,
  getResourceById: view,
  getResourceByKey: view,
  searchResources: view,
  checkResourceExists: view,
  queryWithSortedParameters: view,
  createResource: ["manage_test"],
  overwriteResource: ["manage_test"],
  createOrOverwriteResource: ["manage_test"],
  deleteResource: ["manage_test"],
  uploadImage: ["manage_products"],
  runComplexOperation: [],
  updateResource: [],
  writeNamespaceAction: [],
  readNamespaceAction: [],
  getCart: [],
};

const anyScope = ["manage_test", "view_test", "manage_products", "something_else"];

/** Returns the attributes of a challenge (RFC 6750, section 3). Expects only characters that the grammar allows. */
function challengeOf(response: Response): Record<string, string | undefined> {
  const challenge = response.headers.get("WWW-Authenticate") ?? "";
  expect(challenge).toMatch(/^Bearer \w+="[\x20-\x21\x23-\x5b\x5d-\x7e]*"(, \w+="[\x20-\x21\x23-\x5b\x5d-\x7e]*")*$/);
  return Object.fromEntries([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, value]) => [name, value]));
}

onTransports("scopes", { settings: { auth: "strict" } }, (mock) => {
  describe.each(everyOperation)("%s", (operationId, { path, init, status }) => {
    const required = scopes[operationId];
    const send = (project: string, token: string) =>
      mock.resource(project, path, { ...init, headers: { ...init.headers, ...bearer(token) } });

    test.each(anyScope)("with %s", async (scope) => {
      const project = newProject();
      const response = await send(project, await tokenFor(mock, `${scope}:${project}`));
      if (required.length === 0 || required.includes(scope)) {
        expect(response.status).toBe(status);
        return;
      }
      expect(challengeOf(response)).toMatchObject({
        error: "insufficient_scope",
        scope: required.map((name) => `${name}:${project}`).join(" "),
      });
      if (init.method === "HEAD") await expectBodiless(response, 403);
      else await expectError(response, "insufficient_scope", { message: expect.stringContaining(operationId) });
    });

    test("accepts a token with one required scope among others", async () => {
      const project = newProject();
      const token = await tokenFor(
        mock,
        `something:${project} ${anyScope.map((name) => `${name}:${project}`).join(" ")}`,
      );
      expect((await send(project, token)).status).toBe(status);
    });

    test("accepts a token without scopes", async () => {
      expect((await send(newProject(), await tokenFor(mock))).status).toBe(status);
    });

    test.each([
      ["of another project", (project: string) => anyScope.map((name) => `${name}:${project}-other`)],
      [
        "of a project whose key has the same start",
        (project: string) => anyScope.map((name) => `${name}:${project.slice(0, -1)}`),
      ],
      ["bound to no project", () => anyScope],
    ])("rejects scopes %s", async (_name, of) => {
      const project = newProject();
      const response = await send(project, await tokenFor(mock, of(project).join(" ")));
      expect([response.status, challengeOf(response).error]).toEqual([403, "insufficient_scope"]);
    });

    test("rejects a request without a token", async () => {
      const response = await mock.resource(newProject(), path, init);
      // RFC 6750, 3.1: the challenge has no error code if the request has no authentication.
      expect([response.status, challengeOf(response)]).toEqual([401, { realm: "resource-mock" }]);
      if (init.method === "HEAD") await expectBodiless(response, 401);
      else
        await expectError(response, "invalid_token", { message: expect.stringContaining("no Authorization header") });
    });
  });

  describe("the 403 message", () => {
    test("names all alternatives of the required scope", async () => {
      const project = newProject();
      const response = await mock.resource(project, "", { headers: bearer(await tokenFor(mock, "a:b")) });
      const message = expect.stringContaining(`manage_test:${project} or view_test:${project};`);
      await expectError(response, "insufficient_scope", { message });
    });

    test("names only the project for an operation without required scopes", async () => {
      const project = newProject();
      const response = await mock.resource(project, "/namespace-action", {
        headers: bearer(await tokenFor(mock, "a:b")),
      });
      const [error] = await expectError(response, "insufficient_scope");
      expect(error?.message).toContain(`project "${project}"`);
      expect(error?.message).not.toContain("a:b");
      expect(challengeOf(response)).not.toHaveProperty("scope");
    });
  });

  test.each([
    ["broken JSON", "", { ...json("POST", 0), body: "{" }],
    ["a body of a wrong type", "", json("POST", {})],
    ["a wrong content type", "/images", json("POST", {})],
    ["a wrong query type", "?floatParameter=x", {}],
    ["an unknown id", "/unknown", { method: "DELETE" }],
  ])("an unauthorized call returns 401 before other checks: %s", async (_name, path, init) => {
    const project = newProject();
    await configure(mock, project, { unknownIds: "not-found" });
    await expectError(await mock.resource(project, path, init), "invalid_token");
  });
});

/** How far the server's clock is ahead, in milliseconds. */
let ahead = 0;

onTransports("tokens", { now: () => Date.now() + ahead }, (mock) => {
  const read = (project: string, authorization: string) =>
    mock.resource(project, "/some-id", { headers: { Authorization: authorization } });

  describe.each(["lenient", "strict", "off"] as const)("with auth: %s", (auth) => {
    const newInMode = async () => {
      const project = newProject();
      await configure(mock, project, { auth });
      return project;
    };

    const expectDecision = async (response: Response, allowed: boolean, description: string) => {
      if (allowed) {
        expect(response.status).toBe(200);
        return;
      }
      expect(challengeOf(response)).toMatchObject({
        realm: "resource-mock",
        error: "invalid_token",
        error_description: expect.stringContaining(description.replaceAll('"', "'")),
      });
      await expectError(response, "invalid_token", { message: expect.stringContaining(description) });
    };

    test.each([
      "Bearer",
      "Bearer a b",
      "Bearer a,b",
      "Bearer größe",
      "Bearertoken",
      "NotBearer token",
      "Basic c2hvcDpzZWNyZXQ=",
    ])("the header Authorization: %j is no valid bearer header", async (authorization) => {
      await expectDecision(
        await read(await newInMode(), authorization),
        auth === "off",
        'expected "Bearer <ACCESS_TOKEN>"',
      );
    });

    test.each(["Bearer abc", "bearer abc", "BEARER  abc", "Bearer a-._~+/9=="])(
      "the header Authorization: %j is a valid bearer header with an unknown token",
      async (authorization) => {
        await expectDecision(await read(await newInMode(), authorization), auth !== "strict", "The token is unknown");
      },
    );

    test("an issued token is valid until it is revoked", async () => {
      const project = await newInMode();
      const token = await tokenFor(mock, `view_test:${project}`);
      expect((await read(project, `Bearer ${token}`)).status).toBe(200);
      await mock.fetch("/oauth/token/revoke", form({ token, client_id: "shop" }));
      await expectDecision(await read(project, `Bearer ${token}`), auth === "off", "has been revoked");
      await inProject(mock, project, "POST", "/reset");
      await configure(mock, project, { auth });
      await expectDecision(await read(project, `Bearer ${token}`), auth === "off", "has been revoked");
    });

    test("an issued token is valid until it expires by the project's clock", async () => {
      const project = await newInMode();
      await inProject(mock, project, "PUT", "/clock", { now: "2030-01-01T00:00:00Z", frozen: true });
      const token = await tokenFor(mock, `view_test:${project}`);
      await inProject(mock, project, "PUT", "/clock", { advance: 172_800_000 - 1 });
      expect((await read(project, `Bearer ${token}`)).status).toBe(200);
      await inProject(mock, project, "PUT", "/clock", { advance: 1 });
      await expectDecision(await read(project, `Bearer ${token}`), auth === "off", "has expired");
    });

    test("the scopes of an issued token are checked", async () => {
      const project = await newInMode();
      const response = await read(project, `Bearer ${await tokenFor(mock, `manage_products:${project}`)}`);
      if (auth === "off") expect(response.status).toBe(200);
      else await expectError(response, "insufficient_scope");
    });

    test("a request without the header is rejected only with auth: strict", async () => {
      const response = await mock.resource(await newInMode(), "/some-id");
      expect(response.status).toBe(auth === "strict" ? 401 : 200);
    });
  });

  test.each<[string, (project: string) => Promise<RequestInit>, "lenient" | "off", string]>([
    ["auth is off", async () => ({}), "off", "the setting auth is off"],
    ["lenient allows no header", async () => ({}), "lenient", "no Authorization header, which lenient allows"],
    [
      "lenient allows an unknown token",
      async () => ({ headers: bearer("abc") }),
      "lenient",
      "an unknown token, which lenient allows",
    ],
    [
      "the token is valid, with its client",
      async (project) => ({ headers: bearer(await tokenFor(mock, `view_test:${project}`, "checkout")) }),
      "lenient",
      'a token of client "checkout"',
    ],
  ])("the journal says that %s", async (_name, init, auth, decision) => {
    const project = newProject();
    await configure(mock, project, { auth });
    expect((await mock.resource(project, "", await init(project))).status).toBe(200);
    expect((await lastRequest(mock, project))?.decisions).toContain(`auth passed: ${decision}`);
  });

  test.each(["2030-01-01T00:00:00Z", "2000-01-01T00:00:00Z"])(
    "a token without scopes is valid in a project whose clock is at %s, and expires by this clock",
    async (now) => {
      const [project, other] = [newProject(), newProject()];
      for (const each of [project, other]) await configure(mock, each, { auth: "strict" });
      await inProject(mock, project, "PUT", "/clock", { now: now, frozen: true });
      const token = await tokenFor(mock);
      expect((await read(project, `Bearer ${token}`)).status).toBe(200);
      await inProject(mock, project, "PUT", "/clock", { advance: 172_800_000 - 1 });
      expect((await read(project, `Bearer ${token}`)).status).toBe(200);
      await inProject(mock, project, "PUT", "/clock", { advance: 1 });
      await expectError(await read(project, `Bearer ${token}`), "invalid_token");
      // A token from after the change, and the same token in another project.
      expect((await read(project, `Bearer ${await tokenFor(mock)}`)).status).toBe(200);
      expect((await read(other, `Bearer ${token}`)).status).toBe(200);
    },
  );

  test("a token without scopes expires by the server's clock in a project without a clock of its own", async () => {
    const project = newProject();
    const token = await tokenFor(mock);
    ahead = 172_800_000 + 1000;
    await expectError(await read(project, `Bearer ${token}`), "invalid_token");
    ahead = 0;
  });

  test("a token without scopes expires after many small steps of the project's clock", async () => {
    const project = newProject();
    const token = await tokenFor(mock);
    for (let hour = 1; hour < 48; hour++) await inProject(mock, project, "PUT", "/clock", { advance: 3_600_000 });
    for (let minute = 1; minute < 60; minute++) await inProject(mock, project, "PUT", "/clock", { advance: 60_000 });
    expect((await read(project, `Bearer ${token}`)).status).toBe(200);
    await inProject(mock, project, "PUT", "/clock", { advance: 60_000 });
    await expectError(await read(project, `Bearer ${token}`), "invalid_token");
  });

  test("createdBy keeps the client that created the resource after an overwrite", async () => {
    const project = newProject();
    const headers = bearer(await tokenFor(mock, `manage_test:${project}`, "shop"));
    const { id } = await write(mock, project, "POST", draft, headers);
    await write(mock, project, "PUT");
    expect(await recordOf(mock, project, id)).toMatchObject({ version: 2, createdBy: "shop" });
  });

  test("unknown paths and methods return 404 and 405 without a token", async () => {
    const project = newProject();
    await configure(mock, project, { auth: "strict" });
    await expectError(await mock.fetch(`/${project}/nothing`), "EndpointNotFound");
    await expectError(await mock.resource(project, "", { method: "DELETE" }), "MethodNotAllowed");
  });
});

describe("a challenge", () => {
  test("keeps printable ASCII, and replaces double quotes by single ones", () => {
    const printable = Array.from({ length: 95 }, (_, index) => String.fromCharCode(0x20 + index)).join("");
    const shown = printable.replace('"', "'").replace("\\", "%5C");
    expect(challenge({ error: "e", message: printable })).toBe(
      `Bearer realm="resource-mock", error="e", error_description="${shown}"`,
    );
  });

  test("encodes all other characters, and replaces lone surrogates", () => {
    expect(challenge({ error: "e", message: "ü\u0000\n\u007f😀\ud800" })).toContain(
      '"%C3%BC%00%0A%7F%F0%9F%98%80%EF%BF%BD"',
    );
    expect(challenge({ message: "", scope: 'a:"ü' })).toBe('Bearer realm="resource-mock", scope="a:%22%C3%BC"');
  });
});

test("this file lists the scopes of every operation", () => {
  expect(Object.keys(scopes).sort()).toEqual(Object.keys(exampleRequests).sort());
});
