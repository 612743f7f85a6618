import { matches } from "./explain.ts";
import type { JsonType, Schema } from "./json-schema.ts";
import { makeValue } from "./make-value.ts";

/** The size of a small value, and the most characters of a text. With longer ones, an error would have megabytes. */
const SIZE = 1000;
const CHARACTERS = 1000;

/** Texts by the formats of JSON Schema (2020-12, section 7.3) and OpenAPI. */
const texts = new Map(
  "date-time=2024-01-01T00:00:00.000Z date=2024-01-01 time=00:00:00Z duration=P1D email=user@example.com"
    .concat(" hostname=example.com ipv4=192.0.2.1 ipv6=2001:db8::1 uri=https://example.com/ url=https://example.com/")
    .concat(
      " uri-reference=/ uuid=00000000-0000-4000-8000-000000000000 json-pointer=/a relative-json-pointer=0 byte=YQ==",
    )
    .split(" ")
    .map((each) => [each.slice(0, each.indexOf("=")), each.slice(each.indexOf("=") + 1)]),
);

const samples =
  "a A 1 ab AB abc ABC a-b a_b en-US 10 100 1.0 1.0.0 v1 12:00 2024-01 +491234567 #a1b2c3 0000000000 * red";

/**
 * Returns a small value that matches the schema in most cases: with the required members only. Never throws, and ends for
 * schemas that contain themselves.
 */
export function minimalValue(schema: Schema): unknown {
  return makeValue(schema, { isFull: false, size: SIZE, pick: () => 0, leaf: minimalLeaf }) ?? null;
}

export function minimalLeaf(schema: Schema, type: JsonType | undefined): unknown {
  const { default: initial, format = "", minLength = 0 } = schema;
  if ("const" in schema) return schema.const;
  if (schema.enum) return schema.enum.find((each) => matches(schema, each)) ?? schema.enum[0];
  if (initial !== undefined && matches(schema, initial)) return initial;
  if (type === "boolean") return false;
  if (type === "string") {
    const text = texts.get(format) ?? "".padEnd(Math.min(minLength, CHARACTERS), "-");
    if (schema.pattern === undefined) return text;
    // A pattern with repeated groups can take exponential time.
    const longest = /\)[+*{]/.test(schema.pattern) ? 16 : Infinity;
    const candidates = [text, ...samples.split(" "), ...texts.values()].filter(({ length }) => length <= longest);
    return candidates.find((each) => matches(schema, each)) ?? text;
  }
  if (type !== "integer" && type !== "number") return null;
  const [least, most] = rangeOf(schema);
  const { multipleOf: step = 1 } = schema;
  const multiple = Math.ceil(least / step) * step;
  const numbers = [0, least, most, multiple, multiple + step, most - step, -step, (least + most) / 2];
  const ofType = { ...schema, type };
  return numbers.find((each) => matches(ofType, each)) ?? 0;
}

/** Returns the lowest and the highest number of a schema. `exclusiveMinimum` and `exclusiveMaximum` count as such. */
export function rangeOf({ minimum, exclusiveMinimum, maximum, exclusiveMaximum }: Schema): [number, number] {
  const least = Math.max(minimum ?? -Infinity, exclusiveMinimum ?? -Infinity);
  return [least, Math.min(maximum ?? Infinity, exclusiveMaximum ?? Infinity)];
}
