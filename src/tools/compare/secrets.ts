import { isObject, REDACTED, redactText, shown } from "../../contract/index.ts";
import type { Credentials } from "./options.ts";

/** The secrets of a run. No text from the service reaches an output or a report before `redact`. */
export type Secrets = ReturnType<typeof createSecrets>;

/** Shorter secrets are replaced only as whole words, as they occur in other words by accident. */
const MIN_PART = 8;

export function createSecrets(credentials?: Credentials) {
  let forms: readonly string[] = [];
  let patterns: readonly RegExp[] = [];
  const redact = (text: string) =>
    patterns.reduce((left, pattern) => left.replace(pattern, REDACTED), redactText(text));
  const redactValue = (value: unknown): unknown => {
    if (typeof value === "string") return redact(value);
    if (Array.isArray(value)) return value.map(redactValue);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, member]) => [redact(name), redactValue(member)]));
  };
  const add = (secret: string) => {
    const bytes = Buffer.from(secret);
    const inJson = JSON.stringify(secret).slice(1, -1);
    const encoded = [secret, inJson, encodeURIComponent(secret), bytes.toString("base64"), bytes.toString("base64url")];
    const all = new Set([...forms, ...encoded.filter((form) => form !== "")]);
    // A longer form can contain a shorter one. If the shorter one were replaced first, a part of the longer one would
    // stay.
    forms = [...all].sort((a, b) => b.length - a.length);
    patterns = forms.map(patternOf);
  };
  if (credentials && "token" in credentials) add(credentials.token);
  if (credentials && "client" in credentials) {
    const { id, secret } = credentials.client;
    const pairs = [`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`, `${id}:${secret}`];
    if (secret !== "")
      for (const each of [secret, ...pairs.map((pair) => Buffer.from(pair).toString("base64"))]) add(each);
  }
  return {
    add,
    /** Returns a text of the service without the secrets, also if they are encoded. */
    redact,
    /** Returns a JSON value of the service without the secrets. */
    redactValue,
    /** Returns a value of the service for a message. */
    shown: (value: unknown) => shown(redactValue(value)),
  };
}

function patternOf(form: string): RegExp {
  const escaped = form.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
  return new RegExp(form.length < MIN_PART ? `(?<![\\p{L}\\d])${escaped}(?![\\p{L}\\d])` : escaped, "gu");
}
