/** @module-tag isolated */
import { expect, test } from "vitest";
import { TokenRegistry } from "../../src/engine/auth/tokens.ts";
import { heldBytes } from "../setup/memory.ts";

test("a project has at most 2,000 tokens: the registry forgets its oldest, and no token of other projects", () => {
  const tokens = new TokenRegistry();
  const issue = (...scopes: string[]) =>
    tokens.issue({ clientId: "shop", scopes, projectKey: scopes[0]?.split(":")[1] }, () => 0).token;
  const quiet = issue("view_test:quiet", "manage_test:quiet");
  const every = tokens.issue({ clientId: "shop" }, () => 0).token;
  const [first, second] = [issue("view_test:busy"), issue("view_test:busy")];
  for (let count = 0; count < 1999; count++) issue("view_test:busy");
  const known = [quiet, every, first, second].map((token) => tokens.find(token) !== undefined);
  expect(known).toEqual([true, true, false, true]);
  expect([...tokens.ofProject("busy")].length).toBe(2000);
});

test("a server has at most 10,000 tokens: the registry forgets the oldest, and projects without tokens", () => {
  const notes = new Map<string, number>();
  const tokens = new TokenRegistry(undefined, (part) => void notes.set(part, (notes.get(part) ?? 0) + 1));
  const issue = (number: number) =>
    tokens.issue({ clientId: "shop", scopes: [`view_test:p-${number}`], projectKey: `p-${number}` }, () => 0).token;
  const issued = Array.from({ length: 10_005 }, (_, number) => issue(number));
  expect(issued.filter((token) => !tokens.find(token))).toEqual(issued.slice(0, 5));
  expect([notes.get("owner/p-0"), tokens.saved("owner/p-0"), tokens.saved("owner/p-5")]).toEqual([2, undefined, 1]);
});

test("a token does not keep the received form in memory", { tags: ["slow"] }, async () => {
  const tokens = new TokenRegistry();
  const before = await heldBytes();
  for (let count = 0; count < 1000; count++) {
    const form = new URLSearchParams(`client_id=a-client-with-a-long-name-${count}&rest=${"x".repeat(64 * 1024)}`);
    tokens.issue({ clientId: form.get("client_id") ?? "" }, () => 0);
  }
  expect((await heldBytes()) - before).toBeLessThan(10 * 1024 * 1024);
  expect(tokens.find("")).toBeUndefined();
});

test("a revoked token stays revoked after it is forgotten, and no other token is revoked", () => {
  const tokens = new TokenRegistry();
  const issue = () => tokens.issue({ clientId: "shop", scopes: ["a:p"], projectKey: "p" }, () => 0).token;
  const issued = Array.from({ length: 4000 }, issue);
  const revoked = issued.filter((_, index) => index % 2 === 0);
  for (const token of revoked) tokens.revoke(token, 0);
  const areRevoked = () => issued.map((token) => tokens.isRevoked(token));
  const expected = issued.map((_, index) => index % 2 === 0);
  expect(areRevoked()).toEqual(expected);
  tokens.forgetProject("p");
  expect(areRevoked()).toEqual(expected);
  tokens.clear();
  expect(areRevoked()).toEqual(expected);
  expect(["", "abc", issue(), "0123456789abcdef".repeat(3)].map((token) => tokens.isRevoked(token))).toEqual(
    Array(4).fill(false),
  );
});

test("the registry keeps 100,000 revoked tokens until they expire, and rejects more", () => {
  const tokens = new TokenRegistry();
  const token = (number: number) => number.toString(16).padStart(48, "0");
  const [first, last] = [tokens.issue({ clientId: "shop", expiresIn: 60 }, () => 0).token, token(100_000)];
  tokens.revoke(first, 0);
  for (let number = 1; number < 100_000; number++) tokens.revoke(token(number), 0);
  expect(() => tokens.revoke(last, 59_000)).toThrow("expected at most 100000 that have not expired, found more");
  tokens.revoke(token(1), 59_000);
  expect([tokens.isRevoked(first), tokens.isRevoked(token(1)), tokens.isRevoked(last)]).toEqual([true, true, false]);
  tokens.clear();
  tokens.revoke(last, 60_000);
  expect([tokens.isRevoked(first), tokens.isRevoked(token(1)), tokens.isRevoked(last)]).toEqual([false, true, true]);
});
