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

/** What is as long as the right one and wrong at its first character, or at its last; what is shorter, and longer. */
const wrong = (right: string) => [`X${right.slice(1)}`, `${right.slice(0, -1)}X`, right.slice(0, -1), `${right}X`, "X"];

describe("a secret is compared by the platform's own comparison, of as many bytes whatever was sent", () => {
  const sayWithToken = async (token: string) =>
    (await control(mock, "GET", "/projects", undefined, bearer(token))).status;
  const sayWithSecret = async (sent: string) =>
    (await mock.fetch("/oauth/token", form({ grant_type: "client_credentials" }, basic("shop", sent)))).status;

  test.each([
    ["the admin token", adminToken, sayWithToken],
    ["a client's secret", secret, sayWithSecret],
  ])("%s", async (_name, right, say) => {
    const crypto = createRequire(import.meta.url)("node:crypto") as typeof import("node:crypto");
    const compare = vi.spyOn(crypto, "timingSafeEqual");
    syncBuiltinESMExports();
    const sent = [...wrong(right), right];
    for (const each of sent) expect([each, await say(each)]).toEqual([each, each === right ? 200 : 401]);
    expect(compare.mock.calls.map(([a, b]) => [a.byteLength, b.byteLength])).toEqual(sent.map(() => [32, 32]));
    // It is what decides.
    compare.mockReturnValue(true);
    expect(await say("X")).toBe(200);
  });
});
