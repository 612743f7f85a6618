/** @module-tag isolated */
import { expect, test } from "vitest";
import { createTokenRegistry } from "../../src/auth/tokens.ts";
import { heldBytes } from "../setup/memory.ts";

test("more than 50,000 tokens without a project: the registry forgets the oldest", { tags: ["slow"] }, () => {
  const tokens = createTokenRegistry();
  const issue = () => tokens.issue({ clientId: "shop", now: 0 }).token;
  const first = issue();
  const second = issue();
  for (let count = 0; count < 49_999; count++) issue();
  expect([tokens.find(first), tokens.find(second)?.token]).toEqual([undefined, second]);
});

test("many tokens of one project do not remove tokens of another project, or tokens without a project", () => {
  const tokens = createTokenRegistry();
  const issue = (...scopes: string[]) => tokens.issue({ clientId: "shop", scopes, now: 0 }).token;
  const [quiet, both] = [issue("view_test:quiet"), issue("view_test:quiet", "view_test:other")];
  const every = tokens.issue({ clientId: "shop", now: 0 }).token;
  const first = issue("view_test:busy");
  for (let count = 0; count < 20_000; count++) issue("view_test:busy");
  const known = [quiet, both, every, first].map((token) => tokens.find(token) !== undefined);
  expect(known).toEqual([true, true, true, false]);
});

/** Returns a scope of 512 characters for this project. */
const longScope = (projectKey: string) => `${"s".repeat(511 - projectKey.length)}:${projectKey}`;

test("the tokens of a project take at most 2 MiB", () => {
  const tokens = createTokenRegistry();
  const scopes = Array<string>(100).fill(longScope("p"));
  const issued = Array.from({ length: 40 }, () => tokens.issue({ clientId: "shop", scopes, now: 0 }).token);
  const kept = issued.filter((token) => tokens.find(token));
  expect(kept).toEqual(issued.slice(-kept.length));
  expect(kept.length * 100 * 512 * 2).toBeLessThan(2 * 1024 * 1024);
  expect(kept.length).toBeGreaterThan(15);
});

test("a token does not keep the received form in memory", { tags: ["slow"] }, async () => {
  const tokens = createTokenRegistry();
  const before = await heldBytes();
  for (let count = 0; count < 1000; count++) {
    const form = new URLSearchParams(`client_id=a-client-with-a-long-name-${count}&rest=${"x".repeat(64 * 1024)}`);
    tokens.issue({ clientId: form.get("client_id") ?? "", now: 0 });
  }
  expect((await heldBytes()) - before).toBeLessThan(10 * 1024 * 1024);
  expect(tokens.find("")).toBeUndefined();
});

test("a revoked token stays revoked after it is forgotten, and no other token is revoked", { tags: ["slow"] }, () => {
  const tokens = createTokenRegistry();
  const issue = () => tokens.issue({ clientId: "shop", scopes: ["a:p"], now: 0 }).token;
  const issued = Array.from({ length: 20_000 }, issue);
  const revoked = issued.filter((_, index) => index % 2 === 0);
  for (const token of revoked) tokens.revoke(token);
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
