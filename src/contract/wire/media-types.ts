import { MIMEType } from "node:util";
import { JSON_TYPE } from "../operation-table.ts";
import { isJson, typeOf } from "./media-kinds.ts";

/**
 * Returns the declared media type or range that applies to a sent `Content-Type`: the most specific one (OpenAPI 3.1,
 * 4.8.13). If none applies, any declared JSON type but patches applies to any sent one, because clients mix them up.
 */
export function bestFor(declared: readonly string[], sent: string | undefined): string | undefined {
  if (sent !== undefined && declared.includes(sent)) return sent;
  const type = parsed(sent ?? "");
  return best(declared, (each) => closeness(parsed(each), type));
}

/**
 * Returns the media type for a response by the header `Accept` (RFC 9110, 12.5.1); undefined if the client accepts none of
 * the available ones (406). Among those of the highest quality, JSON wins. JSON types are accepted for each other. The
 * library `negotiator` does not tell qualities, so it cannot prefer JSON.
 */
export function acceptable(available: readonly string[], accept = ""): string | undefined {
  const ranges = accept.split(",").flatMap((text) => parsed(text) ?? []);
  const preference = (each: string) => (isJson(each) ? 2 : 1);
  if (ranges.length === 0) return best(available, preference);
  return best(available, (each) => {
    const type = parsed(each);
    const [first] = ranges
      .map((range) => ({ fit: Math.max(closeness(range, type), closeness(type, range)), quality: qualityOf(range) }))
      // A refused JSON type refuses only itself.
      .filter(({ fit, quality }) => fit > (quality === 0 ? KIN : 0))
      .sort((a, b) => b.fit - a.fit);
    return first && first.quality > 0 ? first.quality * 1e6 + preference(each) * 10 + first.fit : 0;
  });
}

/** Returns the media type for a response with a range, by `Accept`: a JSON type exactly if the preferred type is one. */
export function typeWithin(range: string, preferred: string, accept = ""): string {
  const named = accept.split(",").map(typeOf);
  const types = [preferred, ...named.filter((each) => !each.includes("*")), JSON_TYPE, "text/plain", "image/png"];
  const inside = types.filter((each) => closeness(parsed(range), parsed(each)) > 0);
  const alike = inside.filter((each) => isJson(each) === isJson(preferred));
  const [first = range.replace("*", "octet-stream")] = inside;
  return acceptable(alike, accept) ?? acceptable(inside, accept) ?? first;
}

function qualityOf({ params }: MIMEType): number {
  const quality = Number(params.get("q") ?? 1);
  return quality >= 0 && quality <= 1 ? quality : 1;
}

/** The closeness of two different JSON types. */
const KIN = 1;

/** Returns how closely a media type fits a declared type or range; 0 if it does not. */
function closeness(declared: MIMEType | undefined, sent: MIMEType | undefined): number {
  if (!declared || !sent) return 0;
  if (declared.essence === sent.essence) {
    const own = [...declared.params].filter(([name]) => name !== "q" && name !== "charset");
    if (own.length === 0) return 6;
    if (own.some(([name, value]) => (sent.params.get(name) ?? value) !== value)) return 0;
    return own.every(([name]) => sent.params.has(name)) ? 7 : 5;
  }
  const { type, subtype } = declared;
  const isRange = subtype.startsWith("*") && (type === "*" || type === sent.type);
  if (isRange && sent.subtype.endsWith(subtype.slice(1))) return subtype !== "*" ? 4 : type === "*" ? 2 : 3;
  // Patches are JSON with a meaning of its own.
  const areJson = [declared, sent].every(({ essence }) => isJson(essence) && !essence.endsWith("patch+json"));
  return areJson ? KIN : 0;
}

/** Returns the first value with the highest score above 0. */
function best(values: readonly string[], score: (value: string) => number): string | undefined {
  const scores = values.map(score);
  const highest = Math.max(...scores);
  return highest > 0 ? values[scores.indexOf(highest)] : undefined;
}

/** Returns the parts of a media type or range; undefined for other text. */
function parsed(text: string): MIMEType | undefined {
  try {
    return new MIMEType(text);
  } catch {
    return undefined;
  }
}
