import { expect } from "vitest";

export const MiB = 1024 * 1024;

/** 17 MiB of text. */
export const long = "x".repeat(17 * MiB);

/** A JSON array of a million of these. */
export function million(item: string): string {
  return `[${`${item},`.repeat(999_999)}${item}]`;
}

/** An error holds the beginning of what was sent at most. */
export async function expectSmallError(response: Response, status?: number): Promise<void> {
  const told = await response.text();
  expect([response.status, told.length]).toEqual([
    status ?? expect.toSatisfy((code) => code >= 400 && code < 500),
    expect.toSatisfy((length) => length > 0 && length < 5000),
  ]);
}
