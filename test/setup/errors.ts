import { expect } from "vitest";
import { type ErrorCode, errorCatalogue } from "../../src/contract/errors.ts";
import type { ErrorDetail } from "../../src/contract/service-error.ts";

/**
 * Holds an answer against the error shape of DESIGN section 3: the status of the code, the members and no others, the
 * headers that every answer has. `detail` is what the first of its `errors` must hold besides.
 *
 * @returns all of its `errors`
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

/** `Mock-Request-Id`: the project's eight digits and the request's number, or `none` outside of any project. */
export const requestId = /^([0-9a-f]{8}-\d+|none)$/;

/** An answer to HEAD has no body: its status says it all. */
export async function expectBodiless(response: Response, status: number): Promise<void> {
  expect([response.status, await response.text()]).toEqual([status, ""]);
}
