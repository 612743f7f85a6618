import { describe, expect, test } from "vitest";
import { MAX_ARCHIVE_BYTES, MAX_BODY_BYTES } from "../../src/contract/limits.ts";
import { addFunction } from "../../src/engine/add-function.ts";
import { addRule } from "../setup/activation.ts";
import { type Archive, archiveRequest, archiveText } from "../setup/archives.ts";
import { control, expectProblem, inProject } from "../setup/control.ts";
import { pausesDuring } from "../setup/meanwhile.ts";
import { json, type MockUnderTest, newProject, onTransports, useMock } from "../setup/mock.ts";
import { image } from "../setup/requests.ts";
import { configure, draft } from "../setup/resources.ts";
import { effort } from "../setup/runs.ts";

const at = "2025-01-01T00:00:00.000Z";

async function archiveOf(mock: MockUnderTest, project: string): Promise<Archive> {
  const { status, body } = await inProject<Archive>(mock, project, "GET", "/archive");
  expect([status, body]).toEqual([200, expect.any(Object)]);
  return body;
}

/** Returns a resource with this many levels of nesting. */
const deep = (levels: number) => ({ ...draft, deep: JSON.parse("[".repeat(levels - 1) + "]".repeat(levels - 1)) });

const restore = (mock: MockUnderTest, project: string, archive: unknown) =>
  inProject(mock, project, "PUT", "/archive", archive);

/** Returns the names of the lines with this start. */
const named = (archive: Archive, start: string) => Object.keys(archive).filter((name) => name.startsWith(start));

/** Creates a project with content in each part of its archive. */
async function withHistory(mock: MockUnderTest, project = newProject()): Promise<string> {
  const calls: [string, string, object?][] = [
    ["PATCH", "/settings", { rateLimit: { limit: 1000, window: 60_000 }, latency: { uniform: [0, 0] } }],
    ["PUT", "/clock", { now: at, frozen: true }],
    ["POST", "/rules", { operation: "getResourceById", respond: { status: 404 }, times: 1 }],
    ["POST", "/rules", { operation: "getResourceByKey", fault: "EMPTY_RESPONSE", probability: 0.5 }],
    ["PUT", "/scenarios/conflict", { times: 2 }],
    ["PUT", "/scenarios/own", { rules: [{ operation: "getCart", raw: { status: 418, bodyBase64: "/wA=" } }] }],
    ["POST", "/resources", { ...draft, id: "keyed", key: "k" }],
    ["POST", "/snapshots", { name: "empty" }],
    ["PUT", "/namespace-action", { body: null }],
  ];
  for (const [method, path, body] of calls) {
    const { status } = await inProject(mock, project, method, path, body);
    expect([path, status < 300]).toEqual([path, true]);
  }
  for (const [path, init] of [
    ["", json("POST", { ...draft, note: "\ud800" })],
    ["/some-id", {}],
    ["/other-id", {}],
    ["/other-id", { method: "DELETE" }],
    ["/images?filename=front.png&sku=s", image("image/png")],
    ["/namespace-action-with-example", {}],
    ["/nothing/here", { method: "POST", body: new Uint8Array([0xff, 0]) }],
  ] as const) {
    await (await mock.resource(project, path, init)).arrayBuffer();
  }
  return project;
}

onTransports("values with the most levels of nesting", {}, (mock) => {
  test("can be exported and imported, and then changed, exported and imported again", async () => {
    const [project, copy] = [newProject(), newProject()];
    const call = async (method: string, path: string, body: unknown, key = project) =>
      expect([path, (await inProject(mock, key, method, path, body)).status]).toEqual([
        path,
        expect.toBeOneOf([200, 204, 201]),
      ]);
    await call("PUT", "/resources/r", deep(200));
    await call("PUT", "/namespace-action", { body: deep(200) });
    await call("POST", "/snapshots", { name: "deep" });
    for (const note of ["first", "second"]) {
      await call("PUT", "/archive", await archiveOf(mock, project), copy);
      await call("PUT", "/archive", await archiveOf(mock, copy));
      await call("PUT", "/state", (await inProject(mock, project, "GET", "/state")).body);
      await call("PUT", "/resources/r", { ...deep(200), note });
      await call("PUT", "/namespace-action", (await inProject(mock, project, "GET", "/namespace-action")).body);
    }
  });

  test.each([
    ["PUT", "/resources/r", deep(201)],
    ["POST", "/resources", deep(201)],
    ["PUT", "/state", { resources: [deep(201)] }],
    ["PUT", "/state", { resources: [], namespaceAction: { body: deep(201) } }],
    ["PUT", "/namespace-action", { body: deep(201) }],
  ])("are those of a body: %s %s rejects a deeper value", async (method, path, body) => {
    const reply = await inProject(mock, newProject(), method, path, body);
    expectProblem(reply, 400, "InvalidInput", "levels of nesting, found more");
  });

  test.each(["item/Resource/r", "snapshot/s/item/Resource/r", "item/NamespaceAction/"])(
    "are those of a body in a line %s, too",
    async (line) => {
      const project = newProject();
      await inProject(mock, project, "PUT", "/resources/r", deep(200));
      await inProject(mock, project, "PUT", "/namespace-action", { body: deep(200) });
      await inProject(mock, project, "POST", "/snapshots", { name: "s" });
      const archive = await archiveOf(mock, project);
      expect((await restore(mock, project, archive)).status).toBe(204);
      const value = [1, { ...archive[line][1], content: deep(201) }];
      const reply = await restore(mock, project, { ...archive, [line]: value });
      expectProblem(reply, 400, "InvalidInput", "expected at most 203 levels of nesting, found more");
    },
  );
});

describe("the limits of a JSON body", () => {
  const mock = useMock("in process");
  const members = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, 0]));
  const rule = { operation: "createResource", when: { body: { a: 0 } }, fault: "EMPTY_RESPONSE" } as const;
  const lines: [string, (value: unknown) => unknown][] = [
    ["item/NamespaceAction/", (content) => [1, itemWith("", content)]],
    ["item/Resource/some-id", (more) => [1, itemWith("some-id", { ...draft, more })]],
    ["snapshot/s/item/Resource/some-id", (more) => [1, itemWith("some-id", { ...draft, more })]],
    ["snapshot/s/item/NamespaceAction/", (content) => [1, itemWith("", content)]],
    ["rule/r-1", (a) => ({ id: "r-1", rule: { ...rule, when: { body: { a } } } })],
    ["scenario/0", (a) => ({ name: "own", inline: true, rules: [{ ...rule, when: { body: { a } } }] })],
    ["change/1", (content) => ({ number: 1, at: 0, author: { by: "control" }, changes: [changeOf(content)] })],
    ["settings", (value) => value],
    ["core", (value) => value],
    ["coverage/getCart", (statuses) => ({ requests: 1, offContract: 0, statuses })],
    ["violations", (locations) => ({ locations, others: 0 })],
    ["request/1", (headers) => ({ headers })],
  ];
  const itemWith = (id: string, content: unknown) => ({ id, version: 1, createdAt: at, lastModifiedAt: at, content });
  const changeOf = (content: unknown) => {
    return { table: "item", in: "NamespaceAction", id: "", after: [1, itemWith("", content)] };
  };

  async function restored(name: string, value: unknown) {
    const project = newProject();
    await addRule(mock, project, rule);
    await inProject(mock, project, "POST", "/snapshots", { name: "s" });
    const { end, ...archive } = await archiveOf(mock, project);
    return restore(mock, project, { ...archive, [name]: value, end });
  }

  test.each(lines)("hold for the members of an object in a line %s", async (name, valueWith) => {
    const reply = await restored(name, valueWith(members(10_001)));
    expectProblem(reply, 400, "InvalidInput", "expected at most 10000 members in an object, found more");
  });

  test.each(lines)("hold for the values in a line %s", slow, async (name, valueWith) => {
    const most = /^(scenario|change)/.test(name) ? 2_500_000 : 200_100;
    const reply = await restored(name, valueWith(Array(most).fill(0)));
    expectProblem(reply, 400, "InvalidInput", `expected at most ${most} JSON values, found more`);
  });

  test.each(lines.slice(0, 2))("hold for the texts in a line %s", slow, async (name, valueWith) => {
    const most = 48 * 1024 * 1024;
    const reply = await restored(name, valueWith("x".repeat(most)));
    expectProblem(reply, 400, "InvalidField", `expected at most ${most} bytes, found `);
  });

  test("let every value of a body be archived and restored", slow, async () => {
    const project = newProject();
    const content = { ...draft, more: [members(10_000), ...Array(189_990).fill(1e20)] };
    expect((await inProject(mock, project, "PUT", "/resources/most", content)).status).toBe(201);
    await inProject(mock, project, "POST", "/snapshots", { name: "s" });
    expect((await restore(mock, newProject(), await archiveOf(mock, project))).status).toBe(204);
  });

  test("hold for the values in the history: a longer one is cut, as that of a change is", async () => {
    const project = newProject();
    await inProject(mock, project, "PUT", "/namespace-action", { body: "x".repeat(70_000) });
    const archive = await archiveOf(mock, project);
    const itemIn = (of: Archive) => of["change/1"].changes.find(({ table }: { table: string }) => table === "item");
    expect(itemIn(archive).after).toMatchObject({ cut: 70_002 });
    itemIn(archive).after = archive["item/NamespaceAction/"];
    delete archive["change/1"].problem;
    const copy = newProject();
    expect((await restore(mock, copy, archive)).status).toBe(204);
    expect(itemIn(await archiveOf(mock, copy)).after).toMatchObject({ cut: 70_002 });
    expectProblem(await inProject(mock, copy, "POST", "/rewind", { moment: 0 }), 409, "NotRewindable");
  });
});

onTransports("an archive", {}, (mock) => {
  test("contains the whole project", async () => {
    const project = await withHistory(mock);
    const archive = await archiveOf(mock, project);
    const [image = "", resource = ""] = ["item/Image/", "item/Resource/"].flatMap((start) =>
      named(archive, start).slice(-1),
    );
    expect(archive).toMatchObject({
      core: {
        origin: { seed: "0", projectKey: project },
        clock: { frozenAt: Date.parse(at) },
        counts: { requests: 7, errors: 3 },
      },
      settings: { rateLimit: { limit: 1000, window: 60_000 } },
      rules: { scenarios: 2, rules: ["r-1", "r-2"], added: 2 },
      "scenario/0": { name: "conflict", inline: false, times: 2 },
      "scenario/1": { name: "own", inline: true },
      "rule/r-1": { id: "r-1", rule: { respond: { status: 404 } } },
      "rule/r-2": { id: "r-2" },
      "gone/Resource/id=other-id": true,
      "item/NamespaceAction/": [1, { content: null }],
      [image]: [expect.any(Number), { content: { sku: "s" } }],
      [resource]: [expect.any(Number), { content: { note: "\ud800" } }],
      snapshots: ["empty"],
      "snapshot/empty": { takenAt: at },
    });
    const names = Object.keys(archive);
    expect([...names.slice(0, 2), names.at(-1)]).toEqual(["format", "contract", "end"]);
    expect(archive).toMatchObject({
      format: "resource-mock-archive/4",
      contract: { title: "Generic Resource Service", fingerprint: expect.stringMatching(/^[0-9a-f]{8,}$/) },
    });
    expect(named(archive, "request/").sort()).toEqual([1, 2, 3, 4, 5, 6, 7].map((number) => `request/${number}`));
    expect(named(archive, "change/").length).toBeGreaterThan(1);
    expect(archive.core.uses).toContainEqual(expect.objectContaining({ kind: "rule", name: "r-1", count: 1 }));
  });

  test("restores the project under another key, where the same requests get the same responses", async () => {
    const project = await withHistory(mock);
    const copy = newProject();
    const archive = await archiveOf(mock, project);
    expect((await restore(mock, copy, archive)).status).toBe(204);
    expect(await archiveOf(mock, copy)).toEqual(archive);
    const next = async (key: string) => {
      const seen: unknown[] = [];
      for (const path of ["", "", "/some-id", "/new-id"]) {
        const response = await mock.resource(key, path, path === "" ? json("POST", draft) : {});
        const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== "date"));
        seen.push([response.status, headers, await response.text()]);
      }
      return JSON.parse(JSON.stringify(seen).replaceAll(key, "KEY"));
    };
    expect(await next(copy)).toEqual(await next(project));
  });

  test("an archive of another project is restored with the key of its new project", async () => {
    const project = await withHistory(mock);
    const [copy, restored] = [newProject(), newProject()];
    await configure(mock, copy, { journalSize: 1 });
    const archive = await archiveOf(mock, project);
    expect((await restore(mock, restored, archive)).status).toBe(204);
    expect((await restore(mock, copy, { from: project })).status).toBe(204);
    expect(await archiveOf(mock, copy)).toEqual(archive);
    const entries = async (key: string) => (await inProject(mock, key, "GET", "/requests")).body;
    expect(await entries(copy)).toEqual(await entries(restored));
    expect(await archiveOf(mock, project)).toEqual(archive);
  });

  test.each([
    ["an unknown project", { from: "no-such-project" }, "/from", 'Project "no-such-project" not found.'],
    ["an unknown member", { from: "a", form: "b" }, "/form", "/form: unknown member"],
    ["a number in place of a key", { from: 42 }, "/from", "/from: expected string, found 42"],
  ])("a restore from %s returns 400 with the location, and changes nothing", async (_what, body, pointer, detail) => {
    const project = await withHistory(mock);
    const archive = await archiveOf(mock, project);
    const [error] = expectProblem(await restore(mock, project, body), 400, "InvalidField");
    expect(error).toEqual({ pointer, detail: expect.stringContaining(detail) });
    expect(await archiveOf(mock, project)).toEqual(archive);
  });

  test.each<[string, string, Record<string, string>, cut: [own?: true, restored?: true]]>([
    ["a long header", "", { "X-Long": "x".repeat(10_000) }, [true, true]],
    ["many headers", "", Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`X-${at}`, "x"])), [true, true]],
    ["a long query", `?integerParameter=${"x".repeat(14_000)}`, {}, []],
    ["short secrets that become long marks", `?${"access_token=a&".repeat(800)}`, {}, [undefined, true]],
    ["a cookie with short secrets", "", { Cookie: "a=1;".repeat(2000) }, [undefined, true]],
    ["a long path", `/${"x".repeat(14_000)}`, {}, [true, true]],
  ])("restores a request with %s, and the entry says whether it is cut", async (_what, path, headers, cut) => {
    const [project, copy] = [newProject(), newProject()];
    await configure(mock, project, {});
    await (await mock.resource(project, path, { headers })).arrayBuffer();
    expect((await restore(mock, copy, await archiveOf(mock, project))).status).toBe(204);
    for (const [index, key] of [project, copy].entries()) {
      const [entry] = (await inProject<Archive>(mock, key, "GET", "/requests")).body.requests;
      expect(entry.cut).toBe(cut[index]);
      expect(entry.request.path).toContain(path.split("?")[0]);
      const values = Object.values<string>(entry.request.headers);
      expect(values.length).toBeLessThanOrEqual(64);
      expect(Math.max(...values.map(({ length }) => length))).toBeLessThanOrEqual(8192);
    }
    expect((await restore(mock, project, await archiveOf(mock, copy))).status).toBe(204);
  });

  test("restores an earlier moment of the same project, with its request ids", async () => {
    const project = await withHistory(mock);
    const archive = await archiveOf(mock, project);
    const create = async () => (await mock.resource(project, "", json("POST", draft))).headers;
    const first = await create();
    await create();
    await inProject(mock, project, "POST", "/snapshots", { name: "later" });
    expect((await restore(mock, project, archive)).status).toBe(204);
    expect(await archiveOf(mock, project)).toEqual(archive);
    const again = await create();
    expect(["Location", "Mock-Request-Id"].map((name) => again.get(name))).toEqual(
      ["Location", "Mock-Request-Id"].map((name) => first.get(name)),
    );
  });

  test("is shown in the summary of the restored project until its reset, with the test that it comes from", async () => {
    const project = await withHistory(mock);
    const copy = newProject();
    const summary = async (key: string) => (await inProject<Archive>(mock, key, "GET", "")).body.archive;
    const archive = await archiveOf(mock, project);
    await restore(mock, copy, archive);
    expect(await summary(project)).toBeUndefined();
    expect(await summary(copy)).toEqual({ restoredAt: expect.stringMatching(/^\d{4}-.*Z$/) });
    const source = { test: "cart.test.ts > saves", savedAt: at };
    const { format, ...rest } = archive;
    await restore(mock, copy, { format, source, ...rest });
    expect(await summary(copy)).toEqual({ ...source, restoredAt: expect.any(String) });
    expect(await archiveOf(mock, copy)).toEqual({ ...archive, source });
    await inProject(mock, copy, "POST", "/reset");
    expect(await summary(copy)).toBeUndefined();
  });

  test("an archive of an unknown project is that of a new project, and creates no project", async () => {
    const project = newProject();
    const archive = await archiveOf(mock, project);
    expect(archive.core).toMatchObject({ origin: { projectKey: project }, counts: { requests: 0 } });
    expect(await mock.has(project)).toBe(false);
    expect((await restore(mock, project, archive)).status).toBe(204);
    expect(await mock.has(project)).toBe(true);
  });

  test("an archive of a contract with another title is rejected with both titles", async () => {
    const project = await withHistory(mock);
    const { contract, ...archive } = await archiveOf(mock, project);
    const named = (more: Archive): Archive => ({
      format: archive.format,
      contract: { title: "Shop", fingerprint: "1" },
      ...more,
    });
    const { format, core, end } = archive;
    const reply = await restore(mock, project, named({ core, "collection/Cart": { created: 1 }, end }));
    expect(expectProblem(reply, 400, "InvalidField")).toEqual([
      {
        pointer: "/contract",
        detail:
          '/contract: expected an archive of "Generic Resource Service", found one of "Shop". Start the server with the contract of the archive.',
      },
    ]);
    const copy = newProject();
    for (const each of [
      named({ contract: { ...contract, title: "Shop" }, core, end }),
      named({ contract: { ...contract, fingerprint: "1" }, core, end }),
      { format, core, end },
    ])
      expect((await restore(mock, copy, each)).status).toBe(204);
  });

  test("an opened archive keeps the requests of lost operations and the items of lost types, and does not serve them", async () => {
    const archive = await archiveOf(mock, await withHistory(mock));
    const lost = ["lostOperation", "__proto__"];
    for (const operation of lost) archive[`coverage/${operation}`] = { requests: 1, offContract: 0 };
    for (const [index, operationId] of lost.entries()) archive[`request/${index + 3}`].operationId = operationId;
    const item = { id: "7", version: 1, createdAt: at, lastModifiedAt: at, content: { id: "7" } };
    archive["collection/Lost%2Fann"] = { created: 1 };
    archive["item/Lost%2Fann/7"] = [1, item];
    const { end, ...lines } = archive;
    const copy = newProject();
    expect((await restore(mock, copy, { ...lines, end })).status).toBe(204);
    const { body } = await inProject<{ requests: Archive[] }>(mock, copy, "GET", "/requests?q=lostOperation");
    expect(body.requests).toHaveLength(1);
    const paths = ["/coverage", "/requests?format=har", "/pact?consumer=a", "/state", "/types", "/requests/timeline"];
    for (const path of paths) expect([path, (await inProject(mock, copy, "GET", path)).status]).toEqual([path, 200]);
    expectProblem(await inProject(mock, copy, "GET", "/resources?type=Lost/ann"), 400, "InvalidField", "unknown type");
    const kept = await archiveOf(mock, copy);
    expect(kept["item/Lost%2Fann/7"]).toEqual([1, item]);
    expect(kept["coverage/lostOperation"]).toMatchObject({ requests: 1 });
  });

  test("an archive in another format is rejected with both formats", async () => {
    const project = newProject();
    const reply = await restore(mock, project, { format: "resource-mock-archive/1", other: 1 });
    const errors = expectProblem(reply, 400, "InvalidField", '"resource-mock-archive/4"');
    expect(errors).toEqual([
      { pointer: "/format", detail: expect.stringContaining('found "resource-mock-archive/1"') },
    ]);
    expect(await mock.has(project)).toBe(false);
  });

  test("ends the project that it replaces as a reset does: requests in progress fail, and tokens are forgotten", async () => {
    const project = await withHistory(mock);
    const archive = await archiveOf(mock, project);
    await inProject(mock, project, "POST", "/tokens", {});
    const waiting = inProject(mock, project, "POST", "/requests/wait", { match: { method: "PUT" }, timeout: 60_000 });
    await expect.poll(() => mock.waits(project), { interval: 1 }).toBe(1);
    expect((await restore(mock, project, archive)).status).toBe(204);
    expect((await waiting).status).toBe(503);
    expect((await inProject(mock, project, "GET", "/tokens")).body).toMatchObject({ tokens: [] });
  });
});

const mock = useMock("in process");
const withoutScenarios = useMock("in process", { scenarios: new Map() });
const slow = { tags: ["slow"] };

onTransports("a state document and an archive", {}, (mock) => {
  const calls = { archive: "application/x-ndjson", state: "application/json" } as const;
  const send = async (call: keyof typeof calls, body: string, type: string = calls[call]) => {
    const path = `/__admin/projects/${newProject()}/${call}`;
    const response = await mock.fetch(path, { method: "PUT", body, headers: { "Content-Type": type } });
    return { status: response.status, headers: response.headers, body: await response.json() };
  };
  const toState = "PUT /__admin/projects/{projectKey}/state takes a state document.";
  const toArchive = "PUT /__admin/projects/{projectKey}/archive takes an archive.";

  test.each(["numbered", "deleted", "images"])("PUT …/archive names the call for a state document", async (first) => {
    const state = JSON.stringify({ [first]: first === "numbered" ? 1 : [], resources: [] }, null, 2);
    const [error, ...others] = expectProblem(await send("archive", state), 400, "InvalidField", toState);
    expect([error?.pointer, others]).toEqual(["", []]);
    expectProblem(await send("archive", state, calls.state), 400, "InvalidField", toState);
  });

  test("PUT …/state names the call for an archive", async () => {
    const project = await withHistory(mock);
    const archive = archiveText(await archiveOf(mock, project));
    for (const text of [archive, archive.slice(0, archive.indexOf("\n"))]) {
      const [error, ...others] = expectProblem(await send("state", text), 400, "InvalidField", toArchive);
      expect([error?.pointer, others]).toEqual(["", []]);
      expectProblem(await send("state", text, calls.archive), 415, "UnsupportedMediaType", toArchive);
    }
  });
});

describe("an invalid archive changes nothing", () => {
  /** Applies a change to the value of the last line with this start of its name. Returns its pointer. */
  const inLine = (start: string, change: (value: Archive[string]) => void, pointer: string) => (archive: Archive) => {
    const name = named(archive, start).at(-1) ?? "";
    change(archive[name]);
    return `/${name.replaceAll("/", "~1")}${pointer}`;
  };
  const without = (name: string, pointer: string) => (archive: Archive) => {
    delete archive[name];
    return pointer;
  };
  /** Adds a resource with the number or the key of the resource "keyed". Returns the pointer of the value that both have. */
  const copied = (changes: object, pointer: string, addend: number) => (archive: Archive) => {
    const [number, resource] = archive["item/Resource/keyed"];
    const { end, ...lines } = archive;
    for (const name in archive) delete archive[name];
    const copy = [number + addend, { ...resource, id: "copy", ...changes }];
    Object.assign(archive, lines, { "item/Resource/copy": copy, end });
    return `/item~1Resource~1keyed${pointer}`;
  };
  /** Changes the item of a type before or after the last set of changes with one. Returns the pointer. */
  const inChange = (side: "before" | "after", type: string, values: object, pointer: string) => (archive: Archive) => {
    const isOfTable = (change: { table: string; in: string }) => change.table === "item" && change.in === type;
    const name = named(archive, "change/").findLast((each) => archive[each].changes.some(isOfTable)) ?? "";
    const index = archive[name].changes.findIndex(isOfTable);
    const change = archive[name].changes[index];
    const [number, value] = change.after ?? change.before;
    change[side] = [number, { ...value, ...values }];
    return `/${name.replace("/", "~1")}/changes/${index}/${side}/1${pointer}`;
  };
  const changes: [string, (archive: Archive) => string][] = [
    ["no core", without("core", "/core")],
    ["no definition of a rule", without("rule/r-2", "/rule~1r-2")],
    ["no definition of a scenario", without("scenario/1", "/scenario~11")],
    ["no facts of a snapshot", without("snapshot/empty", "/snapshot~1empty")],
    ["no end", without("end", "/end")],
    [
      "a counter that is too large",
      inLine("core", ({ counts }) => Object.assign(counts, { requests: 1e16 }), "/counts/requests"),
    ],
    ["a time after all dates", inLine("core", ({ clock }) => Object.assign(clock, { offset: 1e300 }), "/clock/offset")],
    ["an unknown setting", inLine("settings", (settings) => Object.assign(settings, { quick: true }), "/quick")],
    [
      "a rule that violates the contract",
      inLine("rule/r-1", ({ rule }) => Object.assign(rule.respond, { status: 418 }), "/rule/respond/status"),
    ],
    ["a rule with another id", inLine("rule/r-1", (rule) => Object.assign(rule, { id: "r-2" }), "/id")],
    ["a repeated rule", inLine("rules", ({ rules }) => rules.push("r-1"), "/rules/2")],
    [
      "a resource with another id",
      inLine("item/Resource/", ([, resource]) => Object.assign(resource, { id: "x" }), "/1/id"),
    ],
    ["a resource with the number of another one", copied({ alternates: { key: "other" } }, "/0", 0)],
    ["a resource with the key of another one", copied({}, "/1/alternates/key", 100)],
    ...(["before", "after"] as const).flatMap((side): typeof changes => [
      [`a change of a resource with another id ${side} it`, inChange(side, "Resource", { id: "x" }, "/id")],
      [`a change of an image with another id ${side} it`, inChange(side, "Image", { id: "x" }, "/id")],
      [`a change of an image that is not base64 ${side} it`, inChange(side, "Image", { base64: "?" }, "/base64")],
    ]),
    [
      "a request after the last set of changes",
      inLine("request/3", (request) => Object.assign(request, { momentAfter: 1e9 }), "/momentAfter"),
    ],
    [
      "a request that ended before it began",
      inLine(
        "request/3",
        (request) => Object.assign(request, { momentBefore: request.momentAfter + 1 }),
        "/momentBefore",
      ),
    ],
    [
      "an image that is not base64",
      inLine("item/Image/", ([, image]) => Object.assign(image, { base64: "?" }), "/1/base64"),
    ],
    [
      "an invalid resource of a snapshot",
      inLine("snapshot/empty/item/Resource/", ([, resource]) => Object.assign(resource, { version: 0 }), "/1/version"),
    ],
    ...(
      [
        ["a long query", ["query"], "x".repeat(16_385)],
        ["a long path", ["path"], "x".repeat(16_385)],
        ["a long header", ["headers", "cookie"], "x".repeat(8193)],
        ["many values of a header", ["responseHeaders", "set-cookie"], Array(65).fill("x")],
        ["many headers", ["headers"], Object.fromEntries(Array.from({ length: 65 }, (_, index) => [`x-${index}`, ""]))],
        ["a long body", ["responseBody"], "x".repeat(65_537)],
        ["a long body in base64", ["responseBody"], { base64: "A".repeat(87_388) }],
        ["a long decision", ["decisions", "0"], { kind: "rejected", code: "x", message: "x".repeat(1025) }],
      ] as const
    ).map(([name, path, value]): (typeof changes)[number] => [
      `a request with ${name}`,
      (archive) => {
        archive["request/3"] = replacedAt(archive["request/3"], path, value);
        const member = typeof value === "object" && ["base64", "message"].find((name) => name in value);
        return `/request~13/${path.join("/")}${member ? `/${member}` : ""}`;
      },
    ]),
    [
      "a request with bytes that are not base64",
      inLine("request/5", ({ requestBody }) => Object.assign(requestBody, { base64: "?" }), "/requestBody/base64"),
    ],
  ];

  test.each(changes)("%s", async (_name, change) => {
    const project = await withHistory(mock);
    const before = await archiveOf(mock, project);
    const { bytes } = mock.engine.budget;
    const archive = structuredClone(before);
    const pointer = change(archive);
    const [error] = expectProblem(await restore(mock, project, archive), 400, "InvalidField");
    expect(error?.pointer).toBe(pointer);
    expect(await archiveOf(mock, project)).toEqual(before);
    expect(mock.engine.budget.bytes).toBe(bytes);
  });

  const format = '{"format":"resource-mock-archive/4"}\n';
  const oneMember = "expected an object with one member, found another value";
  test.each([
    ["x", "InvalidJsonInput", "", "Line 1 is not JSON: "],
    [`${format}\n`, "InvalidJsonInput", "", "Line 2 is not JSON: "],
    [`${format}[]`, "InvalidField", "", `line 2: ${oneMember}`],
    [`${format}{"core":{},"end":true}`, "InvalidField", "", `line 2: ${oneMember}`],
    [`${format}{"resource":[]}`, "InvalidField", "/resource", "line 2: expected the name of a line"],
    [`${format}{"__proto__":1}`, "InvalidField", "/__proto__", "line 2: expected the name of a line"],
    ['{"format":null}\n{"end":true}', "InvalidField", "/format", "line 1: expected"],
    ['{"end":true}', "InvalidField", "/format", 'line 1: expected "resource-mock-archive/4", found none'],
    [`${format}{"end":true}\n{"key":"a"}`, "InvalidField", "/end", 'expected the last line {"end":true}'],
    [`${format}{"end":true}\n{"en`, "InvalidJsonInput", "", "Line 3 is not JSON: "],
  ])("the text %j", async (text, code, pointer, detail) => {
    const project = newProject();
    const response = await mock.fetch(`/__admin/projects/${project}/archive`, archiveRequest(text));
    const body = await response.json();
    const errors = expectProblem({ status: response.status, headers: response.headers, body }, 400, code, detail);
    if (code === "InvalidField") expect(errors).toEqual([expect.objectContaining({ pointer })]);
    expect(await mock.has(project)).toBe(false);
  });

  test("a value of another type at any location is rejected or restored, without a defect", slow, async () => {
    const project = await withHistory(mock);
    const archive = await archiveOf(mock, project);
    const values = [null, 1e300, "x", [], {}, true];
    for (const [index, location] of locationsIn(archive).slice(1).entries()) {
      // Two values at each location. A soak test tries all.
      for (const value of effort > 1 ? values : [values[index % 6], values[(index + 3) % 6]]) {
        const target = newProject();
        const { status } = await restore(mock, target, replacedAt(archive, location, value));
        expect([location, value, [204, 400].includes(status)]).toEqual([location, value, true]);
        if (status === 400) expect(await mock.has(target)).toBe(false);
        else await archiveOf(mock, target);
        await inProject(mock, target, "DELETE", "");
      }
    }
  });
});

/** Returns the path of each value in an archive, with only the first two items of each array. */
function locationsIn(value: unknown, path: readonly string[] = []): (readonly string[])[] {
  if (typeof value !== "object" || value === null) return [path];
  const names = Array.isArray(value) ? Object.keys(value).slice(0, 2) : Object.keys(value);
  return [path, ...names.flatMap((name) => locationsIn((value as Archive)[name], [...path, name]))];
}

function replacedAt(root: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  const copy = (Array.isArray(root) ? [...root] : { ...(root as object) }) as Archive;
  copy[name] = replacedAt(copy[name], rest, value);
  return copy;
}

describe("an archive", () => {
  test("has the start of texts that no server of HTTP accepts", async () => {
    const project = newProject();
    const long = "x".repeat(4 * 1024 * 1024);
    await mock.resource(project, `?integerParameter=${long}`, { headers: { "x-long": long, [`x-${long}`]: "1" } });
    await mock.resource(project, `/${long}`, { method: "M".repeat(10_000) });
    const { body } = await inProject<Archive>(mock, project, "GET", "/requests");
    expect(body.requests).toMatchObject([
      {
        cut: true,
        request: { method: expect.stringMatching(/^M{1023}…$/), path: expect.stringMatching(/^.{16383}…$/) },
      },
      {
        cut: true,
        request: {
          query: { integerParameter: [expect.stringMatching(/^x{16366}…$/)] },
          headers: { "x-long": expect.stringMatching(/^x{8191}…$/) },
        },
      },
    ]);
    const archive = await archiveOf(mock, project);
    expect(archiveText(archive).length).toBeLessThan(100_000);
    expect((await restore(mock, newProject(), archive)).status).toBe(204);
  });

  test("may have several lines of a name: the last one applies, and null deletes what the others have set", async () => {
    const archive = await archiveOf(mock, await withHistory(mock));
    const { end, ...lines } = archive;
    const action = "item/NamespaceAction/";
    const later = { "rule/r-1": null, rules: { ...archive.rules, rules: ["r-2"] }, [action]: null, end };
    const text = archiveText({ ...lines, [action]: [1, { ...archive[action][1], content: 1 }] }) + archiveText(later);
    const copy = newProject();
    expect((await mock.fetch(`/__admin/projects/${copy}/archive`, archiveRequest(text))).status).toBe(204);
    const { "rule/r-1": _rule, [action]: _action, ...rest } = archive;
    const uses = archive.core.uses.filter(({ name }: Archive) => name !== "r-1");
    const expected = { ...rest, rules: later.rules, core: { ...archive.core, uses } };
    expect(await archiveOf(mock, copy)).toEqual(expected);
  });

  test("keeps the last requests, as many as its setting journalSize says", async () => {
    const archive = await archiveOf(mock, await withHistory(mock));
    Object.assign(archive.settings, { journalSize: 2 });
    const copy = newProject();
    await restore(mock, copy, archive);
    const requests = named(await archiveOf(mock, copy), "request/");
    expect(requests.sort()).toEqual(["request/6", "request/7"]);
  });

  test("an archive with names of inherited members, or a cut value, causes no defect", async () => {
    const archive = await archiveOf(mock, await withHistory(mock));
    const change = named(archive, "change/").at(-1) ?? "";
    const counts = { constructor: 1, valueOf: 1 };
    const members = { failures: counts, actions: counts, errorCodes: counts };
    archive["coverage/getCart"] = { requests: 1, offContract: 0, ...members };
    archive[change].changes = [{ table: "item", in: "Resource", id: "keyed", before: { cut: 70_000, start: "{" } }];
    const copy = newProject();
    expect((await restore(mock, copy, archive)).status).toBe(204);
    expect((await inProject(mock, copy, "GET", "/coverage")).status).toBe(200);
    expectProblem(await inProject(mock, copy, "POST", "/rewind", { moment: 0 }), 409, "NotRewindable");
    await inProject(mock, copy, "DELETE", "");
    expect((await control(mock, "GET", "/coverage")).status).toBe(200);
  });

  test("contains no credentials and tokens, and the journal of a copy shows the same", async () => {
    const project = newProject();
    const secret = "s3cr3t-0123456789";
    const headers = { Authorization: `Bearer ${secret}`, Cookie: `session=${secret}; theme=dark`, "X-Api-Key": secret };
    const body = { ...draft, nested: { password: secret, name: "\u00e9" } };
    await mock.resource(project, `?access_token=${secret}&a=1`, { headers });
    await mock.resource(project, "", json("PATCH", body, headers));
    await mock.resource(project, "", { method: "POST", body: `password=${secret}&x=1`, headers });
    await mock.resource(project, "", json("POST", { ...draft, pass: 1, "pass\u0077ord": secret }));
    const form = `grant_type=client_credentials&client_secret=${secret}&scope=view_test:${project}`;
    await mock.fetch("/oauth/token", { method: "POST", body: form });
    await addRule(mock, project, { operation: "token", respond: { status: 503 } });
    await mock.fetch("/oauth/token", { method: "POST", body: form });
    await inProject(mock, project, "DELETE", "/state");
    await inProject(mock, project, "PUT", "/state", { resources: [] });
    const { body: token } = await inProject<{ access_token: string }>(mock, project, "POST", "/tokens", {});
    const archive = await archiveOf(mock, project);
    expect(JSON.stringify(archive)).not.toContain(secret);
    expect(JSON.stringify(archive)).not.toContain(token.access_token);
    const copy = newProject();
    expect((await restore(mock, copy, archive)).status).toBe(204);
    const shown = async (key: string, path: string) => (await inProject(mock, key, "GET", path)).body;
    expect(await shown(copy, "/requests")).toEqual(await shown(project, "/requests"));
    const har = async (key: string) => JSON.stringify(await shown(key, "/requests?format=har"));
    const ofProject = `"_project":"${project}"`;
    expect(await har(copy)).toBe((await har(project)).replaceAll(ofProject, `"_project":"${copy}"`));
    expect(await archiveOf(mock, copy)).toEqual(archive);
  });

  test("an archive has no functions of tests", async () => {
    const project = await withHistory(mock);
    const before = await archiveOf(mock, project);
    addFunction(mock.engine, project, "getCart", () => undefined);
    expect(await archiveOf(mock, project)).toEqual(before);
  });

  test("has the scenarios of all projects, which belong to the project on a server without them", async () => {
    const project = newProject();
    const body = { rules: [{ operation: "getCart", respond: { status: 500 }, times: 2 }] };
    await control(mock, "PUT", "/scenarios/for-all", body);
    await mock.resource(project, "/namespace-action-with-example");
    const archive = await archiveOf(mock, project);
    await control(mock, "DELETE", "/scenarios/for-all");
    const copy = newProject();
    await restore(mock, copy, archive);
    expect(await archiveOf(mock, copy)).toEqual(archive);
    const statuses: number[] = [];
    for (let index = 0; index < 2; index++) {
      statuses.push((await mock.resource(copy, "/namespace-action-with-example")).status);
    }
    expect(statuses).toEqual([500, 200]);
  });

  test("has the rules of a scenario that another server does not know", async () => {
    const project = newProject();
    await inProject(mock, project, "PUT", "/scenarios/conflict");
    const archive = await archiveOf(mock, project);
    const copy = newProject();
    expect((await restore(withoutScenarios, copy, archive)).status).toBe(204);
    const restored = await archiveOf(withoutScenarios, copy);
    expect(restored["scenario/0"]).toEqual({ ...archive["scenario/0"], inline: true });
  });

  test("publishes the events of a reset", async () => {
    const project = await withHistory(mock);
    const archive = await archiveOf(mock, project);
    const reader = mock.engine.feed.open({ project }).getReader();
    await reader.read();
    await restore(mock, project, archive);
    expect(new TextDecoder().decode((await reader.read()).value)).toContain("event: reset");
    await reader.cancel();
  });

  test("keeps resources that violate the contract, as the setting validation allows them", async () => {
    const project = newProject();
    await configure(mock, project, { validation: "off" });
    const created = await mock.resource(project, "", json("POST", { objectTypeProperty: { arrayOfIntExample: "x" } }));
    expect(created.status).toBe(201);
    const copy = newProject();
    expect((await restore(mock, copy, await archiveOf(mock, project))).status).toBe(204);
  });

  test("of more bytes than a body may have is no copy: 413, and both projects stay as they are", slow, async () => {
    const project = newProject();
    const copy = await withHistory(mock);
    const before = await archiveOf(mock, copy);
    await configure(mock, project, { maxBodyBytes: MAX_BODY_BYTES });
    // Each snapshot with the body follows one without it, so the archive has it again, but the memory only once.
    await inProject(mock, project, "POST", "/snapshots", { name: "empty" });
    const body = json("POST", "x".repeat(MAX_BODY_BYTES - 2));
    await mock.resource(project, "/namespace-action", body);
    await inProject(mock, project, "POST", "/snapshots", { name: "full" });
    for (let index = 1; index <= MAX_ARCHIVE_BYTES / MAX_BODY_BYTES; index++) {
      for (const name of ["empty", "full"]) {
        await inProject(mock, project, "POST", `/snapshots/${name}/restore`);
        await inProject(mock, project, "POST", "/snapshots", { name: `${name} ${index}` });
      }
    }
    const error = `from: the archive of the project: expected at most ${MAX_ARCHIVE_BYTES} bytes`;
    expectProblem(await restore(mock, copy, { from: project }), 413, "ContentTooLarge", error);
    expect(await archiveOf(mock, copy)).toEqual(before);
    expect((await inProject<{ snapshots: [] }>(mock, project, "GET", "/snapshots")).body.snapshots).toHaveLength(66);
  });

  test("with many resources and snapshots shows one moment, and does not block other requests", slow, async () => {
    const project = newProject();
    const resources = Array.from({ length: 10_000 }, (_, index) => ({ id: `id-${index}`, ...draft }));
    await inProject(mock, project, "PUT", "/state", { resources });
    for (const name of ["one", "two"]) await inProject(mock, project, "POST", "/snapshots", { name });
    const response = await mock.fetch(`/__admin/projects/${project}/archive`);
    const chunks: Uint8Array[] = [];
    for await (const chunk of response.body ?? []) {
      if (chunks.length === 0) await mock.resource(project, "", json("PUT", { ...draft, note: "too late" }));
      chunks.push(chunk);
    }
    const bytes = Buffer.concat(chunks).toString();
    expect([chunks.length > 1, bytes.includes("too late")]).toEqual([true, false]);
    const copy = newProject();
    const { response: restored, pauses } = await pausesDuring(mock, () =>
      mock.fetch(`/__admin/projects/${copy}/archive`, archiveRequest(bytes)),
    );
    expect([restored.status, pauses > 0]).toEqual([204, true]);
    expect(await (await mock.fetch(`/__admin/projects/${copy}/archive`)).text()).toBe(bytes);
  });
});

describe("the memory limit", () => {
  const small = useMock("in process", { maxStateBytes: 250_000, maxProjects: 2 });

  test("holds for archives: one that does not fit changes nothing", async () => {
    const project = newProject();
    await inProject(small, project, "PUT", "/namespace-action", { body: "x".repeat(60_000) });
    const archive = await archiveOf(small, project);
    const { bytes } = small.engine.budget;
    archive["item/NamespaceAction/"][1].content = "x".repeat(240_000);
    const copy = newProject();
    expectProblem(await restore(small, copy, archive), 507, "InsufficientStorage");
    expect(small.engine.projects.find(copy)).toBeUndefined();
    expect(small.engine.budget.bytes).toBe(bytes);
    await inProject(small, newProject(), "PUT", "/clock", { advance: 1 });
    expectProblem(await restore(small, copy, await archiveOf(small, project)), 507, "InsufficientStorage", "Projects");
    // A restored project shares no resources with the initial state of other projects.
    const sizes: number[] = [];
    for (let index = 0; index < 2; index++) {
      expect((await restore(small, project, await archiveOf(small, project))).status).toBe(204);
      sizes.push(small.engine.budget.bytes);
    }
    expect(sizes[1]).toBe(sizes[0]);
  });
});
