/**
 * Returns the value of a key in a `baggage` header (W3C Baggage), percent-decoded; undefined if no member has this key.
 * Several headers arrive as one text, joined by commas. Ignores the properties of members. If several members have the
 * key, the last one wins, as in OpenTelemetry. A member without `=` has an empty value. A value with an invalid
 * percent-encoding stays as it is.
 */
export function baggageValue(baggage: string, key: string): string | undefined {
  let found: string | undefined;
  for (const member of baggage.split(",")) {
    const end = member.indexOf(";");
    const pair = end === -1 ? member : member.slice(0, end);
    const equals = pair.indexOf("=");
    const name = equals === -1 ? pair : pair.slice(0, equals);
    if (name.trim() === key) found = equals === -1 ? "" : pair.slice(equals + 1).trim();
  }
  return found === undefined ? undefined : percentDecoded(found);
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
