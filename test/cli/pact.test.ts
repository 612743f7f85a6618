import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import type { Pact } from "../../src/control/client/types.ts";
import { commandHere } from "../setup/command.ts";
import { folderOf } from "../setup/folder.ts";
import { newProject, useMock } from "../setup/mock.ts";

const mock = useMock("over a socket", { adminToken: "admin" });
const pact = (...args: string[]) => commandHere(["pact", "--url", mock.url ?? "", "--consumer", "shop", ...args]);

test("resource-mock pact writes the pact of a project to a file, or prints it", async () => {
  const project = newProject();
  await mock.resource(project, "/a");
  await mock.fetch(`/${project}/unknown`);
  const folder = folderOf({});
  const args = ["--project", project, "--as", "shop", "--provider", "resources", "--admin-token", "admin"];
  const written = await pact(...args, "--out", `${folder}/new/pact.json`);
  const omitted = "omitted: other requests 404: the contract has no such path or method\n";
  expect(written).toEqual({ code: 0, stdout: "", stderr: omitted });
  expect(readdirSync(`${folder}/new`)).toEqual(["pact.json"]);
  const text = readFileSync(`${folder}/new/pact.json`, "utf8");
  const { provider, interactions }: Pact = JSON.parse(text);
  expect([provider.name, interactions.map(({ request }) => request.path)]).toEqual(["resources", ["/shop/resource/a"]]);
  expect(await pact(...args)).toEqual({ code: 0, stdout: text, stderr: omitted });
});

test.each([
  [["--project", "unknown", "--admin-token", "admin"], "not found"],
  [["--admin-token", "admin"], "--project: expected a value, found nothing"],
  [["--project", "p"], "401"],
  [["--project", "p", "--admin-token", "admin", "--as", "oauth"], "reserved"],
])("resource-mock pact %j ends with 2 and writes nothing", async (args, message) => {
  await mock.resource("p", "/a");
  const file = `${folderOf({})}/pact.json`;
  const { code, stdout, stderr } = await pact(...args, "--out", file);
  expect([code, stdout, existsSync(file)]).toEqual([2, "", false]);
  expect(stderr).toContain(message);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
});

test.each(["{}", "<html>", '{"key":'])("resource-mock pact says that %s is no response of a mock", async (body) => {
  const server = createServer((_request, response) => response.end(body)).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { code, stdout, stderr } = await commandHere(["pact", "--url", url, "--consumer", "shop", "--project", "p"]);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain(url);
  expect(stderr).toContain("expected a mock, found another response");
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
});
