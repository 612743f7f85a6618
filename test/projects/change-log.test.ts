import { beforeAll, describe, expect, test } from "vitest";
import { createEngine, type Engine } from "../../src/engine/engine.ts";
import { createApp } from "../../src/http/app.ts";
import { readFiles } from "../../src/mock.ts";
import { pages } from "../../src/pages.ts";
import { json } from "../setup/mock.ts";

describe("the change log of a project", () => {
  let parts: Set<string>;
  let engine: Engine;
  let send: (path: string, init?: RequestInit) => Promise<Response>;

  beforeAll(async () => {
    const changeLog = () => ({
      note: (part: string) => void parts.add(part),
      record(_exchange: unknown, add: () => void) {
        parts.add("request");
        add();
      },
    });
    engine = createEngine({ ...(await readFiles()), changeLog });
    const app = createApp(engine, { version: "0.0.0-test", pages });
    send = async (path, init) => {
      parts = new Set();
      return app.fetch(new Request(`http://in.process${path}`, init));
    };
  });

  const resource = { id: "a", key: "k", objectTypeProperty: {} };
  const admin = "/__admin/projects/p";
  test.each<[string, string, RequestInit, string[]]>([
    ["the first request, which creates the project", "/p/resource", {}, ["core", "request"]],
    ["a further request", "/p/resource", {}, ["request"]],
    ["a change of settings", `${admin}/settings`, json("PATCH", { auth: "strict" }), ["core", "settings"]],
    ["a frozen clock", `${admin}/clock`, json("PUT", { frozen: true }), ["core"]],
    ["a rule", `${admin}/rules`, json("POST", { respond: { status: 404 }, when: {} }), ["core", "rules"]],
    ["an activated scenario", `${admin}/scenarios/conflict`, json("PUT", {}), ["core", "rules"]],
    ["a cleared journal", `${admin}/requests`, { method: "DELETE" }, ["core", "journal"]],
    [
      "a created resource with a key",
      `${admin}/resources/a`,
      json("PUT", resource),
      ["resource/a", "deletedId/a", "deletedKey/k"],
    ],
    ["a snapshot", `${admin}/snapshots`, json("POST", { name: "s" }), ["core", "snapshot/s"]],
    ["a deleted resource", `${admin}/resources/a`, { method: "DELETE" }, ["resource/a", "deletedId/a", "deletedKey/k"]],
    ["a restored snapshot", `${admin}/snapshots/s/restore`, { method: "POST" }, ["core", "state"]],
    ["a deleted snapshot", `${admin}/snapshots/s`, { method: "DELETE" }, ["core", "snapshot/s"]],
    ["a read", `${admin}/state`, {}, []],
  ])("learns about %s", async (_name, path, init, expected) => {
    const response = await send(path, init);
    expect(response.status, await response.clone().text()).toBeLessThan(300);
    expect([...parts].sort()).toEqual(expected.sort());
  });
});
