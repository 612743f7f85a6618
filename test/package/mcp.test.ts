// @module-tag process
import { readFile } from "node:fs/promises";
import { expect, onTestFinished, test } from "vitest";
import { startResourceMock } from "../../src/index.ts";
import { connectAgent } from "../mcp/agent.ts";
import { blocksOf } from "../setup/markdown.ts";
import { repository } from "../setup/run.ts";
import { useConsumer } from "./consumer.ts";

const env = { PATH: process.env.PATH ?? "" };

test("the packed package serves the tools, with a mock of its own and with a running mock", async () => {
  const mock = await startResourceMock({ adminToken: "my-token" });
  onTestFinished(() => mock.close());
  const { folder } = await useConsumer([]);
  const [bin, options] = [`${folder}/node_modules/.bin/resource-mock`, { env, cwd: folder }];
  for (const args of [[], ["--url", mock.url, "--admin-token", "my-token"]]) {
    const agent = await connectAgent(bin, ["mcp", ...args], options);
    onTestFinished(agent.close);
    const { tools } = await agent.client.listTools();
    expect(tools).toHaveLength(11);

    expect((await agent.call("seed", { project: "p", generate: 2 })).content.added).toBe(2);
    const rule = { operation: "getCart", respond: { status: 503 } };
    expect((await agent.call("use", { project: "p", rule })).content).toEqual({ project: "p", rule: "r-1" });
    const wrong = await agent.call("use", { project: "p", rule: { operation: "getCart", respond: { status: "x" } } });
    expect(wrong.text).toBe('Invalid value: /rule/respond/status: expected integer, found "x"');
    expect((await agent.call("verify", { project: "p", count: 0 })).content).toEqual({ pass: true, matched: 0 });
    expect((await agent.call("read_contract", { operation: "getCart" })).content.operationId).toBe("getCart");
  }
});

test("the configurations of the recipe start the tools", async () => {
  const mock = await startResourceMock();
  onTestFinished(() => mock.close());
  const { folder } = await useConsumer([]);
  const recipe = await readFile(`${repository}docs/recipes/mcp.md`, "utf8");
  const configurations = blocksOf(recipe).filter(({ language }) => language === "json");
  expect(configurations).toHaveLength(1);
  for (const { code } of configurations) {
    const { mcpServers, servers = mcpServers } = JSON.parse(code.replace("http://localhost:8080", mock.url));
    const { command, args } = servers["resource-mock"];
    const agent = await connectAgent(command, args, { env, cwd: folder });
    onTestFinished(agent.close);
    expect((await agent.call("list_projects")).content.mock).toBe(mock.url);
  }
});
