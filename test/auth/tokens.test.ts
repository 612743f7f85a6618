import { expect, test } from "vitest";
import { createTokenRegistry, isExpired, projectOfScope } from "../../src/auth/tokens.ts";

test("a token is found until it is forgotten, and says what it was given for", () => {
  const tokens = createTokenRegistry();
  const issued = tokens.issue({ clientId: "shop", scopes: ["view_test:a"], expiresIn: 60, now: 1000 });
  expect(tokens.find(issued.token)).toEqual({
    token: expect.stringMatching(/^[0-9a-f]{48}$/),
    clientId: "shop",
    scopes: ["view_test:a"],
    issuedAt: 1000,
    expiresIn: 60,
    revoked: false,
  });
  tokens.clear();
  expect(tokens.find(issued.token)).toBeUndefined();
});

test("a revoked token is known, and known to be revoked", () => {
  const tokens = createTokenRegistry();
  const { token } = tokens.issue({ clientId: "shop", now: 0 });
  expect([tokens.revoke(token), tokens.revoke("other")]).toEqual([true, false]);
  expect(tokens.find(token)?.revoked).toBe(true);
});

test("a project's tokens go with it, unless they are good for something else", () => {
  const tokens = createTokenRegistry();
  const issue = (...scopes: string[]) => tokens.issue({ clientId: "shop", scopes, now: 0 }).token;
  const [own, both, other] = [issue("a:p", "b:p"), issue("a:p", "a:q"), issue("a:q")];
  const every = tokens.issue({ clientId: "shop", now: 0 }).token;
  tokens.forgetProject("p");
  expect([own, both, other, every].map((token) => tokens.find(token) !== undefined)).toEqual([false, true, true, true]);
});

test("a suite that asks for a token with each request stays bounded: the oldest go", () => {
  const tokens = createTokenRegistry();
  const issue = () => tokens.issue({ clientId: "shop", now: 0 }).token;
  const first = issue();
  const second = issue();
  for (let count = 0; count < 49_999; count++) issue();
  expect([tokens.find(first), tokens.find(second)?.token]).toEqual([undefined, second]);
});

test.each([
  [0, 59_999, false],
  [0, 60_000, true],
  [5_000, 64_999, false],
  [5_000, 65_000, true],
])("of 60 seconds from %s, %s is over: %s", (issuedAt, now, over) => {
  const token = createTokenRegistry().issue({ clientId: "shop", expiresIn: 60, now: issuedAt });
  expect(isExpired(token, now)).toBe(over);
});

test.each([
  ["view_test:demo", "demo"],
  ["view_test:a:b", "a:b"],
  ["view_test:", ""],
  ["view_test", undefined],
])("the project of %s is %s", (scope, project) => {
  expect(projectOfScope(scope)).toBe(project);
});
