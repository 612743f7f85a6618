import { describe, expect, test } from "vitest";
import { isSecret, redactHeader, redactJson, redactMember, redactQuery, redactText } from "../../src/text/redact.ts";

const secretNames = [
  ...["access_token", "refresh-token", "idToken", "auth_token", "csrf-token", "sessionToken", "session_id"],
  ...["client_secret", "client-assertion", "api_key", "xApiKey", "private-key", "password", "passwd", "passphrase"],
  ...["authorization", "proxy-authorization", "cookie", "cookies", "set-cookie"],
];
const inAnyCase = secretNames.flatMap((name) => [name, name.toUpperCase()]);

describe("a header", () => {
  test.each([
    "authorization",
    "Authorization",
    "proxy-authorization",
    "Proxy-Authorization",
    "cookie",
    "Cookie",
    "set-cookie",
    "Set-Cookie",
    "x-api-key",
    "Api-Key",
    "X-Auth-Token",
  ])("%s is redacted", (name) => {
    expect(redactHeader(name, "session=secret; Path=/")).toBe("[redacted]");
  });

  test.each([
    ["Bearer secret", "Bearer [redacted]"],
    ["bearer   secret", "bearer [redacted]"],
    ["AWS4-HMAC-SHA256 Credential=secret, Signature=secret", "AWS4-HMAC-SHA256 [redacted]"],
    ["X secret", "X [redacted]"],
    ["secret", "[redacted]"],
    ["1secret Bearer secret", "[redacted]"],
    ["sec=ret Bearer secret", "[redacted]"],
    ["Bearer ", "[redacted]"],
    ["", "[redacted]"],
  ])("authorization: %s keeps at most its scheme", (value, shown) => {
    expect(redactHeader("authorization", value)).toBe(shown);
  });

  test("without a credential stays unchanged", () => {
    expect(redactHeader("content-type", "Bearer text")).toBe("Bearer text");
  });
});

describe("a member", () => {
  test.each(inAnyCase)("%s is redacted", (name) => {
    expect([isSecret(name), redactMember(name, 1), redactMember(name, "")]).toEqual([true, "[redacted]", "[redacted]"]);
  });

  test.each(["token", "my_access_token", "access_token2", "", "constructor"])("%j stays unchanged", (name) => {
    expect([isSecret(name), redactMember(name, 1)]).toEqual([false, 1]);
  });
});

describe("a query", () => {
  test.each(inAnyCase)("has no value of %s", (name) => {
    expect(redactQuery(`a=1&${name}=secret&b=2`)).toBe(`a=1&${name}=[redacted]&b=2`);
  });

  test.each([
    ["access_token=a=b", "access_token=[redacted]"],
    ["access_token=", "access_token=[redacted]"],
    ["access%5Ftoken=secret", "access%5Ftoken=[redacted]"],
    ["access_token=secret&access_token=secret", "access_token=[redacted]&access_token=[redacted]"],
    ["access_token", "access_token"],
    ["=secret", "=secret"],
    ["a=x%20y&&b", "a=x%20y&&b"],
    ["", ""],
  ])("%j becomes %j", (query, shown) => {
    expect(redactQuery(query)).toBe(shown);
  });
});

describe("a JSON value", () => {
  test.each(inAnyCase)("has no %s, at any depth", (name) => {
    const value = { a: [{ [name]: { deep: "secret" }, b: 1 }], [name]: null };
    expect(redactJson(value)).toEqual({ a: [{ [name]: "[redacted]", b: 1 }], [name]: "[redacted]" });
  });

  test.each([[null], [1], ["client_secret"], [[]], [{}]])("%j stays unchanged", (value) => {
    expect(redactJson(value)).toEqual(value);
  });
});

describe("a text", () => {
  test.each(inAnyCase)("of a form has no %s", (name) => {
    expect(redactText(`a=1&${name}=secret&b=2`)).toBe(`a=1&${name}=[redacted]&b=2`);
    expect(redactText(`${name}=secret`)).toBe(`${name}=[redacted]`);
  });

  test.each(inAnyCase)("of incomplete JSON has no %s", (name) => {
    expect(redactText(`{"a":"1","${name}" : "sec\\"ret","b":"2`)).toBe(`{"a":"1","${name}" : "[redacted]","b":"2`);
    expect(redactText(`{"${name}":"sec`)).toBe(`{"${name}":"[redacted]"`);
    expect(redactText(`{"${name}":"sec\\`)).not.toContain("sec\\");
  });

  test("without a secret stays unchanged", () => {
    const text = 'my_access_token=1 "access":"token" access_token';
    expect(redactText(text)).toBe(text);
  });
});
