import { expect, onTestFinished } from "vitest";
import type { Activation, Rule } from "../../src/scenarios/scenario.ts";
import type { AddedRule } from "../../src/scenarios/switches.ts";
import { json, type MockUnderTest } from "../setup/mock.ts";

/** Turns a scenario on in the project, or one written on the spot (`rules`). */
export async function turnOn(mock: MockUnderTest, project: string, name: string, how: Activation = {}): Promise<void> {
  await control(mock, `projects/${project}/scenarios/${name}`, json("PUT", how), 200);
}

export async function turnOff(mock: MockUnderTest, project: string, name: string): Promise<void> {
  await control(mock, `projects/${project}/scenarios/${name}`, { method: "DELETE" }, 204);
}

/** Turns a scenario on for all projects, until the test is over. */
export async function turnOnForAll(mock: MockUnderTest, name: string, how: Activation = {}): Promise<void> {
  await control(mock, `scenarios/${name}`, json("PUT", how), 200);
  onTestFinished(async () => {
    await control(mock, `scenarios/${name}`, { method: "DELETE" }, 204);
  });
}

/** Adds a rule to the project; answers its id. */
export async function addRule(mock: MockUnderTest, project: string, rule: Rule): Promise<string> {
  const response = await control(mock, `projects/${project}/rules`, json("POST", rule), 201);
  return ((await response.json()) as AddedRule).id;
}

export async function reset(mock: MockUnderTest, project: string): Promise<void> {
  await control(mock, `projects/${project}/reset`, { method: "POST" }, 204);
}

/** The decisions behind the project's last answer. */
export function lastDecisions(mock: MockUnderTest, project: string): readonly string[] {
  return mock.engine.projects.get(project).journal.list()[0]?.decisions ?? [];
}

async function control(mock: MockUnderTest, path: string, init: RequestInit, status: number): Promise<Response> {
  const response = await mock.fetch(`/__admin/${path}`, init);
  if (response.status !== status)
    expect([response.status, await response.text()]).toEqual([status, expect.any(String)]);
  return response;
}
