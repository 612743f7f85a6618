// @module-tag process
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { startResourceMock } from "../../src/index.ts";
import { commandHere } from "../setup/command.ts";
import { bin, repository } from "../setup/run.ts";
import { agentOf, startAgent } from "./agent.ts";

async function start(args: readonly string[], environment: Record<string, string> = {}) {
  const agent = await startAgent(args, environment);
  onTestFinished(agent.close);
  return agent;
}

async function startMock(options: Parameters<typeof startResourceMock>[0] = {}) {
  const mock = await startResourceMock(options);
  onTestFinished(() => mock.close());
  return mock;
}

/** Starts `resource-mock mcp` without a client. */
function startCommand(...args: string[]): { child: ChildProcessWithoutNullStreams; ended: Promise<unknown[]> } {
  const child = spawn(process.execPath, [bin, "mcp", ...args], { stdio: "pipe" });
  onTestFinished(() => void child.kill("SIGKILL"));
  // The command may end before it has read its input.
  child.stdin.on("error", () => {});
  return { child, ended: once(child, "exit") };
}

const initialize = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } },
};
const callOf = (id: number, name: string, values: unknown = {}) => {
  return { jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: values } };
};
const lines = (...messages: unknown[]) => messages.map((each) => `${JSON.stringify(each)}\n`).join("");

/** Sends this input to the command, ends the input, and returns the exit code, the messages and the other output. */
async function sendAll(input: string | Uint8Array, ...args: string[]) {
  const { child, ended } = startCommand(...args);
  const outputs = [text(child.stdout), text(child.stderr)] as const;
  child.stdin.end(input);
  const [code] = await ended;
  const [stdout, stderr] = await Promise.all(outputs);
  const messages = stdout
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  return { code, messages, stderr };
}

test("with a contract, the tools know its operations", async () => {
  const agent = await start(["--contract", `${repository}examples/petstore/petstore.yaml`]);
  const { mock, operations } = (await agent.call("read_contract")).content;
  expect(operations.slice(0, 2)).toMatchObject([{ id: "listPets" }, { id: "createPet" }]);
  expect((await fetch(`${mock}/p/pets`)).status).toBe(200);
  expect((await agent.call("verify", { project: "p", match: { operation: "listPets" } })).content.pass).toBe(true);
  expect((await agent.call("read_contract", { operation: "createPet" })).isError).toBe(false);
  const seed = { project: "p", type: "/pets", resources: [{ name: "Rex" }] };
  expect((await agent.call("seed", seed)).content).toMatchObject({ added: 1, resources: [{ version: 1 }] });
  const { resources } = (await agent.call("read_state", { project: "p", type: "Pet" })).content;
  expect(resources.at(-1)).toMatchObject({ name: "Rex", $mock: { version: 1 } });
});

describe("the mock of an agent", () => {
  test("is one of its own without --url, which ends with the command", async () => {
    const agent = await start([], { RESOURCE_MOCK_PORT: "1" });
    const { content } = await agent.call("read_contract");
    expect(content.mock).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);

    await agent.call("use", { project: "p", scenario: "maintenance" });
    expect((await fetch(`${content.mock}/p/resource`)).status).toBe(503);

    await agent.close();
    await expect(fetch(content.mock)).rejects.toThrow("fetch failed");
  });

  test("needs the same token as the control API", async () => {
    const mock = await startMock({ adminToken: "right" });
    for (const [args, environment] of [
      [["--admin-token", "right"], {}],
      [[], { RESOURCE_MOCK_ADMIN_TOKEN: "right" }],
    ] as const) {
      const agent = await start(["--url", mock.url, ...args], environment);
      expect((await agent.call("list_projects")).isError).toBe(false);
    }
    for (const token of ["wrong", undefined]) {
      const result = await (await agentOf(mock.url, token)).call("list_projects");
      expect([result.isError, result.text]).toEqual([true, expect.stringMatching(/401 .*Authorization: expected/)]);
      expect(result.text).not.toContain("right");
    }
  });

  test("may be unreachable, or another server: the tools fail, and the command continues", async () => {
    let status = 404;
    const server = createServer((_, response) =>
      response.writeHead(status, { Connection: "close" }).end("<html>not here</html>"),
    );
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    const agent = await agentOf(`http://127.0.0.1:${port}/`);
    expect(await agent.call("coverage")).toMatchObject({ isError: true, text: expect.stringContaining("404") });
    status = 200;
    const another = expect.stringContaining("expected a mock, found another response");
    expect(await agent.call("coverage")).toMatchObject({ isError: true, text: another });

    server.close();
    server.closeAllConnections();
    await once(server, "close");
    const text = expect.stringMatching(
      /^GET \/__admin\/coverage at http.*: resource-mock cannot be reached: .*ECONNREFUSED/,
    );
    expect(await agent.call("coverage")).toMatchObject({ isError: true, text });
  });
});

describe("the command", () => {
  test.each([
    [["--url", "localhost:8080"], '--url: expected an address such as http://localhost:8080, found "localhost:8080"'],
    [["--url", "http://user:password@host"], "--url: expected an address such as http://localhost:8080, found"],
    [["--utl", "x"], 'unknown flag --utl. Did you mean "--url"?'],
    [["--fixtures", "/nowhere"], "/nowhere"],
  ])("rejects %j with exit code 2", async (args, message) => {
    const { code, stdout, stderr } = await commandHere(["mcp", ...args]);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr).toContain(message);
  });

  test("responds to all messages before the end of the input, writes nothing else, and ends", async () => {
    const mock = await startMock();
    const calls = Array.from({ length: 20 }, (_, index) => callOf(index + 1, "seed", { project: "p", generate: 2 }));
    const initialized = { jsonrpc: "2.0", method: "notifications/initialized" };
    const { code, messages, stderr } = await sendAll(lines(initialize, initialized, ...calls), "--url", mock.url);
    expect([code, stderr]).toEqual([0, ""]);
    expect(messages.map(({ id }) => id).sort((a, b) => a - b)).toEqual([0, ...calls.map(({ id }) => id)]);
    for (const { result } of messages) expect(result.isError).toBeUndefined();
    const { resources } = await mock.project("p").summary();
    expect(resources).toBe(2 * calls.length + (await mock.project("other").resources.list()).length);
  });

  test("ignores lines that are no messages, and reports unknown tools and methods", async () => {
    const input = `not JSON\n{"jsonrpc":"2.0"}\n[1,2]\n\n${lines(
      initialize,
      callOf(1, "sed"),
      { jsonrpc: "2.0", id: 2, method: "resources/list" },
      callOf(3, "read_contract", { operation: "getCart" }),
      callOf(4, "seed", ["no", "object"]),
    )}`;
    const { code, messages, stderr } = await sendAll(input);
    const byId = new Map(messages.map((message) => [message.id, message]));
    expect(code).toBe(0);
    expect(byId.get(1).error).toMatchObject({ code: -32602, message: expect.stringContaining('Did you mean "seed"?') });
    expect(byId.get(2).error.code).toBe(-32601);
    expect(byId.get(3).result.structuredContent.operationId).toBe("getCart");
    expect(byId.get(4).error ?? byId.get(4).result).toBeDefined();
    expect(stderr.match(/^resource-mock: ignored a message: /gm)).toHaveLength(4);
    expect(stderr).not.toMatch(/^ {4}at /m);
  });

  test.each<[name: string, long: string, isLast?: true]>([
    ["a line", `${"x".repeat(11 * 1024 * 1024)}\n`],
    ["two lines with a message between them", `${"x".repeat(11 * 1024 * 1024)}\n`, true],
    ["a call", lines(callOf(9, "seed", { project: "p", text: "x".repeat(11 * 1024 * 1024) }))],
  ])("ignores %s with more than 10 MiB, and responds to the messages after it", async (_name, long, isLast) => {
    const input = lines(initialize) + long + lines(callOf(1, "coverage")) + (isLast ? long.trimEnd() : "");
    const { code, messages, stderr } = await sendAll(input);
    expect(code).toBe(0);
    expect(messages.map(({ id, error }) => [id, error])).toEqual([
      [0, undefined],
      [1, undefined],
    ]);
    const line = "resource-mock: ignored a message: expected at most 10485760 bytes in a line, found more\n";
    expect(stderr).toBe(line.repeat(isLast ? 2 : 1));
  });

  test.each(["SIGTERM", "SIGINT"] as const)("ends on %s", async (signal) => {
    const { child, ended } = startCommand();
    child.stdin.write(lines(initialize));
    await once(child.stdout, "data");
    child.kill(signal);
    expect(await ended).toEqual([0, null]);
  });

  test("a call in progress ends with the command", async () => {
    const server = createServer(() => {});
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => {
      server.close();
      server.closeAllConnections();
    });
    const { port } = server.address() as AddressInfo;
    const { child, ended } = startCommand("--url", `http://127.0.0.1:${port}`);
    const asked = once(server, "request");
    child.stdin.write(lines(initialize, callOf(1, "coverage")));
    await asked;
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
  });
});
