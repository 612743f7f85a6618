import { describe, expect, test } from "vitest";
import seed from "../../fixtures/seed.json" with { type: "json" };
import { control, expectProblem, inProject } from "../setup/control.ts";
import { json, newProject, onTransports } from "../setup/mock.ts";
import { image } from "../setup/requests.ts";
import { read, update, write } from "../setup/resources.ts";

onTransports("provider states for Pact verifiers", {}, (mock) => {
  const change = (body: object) => control(mock, "POST", "/provider-states", body);
  const scenarios = async (project: string) =>
    (await inProject<{ scenarios: object[] }>(mock, project, "GET", "/scenarios")).body.scenarios;

  test("activate a scenario in the project, and deactivate it", async () => {
    const [project, other] = [newProject(), newProject()];
    const state = { consumer: "shop", state: "conflict", params: { project, times: 2 } };
    expect(await change({ ...state, action: "setup" })).toMatchObject({ status: 200, body: {} });
    expect(await scenarios(project)).toMatchObject([{ name: "conflict", times: 2 }]);
    expect((await mock.resource(project, "/a", update(1))).status).toBe(409);
    expect((await mock.resource(other, "/a", update(1))).status).toBe(200);
    expect((await change({ ...state, action: "teardown" })).status).toBe(200);
    expect(await scenarios(project)).toEqual([]);
  });

  test("activate a scenario for all projects if params contain no project", async () => {
    await change({ state: "conflict" });
    expect((await mock.resource(newProject(), "/a", update(1))).status).toBe(409);
    await change({ state: "conflict", action: "teardown", params: null });
    expect((await mock.resource(newProject(), "/a", update(1))).status).toBe(200);
  });

  test("change nothing for an interaction without a state", async () => {
    for (const body of [{ state: "" }, { state: null }, {}]) {
      expect(await change(body)).toMatchObject({ status: 200, body: {} });
    }
  });

  describe("the built-in states", () => {
    test("create a resource from the params, and remove it", async () => {
      const project = newProject();
      const params = {
        project,
        id: "a",
        key: "k",
        version: 3,
        objectTypeProperty: { arrayOfIntExample: [1] },
        size: "M",
      };
      const { body } = await change({ state: "a resource exists", params });
      expect(body).toEqual({ id: "a", key: "k", version: 3 });
      const { project: _project, ...resource } = params;
      expect((await inProject(mock, project, "GET", "/resources/a")).body).toMatchObject(resource);
      // A second setup restores the resource.
      await mock.resource(project, "/a", update(3));
      await change({ state: "a resource exists", params });
      expect(await read(mock, project, "/a")).toMatchObject({ version: 3 });
      await change({ state: "a resource exists", params, action: "teardown" });
      expect((await mock.resource(project, "/a")).status).toBe(404);
    });

    test("create a resource from the fixture with a generated id by default", async () => {
      const project = newProject();
      const { body } = await change({ state: "a resource exists", params: { project } });
      expect(body).toEqual({ id: expect.any(String), version: 1 });
      const fixture = await read(mock, newProject(), "/anything");
      expect(await read(mock, project, `/${body.id}`)).toEqual(fixture);
      const other = await change({ state: "a resource exists", params: { project, key: "k" } });
      const same = await change({ state: "a resource exists", params: { project, key: "k" } });
      expect(same.body).toEqual(other.body);
    });

    test("create a resource with the key of another resource, and remove the other resource", async () => {
      const project = newProject();
      const state = (id: string) => ({ state: "a resource exists", params: { project, id, key: "k", size: id } });
      await change(state("a"));
      expect(await change(state("b"))).toMatchObject({ status: 200, body: { id: "b", key: "k" } });
      expect(await read(mock, project, "/key=k")).toMatchObject({ size: "b" });
      expect((await mock.resource(project, "/a")).status).toBe(404);
      expect((await change(state("b"))).body).toEqual({ id: "b", key: "k", version: 1 });
      await change({ ...state("b"), action: "teardown" });
      expect((await mock.resource(project, "/key=k")).status).toBe(404);
    });

    test("remove all resources and keep the rest of the state", async () => {
      const project = newProject();
      const { id } = await write(mock, project);
      await mock.resource(project, "/namespace-action", json("POST", { mine: true }));
      await mock.resource(project, "/images", image("image/png"));
      await mock.resource(project, "/deleted", { method: "DELETE" });
      await change({ state: "no resource exists", params: { project } });
      for (const path of [`/${id}`, `/${seed.resources[0]?.id}`, "/key=summer-dress-blue", "/deleted"]) {
        expect((await mock.resource(project, path)).status).toBe(404);
      }
      expect((await mock.resource(project, "", { method: "HEAD" })).status).toBe(404);
      expect(await read(mock, project, "/namespace-action")).toEqual({ mine: true });
      expect((await inProject(mock, project, "GET", "/images")).body).toMatchObject({ total: 1 });
      // For an unknown id, the settings apply.
      expect((await mock.resource(project, "/another")).status).toBe(200);
    });

    test.each([
      ["a new id and another's key", { id: "new", key: "k-b" }, ["/new", "/key=k-b", "/b"], ["/a"]],
      ["an id and another's key", { id: "a", key: "k-b" }, ["/a", "/key=k-a", "/b", "/key=k-b"], []],
      ["an id and its key", { id: "a", key: "k-a" }, ["/a", "/key=k-a"], ["/b"]],
      ["an id and a new key", { id: "a", key: "new" }, ["/a", "/key=new"], ["/b"]],
      ["an id", { id: "a" }, ["/a", "/key=k-a"], ["/b"]],
      ["a key", { key: "k-b" }, ["/b", "/key=k-b"], ["/a"]],
      ["a new key", { key: "new" }, ["/key=new"], ["/a", "/b"]],
    ])("remove the resources with %s", async (_name, names, gone, there) => {
      const project = newProject();
      for (const id of ["a", "b"]) {
        await change({ state: "a resource exists", params: { project, id, key: `k-${id}` } });
      }
      const state = { state: "no resource exists", params: { project, ...names } };
      expect(await change(state)).toMatchObject({ status: 200, body: {} });
      // A second setup changes nothing.
      expect((await change(state)).status).toBe(200);
      for (const path of gone) expect([path, (await mock.resource(project, path)).status]).toEqual([path, 404]);
      for (const path of there) expect([path, (await mock.resource(project, path)).status]).toEqual([path, 200]);
    });
  });

  test("return 404 with the known states for an unknown state", async () => {
    const reply = await change({ state: "a ressource exists", params: { project: newProject() } });
    expectProblem(reply, 404, "ResourceNotFound", 'Did you mean "a resource exists"?');
    expectProblem(await change({ state: "everything is fine" }), 404, "ResourceNotFound", "no resource exists, ");
  });

  test.each<[object, string]>([
    [{ state: "a resource exists" }, "/params/project"],
    [{ state: "a resource exists", params: { project: "__admin" } }, "/params/project"],
    [{ state: "a resource exists", params: { project: "p", version: "x" } }, "/params/version"],
    [{ state: "no resource exists", params: { project: "p", id: 3 } }, "/params/id"],
    [{ state: "conflict", params: { project: 3 } }, "/params/project"],
    [{ state: "conflict", action: "set up" }, "/action"],
    [{ state: 3 }, "/state"],
    [{ state: "conflict", params: { proyect: "p" } }, "/params/proyect"],
    [{ state: "conflict", params: { project: "p", colour: "blue" } }, "/params/colour"],
    [{ state: "conflict", params: { project: "p", times: "twice" } }, "/params/times"],
  ])("return 400 for %j", async (body, pointer) => {
    expect(expectProblem(await change(body), 400, "InvalidField")).toMatchObject([{ pointer }]);
  });

  test("a namespace action body exists stores the body, and teardown removes it", async () => {
    const project = newProject();
    const state = { state: "a namespace action body exists", params: { project, body: { colour: "blue" } } };
    const fixture = await (await mock.resource(project, "/namespace-action")).json();
    await change(state);
    expect(await (await mock.resource(project, "/namespace-action")).json()).toEqual({ colour: "blue" });
    await change({ ...state, action: "teardown" });
    expect(await (await mock.resource(project, "/namespace-action")).json()).toEqual(fixture);
  });

  test("a token exists returns a token with the scopes", async () => {
    const project = newProject();
    await inProject(mock, project, "PATCH", "/settings", { auth: "strict" });
    const statusWith = async (scopes?: string[]) => {
      const { body } = await change({ state: "a token exists", params: { project, scopes } });
      return (await mock.resource(project, "", { headers: { Authorization: `Bearer ${body.accessToken}` } })).status;
    };
    expect(await statusWith()).toBe(200);
    expect(await statusWith(["manage_products"])).toBe(403);
    const unknown = await change({ state: "a token exists", params: { project, scopes: ["view_tests"] } });
    expectProblem(unknown, 400, "InvalidField", 'Did you mean "view_test"');
  });

  test("a token is required rejects the next request without a token", async () => {
    const project = newProject();
    const state = { state: "a token is required", params: { project } };
    const status = async () => (await mock.resource(project)).status;
    await change(state);
    expect([await status(), await status()]).toEqual([401, 200]);
    await change(state);
    await change({ ...state, action: "teardown" });
    expect(await status()).toBe(200);
    expect(await scenarios(project)).toEqual([]);
  });

  test("a rule responds to the next request of the operation", async () => {
    const project = newProject();
    const body = { statusCode: 503, message: "Later", errors: [{ code: "ServiceUnavailable", message: "Later" }] };
    const headers = { "Retry-After": "7", "Set-Cookie": ["a=1", "b=2"] };
    const params = { project, operation: "getResourceById", status: 503, body, headers };
    await change({ state: "a rule responds", params });
    expect((await mock.resource(project)).status).toBe(200);
    const response = await mock.resource(project, "/a");
    expect([response.status, response.headers.get("Retry-After"), await response.json()]).toEqual([503, "7", body]);
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
    expect((await mock.resource(project, "/a")).status).toBe(200);
    for (const [wrong, pointer] of [
      [{ status: 599 }, "/params/status"],
      [{ body: { ...body, statusCode: "503" } }, "/params/body/statusCode"],
      [{ operation: "unknown" }, "/params/operation"],
      [{ delay: 3 }, "/params/delay"],
    ] as const) {
      const reply = await change({ state: "a rule responds", params: { ...params, ...wrong } });
      expect(expectProblem(reply, 400, "InvalidField", `${pointer}: `)).toMatchObject([{ pointer }]);
    }
  });
});
