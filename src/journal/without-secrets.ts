import { Buffer } from "node:buffer";
import {
  mapValues,
  mentionsSecret,
  REDACTED,
  readJson,
  redactHeader,
  redactJson,
  redactQuery,
  redactText,
  utf8,
} from "../contract/index.ts";
import { withinBounds } from "./kept-bounds.ts";
import type { Exchange } from "./kept-exchange.ts";

/**
 * Returns the exchange without credentials and tokens. Its journal entry is the same. Bodies without secrets, and bodies
 * that are not text, stay as they are.
 */
export function withoutSecrets(exchange: Exchange): Exchange {
  const { query, headers, responseHeaders, requestBody, responseBody, upstream, cut } = exchange;
  const request = requestBody && redactedBody(requestBody, cut?.request !== undefined);
  const response = responseBody === null ? undefined : redactedBody(responseBody, cut?.response !== undefined);
  const sizes = {
    ...(request !== undefined && { request: Buffer.byteLength(requestBody ?? "") }),
    ...(response !== undefined && { response: Buffer.byteLength(responseBody ?? "") }),
    // If the secrets have been removed before, the original sizes win.
    ...exchange.sizes,
  };
  // A mark can be longer than the secret that it replaces.
  return withinBounds({
    ...exchange,
    query: query && redactQuery(query),
    headers: redactHeaders(headers),
    responseHeaders: redactHeaders(responseHeaders),
    ...(request !== undefined && { requestBody: request }),
    ...(response !== undefined && {
      responseBody: typeof responseBody === "string" ? response : Buffer.from(response),
    }),
    ...(Object.keys(sizes).length > 0 && { sizes }),
    ...(upstream && {
      upstream: {
        ...upstream,
        requestHeaders: redactHeaders(upstream.requestHeaders),
        ...(upstream.responseHeaders && { responseHeaders: redactHeaders(upstream.responseHeaders) }),
      },
    }),
  });
}

function redactHeaders<Value extends string | string[] | undefined>(headers: Readonly<Record<string, Value>>) {
  return mapValues(headers, (value, name) => {
    const each = (text: string) => (/^(set-)?cookie$/i.test(name) ? redactCookies(text) : redactHeader(name, text));
    return (Array.isArray(value) ? value.map(each) : value === undefined ? value : each(value)) as Value;
  });
}

/** Returns cookies without their values. HTTP archives show the names. */
function redactCookies(text: string): string {
  const pairs = text.split(";").map((pair) => {
    return pair.includes("=") ? `${pair.slice(0, pair.indexOf("="))}=${REDACTED}` : REDACTED;
  });
  return pairs.join(";");
}

/** Returns the text of a body without its secrets; undefined if the body has none, or is not text. */
function redactedBody(body: Uint8Array | string, isCut: boolean): string | undefined {
  const text = typeof body === "string" ? body : utf8(body, isCut);
  // JSON can have escapes in the names of secrets.
  if (text === undefined || !(text.includes("\\") || mentionsSecret(text))) return undefined;
  const json = isCut ? undefined : readJson(body);
  if (!json || !("value" in json)) {
    const redacted = redactText(text);
    return redacted === text ? undefined : redacted;
  }
  const redacted = JSON.stringify(redactJson(json.value));
  return redacted === JSON.stringify(json.value) ? undefined : redacted;
}
