import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { createResourceMock, startResourceMock } from "../../src/index.ts";
import { loadService } from "../../src/library/mock.ts";
import { commandHere } from "../setup/command.ts";
import { folderOf } from "../setup/folder.ts";
import { json, newProject, onTransports } from "../setup/mock.ts";
import { repository } from "../setup/run.ts";
import { serving } from "../setup/serving.ts";

const petstore = `${repository}examples/petstore/petstore.yaml`;
const pets = [
  { id: 1, name: "Rex", kind: "dog" },
  { id: 2, name: "Tom", kind: "cat" },
];

/** A document as an object, with one operation and so many mistakes. */
const documentWith = (mistakes: number) => ({
  openapi: "3.1.0",
  info: { title: "Pings", version: "1" },
  paths: {
    "/ping": {
      get: {
        operationId: "ping",
        parameters: Array.from({ length: mistakes }, (_, index) => ({ name: `p${index}`, in: "path" })),
        responses: { 200: { description: "", content: { "application/json": { example: "pong" } } } },
      },
    },
  },
});

describe("the option contract", () => {
  const starts = { createResourceMock, startResourceMock };

  test.each(Object.entries(starts))("of %s is the path of a document, or a parsed document", async (_name, start) => {
    await using fromFile = await start({ contract: petstore });
    expect(await (await fromFile.fetch("/p/v1/pets")).json()).toEqual(pets);
    await using fromObject = await start({ contract: documentWith(0) });
    expect(await (await fromObject.fetch("/ping")).json()).toBe("pong");
    expect((await fromObject.fetch("/p/resource")).status).toBe(404);
  });

  test("works over a socket, with errors in the form of the document", async () => {
    await using mock = await startResourceMock({ contract: petstore });
    expect(await (await fetch(`${mock.url}/pets`)).json()).toEqual(pets);
    const response = await fetch(`${mock.url}/p/pets`, json("POST", { name: "Rex", kind: "fish" }));
    const message = '/kind: expected one of "dog", "cat", found "fish"';
    expect([response.status, await response.json()]).toEqual([400, { code: 400, message }]);
    await mock.project("p").use("server-error");
    expect((await fetch(`${mock.url}/p/pets`)).status).toBe(500);
  });

  test.each([
    [5, "contract: expected the path of a file or its parsed content, found 5"],
    ["", 'contract: expected the path of a file or its parsed content, found ""'],
    ["nowhere.yaml", "nowhere.yaml: expected a file, found none"],
    [{}, "document: expected an OpenAPI document (openapi: 3.0, 3.1 or 3.2, or swagger: 2.0), found an object"],
  ])("rejects %j", async (contract, message) => {
    for (const start of Object.values(starts))
      await expect(start({ contract: contract as string })).rejects.toThrow(message);
  });
});

describe("the flag --contract", () => {
  test("the flag and its variable accept a path relative to the working directory", { tags: ["process"] }, async () => {
    const before = `cd ${folderOf({ "api.json": documentWith(0) })}`;
    for (const options of [
      { args: ["--contract", "api.json"] },
      { environment: { RESOURCE_MOCK_CONTRACT: "./api.json" } },
    ]) {
      const mock = await serving({ ...options, before });
      expect(await (await fetch(`${mock.url}/ping`)).text()).toBe('"pong"');
      expect(await mock.stop()).toBe(0);
      expect(mock.output()).not.toContain("warning");
    }
  });

  test("prints the first warning of each kind at the start, at most ten, then the number of the others", {
    tags: ["process"],
  }, async () => {
    const file = join(folderOf({ "api.json": documentWith(12) }), "api.json");
    const mock = await serving({ args: ["--contract", file] });
    expect((await fetch(`${mock.url}/ping`)).status).toBe(200);
    await mock.stop();
    const warnings = mock.output().match(/^resource-mock: warning: .*/gm);
    expect(warnings).toHaveLength(2);
    expect(warnings?.[0]).toContain('api.json:1: parameter "p0": the path has none; ignored');
    expect(warnings?.[1]).toBe("resource-mock: warning: 11 more warnings; resource-mock check lists them");
  });

  test.each([
    ["broken.yaml", "a: [1,\n", "broken.yaml:2:1: invalid YAML: unexpected end"],
    ["broken.json", '{"openapi": "3.1.0",\n  "paths": {', "broken.json:3:1: "],
    ["other.json", '{"a": 1}', "other.json: expected an OpenAPI document (openapi: 3.0, 3.1 or 3.2, or swagger: 2.0)"],
  ])("prints one line and exits with code 2 for an invalid file: %s", async (name, text, line) => {
    const folder = folderOf({ [name]: text });
    for (const args of [[], ["openapi"]]) {
      const { code, stdout, stderr } = await commandHere([...args, "--contract", name], {}, folder);
      expect([code, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(`resource-mock: ${line}`);
      expect(stderr.trimEnd().split("\n")).toHaveLength(1);
    }
    const checked = await commandHere(["check"], { RESOURCE_MOCK_CONTRACT: name }, folder);
    expect([checked.code, checked.stderr.startsWith(line)]).toEqual([2, true]);
  });

  test("check prints a line for each operation, and every warning", async () => {
    const understood = await commandHere(["check", "--contract", petstore]);
    expect([understood.code, understood.stderr]).toEqual([0, ""]);
    expect(understood.stdout).toMatch(
      /^reads .*petstore\.yaml\nlistPets {2}GET \/pets {2}lists Pet: .+\n(.+\n)+Pet {2}\/pets {2}collection; id: id; paging: limit; filters: kind; created items can be read\naddresses/,
    );
    expect(understood.stdout).toContain('\naddresses: /{project} comes before the path; the project is "default"');
    expect(understood.stdout).toMatch(/\n5 operations; 0 fixtures, 0 seeded resources and \d+ scenarios are valid\n$/);
    const { code, stderr } = await commandHere(
      ["check", "--contract", "a.json"],
      {},
      folderOf({ "a.json": documentWith(12) }),
    );
    expect([code, stderr.match(/ignored/g)?.length]).toEqual([0, 12]);
    expect(stderr).toMatch(/\n12 warnings\n$/);
  });

  test("check --json prints the facts of check as JSON", async () => {
    const folder = folderOf({ "a.json": documentWith(1) });
    const { stdout } = await commandHere(["check", "--json", "--contract", "a.json"], {}, folder);
    expect(JSON.parse(stdout)).toEqual({
      files: ["a.json"],
      warnings: [expect.objectContaining({ message: 'parameter "p0": the path has none; ignored' })],
      operations: [expect.objectContaining({ id: "ping", method: "GET", path: "/ping", role: "no state" })],
      types: [],
    });
  });

  test.each([
    [["check", "--contract"], "--contract: expected FILE, found nothing"],
    [["check", "--json"], "--json: expected together with --contract, found alone"],
  ])("rejects %j", async (args, line) => {
    expect(await commandHere(args)).toMatchObject({ code: 2, stderr: `resource-mock: ${line}\n` });
  });

  test("openapi prints the document", async () => {
    const { code, stdout } = await commandHere(["openapi", "--contract", petstore]);
    const { info, paths } = JSON.parse(stdout);
    expect([code, info.title, Object.keys(paths["/pets"])]).toEqual([0, "Petstore", ["get", "post"]]);
  });
});

onTransports("a contract from a document", { service: await loadService({ contract: petstore }) }, (mock) => {
  test("serves requests, and each project has its own journal", async () => {
    const project = newProject();
    const response = await mock.fetch(`/${project}/v1/pets?limit=1`);
    expect([response.headers.get("Mock-Project"), await response.json()]).toEqual([project, pets.slice(0, 1)]);
    expect(await (await mock.fetch("/__admin/contract/operations")).json()).toMatchObject({ total: 5 });
    const listed = await mock.fetch(`/__admin/projects/${project}/requests`);
    expect(await listed.json()).toMatchObject({ requests: [{ operation: "listPets" }], total: 1 });
  });
});

describe("a mock of a document", () => {
  test("with upstream, forwards requests and reports responses that violate the contract", async () => {
    await using service = await startResourceMock({ contract: petstore });
    const options = { contract: petstore, upstream: service.url, settings: { upstreamMode: "spy" as const } };
    await using spy = await startResourceMock(options);
    const response = await fetch(`${spy.url}/p/pets`);
    expect([response.headers.get("Mock-Source"), await response.json()]).toEqual(["upstream", pets]);
    await service.project("p").rule({ operation: "listPets", raw: { status: 200, body: "[{}]" } });
    expect(await (await fetch(`${spy.url}/p/pets`)).json()).toEqual([{}]);
    await expect(spy.project("p").requests.list({ violations: true })).resolves.toHaveLength(1);
  });

  test("with projects, keeps the projects after a restart", async () => {
    const folder = folderOf({});
    for (const calls of [1, 2]) {
      await using mock = await startResourceMock({ contract: petstore, projects: folder });
      await mock.fetch("/p/pets");
      await mock.project("p").assertReceived({ operation: "listPets" }, { count: calls });
    }
  });

  test("refuses an archive of another contract, with the reason", async () => {
    const hint = "Start the server with the contract of the archive.";
    const reason = `/contract: expected an archive of "Petstore", found one of "Generic Resource Service". ${hint}`;
    let archive: string;
    {
      await using builtIn = await startResourceMock();
      await builtIn.fetch("/p/resource/namespace-action-with-example");
      archive = await builtIn.project("p").archive();
    }
    await using mock = await startResourceMock({ contract: petstore });
    await expect(mock.project("other").restoreArchive(archive)).rejects.toThrow(reason);
    expect(await (await mock.fetch("/p/pets")).json()).toEqual(pets);
    const opened = await commandHere(
      ["--contract", petstore, "--port", "0", "--open", "p.ndjson"],
      {},
      folderOf({ "p.ndjson": archive }),
    );
    expect(opened).toMatchObject({ code: 2, stderr: `resource-mock: p.ndjson: ${reason}\n` });
  });
});
