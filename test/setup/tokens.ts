import { expect } from "vitest";
import { type MockUnderTest, newProject } from "./mock.ts";
import { configure } from "./resources.ts";

/** Returns a form request for the token endpoint. */
export function form(fields: Record<string, string>, headers: Record<string, string> = {}): RequestInit {
  return { method: "POST", body: new URLSearchParams(fields), headers };
}

/** Returns the HTTP Basic header of a client for the token endpoint. */
export function basic(id: string, secret: string): Record<string, string> {
  return { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString("base64")}` };
}

/** Returns the header with a bearer token. */
export function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` };
}

/** Returns whether the token is valid in some project: a strict project rejects all others with 401. */
export async function isActive(mock: MockUnderTest, token: string): Promise<boolean> {
  const project = newProject();
  await configure(mock, project, { auth: "strict" });
  const response = await mock.resource(project, "", { headers: bearer(token) });
  expect([200, 401, 403]).toContain(response.status);
  return response.status !== 401;
}

/** Returns a token from the token endpoint. Without `scope`, the token grants every scope. */
export async function tokenFor(mock: MockUnderTest, scope?: string, client = "shop"): Promise<string> {
  const fields = { grant_type: "client_credentials", ...(scope !== undefined && { scope }) };
  const response = await mock.fetch("/oauth/token", form(fields, basic(client, "secret")));
  expect(response.status).toBe(200);
  const { access_token } = (await response.json()) as { access_token: string };
  return access_token;
}
