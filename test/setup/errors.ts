import { expect } from "vitest";
import type { ErrorDetail } from "../../src/contract/errors.ts";
import { type ErrorCode, errorCatalogue } from "../../src/contract/errors.ts";

/**
 * Validates an error response: the status of the code, the exact members and the required headers.
 * `detail` holds further members that the first of its `errors` must have.
 *
 * @returns the `errors` of the body
 */
export async function expectError(
  response: Response,
  code: ErrorCode,
  detail: Record<string, unknown> = {},
): Promise<ErrorDetail[]> {
  const text = await response.text();
  const { status } = errorCatalogue[code];
  expect([response.status, text]).toEqual([status, expect.stringContaining(`"${code}"`)]);
  expect(response.headers.get("Content-Type")).toBe("application/json");
  expect(response.headers.get("Mock-Source")).toBe("error");
  expect(response.headers.get("Mock-Request-Id")).toMatch(requestId);

  const body = JSON.parse(text) as { message: string; errors: ErrorDetail[] };
  const challenged = status === 401 || status === 403;
  expect(body).toEqual({
    statusCode: status,
    message: expect.any(String),
    errors: expect.any(Array),
    ...(challenged && { error: code, error_description: body.message }),
  });
  expect(response.headers.has("WWW-Authenticate")).toBe(challenged);
  for (const each of body.errors) {
    expect(each).toMatchObject({ code: expect.toBeOneOf(Object.keys(errorCatalogue)), message: expect.any(String) });
  }
  expect(body.errors[0]).toMatchObject({ code, ...detail });
  expect(body.message).toContain(body.errors[0]?.message);
  return body.errors;
}

/** Matches a `Mock-Request-Id`: eight digits of the project and the number of the request, or `none` without a project. */
export const requestId = /^([0-9a-f]{8}-\d+|none)$/;

/** Expects this status and no body, as in a response to HEAD. */
export async function expectBodiless(response: Response, status: number): Promise<void> {
  expect([response.status, await response.text()]).toEqual([status, ""]);
}
