import { expect } from "vitest";
import type { StateDocument } from "../../src/services/generic-resource/control/state-form.ts";
import type { ObjectTestType } from "../../src/services/generic-resource/schemas.ts";
import type { ResourceRecord } from "../../src/state/resource-record.ts";
import type { Settings } from "../../src/state/settings-schema.ts";
import { inProject } from "./control.ts";
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

/** Changes settings of a project. */
export async function configure(mock: MockUnderTest, project: string, settings: Partial<Settings>): Promise<void> {
  expect(await inProject(mock, project, "PATCH", "/settings", settings)).toMatchObject({ status: 200, body: settings });
}

/** Returns a resource with all its fields; undefined if it is not stored. */
export async function recordOf(mock: MockUnderTest, project: string, id: string): Promise<ResourceRecord | undefined> {
  const { status, body } = await inProject<ResourceRecord>(
    mock,
    project,
    "GET",
    `/resources/${encodeURIComponent(id)}`,
  );
  return status === 404 ? undefined : body;
}

/** Returns the state of a project. */
export async function stateOf(mock: MockUnderTest, project: string): Promise<StateDocument> {
  return (await inProject<StateDocument>(mock, project, "GET", "/state")).body;
}
