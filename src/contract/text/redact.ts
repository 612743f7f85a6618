import { isObject, mapValues } from "./shown.ts";

/** The replacement for secrets in the journal. */
export const REDACTED = "[redacted]";

const secretHeaders = new Set(["authorization", "proxy-authorization", "cookie", "set-cookie", "x-auth-token"]);

/** The names of credentials and tokens, in any case and notation (`access_token`, `accessToken`, `access-token`). */
const secretName = [
  "(?:access|refresh|id|auth|csrf|session)[_-]?token",
  "client[_-]?(?:secret|assertion)",
  "(?:x[_-]?)?api[_-]?key",
  "password|passwd|passphrase|private[_-]?key",
  "(?:proxy[_-]?)?authorization",
  "(?:set[_-]?)?cookies?|session[_-]?id",
].join("|");
const wholeName = new RegExp(`^(?:${secretName})$`, "i");
const anywhere = new RegExp(secretName, "i");
const inForm = new RegExp(`\\b(${secretName})=[^&\\s]*`, "gi");
const inJson = new RegExp(`"(${secretName})"(\\s*:\\s*)"(?:[^"\\\\]+|\\\\.)*"?`, "gi");

/** Returns whether a text contains the name of a credential or token anywhere. */
export function mentionsSecret(text: string): boolean {
  return anywhere.test(text);
}

/** Returns the value of a header without secrets. For a credential, only the scheme (`Bearer`) stays. */
export function redactHeader(name: string, value: string): string {
  if (!secretHeaders.has(name.toLowerCase()) && !isSecret(name)) return value;
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
    const [decoded] = new URLSearchParams(name).keys();
    return name.length < pair.length && isSecret(decoded ?? "") ? `${name}=${REDACTED}` : pair;
  });
  return pairs.join("&");
}

export function redactJson(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(redactJson);
  if (!isObject(value)) return value;
  return mapValues(value, (member, name) => redactMember(name, redactJson(member)));
}

/** Returns a text without secrets: a form, incomplete JSON, or any other text. */
export function redactText(text: string): string {
  return text.replace(inForm, `$1=${REDACTED}`).replace(inJson, `"$1"$2"${REDACTED}"`);
}

/**
 * A bearer token, a JSON Web Token, or the user and password of a URL, inside of a text. All take linear time: a token
 * is looked for only in a word that two more parts follow, so that no text is read again for each of its `eyJ`.
 */
const tokens: readonly [pattern: RegExp, replacement: string][] = [
  [/\b(Bearer|Basic)\s+[A-Za-z0-9\-._~+/]{8,}=*/g, `$1 ${REDACTED}`],
  [/(?<![\w-])(?=[\w-]+\.[\w-]+\.)([\w-]*?)\beyJ[\w-]{5,}\.[\w-]+\.[\w-]*/g, `$1${REDACTED}`],
  [/\b([a-z][a-z0-9+.-]{0,20}:\/\/)[^\s/@]{1,500}@/gi, `$1${REDACTED}@`],
];

/** The length of the shortest text that can contain a secret: `a://b@`. Shorter ones occur in texts by accident. */
export const MIN_SECRET = 6;

/** More names of secrets for recorded files, where a replaced value costs little. */
const recordedSecret = /^(?:token|secret|credentials?|jwt|otp|pin|auth)$/i;

/** Returns whether a member or query parameter with this name contains a secret in a recorded exchange. */
export function isRecordedSecret(name: string): boolean {
  return isSecret(name) || recordedSecret.test(name);
}

/**
 * Returns a JSON value without secrets, for a file that outlives the mock. Each replacement has the type of the secret:
 * texts become a fixed text, numbers 0, and members of objects are replaced one by one.
 *
 * @param known secrets of the exchange, such as its tokens; they are replaced wherever a text contains them
 */
export function withoutSecrets(value: unknown, known: readonly string[]): unknown {
  // A longer secret can contain a shorter one. If the shorter one were first, a part of the longer one would stay.
  const secrets = known.toSorted((a, b) => b.length - a.length);
  const inText = (text: string) => {
    if (text.length < MIN_SECRET) return text;
    let safe = text;
    // Most texts contain no secret, and `includes` takes a tenth of the time of `replaceAll`.
    for (const secret of secrets) if (safe.includes(secret)) safe = safe.replaceAll(secret, REDACTED);
    for (const [pattern, replacement] of tokens) safe = safe.replace(pattern, replacement);
    return redactText(safe);
  };
  const within = (each: unknown, isOfSecret: boolean): unknown => {
    if (typeof each === "string") return isOfSecret ? REDACTED : inText(each);
    if (typeof each === "number") return isOfSecret ? 0 : each;
    if (Array.isArray(each)) return each.map((item) => within(item, isOfSecret));
    if (!isObject(each)) return each;
    return mapValues(each, (member, name) => within(member, isOfSecret || isRecordedSecret(name)));
  };
  return within(value, false);
}
