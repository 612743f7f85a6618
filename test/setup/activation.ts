import { expect, onTestFinished } from "vitest";
import type { AddedRule } from "../../src/scenarios/active-rules.ts";
import type { Activation, Rule } from "../../src/scenarios/scenario.ts";
import { json, type MockUnderTest } from "./mock.ts";

/** Activates a scenario in the project; with `rules`, an inline scenario. */
export async function activate(
  mock: MockUnderTest,
  project: string,
  name: string,
  options: Activation = {},
): Promise<void> {
  await control(mock, `projects/${project}/scenarios/${name}`, json("PUT", options), 200);
}

export async function deactivate(mock: MockUnderTest, project: string, name: string): Promise<void> {
  await control(mock, `projects/${project}/scenarios/${name}`, { method: "DELETE" }, 204);
}

/** Activates a scenario for all projects until the end of the test. */
export async function activateForAll(mock: MockUnderTest, name: string, options: Activation = {}): Promise<void> {
  await control(mock, `scenarios/${name}`, json("PUT", options), 200);
  onTestFinished(async () => {
    await control(mock, `scenarios/${name}`, { method: "DELETE" }, 204);
  });
}

/** Adds a rule to the project. Returns its id. */
export async function addRule(mock: MockUnderTest, project: string, rule: Rule): Promise<string> {
  const response = await control(mock, `projects/${project}/rules`, json("POST", rule), 201);
  return ((await response.json()) as AddedRule).id;
}

export async function reset(mock: MockUnderTest, project: string): Promise<void> {
  await control(mock, `projects/${project}/reset`, { method: "POST" }, 204);
}

/** Returns the decisions behind the last response of the project. */
export function lastDecisions(mock: MockUnderTest, project: string): Promise<readonly string[]> {
  return mock.inside(project, ({ journal }) => journal.list()[0]?.decisions ?? []);
}

async function control(mock: MockUnderTest, path: string, init: RequestInit, status: number): Promise<Response> {
  const response = await mock.fetch(`/__admin/${path}`, init);
  if (response.status !== status)
    expect([response.status, await response.text()]).toEqual([status, expect.any(String)]);
  return response;
}
