import { expect, test } from "vitest";
import {
  isSecret,
  redactHeader,
  redactJson,
  redactMember,
  redactQuery,
  redactText,
  withoutSecrets,
} from "../../src/contract/text/redact.ts";

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
  "the value of %s is redacted in members, queries, JSON, forms and incomplete JSON",
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

test.each(["token", "my_access_token", "access_token2", "", "constructor"])(
  "a member with the name %j stays unchanged",
  (name) => {
    expect([isSecret(name), redactMember(name, 1)]).toEqual([false, 1]);
    expect(redactText(`${name}=1 "access":"${name}"`)).toBe(`${name}=1 "access":"${name}"`);
  },
);

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

const jwt = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl";
test.each([
  [jwt, "[redacted]"],
  [`token=${jwt}&a=b`, "token=[redacted]&a=b"],
  [`x-${jwt}`, "x-[redacted]"],
  [`eyJ-${jwt}.x`, "[redacted].x"],
  [`a.${jwt} ${jwt}`, "a.[redacted] [redacted]"],
  [`xeyJhbGciOiJ.a.b`, "xeyJhbGciOiJ.a.b"],
  ["eyJhbGciOiJ.eyJhbGciOiJ", "eyJhbGciOiJ.eyJhbGciOiJ"],
  ["Bearer abcdefgh1 and basic", "Bearer [redacted] and basic"],
  ["https://me:hush@host.example/x", "https://[redacted]@host.example/x"],
  ["the word and words of-the-client", "the [redacted] and [redacted] of-the-client"],
])("in a recorded fixture, %j becomes %j", (text, safe) => {
  expect(withoutSecrets({ a: [text] }, ["word", "words"])).toEqual({ a: [safe] });
});

/** Returns the time of the processor that the fastest of some calls takes, in microseconds. */
function timeOf(run: () => void): number {
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage();
    run();
    // Only the sum is exact: the system splits it by its ticks.
    const { user, system } = process.cpuUsage(before);
    return user + system;
  });
  return Math.max(1, Math.min(...times));
}

test.each([
  ...["-eyJaaaaa", "eyJaaaaa.", "-eyJaaaaa.", "eyJ-", "a", "a.", "a-", ".", "-", " "],
  ...["Bearer ", "Basic a ", "a:/", "a://", "a@", "password=", '"password":"', '"password" ', '"token":"\\', 'x"y'],
])("a text of many %j is redacted in linear time", (piece) => {
  const redactedIn = (length: number) => {
    const text = piece.repeat(length / piece.length);
    return timeOf(() => withoutSecrets(text, ["secret", "hidden"]));
  };
  redactedIn(10_000);
  // Four times the text takes four times as long in linear time, and sixteen times in quadratic time.
  expect(redactedIn(160_000) / redactedIn(40_000)).toBeLessThan(10);
});
