import { isObject } from "../../../contract/index.ts";
import type { RequestEntry, Rule } from "../../../control/client/index.ts";
import { matchOf } from "./match.ts";
import { type Headers, mediaTypeOf, redactedScheme } from "./parts-of.ts";

/** A rule, or the reason why a request has none. */
export type RuleOrReason = { readonly rule: Rule; readonly reason?: undefined } | { readonly reason: string };

/** Returns a rule that matches this request and returns its response. */
export function ruleOf(entry: RequestEntry): RuleOrReason {
  const { operation, response, effects } = entry;
  if (operation === undefined) return { reason: "no operation matches the request" };
  const fault = effects.find((effect) => effect.fault)?.fault;
  if (response.status === 0 && fault === undefined) return { reason: "the client closed the connection" };
  if (response.body?.cut) return { reason: "the journal keeps only the start of the response body" };
  const { operation: id, ...when } = matchOf(entry);
  const rule = {
    operation: id,
    ...(Object.keys(when).length > 0 && { when }),
    ...settingsOf(entry),
    ...(fault === undefined ? endingOf(entry) : { fault }),
  };
  return { rule: rule as Rule };
}

/** Returns the settings with which the rule applies: the mock rejects invalid and unauthorized requests before. */
function settingsOf({ source, response: { status }, violations }: RequestEntry): Pick<Rule, "settings"> {
  if (source !== "error") return {};
  if (status === 401 || status === 403) return { settings: { auth: "off" } };
  return violations.length > 0 ? { settings: { validation: "off" } } : {};
}

function endingOf({ source, offContract, response }: RequestEntry): Pick<Rule, "respond" | "raw"> {
  const { status, body } = response;
  const headers = ruleHeadersOf(response.headers);
  const isJson = mediaTypeOf(response.headers) === "application/json";
  // The contract does not allow the response of a defect of the mock.
  if (!offContract && source !== "defect") {
    const { "content-type": type, ...others } = headers;
    const kept = isJson || type === undefined ? others : headers;
    return {
      respond: {
        status,
        ...(body?.json !== undefined && { body: withoutTemplates(body.json) }),
        ...(Object.keys(kept).length > 0 && { headers: kept }),
      },
    };
  }
  return {
    raw: {
      status,
      ...(Object.keys(headers).length > 0 && { headers }),
      // A JSON string is text for the effect `raw`, so it is sent with its quotes.
      ...(body?.json !== undefined && {
        body: typeof body.json === "string" ? JSON.stringify(body.json) : withoutTemplates(body.json),
      }),
      ...(body?.text !== undefined && { body: body.text }),
      ...(body?.base64 !== undefined && { bodyBase64: body.base64 }),
    },
  };
}

/** Headers that the server sets itself. */
const ownHeaders =
  /^(connection|content-length|keep-alive|mock-.*|preference-applied|proxy-connection|trailer|transfer-encoding|upgrade|vary|x-ratelimit-.*)$/;

/** Returns the headers that a rule can set, by lower-case name. */
function ruleHeadersOf(headers: Headers): Record<string, string> {
  const known = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  return Object.fromEntries(
    known.filter(
      ([name, value]) =>
        !ownHeaders.test(name) && redactedScheme(value) === undefined && /^[\t\x20-\x7e]{0,8192}$/.test(value),
    ),
  );
}

/** Returns the value with each object that a rule would take for a template as the default of a template. */
function withoutTemplates(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTemplates);
  if (!isObject(value)) return value;
  const names = Object.keys(value);
  const isTemplate = Object.hasOwn(value, "$from") && names.every((name) => name === "$from" || name === "default");
  // No path has a parameter of this name, so the default always applies.
  if (isTemplate) return { $from: "/path/-", default: value };
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withoutTemplates(member)]));
}
