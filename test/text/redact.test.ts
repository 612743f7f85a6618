import { expect, test } from "vitest";
import { isSecret, redactHeader, redactJson, redactMember, redactQuery, redactText } from "../../src/text/redact.ts";

const secretNames = [
  ...["access_token", "refresh-token", "idToken", "auth_token", "csrf-token", "sessionToken", "session_id"],
  ...["client_secret", "client-assertion", "api_key", "xApiKey", "private-key", "password", "passwd", "passphrase"],
  ...["authorization", "proxy-authorization", "cookie", "cookies", "set-cookie"],
];
test.each([
  ["authorization", "Bearer secret", "Bearer [redacted]"],
  ["Proxy-Authorization", "bearer   secret", "bearer [redacted]"],
  ["authorization", "AWS4-HMAC-SHA256 Credential=secret, Signature=secret", "AWS4-HMAC-SHA256 [redacted]"],
  ["authorization", "secret", "[redacted]"],
  ["authorization", "sec=ret Bearer secret", "[redacted]"],
  ["authorization", "Bearer ", "[redacted]"],
  ["Cookie", "session=secret", "[redacted]"],
  ["set-cookie", "session=secret; Path=/", "[redacted]"],
  ["X-Api-Key", "session=secret", "[redacted]"],
  ["x-auth-token", "secret", "[redacted]"],
  ["content-type", "Bearer text", "Bearer text"],
])("the header %s: %j becomes %j", (name, value, shown) => {
  expect(redactHeader(name, value)).toBe(shown);
});

test.each(secretNames.flatMap((name) => [name, name.toUpperCase()]))(
  "%s is redacted in members, queries, JSON, forms and incomplete JSON",
  (name) => {
    expect([isSecret(name), redactMember(name, 1), redactMember(name, "")]).toEqual([true, "[redacted]", "[redacted]"]);
    expect(redactQuery(`a=1&${name}=secret&b=2`)).toBe(`a=1&${name}=[redacted]&b=2`);
    const value = { a: [{ [name]: { deep: "secret" }, b: 1 }], [name]: null };
    expect(redactJson(value)).toEqual({ a: [{ [name]: "[redacted]", b: 1 }], [name]: "[redacted]" });
    expect(redactText(`${name}=secret&b=2`)).toBe(`${name}=[redacted]&b=2`);
    expect(redactText(`{"a":"1","${name}" : "sec\\"ret","b":"2`)).toBe(`{"a":"1","${name}" : "[redacted]","b":"2`);
    expect(redactText(`{"${name}":"sec\\`)).not.toContain("sec\\");
  },
);

test.each(["token", "my_access_token", "access_token2", "", "constructor"])("%j stays unchanged", (name) => {
  expect([isSecret(name), redactMember(name, 1)]).toEqual([false, 1]);
  expect(redactText(`${name}=1 "access":"${name}"`)).toBe(`${name}=1 "access":"${name}"`);
});

test.each([
  ["access_token=a=b", "access_token=[redacted]"],
  ["access_token=", "access_token=[redacted]"],
  ["access%5Ftoken=secret", "access%5Ftoken=[redacted]"],
  ["access_token", "access_token"],
  ["=secret", "=secret"],
  ["a=x%20y&&b", "a=x%20y&&b"],
])("the query %j becomes %j", (query, shown) => {
  expect(redactQuery(query)).toBe(shown);
});
