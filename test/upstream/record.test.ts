import { mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import type { RequestEntry } from "../../src/control/client/types.ts";
import { createUpstream } from "../../src/http/upstream/index.ts";
import { type StartOptions, startResourceMock } from "../../src/index.ts";
import { type Decision, sentenceOf } from "../../src/journal/decisions.ts";
import { commandHere } from "../setup/command.ts";
import { folderOf } from "../setup/folder.ts";
import { newProject } from "../setup/mock.ts";
import { everyOperation } from "../setup/requests.ts";
import { update } from "../setup/resources.ts";
import { slashed } from "../setup/run.ts";
import { type Serving, serving } from "../setup/serving.ts";
import { openMockService, openService } from "./services.ts";

/** Returns the files in a folder and its subfolders, sorted. */
function filesIn(folder: string): string[] {
  const paths = (readdirSync(folder, { recursive: true }) as string[]).map(slashed);
  return paths.filter((path) => path.includes(".json")).sort();
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "resource-mock-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function recording(url: string, recordTo: string, options: StartOptions = {}) {
  const mock = await startResourceMock({ upstream: url, recordTo, settings: { upstreamMode: "record" }, ...options });
  onTestFinished(() => mock.close());
  return mock;
}

const real = await openMockService();

/** The responses of the service below, by path. */
const bodies = new Map<string, { status?: number; body: unknown; headers?: Record<string, string> }>();
const service = await openService((request, response) => {
  const { status = 200, body = {}, headers = {} } = bodies.get(request.url ?? "") ?? {};
  response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
});

const object = { id: "r-1", version: 7, objectTypeProperty: { arrayOfStringExample: ["linen"] } };
const path = (project: string, id: string) => `/${project}/resource/${id}`;

describe("record and replay", { tags: ["process"] }, () => {
  const folder = mkdtempSync(join(tmpdir(), "resource-mock-test-"));
  const recorded = new Map<string, { status: number; text: string; fixture: string }>();
  let replay: Serving;

  beforeAll(async () => {
    const recorder = await serving({
      args: [
        "--upstream",
        real.url,
        "--record-to",
        folder,
        "--fixtures",
        folder,
        "--upstream-mode",
        "record",
        "--watch",
      ],
    });
    for (const [operation, { path: below, init }] of everyOperation) {
      const response = await fetch(`${recorder.url}/record/resource${below}`, init);
      const text = await response.text();
      const id = response.headers.get("Mock-Request-Id");
      const entry = (await (
        await fetch(`${recorder.url}/__admin/projects/record/requests/${id}`)
      ).json()) as RequestEntry;
      recorded.set(operation, { status: response.status, text, fixture: entry.upstream?.recorded ?? "" });
    }
    await recorder.line(/fixtures and scenarios reloaded/);
    expect(await recorder.stop()).toBe(0);
    replay = await serving({ args: ["--fixtures", folder] });
  });
  afterAll(async () => {
    await replay.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  test("writes one fixture for each operation, numbered in the order of the responses", () => {
    const fixtures = [...recorded.values()].map(({ fixture }) => fixture);
    expect(filesIn(folder)).toEqual([...fixtures].sort());
    for (const [index, [operation, { status }]] of [...recorded].entries()) {
      const number = String(index + 1).padStart(5, "0");
      expect(fixtures[index]).toBe(`${operation}/${status}.recorded-${number}.json`);
    }
  });

  test("the command check accepts the folder", async () => {
    expect(await commandHere(["check", "--fixtures", folder])).toMatchObject({ code: 0, stderr: "" });
  });

  test.each(everyOperation)(
    "the operation %s replays the recorded response",
    async (operation, { path: below, init }) => {
      const { status, text, fixture } = recorded.get(operation) ?? { status: 0, text: "", fixture: "" };
      const example = fixture.split(".")[1];
      const response = await fetch(`${replay.url}/replay/resource${below}`, {
        ...init,
        headers: { ...init.headers, Prefer: `code=${status}, example=${example}` },
      });
      const replayed = await response.text();
      expect([response.status, replayed && JSON.parse(replayed)]).toEqual([status, text && JSON.parse(text)]);
    },
  );
});

test("writes the same response once, also after a restart and in another order of members", async () => {
  const folder = newFolder();
  for (const [index, body] of [object, object, Object.fromEntries(Object.entries(object).reverse())].entries()) {
    const project = newProject();
    bodies.set(path(project, "r-1"), { body });
    const mock = await recording(service.url, folder);
    await (await mock.fetch(path(project, "r-1"))).text();
    const [entry] = await mock.project(project).requests.list();
    expect(entry?.decisions.at(-1)).toBe(
      index === 0
        ? "recorded the response as getResourceById/200.recorded-00001.json"
        : "the response was not recorded: getResourceById/200.recorded-00001.json is the same",
    );
    await mock.close();
  }
  bodies.set(path("numbers", "r-1"), { body: { ...object, version: 8 } });
  await (await (await recording(service.url, folder)).fetch(path("numbers", "r-1"))).text();
  expect(filesIn(folder)).toEqual([
    "getResourceById/200.recorded-00001.json",
    "getResourceById/200.recorded-00002.json",
  ]);
});

test("a recorded 409 is replayed with exactly its members, and a renamed one gets no others", async () => {
  const folder = newFolder();
  const project = newProject();
  const body = {
    statusCode: 409,
    message: "Version mismatch: expected 3, actual 8.",
    errors: [{ code: "ConcurrentModification", message: "Version mismatch: expected 3, actual 8.", hint: "later" }],
  };
  bodies.set(path(project, "r-1"), { status: 409, body });
  const recorder = await recording(service.url, folder);
  await (await recorder.fetch(path(project, "r-1"), update(5))).text();
  expect(filesIn(folder)).toEqual(["updateResource/409.recorded-00001.json"]);

  const replayed = async () => {
    await using mock = await startResourceMock({ fixtures: folder });
    await mock.project(project).use("conflict", { times: 1 });
    const byScenario = await mock.fetch(path(project, "r-1"), update(5));
    const init = update(5);
    const headers = { ...(init.headers as Record<string, string>), Prefer: "code=409" };
    const byPreference = await mock.fetch(path(project, "r-1"), { ...init, headers });
    return [await byScenario.json(), await byPreference.json()];
  };
  expect(await replayed()).toEqual([body, body]);

  const file = join(folder, "updateResource/409.recorded-00001.json");
  renameSync(file, join(folder, "updateResource/409.json"));
  const message = "Version mismatch: expected 5, actual 6.";
  const adapted = { ...body, message, errors: [{ ...body.errors[0], message }] };
  expect(await replayed()).toEqual([adapted, adapted]);
});

test("two mocks that record into one folder keep each other's fixtures", async () => {
  const folder = newFolder();
  const mocks = [await recording(service.url, folder), await recording(service.url, folder)];
  const project = newProject();
  const versions = Array.from({ length: 20 }, (_, index) => index + 1);
  const responses = versions.map(async (version) => {
    bodies.set(path(project, `r-${version}`), { body: { ...object, version } });
    await (await mocks[version % 2]?.fetch(path(project, `r-${version}`)))?.text();
  });
  await Promise.all(responses);
  const texts = filesIn(folder).map((file) => readFileSync(join(folder, file), "utf8"));
  expect(texts.map((text) => JSON.parse(text).version).sort((a, b) => a - b)).toEqual(versions);
  expect(readdirSync(join(folder, "getResourceById")).filter((name) => name.startsWith("."))).toEqual([]);

  for (const mock of mocks) await (await mock.fetch(path(project, "r-1"))).text();
  expect(filesIn(folder)).toHaveLength(20);
});

test("does not write a response that violates the contract", async () => {
  const folder = newFolder();
  const project = newProject();
  bodies.set(path(project, "r-1"), { body: { ...object, version: "seven" } });
  bodies.set(path(project, "r-2"), { status: 418, body: object });
  const mock = await recording(service.url, folder);
  for (const id of ["r-1", "r-2"]) {
    const response = await mock.fetch(path(project, id));
    await response.text();
    expect(response.headers.get("Mock-Source")).toBe("upstream");
    const [entry] = await mock.project(project).requests.list();
    expect(entry?.decisions.at(-1)).toBe("the response was not recorded: it violates the contract");
    expect(entry?.upstream?.recorded).toBeUndefined();
  }
  expect(filesIn(folder)).toEqual([]);
});

test("replaces secrets by values that fit the contract", async () => {
  const folder = newFolder();
  const project = newProject();
  const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
  const body = {
    ...object,
    access_token: "a-very-secret-token",
    password: 123_456,
    cookies: ["sid=top-secret"],
    credentials: { user: "u", pin: 4321, nested: [true, "x"] },
    note: `Authorization: Bearer abcdefgh12345678 and ${jwt} and https://me:hush@host.example/x`,
    echo: "the client sent client-token-0001 with cookie-value-1",
    set: "session-value-2",
    link: "the query had query-token-3",
  };
  bodies.set(`${path(project, "r-1")}?optionalQueryParameter=linen&token=query-token-3`, {
    body,
    headers: { "Set-Cookie": "s=session-value-2; Path=/" },
  });
  const mock = await recording(service.url.replace("//", "//operator:operator-secret@"), folder);
  const response = await mock.fetch(`${path(project, "r-1")}?optionalQueryParameter=linen&token=query-token-3`, {
    headers: { Authorization: "Bearer client-token-0001", Cookie: "a=cookie-value-1" },
  });
  expect(await response.json()).toEqual(body);
  const [file = ""] = filesIn(folder);
  const text = readFileSync(join(folder, file), "utf8");
  expect(text).not.toMatch(
    /secret-token|123456|top-secret|4321|abcdefgh|eyJ|hush|client-token|cookie-value|session-value|query-token/,
  );
  expect(JSON.parse(text)).toMatchObject({ ...object, password: 0, credentials: { user: "[redacted]", pin: 0 } });
});

test("replaces members with names of secrets, and the values of such query parameters", async () => {
  const folder = newFolder();
  const target = path(newProject(), "r-1");
  const names = ["token", "secret", "credential", "credentials", "jwt", "otp", "pin", "auth", "PIN", "api_key"];
  const secrets = Object.fromEntries(names.map((name) => [name, "hush"]));
  const others = { tokens: "3", pinned: "yes", author: "me", ...object };
  const mock = await recording(service.url, folder);
  for (const name of names) {
    bodies.set(`${target}?${name}=${name}-value`, { body: { ...others, ...secrets, echo: `sent ${name}-value` } });
    await (await mock.fetch(`${target}?${name}=${name}-value`)).text();
  }
  const redacted = Object.fromEntries(names.map((name) => [name, "[redacted]"]));
  const files = filesIn(folder).map((file) => JSON.parse(readFileSync(join(folder, file), "utf8")));
  expect(files).toEqual([{ ...others, ...redacted, echo: "sent [redacted]" }]);
});

test("does not record a body of more than 1 MiB, nor an exchange with more than 50 credentials", async () => {
  const folder = newFolder();
  const target = path(newProject(), "r-1");
  const mock = await recording(service.url, folder);
  const lastDecision = async (headers = {}) => {
    await (await mock.fetch(target, { headers })).text();
    return (await mock.project(target.split("/")[1] ?? "").requests.list())[0]?.decisions.at(-1);
  };
  const cookies = (count: number) => Array.from({ length: count }, (_, index) => `c${index}=value-${index}`).join("; ");
  bodies.set(target, { body: { ...object, note: `${"-eyJaaaaa".repeat(10_000)} value-49` } });
  expect(await lastDecision({ Cookie: cookies(51) })).toBe(
    "the response was not recorded: the exchange has 51 credentials, more than 50",
  );
  expect(await lastDecision({ Cookie: cookies(50) })).toMatch(/^recorded the response/);
  expect(readFileSync(join(folder, filesIn(folder)[0] ?? ""), "utf8")).toContain('-eyJaaaaa [redacted]"');
  bodies.set(target, { body: { ...object, values: Array.from({ length: 600_000 }, () => 1) } });
  expect(await lastDecision()).toBe("the response was not checked and not recorded: it has more than 1048576 bytes");
  expect(filesIn(folder)).toHaveLength(1);
});

test("ends recording at its limits", async () => {
  const { createRecorder } = await import("../../src/http/upstream/recorder.ts");
  const { contract: serviceContract } = await import("../../src/services/generic-resource/contract.ts");
  const operation = serviceContract.find("getCart");
  const record = async (limits: { maxFiles?: number; maxBytes?: number }) => {
    const recordIn = createRecorder({ folder: newFolder(), secrets: [], warn: () => {}, ...limits });
    const call = { operation, request: { headers: {} } };
    const decisions: Decision[] = [];
    for (const id of ["a", "b"]) {
      const exchange = { url: "", requestHeaders: {}, status: 200, ms: 0, violations: [] };
      const checked = { violations: [], differs: [], json: { value: { id } } };
      decisions.push(await recordIn(call as never, exchange, checked));
    }
    return decisions.map(sentenceOf);
  };
  expect((await record({ maxFiles: 1 }))[1]).toBe("the response was not recorded: this run has recorded 1 fixtures");
  expect((await record({ maxBytes: 10 }))[0]).toMatch(/^the response was not recorded: this run/);
});

test("a folder that cannot be written is reported once, and the forwarding goes on", async () => {
  const folder = folderOf({ getResourceById: "a file in place of the folder" });
  const lines: string[] = [];
  const project = newProject();
  const upstream = await createUpstream({ url: service.url, recordTo: folder, warn: (line) => lines.push(line) });
  const { createEngine } = await import("../../src/engine/engine.ts");
  const { createApp } = await import("../../src/http/app.ts");
  const { readFiles } = await import("../../src/library/mock.ts");
  const { pages } = await import("../../src/page/index.ts");
  const engine = createEngine({ ...(await readFiles()), upstream, settings: { upstreamMode: "record" } });
  const app = createApp(engine, { version: "0", pages });
  for (const id of ["r-1", "r-2"]) {
    bodies.set(path(project, id), { body: { ...object, id } });
    const response = await app.fetch(new Request(`http://mock${path(project, id)}`));
    await response.text();
    expect(response.status).toBe(200);
  }
  expect(lines).toEqual([`warning: responses cannot be recorded: ${folder}: expected a folder, found a file`]);
  expect(engine.projects.get(project).journal.list()[0]?.decisions.at(-1)).toMatchObject({ kind: "not-recorded" });
});

describe("the command rejects", () => {
  const url = "http://127.0.0.1:1";
  test.each([
    [["--upstream-mode", "spy"], "--upstream-mode: expected --upstream with spy, found none"],
    [["--upstream-mode", "record", "--upstream", url], "--upstream-mode: expected --record-to with record, found none"],
    [["--record-to", "x"], "--record-to: expected together with --upstream, found alone"],
    [
      ["--upstream", "ftp://me:hidden@host"],
      '--upstream: expected an http or https URL without a query, such as https://api.example.com, found "ftp://host"',
    ],
    [
      ["--upstream", "http://me:hid@den@host/?q"],
      '--upstream: expected an http or https URL without a query, such as https://api.example.com, found "http://host/?q"',
    ],
  ])("the flags %j", async (args, message) => {
    expect(await commandHere(["serve", "--port", "0", ...args])).toEqual({
      code: 2,
      stdout: "",
      stderr: `resource-mock: ${message}\n`,
    });
  });
});
