import { expect, test } from "vitest";
import { documentOf, jsonResponse, objectOf, send } from "../setup/documents.ts";
import { onTransports } from "../setup/mock.ts";

const flow = { tokenUrl: "https://id.example.com/v1/connect/token", scopes: { "dish:read": "", "dish:write": "" } };
const securitySchemes = {
  key: { type: "apiKey", in: "header", name: "X-Kitchen-Key" },
  token: { type: "apiKey", in: "query", name: "token" },
  session: { type: "apiKey", in: "cookie", name: "sid" },
  basic: { type: "http", scheme: "Basic" },
  bearer: { type: "http", scheme: "bearer" },
  oauth: { type: "oauth2", flows: { clientCredentials: flow, password: { ...flow, refreshUrl: "/v1/refresh" } } },
  openId: { type: "openIdConnect", openIdConnectUrl: "https://id.example.com/.well-known" },
  connection: { type: "mutualTLS" },
  petstore: { type: "apiKey", in: "header", name: "api_key" },
  unusual: { type: "http", scheme: 'My\r\n"basic' },
  prototype: { type: "apiKey", in: "header", name: "constructor" },
};
const problem = jsonResponse(objectOf({ message: { type: "string" } }));
const responses = { 200: jsonResponse(objectOf({ ok: { type: "boolean" } })), 401: problem, 403: problem };

function get(security?: object[]): object {
  return { get: { responses, ...(security && { security }) } };
}

const document = documentOf(
  {
    "/default": get(),
    "/default/{id}": get([]),
    "/open": get([]),
    "/key": get([{ key: [] }]),
    "/query": get([{ token: [] }]),
    "/cookie": get([{ session: [] }]),
    "/basic": get([{ basic: [] }]),
    "/bearer": get([{ bearer: [] }]),
    "/oauth": get([{ oauth: ["dish:read", "dish:write"] }]),
    "/open-id": get([{ openId: [] }]),
    "/connection": get([{ connection: [] }]),
    "/both": get([{ key: [], token: [] }]),
    "/either": get([{ key: [] }, { oauth: ["dish:read"] }]),
    "/optional": get([{}, { key: [] }]),
    "/petstore": get([{ petstore: [] }]),
    "/unusual": get([{ unusual: [] }]),
    "/prototype": get([{ prototype: [] }]),
    "/unknown": get([{ missing: [] }]),
  },
  { components: { securitySchemes }, security: [{ basic: [] }], servers: [{ url: "https://api.example.com/v1" }] },
);

const basic = { Authorization: "Basic c2hvcDpzZWNyZXQ=" };
const bearer = { Authorization: "Bearer abc" };
const key = { "x-kitchen-key": "k" };
const session = { Cookie: "a=b; sid=1" };

onTransports("the security of a document", { contract: document }, (mock) => {
  const set = (project: string, settings: object) =>
    mock.fetch(`/__admin/projects/${project}/settings`, {
      method: "PATCH",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(settings),
    });

  test.each<[path: string, headers: Record<string, string>, wrong: Record<string, string>]>([
    ["/default", basic, bearer],
    ["/key", key, { ...basic, ...session }],
    ["/query?token=t", {}, {}],
    ["/cookie", session, { Cookie: "other=sid" }],
    ["/basic", { Authorization: "bAsIc eA==" }, { Authorization: "Basic" }],
    ["/bearer", bearer, { Authorization: "token abc" }],
    ["/oauth", bearer, basic],
    ["/open-id", bearer, key],
    ["/both?token=t", key, {}],
    ["/either", key, basic],
    ["/either", bearer, {}],
  ])("present requires the credentials of %s, with any value", async (path, headers, wrong) => {
    await set("present", { auth: "present" });
    const accepted = await send(mock, `GET /present${path}`, headers);
    expect([accepted.status, accepted.reason]).toEqual([200, null]);
    const refused = await send(mock, `GET /present${path === "/both?token=t" ? path : path.split("?")[0]}`, wrong);
    expect([refused.status, refused.body]).toEqual([401, { message: refused.reason }]);
    expect(refused.reason).toMatch(/^(Authorization|Credentials): expected .*, found /);
    expect(refused.headers.get("WWW-Authenticate")).toMatch(/^(Basic|Bearer|ApiKey) realm="resource-mock"/);
    expect(refused.isOffContract).toBe(false);
  });

  test.each(["/open", "/default/1", "/optional", "/connection", "/unknown"])(
    "a request to %s needs no credentials",
    async (path) => {
      for (const auth of ["present", "strict", "lenient"]) {
        await set("anyone", { auth });
        expect((await send(mock, `GET /anyone${path}`)).status).toBe(200);
      }
    },
  );

  test("lenient, the default, refuses no credentials that another service issued", async () => {
    for (const headers of [{}, basic, bearer, key, { Authorization: "token abc" }, { Authorization: "x" }])
      for (const path of ["/oauth", "/key", "/basic", "/both"])
        expect((await send(mock, `GET /lenient${path}`, headers)).status).toBe(200);
  });

  test("the control API returns each place of credentials, and the scopes", async () => {
    const { status, body } = await send(mock, "GET /__admin/contract/security");
    expect([status, body.scopes]).toEqual([200, ["dish:read", "dish:write"]]);
    expect(body.credentials).toHaveLength(new Set(body.credentials.map((each: object) => JSON.stringify(each))).size);
    expect(body.credentials).toEqual(
      expect.arrayContaining([
        { in: "header", name: "x-kitchen-key" },
        { in: "query", name: "token" },
        { in: "cookie", name: "sid" },
        { in: "header", name: "authorization", scheme: "basic" },
        { in: "header", name: "authorization", scheme: "bearer" },
      ]),
    );
  });

  test("the journal has no key, and a scheme with an unusual name is refused like others", async () => {
    await set("secrets", { auth: "present" });
    await send(mock, "GET /secrets/petstore?token=t", { api_key: "se-cret" });
    const { body } = await send(mock, "GET /__admin/projects/secrets/requests");
    expect(JSON.stringify(body)).not.toContain("se-cret");
    const { status, headers } = await send(mock, "GET /secrets/unusual");
    expect([status, headers.get("WWW-Authenticate")]).toEqual([401, 'Mybasic realm="resource-mock"']);
    for (const path of ["/prototype", "/unusual"]) expect((await send(mock, `GET /secrets${path}`)).status).toBe(401);
  });

  test("the message names all that is missing, and what was sent", async () => {
    await set("message", { auth: "present" });
    const reasonOf = async (path: string, headers = {}) => (await send(mock, `GET /message${path}`, headers)).reason;
    expect(await reasonOf("/both", key)).toBe(
      "Credentials: expected the header x-kitchen-key and the query parameter token, found the header x-kitchen-key",
    );
    expect(await reasonOf("/either")).toBe(
      'Credentials: expected the header x-kitchen-key, or "Authorization: Bearer <ACCESS_TOKEN>", found none of them',
    );
    expect(await reasonOf("/default", bearer)).toBe(
      'Authorization: expected "Basic <CREDENTIALS>", found another scheme or a malformed token',
    );
  });

  const form = (fields: Record<string, string>) => ({
    method: "POST",
    headers: { ...basic, "Content-Type": "application/x-www-form-urlencoded" },
    body: new URLSearchParams(fields).toString(),
  });
  const tokenAt = async (path: string, fields: Record<string, string> = {}) => {
    const response = await mock.fetch(path, form({ grant_type: "client_credentials", ...fields }));
    return { status: response.status, body: (await response.json()) as Record<string, string> };
  };

  test.each([
    "/v1/connect/token",
    "/connect/token",
    "/p/v1/connect/token",
    "/p/connect/token",
    "/v1/refresh",
    "/oauth/token",
  ])("with auth: strict, the service accepts tokens from %s", async (path) => {
    await set("strict", { auth: "strict" });
    const granted = await tokenAt(path, { scope: "dish:read dish:write" });
    expect([granted.status, granted.body.scope]).toEqual([200, "dish:read dish:write"]);
    const own = { Authorization: `Bearer ${granted.body.access_token}` };
    const few = (await tokenAt(path, { scope: "dish:read", grant_type: "password", username: "a" })).body;
    const statusOf = async (path: string, headers: Record<string, string>) =>
      (await send(mock, `GET /strict${path}`, headers)).status;
    expect(await statusOf("/oauth", own)).toBe(200);
    expect(await statusOf("/either", { Authorization: `Bearer ${few.access_token}` })).toBe(200);
    expect(await statusOf("/oauth", bearer)).toBe(401);
    const forbidden = await send(mock, "GET /strict/oauth", { Authorization: `Bearer ${few.access_token}` });
    expect([forbidden.status, forbidden.body]).toEqual([403, { message: forbidden.reason }]);
    expect(forbidden.headers.get("WWW-Authenticate")).toContain('scope="dish:read dish:write"');
    expect(await statusOf("/oauth", { Authorization: `Bearer ${(await tokenAt(path)).body.access_token}` })).toBe(200);
  });

  test("other grant types, and other methods of the path, are refused", async () => {
    expect((await tokenAt("/v1/connect/token", { grant_type: "authorization_code" })).body.error_description).toBe(
      'grant_type: expected client_credentials or password or refresh_token, found "authorization_code"',
    );
    expect((await send(mock, "GET /v1/connect/token")).status).toBe(404);
  });

  test("lenient refuses a token that was issued here and has been revoked", async () => {
    const { access_token: token = "" } = (await tokenAt("/connect/token")).body;
    const headers = { Authorization: `Bearer ${token}` };
    expect((await send(mock, "GET /revoked/oauth", headers)).status).toBe(200);
    await mock.fetch("/oauth/token/revoke", form({ token }));
    const { status, reason } = await send(mock, "GET /revoked/oauth", headers);
    expect([status, reason]).toEqual([401, "The token has been revoked"]);
  });

  test("the control API issues tokens with the document's scopes", async () => {
    await set("issued", { auth: "strict" });
    const issue = (scopes?: string[]) =>
      send(mock, "POST /__admin/projects/issued/tokens", {}, { ...(scopes && { scopes }) });
    const read = async (scopes?: string[]) =>
      (await send(mock, "GET /issued/oauth", { Authorization: `Bearer ${(await issue(scopes)).body.access_token}` }))
        .status;
    expect([await read(), await read(["dish:read", "dish:write"]), await read(["dish:read"])]).toEqual([200, 200, 403]);
    expect((await issue(["dish:raed"])).body.detail).toContain('Did you mean "dish:read"?');
  });
});

const bound = documentOf(
  { "/{shop}/dishes": { get: { security: [{ oauth: ["view:{shop}"] }], responses } } },
  { components: { securitySchemes: { oauth: { type: "oauth2", flows: { clientCredentials: flow } } } } },
);

onTransports("scopes that name the project of the path", { contract: bound }, (mock) => {
  test("are bound to it", async () => {
    const settings = { method: "PATCH", headers: { "Content-Type": "application/json" }, body: '{"auth":"strict"}' };
    await mock.fetch("/__admin/projects/one/settings", settings);
    const statusWith = async (scopes: string[], project: string) => {
      const { body } = await send(mock, `POST /__admin/projects/${project}/tokens`, {}, { scopes });
      return (await send(mock, "GET /one/dishes", { Authorization: `Bearer ${body.access_token}` })).status;
    };
    expect(await statusWith(["view"], "one")).toBe(200);
    expect(await statusWith(["view"], "two")).toBe(403);
  });
});
