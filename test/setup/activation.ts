import { expect, onTestFinished } from "vitest";
import type { Activation, AddedRule, Rule } from "../../src/rules/scenario.ts";
import { control } from "./control.ts";
import { lastRequest } from "./journal.ts";
import type { MockUnderTest } from "./mock.ts";

/** Activates a scenario in the project; with `rules`, an inline scenario. */
export async function activate(
  mock: MockUnderTest,
  project: string,
  name: string,
  options: Activation = {},
): Promise<void> {
  await send(mock, "PUT", `/projects/${project}/scenarios/${name}`, 200, options);
}

export async function deactivate(mock: MockUnderTest, project: string, name: string): Promise<void> {
  await send(mock, "DELETE", `/projects/${project}/scenarios/${name}`, 204);
}

/** Activates a scenario for all projects until the end of the test. */
export async function activateForAll(mock: MockUnderTest, name: string, options: Activation = {}): Promise<void> {
  await send(mock, "PUT", `/scenarios/${name}`, 200, options);
  onTestFinished(async () => {
    await send(mock, "DELETE", `/scenarios/${name}`, 204);
  });
}

/** Adds a rule to the project. Returns its id. */
export async function addRule(mock: MockUnderTest, project: string, rule: Rule): Promise<string> {
  return (await send<AddedRule>(mock, "POST", `/projects/${project}/rules`, 201, rule)).id;
}

export async function reset(mock: MockUnderTest, project: string): Promise<void> {
  await send(mock, "POST", `/projects/${project}/reset`, 204);
}

/** Returns the decisions behind the last response of the project. */
export async function lastDecisions(mock: MockUnderTest, project: string): Promise<readonly string[]> {
  return (await lastRequest(mock, project))?.decisions ?? [];
}

/** Calls the control API, and expects the status. Returns the body. */
async function send<Body>(
  mock: MockUnderTest,
  method: string,
  path: string,
  expected: number,
  content?: unknown,
): Promise<Body> {
  const { status, body } = await control<Body>(mock, method, path, content);
  expect([status, body]).toEqual([expected, body]);
  return body;
}
