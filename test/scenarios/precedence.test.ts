import { describe, expect, test } from "vitest";
import { activate, activateForAll, addRule } from "../setup/activation.ts";
import { json, type MockUnderTest, newProject, onTransports } from "../setup/mock.ts";

const path = "/namespace-action";
const rules = (status: number) => ({ rules: [{ respond: { status } }] });

/** A source of responses, highest precedence first, with the expected response. */
interface Level {
  name: string;
  on(mock: MockUnderTest, project: string): Promise<unknown>;
  prefer?: string;
  seen: [status: number, source: string];
}

const levels: Level[] = [
  {
    name: "Prefer: code",
    on: async () => {},
    prefer: "code=400",
    seen: [400, "fixture:readNamespaceAction/400.json"],
  },
  {
    name: "Prefer: scenario",
    on: async () => {},
    prefer: "scenario=server-error",
    seen: [500, "scenario:server-error"],
  },
  {
    name: "a rule",
    on: (mock, project) => addRule(mock, project, { respond: { status: 503 } }),
    seen: [503, "rule:r-…"],
  },
  {
    name: "an older rule",
    on: (mock, project) => addRule(mock, project, { respond: { status: 429 } }),
    seen: [429, "rule:r-…"],
  },
  {
    name: "a scenario active in the project",
    on: (mock, project) => activate(mock, project, "newer", rules(401)),
    seen: [401, "scenario:newer"],
  },
  {
    name: "an older scenario active in the project",
    on: (mock, project) => activate(mock, project, "older", rules(403)),
    seen: [403, "scenario:older"],
  },
  {
    name: "a scenario active for all projects",
    on: (mock) => activateForAll(mock, "newer-for-all", rules(404)),
    seen: [404, "scenario:newer-for-all"],
  },
  {
    name: "an older scenario active for all projects",
    on: (mock) => activateForAll(mock, "older-for-all", rules(400)),
    seen: [400, "scenario:older-for-all"],
  },
];

const pairs = levels.flatMap((higher, index) =>
  levels.slice(index + 1).map((lower): [string, string, Level, Level] => [higher.name, lower.name, higher, lower]),
);

onTransports("precedence", {}, (mock) => {
  test.each(pairs)("a response by %s has precedence over a response by %s", async (_higher, _lower, higher, lower) => {
    const project = newProject();
    // Of two scenarios or rules, the newer wins. So the lower of a pair is activated first.
    await lower.on(mock, project);
    await higher.on(mock, project);
    expect(await seen(mock, project, higher, lower)).toEqual(higher.seen);
  });

  test.each(levels.map((level): [string, Level] => [level.name, level]))(
    "a response by %s has precedence over the state",
    async (_name, level) => {
      const project = newProject();
      await mock.resource(project, path, json("POST", { kept: true }));
      expect(await seen(mock, project)).toEqual([200, "state"]);
      await level.on(mock, project);
      expect(await seen(mock, project, level)).toEqual(level.seen);
    },
  );

  test("within a scenario, the first rule with an effect of the kind applies", async () => {
    const project = newProject();
    const scenario = [
      { when: { headers: { "X-A": "a" } }, respond: { status: 500 } },
      { respond: { status: 503 } },
      { respond: { status: 429 } },
    ];
    await activate(mock, project, "mine", { rules: scenario });
    expect((await mock.resource(project, path)).status).toBe(503);
    expect((await mock.resource(project, path, { headers: { "X-A": "a" } })).status).toBe(500);
  });
});

describe("effects of other kinds", () => {
  const waits: number[] = [];
  onTransports("have the same precedence", { wait: async (ms) => void waits.push(ms) }, (mock) => {
    test("latency, settings and chunks of the newest rule apply", async () => {
      const project = newProject();
      const pieces = (numberOfChunks: number) => ({ chunkedDribbleDelay: { numberOfChunks, totalDuration: 6 } });
      await addRule(mock, project, { settings: { unknownIds: "fixture" }, latency: { fixed: 10 }, ...pieces(3) });
      await addRule(mock, project, { settings: { unknownIds: "not-found" }, latency: { fixed: 20 }, ...pieces(2) });
      waits.length = 0;
      const response = await mock.resource(project, "/x");
      expect([response.status, await response.text()]).toEqual([404, expect.any(String)]);
      expect(waits).toEqual([20, 3, 3]);
    });
  });
});

async function seen(mock: MockUnderTest, project: string, ...asking: Level[]): Promise<[number, string]> {
  const prefer = asking.flatMap(({ prefer }) => prefer ?? []).join(", ");
  const response = await mock.resource(project, path, { headers: prefer === "" ? {} : { Prefer: prefer } });
  return [response.status, response.headers.get("Mock-Source")?.replace(/r-\d+$/, "r-…") ?? ""];
}
