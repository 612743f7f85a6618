import { describe, expect, test } from "vitest";
import type { Rule } from "../../src/rules/scenario.ts";
import { activate, activateForAll, addRule, lastDecisions, reset } from "../setup/activation.ts";
import { type MockUnderTest, newProject, onTransports, useMock } from "../setup/mock.ts";
import { update, write } from "../setup/resources.ts";

const respond = (status: number): Rule => ({ respond: { status } });

async function statuses(mock: MockUnderTest, project: string, count: number, path = ""): Promise<number[]> {
  const seen: number[] = [];
  for (let request = 0; request < count; request++) seen.push((await mock.resource(project, path)).status);
  return seen;
}

onTransports("how often a rule takes effect", {}, (mock) => {
  test.each<[string, Rule, number[]]>([
    ["always", respond(500), [500, 500, 500, 500, 500]],
    ["times", { times: 2, ...respond(500) }, [500, 500, 200, 200, 200]],
    ["after", { after: 2, ...respond(500) }, [200, 200, 500, 500, 500]],
    ["after and times", { after: 1, times: 2, ...respond(500) }, [200, 500, 500, 200, 200]],
    ["a sequence, once", { sequence: [respond(500), respond(503)] }, [500, 503, 200, 200, 200]],
    ["a sequence with an empty step", { sequence: [respond(500), {}, respond(503)] }, [500, 200, 503, 200, 200]],
    ["a sequence, repeated", { times: 4, sequence: [respond(500), respond(503)] }, [500, 503, 500, 503, 200]],
    ["a sequence, cut short", { times: 1, sequence: [respond(500), respond(503)] }, [500, 200, 200, 200, 200]],
    ["after, then a sequence", { after: 1, sequence: [respond(500), respond(503)] }, [200, 500, 503, 200, 200]],
    ["never", { probability: 0, ...respond(500) }, [200, 200, 200, 200, 200]],
  ])("the rule '%s' affects the expected requests", async (_name, rule, expected) => {
    const project = newProject();
    await addRule(mock, project, rule);
    expect(await statuses(mock, project, 5)).toEqual(expected);
  });

  test("counts only matching requests", async () => {
    const project = newProject();
    await addRule(mock, project, { operation: "queryResources", after: 1, times: 1, ...respond(500) });
    await statuses(mock, project, 3, "/some-id");
    expect(await statuses(mock, project, 3)).toEqual([200, 500, 200]);
  });

  test("does not count requests with an effect of higher precedence", async () => {
    const project = newProject();
    await addRule(mock, project, { times: 1, ...respond(500) });
    await addRule(mock, project, { times: 2, ...respond(503) });
    expect(await statuses(mock, project, 4)).toEqual([503, 503, 500, 200]);
  });

  test("does not count rejected requests", async () => {
    const project = newProject();
    await addRule(mock, project, { times: 1, ...respond(500) });
    expect(await statuses(mock, project, 2, "?floatParameter=x")).toEqual([400, 400]);
    expect(await statuses(mock, project, 2)).toEqual([500, 200]);
  });

  test("a rule with settings and a response counts once", async () => {
    const project = newProject();
    await addRule(mock, project, { after: 1, times: 2, settings: { auth: "off" }, ...respond(500) });
    expect(await statuses(mock, project, 4)).toEqual([200, 500, 500, 200]);
  });

  test("a step with settings applies in order", async () => {
    const project = newProject();
    await addRule(mock, project, { sequence: [respond(500), { settings: { auth: "strict" } }, respond(503)] });
    expect(await statuses(mock, project, 4)).toEqual([500, 401, 503, 200]);
  });

  test("the decisions contain every reason", async () => {
    const project = newProject();
    await addRule(mock, project, { after: 1, times: 1, ...respond(500) });
    await addRule(mock, project, { probability: 0, ...respond(503) });
    await statuses(mock, project, 1);
    const notSelected = "rule r-2 skipped: not selected, with probability 0";
    expect(await lastDecisions(mock, project)).toEqual(
      expect.arrayContaining([notSelected, "rule r-1 skipped: request 1 of the first 1 that it lets through"]),
    );
    await statuses(mock, project, 1);
    expect(await lastDecisions(mock, project)).toEqual(
      expect.arrayContaining([notSelected, "rule r-1 responded with 500"]),
    );
    await statuses(mock, project, 1);
    expect(await lastDecisions(mock, project)).toEqual(
      expect.arrayContaining([notSelected, "rule r-1 skipped: used up"]),
    );
  });

  test("the decisions contain a request that a sequence lets through", async () => {
    const project = newProject();
    await addRule(mock, project, { sequence: [{}] });
    await statuses(mock, project, 1);
    expect(await lastDecisions(mock, project)).toContain("rule r-1 let this request through");
  });
});

describe("a probability is the share of requests on which", () => {
  const mock = useMock("in process");
  const REQUESTS = 2000;
  // For 2,000 requests, the standard deviation is at most 1.1 %. The keys are fixed, so the random numbers are too.
  const tolerance = 0.025;

  /** Returns the share of requests with status 500. */
  async function share(project: string): Promise<number> {
    const seen = await statuses(mock, project, REQUESTS);
    return seen.filter((status) => status === 500).length / REQUESTS;
  }

  test.each([0.1, 0.3, 0.5, 0.7, 0.9])("a rule takes effect: %d", async (probability) => {
    const project = `rule-${probability}`;
    await addRule(mock, project, { probability, ...respond(500) });
    expect(Math.abs((await share(project)) - probability)).toBeLessThan(tolerance);
  });

  test("a rule takes effect, also next to rules and scenarios without a probability", async () => {
    const project = "luck-of-its-own";
    const luck = async () => {
      await addRule(mock, project, { probability: 0.5, ...respond(500) });
      return statuses(mock, project, 40);
    };
    const alone = await luck();
    await reset(mock, project);
    await activate(mock, project, "always", { rules: [{ latency: null }] });
    await activate(mock, project, "always-too", { probability: 1, rules: [{ probability: 1, latency: null }] });
    await addRule(mock, project, { latency: null });
    expect(await luck()).toEqual(alone);
  });

  test.each([0, 1])("a rule and a scenario take effect exactly: %d", async (probability) => {
    const [ruled, on] = [`always-or-never-${probability}`, `always-or-never-${probability}-scenario`];
    await addRule(mock, ruled, { probability, ...respond(500) });
    await activate(mock, on, "mine", { probability, rules: [respond(500)] });
    expect([await share(ruled), await share(on)]).toEqual([probability, probability]);
  });
});

onTransports("how often a scenario takes effect", {}, (mock) => {
  test("times counts requests, whichever rule applies", async () => {
    const project = newProject();
    const rules: Rule[] = [
      { operation: "queryResources", ...respond(500) },
      { operation: "getCart", ...respond(503) },
    ];
    await activate(mock, project, "mine", { times: 2, rules });
    const path = "/namespace-action-with-example";
    expect(await statuses(mock, project, 1)).toEqual([500]);
    expect(await statuses(mock, project, 2, path)).toEqual([503, 200]);
    expect(await lastDecisions(mock, project)).toContain("scenario mine rule 2 skipped: the scenario is used up");
    expect(await statuses(mock, project, 1)).toEqual([200]);
  });

  test.each([1, 3, 5])("times: %d repeats a scenario that ends by itself", async (times) => {
    const project = newProject();
    await activate(mock, project, "unavailable-then-ok", { times });
    const failed = Array.from({ length: times }, () => 503);
    expect(await statuses(mock, project, times + 2)).toEqual([...failed, 200, 200]);
  });

  test("with times: 3, another client writes before three updates", async () => {
    const project = newProject();
    const { id } = await write(mock, project);
    await activate(mock, project, "concurrent-writer", { times: 3 });
    const seen: number[] = [];
    for (let version = 1; version <= 4; version++) {
      seen.push((await mock.resource(project, `/${id}`, update(version))).status);
    }
    expect(seen).toEqual([409, 409, 409, 200]);
  });

  test("times repeats the rules of a scenario in order, and a rule without an end does not repeat", async () => {
    const project = newProject();
    const rules: Rule[] = [{ times: 1, ...respond(500) }, { sequence: [respond(503), respond(429)] }];
    await activate(mock, project, "mine", { times: 5, rules });
    expect(await statuses(mock, project, 7)).toEqual([500, 503, 429, 500, 503, 200, 200]);
    await activate(mock, project, "mine", { times: 3, rules: [{ times: 1, ...respond(500) }, respond(503)] });
    expect(await statuses(mock, project, 5)).toEqual([500, 503, 503, 200, 200]);
  });

  test("a request with effects of several rules counts once", async () => {
    const project = newProject();
    await activate(mock, project, "mine", { times: 2, rules: [{ latency: { fixed: 0 } }, respond(500)] });
    expect(await statuses(mock, project, 3)).toEqual([500, 500, 200]);
  });

  test("probability selects a request once for all rules", async () => {
    const project = newProject();
    const rules: Rule[] = [{ latency: null }, respond(500)];
    await activate(mock, project, "mine", { probability: 0.5, rules });
    for (let request = 0; request < 30; request++) {
      const [status] = await statuses(mock, project, 1);
      const notSelected = (await lastDecisions(mock, project)).filter((decision) =>
        decision.includes("was not selected"),
      );
      expect(notSelected).toHaveLength(status === 500 ? 0 : 2);
    }
  });

  test("starts again when it is activated again", async () => {
    const project = newProject();
    await activate(mock, project, "unavailable-then-ok");
    expect(await statuses(mock, project, 3)).toEqual([503, 503, 200]);
    await activate(mock, project, "unavailable-then-ok", { times: 1 });
    expect(await statuses(mock, project, 3)).toEqual([503, 200, 200]);
  });

  test("active for all projects, each project counts its own requests", async () => {
    await activateForAll(mock, "unavailable-then-ok");
    for (const project of [newProject(), newProject()]) {
      expect(await statuses(mock, project, 3)).toEqual([503, 503, 200]);
      await reset(mock, project);
      expect(await statuses(mock, project, 3)).toEqual([503, 503, 200]);
    }
  });

  test("counts concurrent requests exactly", async () => {
    const project = newProject();
    await addRule(mock, project, { times: 3, ...respond(500) });
    const responses = await Promise.all(Array.from({ length: 10 }, () => mock.resource(project)));
    expect(responses.filter(({ status }) => status === 500)).toHaveLength(3);
  });
});
