import { isObject } from "./json.ts";

/** The replacement for secrets in the journal. */
export const REDACTED = "[redacted]";

const secretHeaders = new Set([
  "authorization",
  "proxy-authorization",
  "cookie",
  "set-cookie",
  "x-api-key",
  "api-key",
  "x-auth-token",
]);

/** The names of credentials and tokens, in any case and notation (`access_token`, `accessToken`, `access-token`). */
const secretName = "(?:access|refresh|id)[_-]?token|client[_-]?(?:secret|assertion)|(?:x[_-]?)?api[_-]?key|password";
const wholeName = new RegExp(`^(?:${secretName})$`, "i");
const anywhere = new RegExp(secretName, "i");
const inForm = new RegExp(`\\b(${secretName})=[^&\\s]*`, "gi");
const inJson = new RegExp(`"(${secretName})"(\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"?`, "gi");

/** Returns whether a text contains the name of a credential or token anywhere. */
export function mentionsSecret(text: string): boolean {
  return anywhere.test(text);
}

/** Returns the value of a header without secrets. For a credential, only the scheme (`Bearer`) stays. */
export function redactHeader(name: string, value: string): string {
  if (!secretHeaders.has(name.toLowerCase())) return value;
  const scheme = /^([A-Za-z][\w-]*) +\S/.exec(value)?.[1];
  return scheme === undefined ? REDACTED : `${scheme} ${REDACTED}`;
}

/** Returns whether a member, form field or query parameter with this name contains a credential or token. */
export function isSecret(name: string): boolean {
  return wholeName.test(name);
}

/** Returns the value of a member, form field or query parameter, or the replacement if it is a secret. */
export function redactMember<Value>(name: string, value: Value): Value | string {
  return isSecret(name) ? REDACTED : value;
}

/** Returns a query string without secrets. Other parts stay as sent. */
export function redactQuery(query: string): string {
  const pairs = query.split("&").map((pair) => {
    const name = pair.split("=", 1)[0] ?? "";
    return name.length < pair.length && redactMember(decoded(name), "") === REDACTED ? `${name}=${REDACTED}` : pair;
  });
  return pairs.join("&");
}

function decoded(name: string): string {
  return new URLSearchParams(name).keys().next().value ?? "";
}

/** Returns a JSON value without secrets. */
export function redactJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactJson);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, redactMember(name, redactJson(member))]),
  );
}

/** Returns a text without secrets: a form, incomplete JSON, or any other text. */
export function redactText(text: string): string {
  return text.replace(inForm, `$1=${REDACTED}`).replace(inJson, `"$1"$2"${REDACTED}"`);
}
