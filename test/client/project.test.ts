import { describe, expect, test } from "vitest";
import { ControlError, connectResourceMock, type Match, type Rule, VerificationError } from "../../src/client.ts";
import { createResourceMock } from "../../src/index.ts";
import { json } from "../setup/mock.ts";
import { describeClients } from "./clients.ts";

const draft = { objectTypeProperty: {} };
const update = (version: number) => json("POST", { version, actions: [{ action: "doSomeThing" }] });

/** Bytes with the signature of a JPEG file. */
const jpeg = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1, 2, 3]);

describeClients("the state of a project", ({ project, call }) => {
  test("seed adds one resource, several resources, or generated resources", async () => {
    const mock = project();
    const before = (await mock.resources.list()).length;
    const seeded = await mock.seed({ id: "shirt", key: "blue shirt", ...draft, colour: "blue" });
    expect(seeded).toMatchObject({ id: "shirt", key: "blue shirt", version: 1, colour: "blue" });
    expect(await (await call(mock, "/key=blue%20shirt")).json()).toMatchObject({ version: 1, colour: "blue" });

    const drafts = ["a", "b"].map((id) => ({ id, ...draft }));
    expect(await mock.seed(drafts)).toMatchObject([{ id: "a" }, { id: "b" }]);
    expect(await mock.seed({ generate: 3, seed: 7 })).toHaveLength(3);
    expect(await mock.resources.list()).toHaveLength(before + 6);
  });

  test("has items of all types", async () => {
    const types = await project().types();
    expect(types.map(({ name, kind }) => `${name}: ${kind}`)).toEqual([
      "Resource: collection",
      "Image: files",
      "NamespaceAction: singleton",
    ]);
  });

  test("creates, changes, finds and deletes a resource", async () => {
    const mock = project();
    await mock.resources.put("a/b ü", { key: "k", ...draft });
    await mock.resources.put("a/b ü", { key: "k", ...draft, size: "M" });

    expect(await mock.resources.get("a/b ü")).toMatchObject({ id: "a/b ü", version: 2, size: "M" });
    expect(await mock.resources.list({ key: "k" })).toMatchObject([{ id: "a/b ü" }]);

    await mock.resources.delete("a/b ü");
    await expect(mock.resources.get("a/b ü")).rejects.toThrow("404");
  });

  test("finds resources by a part of the id or key, by a predicate, and sorted", async () => {
    const mock = project();
    await mock.seed([
      { id: "socks-1", ...draft },
      { id: "socks-2", version: 2, ...draft },
    ]);

    const found = await mock.resources.list({ q: "SOCKS", where: "version < 9", sort: "version desc" });

    expect(found).toMatchObject([{ id: "socks-2" }, { id: "socks-1" }]);
  });

  test("changes a resource only if its content is the expected content", async () => {
    const mock = project();
    await mock.seed({ id: "a", ...draft });
    const { resource, tag } = await mock.resources.getTagged("a");
    await mock.resources.put("a", { ...resource, size: "M" });

    await expect(mock.resources.put("a", resource, { ifMatch: tag })).rejects.toMatchObject({ status: 412 });
    await expect(mock.resources.delete("a", { ifMatch: tag })).rejects.toMatchObject({ status: 412 });
    const { tag: current } = await mock.resources.getTagged("a");
    await mock.resources.put("a", draft, { ifMatch: current });
    expect(await mock.resources.get("a")).not.toHaveProperty("size");
  });

  test("has images, added by the client and uploaded to the service", async () => {
    const mock = project();
    await call(mock, "/images?sku=shirt", { method: "POST", body: jpeg, headers: { "Content-Type": "image/jpeg" } });
    const [image] = await mock.images.list();
    expect(image).toMatchObject({ sku: "shirt", bytes: jpeg.length });
    expect((await mock.images.get(image?.id ?? "")).type).toBe("image/jpeg");

    const { id } = await mock.images.add({ contentType: "image/jpeg", base64: Buffer.from(jpeg).toString("base64") });
    expect(await (await mock.images.get(id)).bytes()).toEqual(jpeg);
    await mock.images.delete(id);
    expect(await mock.images.list()).toEqual([image]);
  });

  test("sets and deletes the body of the custom action", async () => {
    const mock = project();
    await mock.namespaceAction.set({ points: 1 });
    expect(await (await call(mock, "/namespace-action")).json()).toEqual({ points: 1 });
    expect(await mock.namespaceAction.get()).toEqual({ body: { points: 1 } });
    await mock.namespaceAction.clear();
    expect(await mock.namespaceAction.get()).toEqual({});
  });

  test("is exported, imported into another project, and forked", async () => {
    const [mock, other, fork] = [project(), project(), project()];
    await mock.seed({ id: "shirt", ...draft });

    const state = await mock.state.export();
    await other.state.import(state);
    await fork.state.fork(mock.key);

    expect(await other.state.export()).toEqual(state);
    expect(await fork.state.export()).toEqual(state);
  });

  test("a copy of a project has the state", async () => {
    const [mock, copy] = [project(), project()];
    await mock.seed({ id: "shirt", ...draft });
    await mock.settings.set({ auth: "strict" });
    await mock.snapshot("one shirt");

    await copy.fork(mock.key);

    expect(await copy.archive()).toBe(await mock.archive());
    await expect(copy.fork("nobody")).rejects.toThrow('Project "nobody" not found.');
  });

  test("a state and an archive are not confused: the error of an import names the right call", async () => {
    const mock = project();
    const [archive, state] = await Promise.all([mock.archive(), mock.state.export()]);
    const archiveElsewhere = /PUT \/__admin\/projects\/\{projectKey\}\/archive takes an archive/;
    const stateElsewhere = /PUT \/__admin\/projects\/\{projectKey\}\/state takes a state document/;
    // As without types.
    await expect(mock.state.import(archive as never)).rejects.toThrow(archiveElsewhere);
    await expect(mock.restoreArchive(state as never)).rejects.toThrow(stateElsewhere);
    await expect(mock.restoreArchive(JSON.stringify(state))).rejects.toThrow(stateElsewhere);
  });

  test("is restored from a snapshot", async () => {
    const mock = project();
    await mock.seed({ id: "shirt", ...draft });
    await mock.snapshot("one shirt");
    await call(mock, "/shirt", { method: "DELETE" });

    await mock.restore("one shirt");

    expect(await mock.resources.get("shirt")).toMatchObject({ version: 1 });
    expect(await mock.snapshots.list()).toMatchObject([{ name: "one shirt" }]);
    await mock.snapshots.delete("one shirt");
    expect(await mock.snapshots.list()).toEqual([]);
  });
});

describeClients("the responses of a project", ({ project, call }) => {
  test("follow an active scenario, up to `times`", async () => {
    const mock = project();
    await mock.use("conflict", { times: 1 });
    expect((await call(mock, "/shirt", update(1))).status).toBe(409);
    expect((await call(mock, "/shirt", update(1))).status).toBe(200);

    expect(await mock.use("conflict")).toMatchObject({ name: "conflict", used: 0 });
    expect(await mock.scenarios.list()).toMatchObject([{ name: "conflict" }]);
    await mock.scenarios.off("conflict");
    expect(await mock.scenarios.list()).toEqual([]);
  });

  test("follow a rule until it is removed", async () => {
    const mock = project();
    const { id } = await mock.rule({ operation: "queryResources", respond: { status: 503 } });
    await mock.rule({ operation: "getCart", respond: { status: 503 } });
    expect((await call(mock)).status).toBe(503);

    expect(await mock.rules.check({ operation: "getCart", respond: { status: 503 } })).toMatchObject({
      requests: 1,
      matched: 0,
    });

    await mock.rules.delete(id);
    expect(await mock.rules.list()).toMatchObject([{ rule: { operation: "getCart" } }]);
    await mock.rules.clear();
    expect(await mock.rules.list()).toEqual([]);
  });

  test("follow the clock when it is set, frozen or advanced", async () => {
    const mock = project();
    await mock.clock.freeze(new Date("2024-05-17T09:30:00Z"));
    await mock.clock.advance(60_000);
    expect(await mock.clock.get()).toEqual({ now: "2024-05-17T09:31:00.000Z", frozen: true });

    expect(await mock.seed({ ...draft })).toMatchObject({ createdAt: "2024-05-17T09:31:00.000Z" });
    expect(await mock.clock.resume()).toMatchObject({ frozen: false });
    expect(await mock.clock.set("2025-01-01T00:00:00Z")).toMatchObject({ frozen: false });
  });

  test("depend on a token of the project until it is revoked", async () => {
    const mock = project();
    const { access_token } = await mock.token({ scopes: ["view_test"] });
    const headers = { Authorization: `Bearer ${access_token}` };

    expect((await call(mock, "", { headers })).status).toBe(200);
    expect((await call(mock, "/shirt", { method: "DELETE", headers })).status).toBe(403);
    const [token, ...others] = await mock.tokens.list();
    expect([token, others]).toEqual([
      {
        id: "t-1",
        startsWith: access_token.slice(0, 6),
        clientId: "control-api",
        scopes: [`view_test:${mock.key}`],
        issuedAt: expect.any(String),
        expiresAt: expect.any(String),
      },
      [],
    ]);
    await mock.tokens.revoke("t-1");
    expect((await call(mock, "", { headers })).status).toBe(401);
    expect(await mock.tokens.list()).toEqual([]);
    const { access_token: next } = await mock.token();
    await mock.tokens.revoke(next);
    expect(await mock.tokens.list()).toEqual([]);
  });
});

describeClients("the requests of a project", (driven) => {
  const { project, call } = driven;

  test("are listed newest first, filtered and cleared", async () => {
    const mock = project();
    await call(mock, "/shirt");
    await call(mock, "?integerParameter=many");

    const [newest, oldest] = await mock.requests.list();
    expect(newest).toMatchObject({ operation: "queryResources", response: { status: 400 } });
    expect(oldest).toMatchObject({ operation: "getResourceById", response: { status: 200 } });
    const single = await mock.requests.get(oldest?.id ?? "");
    expect({ ...single, changes: oldest?.changes }).toEqual(oldest);
    expect(single.changes).toMatchObject([
      { type: "Resource", id: "shirt", before: null, after: { id: "shirt", version: 1 } },
    ]);
    expect(await mock.requests.list({ operation: "getResourceById", status: "2xx" })).toEqual([oldest]);
    expect(await mock.requests.list({ violations: true })).toEqual([newest]);
    expect(await mock.requests.list({ offContract: false })).toHaveLength(2);
    expect(await mock.requests.list({ offContract: true })).toEqual([]);
    expect(await mock.requests.list({ since: new Date("2999-01-01") })).toEqual([]);

    await mock.requests.clear();
    expect(await mock.requests.list()).toEqual([]);
  });

  test("are found by words and several values, and read in pages", async () => {
    const mock = project();
    await call(mock, "/shirt");
    await call(mock, "?integerParameter=many");
    await call(mock, "/trousers");

    const [trousers, many, shirt] = await mock.requests.list();
    expect(await mock.requests.list({ q: "SHIRT getResourceById" })).toEqual([shirt]);
    expect(await mock.requests.list({ operation: ["queryResources", "getCart"], status: "4xx,5xx" })).toEqual([many]);
    expect(await mock.requests.list({ from: new Date(0), to: "2000-01-01T00:00:00Z" })).toEqual([]);
    const first = await mock.requests.page({ limit: 2 });
    expect(first).toEqual({ requests: [trousers, many], total: 3, searched: 3, dropped: 0, next: many?.id });
    expect(await mock.requests.page({ before: first.next })).toEqual({
      requests: [shirt],
      total: 3,
      searched: 3,
      dropped: 0,
    });
    const brief = await mock.requests.page({ brief: true, limit: 1 });
    expect(brief.requests).toMatchObject([{ project: mock.key, id: trousers?.id, status: 200, violations: 0 }]);
    expect(await mock.requests.timeline({ status: "4xx", buckets: 1 })).toMatchObject({
      total: 1,
      buckets: [{ requests: 1, errors: 1 }],
    });
  });

  test("requests are found by times", async () => {
    const mock = project();
    await call(mock);
    expect(await mock.requests.list({ since: new Date(0), from: new Date(0) })).toHaveLength(1);
    expect(await mock.requests.list({ to: new Date(0) })).toEqual([]);
  });

  test("are awaited, including past requests", async () => {
    const mock = project();
    await call(mock, "/shirt");

    const both = mock.requests.wait({ operation: "getResourceById" }, { count: 2 });
    await call(mock, "/trousers");

    expect(await both).toHaveLength(2);
  });

  test("are awaited until the timeout or an abort", async () => {
    const mock = project();

    const late = mock.requests.wait({ operation: "getCart" }, { timeout: 0 });
    await expect(late).rejects.toThrow(ControlError);
    await expect(late).rejects.toMatchObject({ status: 408, message: expect.stringContaining("within 0 ms") });

    const signal = AbortSignal.abort(new Error("enough"));
    await expect(mock.requests.wait({ operation: "getCart" }, { signal })).rejects.toBe(signal.reason);
  });

  test("are verified with a verdict, and asserted with an error, that show differences", async () => {
    const mock = project();
    await call(mock, "/shirt", update(1));

    expect(await mock.verify({ match: { operation: "updateResource" }, count: 1 })).toEqual({ pass: true, matched: 1 });
    const verdict = await mock.verify({ match: { operation: "updateResource", status: 409 } });
    expect(verdict).toMatchObject({ pass: false, matched: 0, nearest: [{ differences: [{ pointer: "/status" }] }] });

    await mock.assertReceived({ operation: "updateResource" });
    await mock.assertReceived({ operation: "deleteResource" }, { count: 0 });
    const failed = mock.assertReceived({ operation: "updateResource", body: { version: 2 } });
    await expect(failed).rejects.toThrow(VerificationError);
    await expect(failed).rejects.toThrow(/\/body\/version/);
  });

  test.each<[name: string, match: unknown, pointer: string, found: string]>([
    ["pattern as a path", { path: /x/ }, "/path", 'a JSON value, found an instance of RegExp. Use { "matches": "…" }'],
    ["pattern in a body", { body: [{ name: /x/ }] }, "/body/0/name", "a JSON value, found an instance of RegExp"],
    ["function", { body: () => false }, "/body", "a JSON value, found a function"],
    ["Headers", { headers: new Headers({ "x-a": "1" }) }, "/headers", "a JSON value, found an instance of Headers"],
    ["Map", { query: new Map([["a", "1"]]) }, "/query", "a JSON value, found an instance of Map"],
    ["undefined member", { operation: undefined }, "/operation", "a JSON value, found undefined"],
    ["number without JSON", { body: Number.NaN }, "/body", "a JSON value, found NaN"],
  ])("are never verified with a match that JSON would change: a %s", async (_name, member, pointer, found) => {
    const mock = project();
    await call(mock, "/shirt");
    const match = member as Match;
    const rule = { operation: "getCart", when: match, respond: { status: 503 } } as Rule;

    for (const [calling, place] of [
      [() => mock.assertReceived(match), "match"],
      [() => mock.verify({ match, count: 0 }), "match"],
      [() => mock.verify({ order: [{}, match] }), "order/1"],
      [() => mock.requests.wait(match, { timeout: 0 }), "match"],
      [() => mock.rule(rule), "when"],
      [() => mock.use("mine", { rules: [rule] }), "rules/0/when"],
      [() => driven.client.scenarios.use("mine", { rules: [rule] }), "rules/0/when"],
    ] as const) {
      await expect(calling()).rejects.toThrow(`: /${place}${pointer}: expected ${found}`);
    }
    expect(await mock.rules.list()).toEqual([]);
  });

  test("are verified with dates, and without undefined options", async () => {
    const mock = project();
    const day = new Date(0);
    await call(mock, "", json("POST", { objectTypeProperty: {}, day, size: undefined }));

    await mock.assertReceived({ body: { day: day as unknown as string } }, { count: undefined, atLeast: 1 });
    await expect(mock.assertReceived(undefined as unknown as Match)).rejects.toThrow("found undefined");
    expect(await mock.seed({ objectTypeProperty: {}, size: undefined })).not.toHaveProperty("size");
    await expect(mock.seed({ objectTypeProperty: {}, sizes: new Set() })).rejects.toThrow("found an instance of Set");
  });

  test("are counted in coverage and summary", async () => {
    const mock = project();
    await call(mock, "/shirt");

    expect((await mock.coverage()).totals.operations.exercised).toBe(1);
    expect(await mock.summary()).toMatchObject({ key: mock.key, requests: 1 });
  });
});

describeClients("the events of a project", ({ project, call }) => {
  test("arrive in order", async () => {
    const mock = project();
    await using events = await mock.events();
    await mock.seed({ id: "shirt", ...draft });
    await call(mock, "/shirt");

    expect(await events.next()).toMatchObject({ value: { type: "project", data: { change: "created" } } });
    expect(await events.next()).toMatchObject({
      value: { type: "state", data: { type: "Resource", id: "shirt", from: null, to: 1 } },
    });
    expect(await events.next()).toMatchObject({ value: { type: "request", data: { operation: "getResourceById" } } });
  });

  test("continue after the last received event", async () => {
    const mock = project();
    await mock.settings.set({ auth: "off" });
    const events = await mock.events();
    await mock.use("slow");
    const { value: first } = await events.next();
    await events.return();
    await mock.scenarios.off("slow");

    await using later = await mock.events({ after: first?.id });
    const { value: next } = await later.next();

    expect(first).toMatchObject({ type: "scenarios", data: { project: mock.key, scenario: "slow", on: true } });
    expect(next).toMatchObject({ type: "scenarios", data: { project: mock.key, scenario: "slow", on: false } });
  });

  test("end when the signal aborts", async () => {
    const abort = new AbortController();
    const events = await project().events({ signal: abort.signal });
    const waiting = events.next();
    abort.abort(new Error("enough"));

    await expect(waiting).rejects.toThrow("enough");
    // `await using` makes this call at the end of its block: closing an ended stream succeeds.
    expect(await events.return()).toEqual({ done: true, value: undefined });
  });
});

describeClients("a project", (driven) => {
  const { project, call } = driven;

  test("has a base URL with its encoded key", async () => {
    const mock = driven.client.project("ein Projekt/ü?");
    await mock.seed({ id: "shirt", ...draft });

    expect(mock.baseUrl).toBe(`${driven.client.url}/ein%20Projekt%2F%C3%BC%3F`);
    expect((await call(mock, "/shirt")).status).toBe(200);
  });

  test("returns to its initial state", async () => {
    const mock = project();
    await mock.use("server-error");
    await mock.reset();

    expect((await call(mock)).status).toBe(200);
  });

  test("is deleted with its data, and only mocks and connections are closed", async () => {
    const project = driven.project();
    await project.seed({ id: "shirt", objectTypeProperty: {} });
    await project.delete();
    expect((await driven.client.projects()).map(({ key }) => key)).not.toContain(project.key);
    expect(project).not.toHaveProperty("close");
  });

  test("`await using` deletes the project", async () => {
    const { key } = project();
    {
      await using mock = driven.client.project(key);
      await mock.seed({ id: "shirt", ...draft });
    }
    expect(await driven.client.projects()).not.toContainEqual(expect.objectContaining({ key }));
  });
});

describe("functions", () => {
  test("are rejected over HTTP, with the alternative", () => {
    const project = connectResourceMock("http://localhost:1").project("p");
    expect(() => project.handle("getCart", () => ({ status: 503 }))).toThrow(
      "handle: expected a mock in this process (startResourceMock, createResourceMock), found one over HTTP. Use rule() instead.",
    );
  });

  test("throw ControlError at a limit", async () => {
    await using mock = await createResourceMock({ maxProjects: 1 });
    mock.project("p").handle("getCart", () => undefined);
    expect(() => mock.project("q").handle("getCart", () => undefined)).toThrow(
      expect.objectContaining({ name: "ControlError", status: 507 }),
    );
  });

  test("throw TypeError for an unknown operation", async () => {
    await using mock = await createResourceMock();
    const { handle } = mock.project("p");
    expect(() => handle("getCarts" as "getCart", () => undefined)).toThrow(
      new TypeError('handle: unknown operation. Did you mean "getCart"?'),
    );
  });
});
