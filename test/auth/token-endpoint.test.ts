import { describe, expect, test } from "vitest";
import { control, expectProblem, inProject } from "../setup/control.ts";
import { expectError } from "../setup/errors.ts";
import { json, type MockUnderTest, newProject, onTransports, useMock } from "../setup/mock.ts";
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
  expect(response.headers.get("Mock-Request-Id")).toBe("none");
}

async function introspect(mock: MockUnderTest, token: string): Promise<unknown> {
  const response = await mock.fetch("/oauth/introspect", form({ token }, basic("any", "any")));
  expect(response.status).toBe(200);
  expectUncached(response);
  return response.json();
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
    const token = await tokenFor(mock, scope);
    expect(await introspect(mock, token)).toMatchObject({ active: true });
    expect(((await introspect(mock, token)) as { scope?: string }).scope).toBe(granted);
  });

  test.each([
    ["form-encoded", "a%3Ab+c", "a:b c"],
    ["not form-encoded", "50%", "50%"],
    ["not ASCII", "größe", "größe"],
    ["encoded as base64 with + and /", "~~>??", "~~>??"],
  ])("accepts a client id that is %s", async (_name, sent, clientId) => {
    const headers = basic(sent, "~~>~~??");
    const response = await mock.fetch("/oauth/token", form(grant, headers));
    const { access_token } = (await response.json()) as { access_token: string };
    expect(await introspect(mock, access_token)).toMatchObject({ client_id: clientId });
  });

  test.each<[string, Record<string, string>, string, string]>([
    ["no grant type", {}, "invalid_request", "grant_type"],
    ["another grant type", { grant_type: "password" }, "unsupported_grant_type", 'found "password"'],
    ["an invalid scope", { ...grant, scope: 'a a"b' }, "invalid_scope", 'found "a\\"b"'],
    ["more than 100 scopes", { ...grant, scope: "a:b ".repeat(101) }, "invalid_scope", "at most 100 names, found 101"],
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

  describe.each(["/oauth/token", "/oauth/introspect", "/oauth/token/revoke"])("%s", (path) => {
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

    test.each(["GET", "PUT", "DELETE"])("%s is 405", async (method) => {
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
    const nearest = ["POST /oauth/token", "POST /oauth/introspect", "POST /oauth/token/revoke"];
    const message = `No operation matches POST /oauth/tokn. Nearest: ${nearest.join(", ")}`;
    await expectError(await mock.fetch("/oauth/tokn", form(grant)), "EndpointNotFound", { message, nearest });
    for (const path of ["/oauth", "/oauth/authorize", "/oauth/token/revok"]) {
      await expectError(await mock.fetch(path), "EndpointNotFound", { nearest });
    }
  });
});

describe("the limit of all tokens", () => {
  const mock = useMock("in process");

  test("returns 503 when the tokens of all projects reach it", { tags: ["slow"] }, async () => {
    const issue = (project: number) => {
      const scope = Array<string>(100)
        .fill(`${"s".repeat(490)}:p${project}`)
        .join(" ");
      return mock.fetch("/oauth/token", form({ ...grant, scope }, basic("shop", "")));
    };
    let response = await issue(0);
    for (let project = 1; response.status === 200; project++) response = await issue(project);
    await expectOAuthError(response, 503, "temporarily_unavailable", "Tokens: expected at most 134217728 bytes");
    const body = { scopes: Array(100).fill(`view_test:${"x".repeat(400)}`) };
    const reply = await inProject(mock, newProject(), "POST", "/tokens", body);
    expectProblem(reply, 409, "LimitReached", "Tokens: expected at most 134217728 bytes");
    expect((await control(mock, "POST", "/reset")).status).toBe(204);
    expect((await mock.fetch("/oauth/token", form(grant, basic("shop", "")))).status).toBe(200);
  });
});

onTransports("introspection", {}, (mock) => {
  test("returns the properties of an active token", async () => {
    const project = newProject();
    await inProject(mock, project, "PUT", "/clock", { now: 1_900_000_000_500, frozen: true });
    const token = await tokenFor(mock, `view_test:${project}`, "shop");
    expect(await introspect(mock, token)).toEqual({
      active: true,
      scope: `view_test:${project}`,
      client_id: "shop",
      token_type: "Bearer",
      iat: 1_900_000_000,
      exp: 1_900_172_800,
    });
  });

  test("omits `scope` for a token with every scope", async () => {
    const response = await introspect(mock, await tokenFor(mock));
    expect(response).toMatchObject({ active: true });
    expect(response).not.toHaveProperty("scope");
  });

  test("returns only active: false for an unknown, revoked or expired token", async () => {
    expect(await introspect(mock, "abc")).toEqual({ active: false });

    const revoked = await tokenFor(mock);
    await mock.fetch("/oauth/token/revoke", form({ token: revoked }, basic("shop", "")));
    expect(await introspect(mock, revoked)).toEqual({ active: false });

    const project = newProject();
    const expired = await tokenFor(mock, `view_test:${project}`);
    await inProject(mock, project, "PUT", "/clock", { advance: 172_800_000 });
    expect(await introspect(mock, expired)).toEqual({ active: false });
  });
});

onTransports("revocation", {}, (mock) => {
  test("succeeds for known and unknown tokens", async () => {
    for (const token of [await tokenFor(mock), "abc"]) {
      const response = await mock.fetch("/oauth/token/revoke", form({ token }, basic("shop", "")));
      expect([response.status, await response.text()]).toEqual([200, ""]);
      expectUncached(response);
    }
  });
});

onTransports("configured clients", { clients: new Map([["shop", "s3cret:+ü"]]) }, (mock) => {
  test.each([
    ["HTTP Basic", grant, basic("shop", "s3cret%3A%2B%C3%BC")],
    ["HTTP Basic without form encoding", grant, basic("shop", "s3cret:%2Bü")],
    ["credentials in the body", { ...grant, client_id: "shop", client_secret: "s3cret:+ü" }, {}],
  ])("are accepted with %s", async (_name, fields, headers) => {
    expect((await mock.fetch("/oauth/token", form(fields, headers))).status).toBe(200);
  });

  const wrongSecret = 'client_secret: expected the configured secret of client "shop", found another';
  test.each<[string, Record<string, string>, Record<string, string>, string]>([
    ["no client", grant, {}, "Client credentials: expected"],
    ["a wrong secret", grant, basic("shop", "secret"), wrongSecret],
    [
      "no secret",
      { ...grant, client_id: "shop" },
      {},
      'client_secret: expected the configured secret of client "shop", found none',
    ],
    ["a misspelt client id", grant, basic("shp", ""), 'unknown client "shp". Did you mean "shop"?'],
    ["another client", grant, basic("checkout", "s3cret%3A%2B%C3%BC"), 'unknown client "checkout". Known: shop.'],
  ])("are required: rejects %s", async (_name, fields, headers, part) => {
    await expectOAuthError(await mock.fetch("/oauth/token", form(fields, headers)), 401, "invalid_client", part);
  });
});
