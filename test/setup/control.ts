import { expect } from "vitest";
import { ARCHIVE_TYPE, archiveIn, archiveRequest } from "./archives.ts";
import { json, type MockUnderTest } from "./mock.ts";

/** A response of the control API with its parsed body. */
export interface ControlReply<Body> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** Calls the control API. `path` is relative to `/__admin`. Sends no body if `body` is undefined. */
export async function control<Body = Record<string, unknown>>(
  mock: Pick<MockUnderTest, "fetch">,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ControlReply<Body>> {
  const isObject = typeof body === "object" && body !== null;
  const isArchive = isObject && method === "PUT" && path.endsWith("/archive") && !("from" in body);
  const init =
    body === undefined ? { method, headers } : isArchive ? archiveRequest(body) : json(method, body, headers);
  const response = await mock.fetch(`/__admin${path}`, init);
  const text = await response.text();
  const type = response.headers.get("Content-Type") ?? "";
  const parse = type === ARCHIVE_TYPE ? archiveIn : type.includes("json") ? JSON.parse : undefined;
  return {
    status: response.status,
    headers: response.headers,
    body: (parse && text !== "" ? parse(text) : text) as Body,
  };
}

/** Calls the control API within a project. `path` is relative to `/__admin/projects/{projectKey}`. */
export function inProject<Body = Record<string, unknown>>(
  mock: Pick<MockUnderTest, "fetch">,
  project: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<ControlReply<Body>> {
  return control<Body>(mock, method, `/projects/${encodeURIComponent(project)}${path}`, body, headers);
}

/** Validates problem details (RFC 9457), and returns the locations in `errors`. */
export function expectProblem(
  reply: ControlReply<unknown>,
  status: number,
  code: string,
  detail: string = "",
): { detail: string; pointer?: string; parameter?: string }[] {
  expect([reply.status, reply.body]).toEqual([
    status,
    expect.objectContaining({
      type: `urn:resource-mock:problem:${code}`,
      title: expect.any(String),
      status,
      detail: expect.stringContaining(detail),
    }),
  ]);
  expect(reply.headers.get("Content-Type")).toBe("application/problem+json");
  const { errors = [] } = reply.body as { errors?: { detail: string }[] };
  expect(errors.length).toBeLessThanOrEqual(20);
  return errors;
}
