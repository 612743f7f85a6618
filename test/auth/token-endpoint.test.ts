import { describe, expect, test } from "vitest";
import { expectProblem, inProject } from "../setup/control.ts";
import { expectError } from "../setup/errors.ts";
import { json, newProject, onTransports, useMock } from "../setup/mock.ts";
import { basic, bearer, form, tokenFor } from "../setup/tokens.ts";

const grant = { grant_type: "client_credentials" };
const valid = `Basic ${btoa("shop:secret")}`;

/** Expects the error members of RFC 6749, 5.2, and those of every error of the service. */
async function expectOAuthError(response: Response, status: number, error: string, part = ""): Promise<void> {
  const body = (await response.json()) as { message: string };
  expect([response.status, body]).toEqual([
    status,
    {
      statusCode: status,
      message: expect.stringContaining(part),
      errors: [{ code: error, message: body.message }],
      error,
      error_description: body.message,
    },
  ]);
  expect(response.headers.get("Mock-Source")).toBe("error");
  expectUncached(response);
}

function expectUncached(response: Response): void {
  expect(response.headers.get("Cache-Control")).toBe("no-store");
  expect(response.headers.get("Pragma")).toBe("no-cache");
  // Only requests to the token endpoint are in a journal.
  expect(response.headers.get("Mock-Request-Id")).toMatch(/^(none|[0-9a-f]{8}-\d+)$/);
}

onTransports("the token endpoint", {}, (mock) => {
  test.each([
    ["HTTP Basic", grant, basic("shop", "secret")],
    ["HTTP Basic with several spaces", grant, { Authorization: valid.replace(" ", "   ") }],
    ["HTTP Basic in lower case", grant, { Authorization: `basic ${btoa("shop:secret")}` }],
    ["HTTP Basic, form-encoded as RFC 6749 requires", grant, basic("a%3Ab+c", "s%2B")],
    ["credentials in the body", { ...grant, client_id: "shop", client_secret: "secret" }, {}],
    ["a client without a secret", { ...grant, client_id: "shop" }, {}],
  ])("issues a token for %s", async (_name, fields, headers) => {
    const response = await mock.fetch("/oauth/token", form(fields, headers));
    expect([response.status, await response.json()]).toEqual([
      200,
      { access_token: expect.stringMatching(/^[0-9a-f]{48}$/), token_type: "Bearer", expires_in: 172_800 },
    ]);
    expect(response.headers.get("Content-Type")).toBe("application/json");
    expect(response.headers.get("Mock-Source")).toBe("state");
    expectUncached(response);
  });

  test.each([
    ["in any case", "Application/X-WWW-Form-URLEncoded"],
    ["with parameters", "application/x-www-form-urlencoded ; charset=utf-8"],
  ])("accepts the content type %s", async (_name, type) => {
    const headers = { ...basic("shop", "secret"), "Content-Type": type };
    const response = await mock.fetch("/oauth/token", form(grant, headers));
    expect(response.status).toBe(200);
  });

  test.each([
    [" a:p   b:p ", "a:p b:p"],
    ["!#[]~:p", "!#[]~:p"],
    ["", undefined],
    ["   ", undefined],
  ])("for the scope %j grants %j", async (scope, granted) => {
    const response = await mock.fetch("/oauth/token", form({ ...grant, scope }, basic("shop", "secret")));
    expect(((await response.json()) as { scope?: string }).scope).toBe(granted);
  });

  test.each([
    ["form-encoded", "a%3Ab+c", "a:b c"],
    ["not form-encoded", "50%", "50%"],
    ["not ASCII", "größe", "größe"],
    ["encoded as base64 with + and /", "~~>??", "~~>??"],
  ])("accepts a client id that is %s", async (_name, sent, clientId) => {
    const project = newProject();
    const fields = { ...grant, scope: `view_test:${project}` };
    await mock.fetch("/oauth/token", form(fields, basic(sent, "~~>~~??")));
    expect((await inProject(mock, project, "GET", "/tokens")).body).toMatchObject({ tokens: [{ clientId }] });
  });

  test.each<[string, Record<string, string>, string, string]>([
    ["no grant type", {}, "invalid_request", "grant_type"],
    ["another grant type", { grant_type: "password" }, "unsupported_grant_type", 'found "password"'],
    ["an invalid scope", { ...grant, scope: 'a a"b' }, "invalid_scope", 'found "a\\"b"'],
    ["scopes of two projects", { ...grant, scope: "a b:one c:two" }, "invalid_scope", 'those of "one" and "two"'],
    ["more than 20 scopes", { ...grant, scope: "a:b ".repeat(21) }, "invalid_scope", "at most 20 names, found 21"],
    ["a long scope", { ...grant, scope: "s".repeat(513) }, "invalid_scope", "at most 512 characters, found 513"],
  ])("rejects %s", async (_name, fields, error, part) => {
    const response = await mock.fetch("/oauth/token", form(fields, basic("shop", "")));
    await expectOAuthError(response, 400, error, part);
  });

  test.each<[string, Record<string, string>, string]>([
    ["no client", {}, "expected HTTP Basic or client_id and client_secret, found neither"],
    ["Basic without a colon", { Authorization: `Basic ${btoa("shop")}` }, "Client credentials: expected"],
    ["a bearer token", bearer("abc"), "found an Authorization header without Basic credentials"],
  ])("rejects %s with a challenge", async (_name, headers, part) => {
    const response = await mock.fetch("/oauth/token", form(grant, headers));
    await expectOAuthError(response, 401, "invalid_client", part);
    expect(response.headers.get("WWW-Authenticate")).toBe('Basic realm="resource-mock"');
  });

  test.each(["grant_type", "scope", "client_id", "client_secret"])("rejects several values for %s", async (name) => {
    const body = `grant_type=client_credentials&client_id=shop&${name}=a&${name}=b`;
    const headers = { "Content-Type": "application/x-www-form-urlencoded" };
    const response = await mock.fetch("/oauth/token", { method: "POST", body, headers });
    await expectOAuthError(response, 400, "invalid_request", `${name}: expected one value, found`);
  });

  describe.each(["/oauth/token", "/oauth/token/revoke"])("%s", (path) => {
    test.each([
      ["JSON", 'found "application/json"', json("POST", grant, basic("shop", ""))],
      ["no content type", "found nothing", { method: "POST", headers: basic("shop", "") }],
    ])("rejects %s instead of a form", async (_name, found, init) => {
      const message = `Content-Type: expected application/x-www-form-urlencoded, ${found}`;
      await expectOAuthError(await mock.fetch(path, init), 400, "invalid_request", message);
    });

    test("rejects an encoded form", async () => {
      const response = await mock.fetch(path, form(grant, { ...basic("shop", ""), "Content-Encoding": "gzip" }));
      await expectError(response, "UnsupportedMediaType", { field: "Content-Encoding" });
    });

    test.each(["GET", "PUT", "DELETE"])("a request with the method %s returns 405", async (method) => {
      const response = await mock.fetch(path, { method });
      expect(response.headers.get("Allow")).toBe("POST");
      await expectError(response, "MethodNotAllowed");
    });

    test("rejects a form of more than 64 KiB", async () => {
      await expectError(await mock.fetch(path, form({ scope: "a".repeat(65_536) })), "ContentTooLarge");
    });

    test("requires client credentials", async () => {
      await expectOAuthError(await mock.fetch(path, form({ ...grant, token: "abc" })), 401, "invalid_client");
    });

    test("requires its form fields", async () => {
      await expectOAuthError(await mock.fetch(path, form({}, basic("shop", ""))), 400, "invalid_request", "expected");
    });
  });

  test("other paths under /oauth return 404", async () => {
    const nearest = ["POST /oauth/token", "POST /oauth/token/revoke"];
    const message = `No operation matches POST /oauth/tokn. Nearest: ${nearest.join(", ")}`;
    await expectError(await mock.fetch("/oauth/tokn", form(grant)), "EndpointNotFound", { message, nearest });
    for (const path of ["/oauth", "/oauth/authorize", "/oauth/introspect", "/oauth/token/revok"]) {
      await expectError(await mock.fetch(path), "EndpointNotFound", { nearest });
    }
  });
});

describe("the limit of revoked tokens", () => {
  const mock = useMock("in process");

  test("returns 503 when as many have not expired, and other requests succeed", async () => {
    const text = (number: number) => number.toString(16).padStart(48, "0");
    for (let number = 0; number < 100_000; number++) mock.engine.tokens.revoke(text(number), Date.now());
    const project = newProject();
    const token = await tokenFor(mock, `view_test:${project}`);
    const response = await mock.fetch("/oauth/token/revoke", form({ token }, basic("shop", "")));
    await expectOAuthError(response, 503, "temporarily_unavailable", "Revoked tokens: expected at most 100000");
    const reply = await inProject(mock, project, "DELETE", "/tokens/t-1");
    expectProblem(reply, 409, "LimitReached", "Revoked tokens: expected at most 100000");
    expect((await inProject(mock, project, "GET", "/tokens")).body).toMatchObject({ total: 1 });
  });
});
