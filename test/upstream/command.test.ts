// @module-tag process
// @module-tag slow
import { once } from "node:events";
import { request } from "node:http";
import { describe, expect, test } from "vitest";
import { serving } from "../setup/serving.ts";
import { until } from "../setup/until.ts";
import { openService } from "./services.ts";

const held: (() => void)[] = [];
const service = await openService((incoming, response) => {
  const respond = () => response.writeHead(200, { "Content-Type": "application/json" }).end("{}");
  if (incoming.url?.includes("held")) held.push(respond);
  else respond();
});

describe("the command with --upstream", () => {
  test("reads the variables, and shows the credentials of the URL nowhere", async () => {
    const server = await serving({
      environment: {
        RESOURCE_MOCK_UPSTREAM: service.url.replace("//", "//operator:s3cret-word@"),
        RESOURCE_MOCK_UPSTREAM_MODE: "spy",
      },
    });
    const response = await fetch(`${server.url}/p/resource/r-1`);
    expect([response.headers.get("Mock-Source"), await response.text()]).toEqual(["upstream", "{}"]);
    await server.line(/GET \/p\/resource\/r-1 200 upstream/);
    for (const path of ["projects/p/requests", "projects/p/settings", "projects", "contract.json", "projects/p"]) {
      expect(await (await fetch(`${server.url}/__admin/${path}`)).text()).not.toMatch(/s3cret-word|operator/);
    }
    expect(await server.stop()).toBe(0);
    expect(server.output()).not.toMatch(/s3cret-word|operator/);
  });

  test("without a mode, the mock responds and the setting turns the forwarding on", async () => {
    const server = await serving({ args: ["--upstream", service.url] });
    const sourceOf = async (project: string) =>
      (await fetch(`${server.url}/${project}/resource/r-1`)).headers.get("Mock-Source");
    expect(await sourceOf("one")).toMatch(/^fixture:/);
    const changed = await fetch(`${server.url}/__admin/projects/one/settings`, {
      method: "PATCH",
      headers: { "Content-Type": "application/json" },
      body: '{"upstreamMode":"spy"}',
    });
    expect(changed.status).toBe(200);
    expect([await sourceOf("one"), await sourceOf("two")]).toEqual(["upstream", expect.stringMatching(/^fixture:/)]);
    await server.stop();
  });

  test("stops with requests to the upstream in progress", async () => {
    const server = await serving({ args: ["--upstream", service.url, "--upstream-mode", "spy"] });
    held.length = 0;
    const clients = Array.from({ length: 20 }, () => {
      const client = request(`${server.url}/p/resource/held`).end();
      return once(client, "response").then(
        ([response]) => response.statusCode,
        () => "broken",
      );
    });
    await until(() => held.length === 20);
    const stopped = server.stop();
    // These requests complete while the server stops; the others break off.
    for (const respond of held.slice(0, 10)) respond();
    const outcomes = await Promise.all(clients);
    expect(outcomes.filter((outcome) => outcome === 200).length).toBe(10);
    expect(outcomes.filter((outcome) => outcome === "broken").length).toBe(10);
    expect(await stopped).toBe(0);
  });
});
