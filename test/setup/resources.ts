import { expect } from "vitest";
import type { ObjectTestType } from "../../src/contract/schemas.ts";
import type { Settings } from "../../src/settings/settings.ts";
import { json, type MockUnderTest } from "./mock.ts";

/** A small draft; every test that does not care what is in a resource sends it. */
export const draft = { objectTypeProperty: { arrayOfIntExample: [1], arrayOfStringExample: ["linen"] } };

/** Creates a resource through operation 6, or overwrites one through 7 or 8. Answers its id, out of `Location`. */
export async function write(
  mock: MockUnderTest,
  project: string,
  method: "POST" | "PUT" | "PATCH" = "POST",
  body: object = draft,
  headers: Record<string, string> = {},
): Promise<{ id: string; resource: ObjectTestType }> {
  const response = await mock.resource(project, "", json(method, body, headers));
  expect(response.status).toBe(201);
  const id = response.headers.get("Location")?.split("/").at(-1) ?? "";
  return { id, resource: (await response.json()) as ObjectTestType };
}

/** Reads a resource by the path behind `/{projectKey}/resource`. */
export async function read(mock: MockUnderTest, project: string, path: string): Promise<ObjectTestType> {
  const response = await mock.resource(project, path);
  expect(response.status).toBe(200);
  return (await response.json()) as ObjectTestType;
}

/** An update request (operation 10) of these actions; `doSomeThing` when none are given. */
export function update(version: number, actions: readonly object[] = [{ action: "doSomeThing" }]): RequestInit {
  return json("POST", { version, actions });
}

/** Changes settings of one project, as the control API would. */
export function configure(mock: MockUnderTest, project: string, settings: Partial<Settings>): void {
  const sandbox = mock.engine.projects.get(project);
  sandbox.settings = { ...sandbox.settings, ...settings };
}
