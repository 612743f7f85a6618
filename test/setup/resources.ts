import { expect } from "vitest";
import type { ObjectTestType } from "../../src/contract/schemas.ts";
import type { Settings } from "../../src/settings/settings.ts";
import { json, type MockUnderTest } from "./mock.ts";

/** A small draft, for tests that work with any resource. */
export const draft = { objectTypeProperty: { arrayOfIntExample: [1], arrayOfStringExample: ["linen"] } };

/**
 * Writes a resource through `createResource` (POST), `overwriteResource` (PATCH) or `createOrOverwriteResource` (PUT).
 * Returns the id from `Location`, and the body.
 */
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

/** Reads a resource. The path is relative to `/{projectKey}/resource`. */
export async function read(mock: MockUnderTest, project: string, path: string): Promise<ObjectTestType> {
  const response = await mock.resource(project, path);
  expect(response.status).toBe(200);
  return (await response.json()) as ObjectTestType;
}

/** Returns a request of `updateResource` with these actions, by default one `doSomeThing`. */
export function update(version: number, actions: readonly object[] = [{ action: "doSomeThing" }]): RequestInit {
  return json("POST", { version, actions });
}

/** Changes settings of a project without a call of the control API. */
export async function configure(mock: MockUnderTest, project: string, settings: Partial<Settings>): Promise<void> {
  await mock.inside(project, (sandbox) => {
    sandbox.settings = { ...sandbox.settings, ...settings };
  });
}
