import { describe, expect, test } from "vitest";
import { control, expectProblem, inProject } from "../setup/control.ts";
import { type Event, openEvents } from "../setup/events.ts";
import { json, newProject, onAllTransports, useMock } from "../setup/mock.ts";
import { openSocket } from "../setup/raw-socket.ts";
import { image } from "../setup/requests.ts";
import { configure, draft, write } from "../setup/resources.ts";
import { basic, form, tokenFor } from "../setup/tokens.ts";

onAllTransports("an event stream", { inOneProcess: "counts the readers of one engine" }, (mock) => {
  const listeners = () => mock.engine.feed.listeners;

  test("begins at once with the reconnection delay (`retry: 1000`)", async () => {
    const events = await openEvents(mock, "/events");
    expect(await events.frame()).toBe("retry: 1000");
  });

  test("reports every request and every change in a project, with increasing ids", async () => {
    const [project, other] = [newProject(), newProject()];
    const call = (method: string, path: string, body?: unknown) => inProject(mock, project, method, path, body);
    await call("PUT", "/clock", { now: 0, frozen: true });
    const events = await openEvents(mock, `/projects/${project}/events`);
    await call("DELETE", "");
    const { id } = await write(mock, project);
    await mock.resource(project, "/namespace-action", json("POST", { hello: 1 }));
    await mock.resource(project, "/images", image("image/png"));
    await call("POST", "/images", { id: "mine", contentType: "image/gif", base64: "" });
    await call("DELETE", "/images/mine");
    await call("PUT", "/namespace-action", { body: 1 });
    await call("DELETE", "/namespace-action");
    await call("PUT", "/scenarios/slow", { times: 1 });
    await call("DELETE", "/scenarios/slow");
    await call("POST", "/rules", { operation: "getCart", respond: { status: 500 } });
    await call("POST", "/rules", { operation: "getCart", respond: { status: 500 } });
    await call("DELETE", "/rules/r-1");
    await call("DELETE", "/rules");
    await call("PUT", "/resources/a", { key: "k", ...draft });
    await call("PUT", "/resources/a", draft);
    await call("DELETE", "/resources/a");
    await call("POST", "/snapshots", { name: "s" });
    await call("POST", "/snapshots/s/restore");
    await call("DELETE", "/snapshots/s");
    await call("PUT", "/state", { resources: [] });
    await configure(mock, other, {});
    await call("PUT", "/state", { from: other });
    await call("PATCH", "/settings", { auth: "lenient", unknownIds: "not-found", latency: { fixed: 0 } });
    await call("PUT", "/clock", { now: "2030-01-01T00:00:00Z", frozen: true });
    await call("PUT", "/clock", { advance: 1000 });
    const { body: token } = await call("POST", "/tokens");
    await call("DELETE", `/tokens/${token.access_token}`);
    await call("DELETE", "/requests");
    await call("POST", "/reset");
    await call("DELETE", "");
    const expected: [string, object][] = [
      ["project", { change: "deleted" }],
      ["project", { change: "created" }],
      ["state", { type: "Resource", id, from: null, to: 1 }],
      [
        "request",
        {
          id: expect.stringMatching(/-\d+$/),
          method: "POST",
          path: `/${project}/resource`,
          query: "",
          operation: "createResource",
          status: 201,
          source: "state",
          violations: 0,
          receivedAt: expect.any(String),
          serverTime: expect.any(String),
          duration: expect.any(Number),
        },
      ],
      ["state", { type: "NamespaceAction", id: "", from: null, to: 1 }],
      ["request", expect.objectContaining({ operation: "writeNamespaceAction" })],
      ["state", { type: "Image", id: expect.any(String), from: null, to: 1 }],
      ["request", expect.objectContaining({ operation: "uploadImage" })],
      ["state", { type: "Image", id: "mine", from: null, to: 1 }],
      ["state", { type: "Image", id: "mine", from: 1, to: null }],
      ["state", { type: "NamespaceAction", id: "", from: 1, to: 2 }],
      ["state", { type: "NamespaceAction", id: "", from: 2, to: null }],
      ["scenarios", { change: "activated", scenario: "slow", on: true }],
      ["scenarios", { change: "deactivated", scenario: "slow", on: false }],
      ["rules", { change: "added", rule: "r-1" }],
      ["rules", { change: "added", rule: "r-2" }],
      ["rules", { change: "removed", rule: "r-1" }],
      ["rules", { change: "cleared" }],
      ["state", { type: "Resource", id: "a", from: null, to: 1 }],
      ["state", { type: "Resource", id: "a", from: 1, to: 2 }],
      ["state", { type: "Resource", id: "a", from: 2, to: null }],
      ["snapshots", { change: "taken", name: "s" }],
      ["state", { change: "all" }],
      ["snapshots", { change: "restored", name: "s" }],
      ["snapshots", { change: "deleted", name: "s" }],
      ["state", { change: "all" }],
      ["state", { change: "all" }],
      ["settings", { names: ["unknownIds", "latency"] }],
      ["clock", { now: "2030-01-01T00:00:00.000Z", frozen: true }],
      ["clock", { now: "2030-01-01T00:00:01.000Z", frozen: true }],
      ["tokens", { change: "issued", id: "t-1" }],
      ["tokens", { change: "revoked", id: "t-1" }],
      ["journal", { change: "cleared" }],
      ["reset", {}],
      ["project", { change: "deleted" }],
    ];
    const received = await events.take(expected.length);
    expect(received.map(({ type, data: { project: _key, ...data } }) => [type, data])).toEqual(expected);
    for (const { data } of received) expect(data.project).toBe(project);
    const ids = received.map((event) => event.id);
    expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test("reports each used-up rule and scenario once in each project", async () => {
    const [project, other] = [newProject(), newProject()];
    const events = await openEvents(mock, "/events");
    const changes = async (count: number) =>
      (await events.take(count)).map(({ type, data }) => [
        type,
        data.change ?? data.status,
        data.project,
        data.rule ?? data.scenario,
      ]);
    const cart = (key: string) => mock.resource(key, "/namespace-action-with-example");
    await inProject(mock, project, "POST", "/rules", { operation: "getCart", times: 2, respond: { status: 500 } });
    for (let number = 0; number < 3; number++) await cart(project);
    expect(await changes(6)).toEqual([
      ["project", "created", project, undefined],
      ["rules", "added", project, "r-1"],
      ["request", 500, project, undefined],
      ["rules", "used-up", project, "r-1"],
      ["request", 500, project, undefined],
      ["request", 200, project, undefined],
    ]);
    // Each project counts its own uses of a scenario that is active for all projects.
    await control(mock, "PUT", "/scenarios/server-error", { times: 1 });
    await cart(project);
    await cart(other);
    await control(mock, "DELETE", "/scenarios/server-error");
    await mock.resource(project, "/namespace-action-with-example", {
      headers: { Prefer: "scenario=token-expired" },
    });
    expect(await changes(8)).toEqual([
      ["scenarios", "activated", undefined, "server-error"],
      ["scenarios", "used-up", project, "server-error"],
      ["request", 500, project, undefined],
      ["project", "created", other, undefined],
      ["scenarios", "used-up", other, "server-error"],
      ["request", 500, other, undefined],
      ["scenarios", "deactivated", undefined, "server-error"],
      ["request", 401, project, undefined],
    ]);
  });

  test("reports changes by provider states and the token endpoint, and reloaded scenarios", async () => {
    const project = newProject();
    await configure(mock, project, {});
    const events = await openEvents(mock, `/projects/${project}/events`);
    const setUp = (body: object) => control(mock, "POST", "/provider-states", { ...body, params: { project } });
    await setUp({ state: "slow" });
    await setUp({ state: "slow", action: "teardown" });
    await setUp({ state: "no resource exists" });
    const token = await tokenFor(mock, `view_test:${project}`);
    await mock.fetch("/oauth/token/revoke", form({ token }, basic("shop", "secret")));
    await tokenFor(mock);
    mock.engine.useScenarios(mock.engine.scenarios);
    const received = (await events.take(11)).map(({ type, data }) => [type, data]);
    // One event for each of the five bundled resources.
    expect(received.splice(2, 5).map(([, data]) => data)).toEqual(
      Array.from({ length: 5 }, () => expect.objectContaining({ project, type: "Resource", to: null })),
    );
    expect(received).toEqual([
      ["scenarios", { project, change: "activated", scenario: "slow", on: true }],
      ["scenarios", { project, change: "deactivated", scenario: "slow", on: false }],
      ["tokens", { project, change: "issued", id: "t-1" }],
      ["request", expect.objectContaining({ project, operation: "token", status: 200 })],
      ["tokens", { project, change: "revoked", id: "t-1" }],
      ["scenarios", { change: "reloaded" }],
    ]);
  });

  test("sends no event after calls that only read", async () => {
    const project = newProject();
    await inProject(mock, project, "POST", "/snapshots", { name: "s" });
    const events = await openEvents(mock, `/projects/${project}/events`);
    const reads = ["", "/state", "/resources", "/images", "/snapshots", "/scenarios", "/rules", "/settings", "/clock"];
    for (const path of [...reads, "/tokens", "/requests", "/coverage"]) {
      expect((await inProject(mock, project, "GET", path)).status).toBe(200);
    }
    await inProject(mock, project, "PATCH", "/settings", { auth: "lenient" });
    await inProject(mock, project, "POST", "/reset");
    expect(await events.next()).toMatchObject({ type: "reset" });
  });

  test("includes changes that affect all projects, but no events of other projects", async () => {
    const [project, other] = [newProject(), newProject()];
    const [own, all] = [await openEvents(mock, `/projects/${project}/events`), await openEvents(mock, "/events")];
    await mock.resource(other);
    await mock.resource(project);
    await control(mock, "PUT", "/scenarios/slow");
    await control(mock, "DELETE", "/scenarios/slow");
    await control(mock, "POST", "/reset");
    const projects = (events: Event[]) => events.map(({ type, data }) => [type, data.project]);
    const rest = [
      ["scenarios", undefined],
      ["scenarios", undefined],
      ["reset", undefined],
    ];
    const created = (key: string) => [
      ["project", key],
      ["request", key],
    ];
    expect(projects(await all.take(7))).toEqual([...created(other), ...created(project), ...rest]);
    expect(projects(await own.take(5))).toEqual([...created(project), ...rest]);
  });

  describe("of a client that reconnects", () => {
    test("sends the missed events again, after the last id that the client received", async () => {
      const project = newProject();
      const events = await openEvents(mock, `/projects/${project}/events`);
      for (let number = 0; number < 5; number++) await mock.resource(project, `?integerParameter=${number}`);
      const received = await events.take(6);
      await events.close();
      await mock.resource(project, "?integerParameter=5");
      await mock.resource(newProject());
      const lastId = String(received[3]?.id);
      const again = await openEvents(mock, `/projects/${project}/events`, { "Last-Event-ID": lastId });
      await mock.resource(project, "?integerParameter=6");
      const queries = (await again.take(4)).map(({ data }) => data.query);
      expect(queries).toEqual([3, 4, 5, 6].map((number) => `integerParameter=${number}`));
    });

    test.each(["99999999", "9007199254740991", "not an id"])(
      "sends a gap and then the first kept event, for the unknown id %j",
      async (id) => {
        const project = newProject();
        const events = await openEvents(mock, `/projects/${project}/events`);
        await mock.resource(project);
        const first = await events.next();
        const again = await openEvents(mock, `/projects/${project}/events`, { "Last-Event-ID": id });
        expect(await again.next()).toMatchObject({ type: "gap", data: { project } });
        // Events of all projects can precede this event.
        for (let event = await again.next(); event.id <= first.id; event = await again.next()) {
          if (event.id === first.id) return expect(event).toEqual(first);
        }
        expect.unreachable("expected the event to be sent again");
      },
    );
  });

  test("contains no tokens", async () => {
    const project = newProject();
    const events = await openEvents(mock, `/projects/${project}/events`);
    await mock.resource(project, "?access_token=secret&access%5Ftoken=secret&facet=x");
    await events.next();
    expect((await events.next()).data.query).toBe("access_token=[redacted]&access%5Ftoken=[redacted]&facet=x");
  });

  test("with summary=true, sends few events one by one", async () => {
    const project = newProject();
    const events = await openEvents(mock, `/projects/${project}/events?summary=true`);
    await mock.resource(project);
    expect((await events.take(2)).map(({ type }) => type)).toEqual(["project", "request"]);
    expect((await mock.fetch("/__admin/events?summary=1")).status).toBe(400);
  });

  test("has at most 200 readers: further readers get 503 with Retry-After", async () => {
    const others = Array.from({ length: 200 - listeners() }, () => mock.engine.feed.open());
    const reply = await control(mock, "GET", "/events");
    expectProblem(reply, 503, "ServiceUnavailable", "expected at most 200 on a server, found more");
    expect(reply.headers.get("Retry-After")).toBe("1");
    for (const each of others) await each.cancel();
    expect(await (await openEvents(mock, "/events")).frame()).toBe("retry: 1000");
  });

  test("has no listeners after its clients disconnect", async () => {
    await expect.poll(listeners, { interval: 1 }).toBe(0);
    const streams = await Promise.all(Array.from({ length: 50 }, () => openEvents(mock, "/events")));
    await expect.poll(listeners, { interval: 1 }).toBe(50);
    for (const { close } of streams) await close();
    await expect.poll(listeners, { interval: 1 }).toBe(0);
  });
});

describe("a client that does not read from its socket", () => {
  const mock = useMock("over a socket");

  test("takes no memory of the mock, and receives a gap and later events after it reads again", async () => {
    const reader = await openSocket(mock.url);
    reader.send("GET /__admin/events HTTP/1.1\r\nHost: mock\r\n\r\n");
    await reader.received(/retry: 1000/);
    reader.socket.pause();
    const path = `/${"x".repeat(400)}`;
    const data = { id: "1", method: "GET", path, query: "", status: 200, source: "state", violations: 0 };
    // The sockets of both sides buffer data in addition to the server.
    for (let number = 0; number < 50_000; number++) {
      mock.engine.feed.publish("request", "p", { ...data, receivedAt: "", serverTime: "", duration: 0 });
      if (number % 500 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    mock.engine.feed.publish("reset", undefined, {});
    reader.socket.resume();
    const text = await reader.received(/event: reset/);
    expect(text.lastIndexOf("event: request")).toBeGreaterThan(text.indexOf("event: gap"));
    expect(text).toContain("event: gap");
    reader.socket.destroy();
  });
});
