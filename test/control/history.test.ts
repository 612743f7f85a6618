import { describe, expect, test } from "vitest";
import type { StateDocument } from "../../src/services/generic-resource/control/state-form.ts";
import { activate, addRule } from "../setup/activation.ts";
import { expectProblem, inProject } from "../setup/control.ts";
import { pausesDuring } from "../setup/meanwhile.ts";
import { json, type MockUnderTest, newProject, onTransports, useMock } from "../setup/mock.ts";
import { image } from "../setup/requests.ts";
import { draft, update, write } from "../setup/resources.ts";

interface Entry {
  readonly id: string;
  readonly changes: readonly object[];
  readonly conflict?: object;
  readonly decisions: readonly string[];
}

onTransports("what a request changed", {}, (mock) => {
  /** Sends a request, and returns its id and status. */
  async function send(project: string, path: string, init: RequestInit) {
    const response = await mock.resource(project, path, init);
    await response.arrayBuffer();
    return { id: response.headers.get("Mock-Request-Id") ?? "", status: response.status };
  }
  const entry = async (project: string, id: string) =>
    (await inProject<Entry>(mock, project, "GET", `/requests/${id}`)).body;
  const state = async (project: string, query = "") =>
    (await inProject<StateDocument>(mock, project, "GET", `/state${query}`)).body;
  const rewind = (project: string, id: string, body?: object) =>
    inProject<{ moment: number; undo: number }>(mock, project, "POST", `/requests/${id}/rewind`, body);

  test("lists the versions of each resource, and has the values in the response for a single request", async () => {
    const project = newProject();
    const { id } = await write(mock, project);
    const updated = await send(project, `/${id}`, update(1));
    const deleted = await send(project, `/${id}`, { method: "DELETE" });
    const read = await send(project, "", {});
    const { body } = await inProject<{ requests: Entry[] }>(mock, project, "GET", "/requests");
    expect(body.requests.map(({ changes }) => changes)).toEqual([
      [],
      [{ type: "Resource", id, from: 2, to: null }],
      [{ type: "Resource", id, from: 1, to: 2 }],
      [{ type: "Resource", id, from: null, to: 1 }],
    ]);
    expect((await entry(project, updated.id)).changes).toEqual([
      {
        type: "Resource",
        id,
        from: 1,
        to: 2,
        before: expect.objectContaining({ id, version: 1, ...draft }),
        after: expect.objectContaining({ id, version: 2, ...draft }),
      },
    ]);
    expect((await entry(project, deleted.id)).changes).toEqual([expect.objectContaining({ to: null, after: null })]);
    expect((await entry(project, read.id)).changes).toEqual([]);
  });

  test("lists images and the body of the custom action, and a resource that a read creates from its fixture", async () => {
    const project = newProject();
    const uploaded = await send(project, "/images", image("image/png"));
    const action = await send(project, "/namespace-action", json("POST", { points: 1 }));
    const created = await send(project, "/unknown", {});
    expect((await entry(project, uploaded.id)).changes).toEqual([
      {
        type: "Image",
        id: expect.any(String),
        from: null,
        to: 1,
        before: null,
        after: expect.objectContaining({ contentType: "image/png", bytes: 10 }),
      },
    ]);
    expect((await entry(project, action.id)).changes).toEqual([
      {
        type: "NamespaceAction",
        id: "",
        from: null,
        to: 1,
        before: null,
        after: expect.objectContaining({ points: 1 }),
      },
    ]);
    expect((await entry(project, created.id)).changes).toMatchObject([
      { type: "Resource", id: "unknown", from: null, to: 1 },
    ]);
  });

  test("a conflict names the request that wrote the stored version, and its client", async () => {
    const project = newProject();
    const { id } = await write(mock, project);
    const token = await inProject<{ access_token: string }>(mock, project, "POST", "/tokens", { clientId: "worker" });
    const headers = { Authorization: `Bearer ${token.body.access_token}`, "Content-Type": "application/json" };
    const first = await send(project, `/${id}`, { ...update(1), headers });
    const second = await send(project, `/${id}`, update(1));
    expect([first.status, second.status]).toEqual([200, 409]);
    const { conflict, decisions } = await entry(project, second.id);
    expect(conflict).toEqual({
      sent: 1,
      stored: 2,
      writer: {
        by: "request",
        request: first.id,
        method: "POST",
        path: `/${project}/resource/${id}`,
        client: "worker",
        earlier: expect.any(Number),
      },
    });
    expect(decisions).toContain(
      `the client sent version 1; version 2 was written by request ${first.id} (POST /${project}/resource/${id}, client worker)`,
    );
  });

  test("a conflict names a call of the control API, or the effect of a rule", async () => {
    const project = newProject();
    const { id } = await write(mock, project);
    await inProject(mock, project, "PUT", `/resources/${id}`, draft);
    const stale = await send(project, `/${id}`, update(1));
    expect((await entry(project, stale.id)).conflict).toMatchObject({ stored: 2, writer: { by: "control" } });
    await activate(mock, project, "concurrent-writer");
    const raced = await send(project, `/${id}`, update(2));
    const { conflict, changes } = await entry(project, raced.id);
    expect(conflict).toMatchObject({ sent: 2, stored: 3, writer: { by: "effect" } });
    expect(changes).toMatchObject([{ type: "Resource", id, from: 2, to: 3 }]);
  });

  test("rewinds the state, keeps settings and journal, and the result undoes it", async () => {
    const project = newProject();
    await inProject(mock, project, "PATCH", "/settings", { unknownIds: "not-found" });
    const { id } = await write(mock, project);
    const before = await state(project);
    const deleted = await send(project, `/${id}`, { method: "DELETE" });
    const after = await state(project);

    const { status, body } = await rewind(project, deleted.id);
    expect([status, body]).toEqual([200, { moment: 1, undo: 2 }]);
    expect(await state(project)).toEqual(before);
    expect((await mock.resource(project, `/${id}`)).status).toBe(200);
    expect((await inProject(mock, project, "GET", "/settings")).body).toMatchObject({ unknownIds: "not-found" });
    expect((await inProject(mock, project, "GET", "/requests")).body).toMatchObject({ total: 3 });

    await inProject(mock, project, "POST", "/rewind", { moment: body.undo });
    expect(await state(project)).toEqual(after);
    expect((await rewind(project, deleted.id, { to: "after" })).body.moment).toBe(2);
    expect(await state(project)).toEqual(after);
  });

  test("the state before a request is known after a restored snapshot, an import and a fork", async () => {
    const [project, other] = [newProject(), newProject()];
    await inProject(mock, project, "POST", "/snapshots", { name: "start" });
    const { id } = await write(mock, project);
    const one = await state(project);
    const updated = await send(project, `/${id}`, update(1));
    await inProject(mock, project, "POST", "/snapshots/start/restore");
    await inProject(mock, project, "PUT", "/state", { resources: [{ id: "imported", objectTypeProperty: {} }] });
    await write(mock, other);
    await inProject(mock, project, "PUT", "/state", { from: other });
    expect(await state(project, `?before=${updated.id}`)).toEqual(one);
  });

  test("a rewind across a delete and its undo does not change the resource", async () => {
    const project = newProject();
    const { id } = await write(mock, project);
    const created = await send(project, "", json("POST", draft));
    const deleted = await send(project, `/${id}`, { method: "DELETE" });
    await rewind(project, deleted.id);
    const { body: restored } = await inProject(mock, project, "GET", `/resources/${id}/history`);
    await rewind(project, created.id);
    expect((await inProject(mock, project, "GET", `/resources/${id}/history`)).body).toEqual(restored);
  });

  test("has the history of a resource, newest first", async () => {
    const project = newProject();
    const { id } = await write(mock, project);
    const updated = await send(project, `/${id}`, update(1));
    await inProject(mock, project, "PUT", `/resources/${id}`, { ...draft, key: "k" });
    const deleted = await send(project, `/${id}`, { method: "DELETE" });
    const { body } = await inProject<{ versions: object[] }>(mock, project, "GET", `/resources/${id}/history`);
    expect(body.versions).toMatchObject([
      { version: null, by: "request", request: deleted.id, method: "DELETE" },
      { version: 3, by: "control", resource: { key: "k", version: 3 } },
      { version: 2, by: "request", request: updated.id },
      { version: 1, by: "request", resource: { id, version: 1 } },
    ]);
    expectProblem(await inProject(mock, project, "GET", "/resources/none/history"), 404, "ResourceNotFound");
  });

  test("an archive can be restored whatever its history has: long values with secrets, and a long client id", async () => {
    const [project, copy] = [newProject(), newProject()];
    const long = { ...draft, long: Array.from({ length: 9000 }, () => ({ password: "" })) };
    const { body } = await inProject<{ access_token: string }>(mock, project, "POST", "/tokens", {
      clientId: "c".repeat(100),
    });
    const headers = { Authorization: `Bearer ${body.access_token}` };
    expect((await mock.resource(project, "", json("POST", long, headers))).status).toBe(201);
    const archive = (await inProject(mock, project, "GET", "/archive")).body;
    const reply = await inProject(mock, copy, "PUT", "/archive", archive);
    expect([reply.status, reply.body]).toEqual([204, ""]);
  });

  describe("rejects", () => {
    test("an unknown request, and both parameters", async () => {
      const project = newProject();
      await write(mock, project);
      expectProblem(await rewind(project, "00000000-9"), 404, "ResourceNotFound", 'Request "00000000-9" not found');
      expectProblem(await inProject(mock, project, "GET", "/state?before=00000000-9"), 404, "ResourceNotFound");
      expectProblem(await inProject(mock, project, "GET", "/state?before=a&after=b"), 400, "InvalidField", "after");
      expectProblem(await inProject(mock, project, "POST", "/rewind", { moment: 9 }), 400, "InvalidField", "/moment");
    });

    test("members that a rewind does not have", async () => {
      const project = newProject();
      const { id } = await send(project, "", json("POST", draft));
      const before = await state(project);
      expectProblem(await rewind(project, id, { side: "after" }), 400, "InvalidField", "/side");
      const moment = await inProject(mock, project, "POST", "/rewind", { moment: 0, to: "after" });
      expectProblem(moment, 400, "InvalidField", "/to");
      expect(await state(project)).toEqual(before);
    });

    test("a moment before a long value or too many changes, and then changes nothing", async () => {
      for (const change of [changeLongValue, changeMany]) {
        const project = newProject();
        const { id } = await send(project, "", json("POST", draft));
        await change(mock, project);
        const now = await state(project);
        const reply = await rewind(project, id);
        expectProblem(reply, 409, "NotRewindable", "Change 2 (");
        expectProblem(await inProject(mock, project, "GET", `/state?after=${id}`), 409, "NotRewindable");
        expect(await state(project)).toEqual(now);
      }
    });

    test("a moment that is older than the kept changes", async () => {
      const project = newProject();
      await inProject(mock, project, "PATCH", "/settings", { journalSize: 100 });
      const { id } = await send(project, "", json("POST", draft));
      for (let index = 0; index < 99; index++) await inProject(mock, project, "PUT", "/resources/a", draft);
      expect((await inProject(mock, project, "GET", `/state?before=${id}`)).status).toBe(200);
      await inProject(mock, project, "PUT", "/resources/a", draft);
      expectProblem(await rewind(project, id), 409, "NotRewindable", "Change 1 is no longer kept");
      expect((await rewind(project, id, { to: "after" })).status).toBe(200);
    });
  });
});

describe("an earlier state with many changes since", () => {
  const mock = useMock("in process");
  const [sets, ids] = [6, 50];
  const call = (project: string, method: string, path: string, body?: object) =>
    pausesDuring(mock, () => mock.fetch(`/__admin/projects/${project}${path}`, body ? json(method, body) : { method }));

  /** Creates a project, in which each change deletes other ids. Returns it with the id of its first request. */
  async function withDeletedIds(first: (project: string) => Promise<unknown> = async () => {}) {
    const project = newProject();
    const response = await mock.resource(project, "", json("POST", draft));
    await first(project);
    for (let set = 0; set < sets; set++) {
      const deleted = { ids: Array.from({ length: ids }, (_, index) => `${set}-${index}`), keys: [] };
      expect((await inProject(mock, project, "PUT", "/state", { resources: [], deleted })).status).toBe(204);
    }
    return { project, id: response.headers.get("Mock-Request-Id") ?? "" };
  }

  test.each<[string, string, (id: string) => string, object?]>([
    ["the export", "GET", (id) => `/state?before=${id}`],
    ["the rewind to a request", "POST", (id) => `/requests/${id}/rewind`, {}],
    ["the rewind to a moment", "POST", () => "/rewind", { moment: 0 }],
  ])("a call for %s does not block other requests", async (_name, method, pathOf, body) => {
    const { project, id } = await withDeletedIds();
    const { response, pauses } = await call(project, method, pathOf(id), body);
    expect(response.status).toBe(200);
    expect(pauses).toBeGreaterThanOrEqual((sets * ids) / 10);
  });

  test("is refused before any change is undone, if a change is not kept whole", async () => {
    const { project, id } = await withDeletedIds((project) => changeLongValue(mock, project));
    for (const [method, path, body] of [
      ["GET", `/state?before=${id}`],
      ["POST", `/requests/${id}/rewind`, {}],
      ["POST", "/rewind", { moment: 0 }],
    ] as const) {
      const { response, pauses } = await call(project, method, path, body);
      expect([response.status, pauses]).toEqual([409, 0]);
    }
  });

  test("is that of its moment, if other changes arrive during the rewind", async () => {
    const { project, id } = await withDeletedIds();
    const before = (await inProject(mock, project, "GET", `/state?before=${id}`)).body;
    const rewinding = inProject<{ undo: number }>(mock, project, "POST", "/rewind", { moment: 0 });
    const written = inProject(mock, project, "PUT", "/resources/late", draft);
    const [{ status, body }] = await Promise.all([rewinding, written]);
    expect([status, (await written).status]).toEqual([200, 201]);
    await inProject(mock, project, "DELETE", "/resources/late");
    expect((await inProject(mock, project, "POST", "/rewind", { moment: 0 })).status).toBe(200);
    expect((await inProject(mock, project, "GET", "/state")).body).toEqual(before);
    expect((await inProject(mock, project, "POST", "/rewind", { moment: body.undo })).status).toBe(200);
  });
});

async function changeLongValue(mock: MockUnderTest, project: string) {
  const body = { ...draft, long: "x".repeat(64 * 1024) };
  const created = await mock.resource(project, "", json("POST", body));
  const id = created.headers.get("Mock-Request-Id") ?? "";
  const { changes } = (await inProject<Entry>(mock, project, "GET", `/requests/${id}`)).body;
  expect(changes).toMatchObject([{ from: null, to: 1, after: { cut: expect.any(Number), text: expect.any(String) } }]);
}

async function changeMany(mock: MockUnderTest, project: string) {
  await inProject(mock, project, "POST", "/resources", Array(5001).fill({ objectTypeProperty: {} }));
  await addRule(mock, project, { operation: "getCart", respond: { status: 503 }, times: 1 });
}
