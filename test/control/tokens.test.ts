import { describe, expect, onTestFinished, test } from "vitest";
import { createResourceMock } from "../../src/library/resource-mock.ts";
import { expectProblem, inProject } from "../setup/control.ts";
import { documentOf } from "../setup/documents.ts";
import { json, newProject, onTransports } from "../setup/mock.ts";
import { configure, draft } from "../setup/resources.ts";
import { basic, form, isActive, tokenFor } from "../setup/tokens.ts";

interface Token {
  access_token: string;
  scope: string;
}

onTransports("tokens through the control API", {}, (mock) => {
  const issue = (project: string, body?: unknown) => inProject<Token>(mock, project, "POST", "/tokens", body);

  async function strictProject(): Promise<string> {
    const project = newProject();
    await configure(mock, project, { auth: "strict" });
    return project;
  }

  const read = async (project: string, token: Token) =>
    (await mock.resource(project, "", { headers: { Authorization: `Bearer ${token.access_token}` } })).status;
  const write = async (project: string, token: Token) =>
    (await mock.resource(project, "", json("POST", draft, { Authorization: `Bearer ${token.access_token}` }))).status;

  test("grant all scopes of their project by default, and no scopes of another project", async () => {
    const [project, other] = [await strictProject(), await strictProject()];
    const { status, body, headers } = await issue(project);
    expect([status, headers.get("Cache-Control"), body]).toEqual([
      201,
      "no-store",
      {
        access_token: expect.stringMatching(/^[0-9a-f]{48}$/),
        token_type: "Bearer",
        expires_in: 172_800,
        scope: `manage_products:${project} manage_test:${project} view_test:${project}`,
      },
    ]);
    expect([await read(project, body), await write(project, body)]).toEqual([200, 201]);
    expect([await read(other, body), await write(other, body)]).toEqual([403, 403]);
  });

  test("grant the requested scopes; a scope without a key applies to their project", async () => {
    const project = await strictProject();
    const { body } = await issue(project, { scopes: ["view_test"], expiresIn: 5 });
    expect(body).toMatchObject({ scope: `view_test:${project}`, expires_in: 5 });
    expect([await read(project, body), await write(project, body)]).toEqual([200, 403]);
    const named = (await issue(project, { scopes: [`manage_test:${project}`], clientId: "shop" })).body;
    expect(await write(project, named)).toBe(201);
    const { resources } = (await inProject<{ resources: object[] }>(mock, project, "GET", "/resources")).body;
    expect(resources.at(-1)).toMatchObject({ createdBy: "shop" });
  });

  test("can be issued without scopes, or already expired", async () => {
    const project = await strictProject();
    expect(await read(project, (await issue(project, { scopes: [] })).body)).toBe(403);
    expect(await read(project, (await issue(project, { expiresIn: 0 })).body)).toBe(401);
  });

  describe("a list of tokens", () => {
    interface Listed {
      tokens: { id: string; startsWith: string; clientId: string; scopes: string[] }[];
      total: number;
    }
    const list = async (project: string, query = "") =>
      (await inProject<Listed>(mock, project, "GET", `/tokens${query}`)).body;
    const ids = ({ tokens }: Listed) => tokens.map(({ id }) => id);

    test("shows the newest token first, with scopes, client and times, but without the text of the token", async () => {
      const project = newProject();
      await inProject(mock, project, "PUT", "/clock", { now: "2030-01-01T00:00:00Z", frozen: true });
      const { access_token: first } = (await issue(project, { scopes: [], expiresIn: 60, clientId: "shop" })).body;
      await inProject(mock, project, "PUT", "/clock", { now: "9999-12-31T00:00:00Z", frozen: true });
      const second = await tokenFor(mock, `view_test:${project}`);
      const response = await mock.fetch(`/__admin/projects/${project}/tokens`);
      const text = await response.text();
      for (const token of [first, second]) expect(text).not.toContain(token.slice(6));
      expect(JSON.parse(text)).toEqual({
        tokens: [
          {
            id: "t-2",
            startsWith: second.slice(0, 6),
            clientId: "shop",
            scopes: [`view_test:${project}`],
            issuedAt: "9999-12-31T00:00:00.000Z",
            expiresAt: "9999-12-31T23:59:59.999Z",
          },
        ],
        total: 1,
      });
      await inProject(mock, project, "PUT", "/clock", { now: "2030-01-01T00:00:59.999Z", frozen: true });
      expect((await list(project)).tokens[1]).toEqual({
        id: "t-1",
        startsWith: first.slice(0, 6),
        clientId: "shop",
        scopes: [],
        issuedAt: "2030-01-01T00:00:00.000Z",
        expiresAt: "2030-01-01T00:01:00.000Z",
      });
    });

    test("contains a token only in its own project, until the token expires, the token is revoked or the project is reset", async () => {
      const [project, other] = [newProject(), newProject()];
      await issue(project, { scopes: [] });
      await issue(project, { expiresIn: 60 });
      await issue(project, { expiresIn: 0 });
      const revoked = await tokenFor(mock, `view_test:${project}`);
      await tokenFor(mock);
      expect([ids(await list(project)), ids(await list(other))]).toEqual([["t-4", "t-2", "t-1"], []]);
      await mock.fetch("/oauth/token/revoke", form({ token: revoked }, basic("shop", "secret")));
      await inProject(mock, project, "PUT", "/clock", { advance: 30_000 });
      await inProject(mock, other, "PUT", "/clock", { advance: 172_800_000 });
      expect(ids(await list(project))).toEqual(["t-2", "t-1"]);
      await inProject(mock, project, "PUT", "/clock", { advance: 30_000 });
      expect(await list(project)).toMatchObject({ tokens: [{ id: "t-1" }], total: 1 });
      await inProject(mock, project, "POST", "/reset");
      expect(await list(project)).toEqual({ tokens: [], total: 0 });
      await issue(project);
      expect(ids(await list(project))).toEqual(["t-1"]);
    });

    test("contains ids that revoke the tokens in their own project", async () => {
      const [project, other] = [await strictProject(), await strictProject()];
      const [first, second] = [(await issue(project)).body, (await issue(project)).body];
      const revoke = (key: string, id: string) => inProject(mock, key, "DELETE", `/tokens/${id}`);
      expectProblem(await revoke(other, "t-1"), 404, "ResourceNotFound");
      expect((await revoke(project, "t-1")).status).toBe(204);
      expect([await read(project, first), await read(project, second)]).toEqual([401, 200]);
      expectProblem(await revoke(project, "t-3"), 404, "ResourceNotFound");
    });
  });

  test("can be revoked only in their own project", async () => {
    const [project, other] = [await strictProject(), await strictProject()];
    const own = (await issue(project, { scopes: [] })).body.access_token;
    const granted = await tokenFor(mock, `view_test:${other} manage_test:${other}`);
    const every = await tokenFor(mock);
    const revoke = async (key: string, token: string) => inProject(mock, key, "DELETE", `/tokens/${token}`);
    expectProblem(await revoke(other, own), 404, "ResourceNotFound", "POST /oauth/token/revoke");
    expectProblem(await revoke(project, granted), 404, "ResourceNotFound");
    expectProblem(await revoke(project, every), 404, "ResourceNotFound");
    for (const token of [own, granted, every]) expect(await isActive(mock, token)).toBe(true);
    expect([(await revoke(project, own)).status, (await revoke(other, granted)).status]).toEqual([204, 204]);
  });

  test("are deleted by a reset of their own project only", async () => {
    const [project, other] = [newProject(), newProject()];
    const grants = [undefined, { scopes: [] }, { scopes: ["view_test"] }];
    const tokens: Token[] = [];
    for (const grant of grants) tokens.push((await issue(project, grant)).body);
    await inProject(mock, other, "POST", "/reset");
    for (const { access_token } of tokens) expect(await isActive(mock, access_token)).toBe(true);
    await inProject(mock, project, "POST", "/reset");
    for (const { access_token } of tokens) expect(await isActive(mock, access_token)).toBe(false);
  });

  test.each<[unknown, string, string]>([
    [{ scopes: ["manage_tests"] }, "/scopes/0", 'Did you mean "manage_test"?'],
    [{ scopes: ["view_test", "view_test:other"] }, "/scopes/1", 'such as view_test, found "view_test:other"'],
    [{ scopes: ["view_test", "x:y"] }, "/scopes/1", "manage_products, manage_test, view_test"],
    [{ scopes: "view_test" }, "/scopes", "expected array"],
    [{ expiresIn: -1 }, "/expiresIn", ""],
    [{ expires_in: 1 }, "/expires_in", 'Did you mean "expiresIn"?'],
  ])("are not issued for %j", async (body, pointer, detail) => {
    const errors = expectProblem(await issue(newProject(), body), 400, "InvalidField");
    expect(errors).toMatchObject([{ pointer, detail: expect.stringContaining(detail) }]);
  });
});

test("a scope is refused with a reason if the document has none", async () => {
  const mock = await createResourceMock({ contract: documentOf({ "/pets": { get: { responses: { 204: {} } } } }) });
  onTestFinished(() => mock.close());
  await expect(mock.project("p").token({ scopes: ["read"] })).rejects.toThrow(
    '/scopes/0: expected no scope, as the contract has none, found "read".',
  );
});
