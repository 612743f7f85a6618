import { expect } from "vitest";

export const MiB = 1024 * 1024;

/** 17 MiB of text. */
export const long = "x".repeat(17 * MiB);

/** Returns a JSON array with a million copies of the item. */
export function million(item: string): string {
  return `[${`${item},`.repeat(999_999)}${item}]`;
}

/** Expects a short error response. An error quotes only a short part of the request. */
export async function expectSmallError(response: Response, status?: number): Promise<void> {
  const text = await response.text();
  expect([response.status, text.length]).toEqual([
    status ?? expect.toSatisfy((code) => code >= 400 && code < 500),
    expect.toSatisfy((length) => length > 0 && length < 5000),
  ]);
}
