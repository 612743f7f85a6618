import { createRequire, syncBuiltinESMExports } from "node:module";
import { afterEach, describe, expect, test, vi } from "vitest";
import { control } from "../setup/control.ts";
import { useMock } from "../setup/mock.ts";
import { basic, bearer, form } from "../setup/tokens.ts";

const adminToken = "the-admin-token-0123456789";
const secret = "the-secret-of-the-shop";
const mock = useMock("in process", { adminToken, clients: new Map([["shop", secret]]) });

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

/** Returns wrong secrets: with another first or last character, shorter, longer, and of one character. */
const wrong = (right: string) => [`X${right.slice(1)}`, `${right.slice(0, -1)}X`, right.slice(0, -1), `${right}X`, "X"];

describe("secrets are compared with timingSafeEqual over a fixed number of bytes", () => {
  const statusWithToken = async (token: string) =>
    (await control(mock, "GET", "/projects", undefined, bearer(token))).status;
  const statusWithSecret = async (sent: string) =>
    (await mock.fetch("/oauth/token", form({ grant_type: "client_credentials" }, basic("shop", sent)))).status;

  test.each([
    ["the admin token", adminToken, statusWithToken],
    ["a client's secret", secret, statusWithSecret],
  ])("for %s", async (_name, right, statusWith) => {
    const crypto = createRequire(import.meta.url)("node:crypto") as typeof import("node:crypto");
    const compare = vi.spyOn(crypto, "timingSafeEqual");
    syncBuiltinESMExports();
    const sent = [...wrong(right), right];
    for (const each of sent) expect([each, await statusWith(each)]).toEqual([each, each === right ? 200 : 401]);
    expect(compare.mock.calls.map(([a, b]) => [a.byteLength, b.byteLength])).toEqual(sent.map(() => [32, 32]));
    // The result of the comparison decides.
    compare.mockReturnValue(true);
    expect(await statusWith("X")).toBe(200);
  });
});
