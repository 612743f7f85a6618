import { isObject } from "./json.ts";

/** What stands in the place of a secret wherever the journal is shown. */
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

/** Names of credentials and tokens, in any case, also as `accessToken` and `access-token`. */
const secretName = "(?:access|refresh|id)[_-]?token|client[_-]?(?:secret|assertion)|(?:x[_-]?)?api[_-]?key|password";
const wholeName = new RegExp(`^(?:${secretName})$`, "i");
const inForm = new RegExp(`\\b(${secretName})=[^&\\s]*`, "gi");
const inJson = new RegExp(`"(${secretName})"(\\s*:\\s*)"(?:[^"\\\\]|\\\\.)*"?`, "gi");

/** A header's value as it may be shown: of a credential, the scheme (`Bearer`) only. */
export function redactHeader(name: string, value: string): string {
  if (!secretHeaders.has(name.toLowerCase())) return value;
  const scheme = /^([A-Za-z][\w-]*) +\S/.exec(value)?.[1];
  return scheme === undefined ? REDACTED : `${scheme} ${REDACTED}`;
}

/** Whether a member, form field or query parameter of this name holds a credential or token. */
export function isSecret(name: string): boolean {
  return wholeName.test(name);
}

/** A member's, form field's or query parameter's value as it may be shown. */
export function redactMember<Value>(name: string, value: Value): Value | string {
  return isSecret(name) ? REDACTED : value;
}

/** A query as it may be shown, otherwise as it was sent. */
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

/** A JSON value as it may be shown. */
export function redactJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactJson);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, redactMember(name, redactJson(member))]),
  );
}

/** Text that is not JSON, such as a form, or JSON that was cut short, as it may be shown. */
export function redactText(text: string): string {
  return text.replace(inForm, `$1=${REDACTED}`).replace(inJson, `"$1"$2"${REDACTED}"`);
}
