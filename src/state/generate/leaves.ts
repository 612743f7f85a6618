import type { Faker } from "@faker-js/faker";
import { generateSync } from "json-schema-faker";
import {
  type GeneratorSchema,
  type Hints,
  type JsonType,
  type Maker,
  matches,
  minimalLeaf,
  rangeOf,
  type Schema,
} from "../../contract/index.ts";
import { hintFor } from "./hints.ts";

/** How often a value is made that does not fit its schema, such as one of a pattern with an assertion. */
const TRIES = 8;

/** A longer text is not made, nor one of a pattern that repeats its parts more often. */
const LONGEST = 10_000;

/** The highest number above the lowest one, if the schema describes more. */
const SPAN = 1000;

/**
 * Returns the function that makes values without parts. `hints` are those of the contract, which come first. `invalid` has
 * JSON pointers to values that become minimal.
 */
export function createLeaves(faker: Faker, hints: Hints, invalid: ReadonlySet<string>): Maker["leaf"] {
  /** The schemas of which an example was used. The next item of a list has another value, if a hint describes some. */
  const used = new Set<Schema>();

  return (schema, type, { name, pointer }) => {
    if ((schema.minLength ?? 0) > LONGEST) return undefined;
    for (const make of invalid.has(pointer) ? [] : makers(schema, type, name)) {
      for (let count = 0; count < TRIES; count++) {
        const value = make();
        if (value === undefined) break;
        if (matches(schema, value)) return value;
      }
    }
    return minimalLeaf(schema, type);
  };

  function makers(schema: Schema, type: JsonType | undefined, name: string): (() => unknown)[] {
    const own = hints[name] ?? hints[name.slice(name.lastIndexOf(".") + 1)];
    const general = schema.pattern === undefined ? hintFor(name, schema.format) : undefined;
    const example = () => pick(schema.examples);
    const isFirst = !used.has(schema);
    used.add(schema);
    return [
      () => own && hinted(schema, type, own),
      () => ("const" in schema ? schema.const : pick(schema.enum)),
      () => (isFirst ? example() : undefined),
      () => general && hinted(schema, type, general),
      example,
      () => (type === "integer" || type === "number" ? number(schema, type) : plain(schema, type)),
    ];
  }

  function pick(values: readonly unknown[] = []): unknown {
    const others = values.filter((value) => value !== null);
    return others[faker.number.int(Math.max(0, others.length - 1))];
  }

  function draw(keywords: GeneratorSchema): unknown {
    try {
      return generateSync(keywords, { seed: faker.number.int(2 ** 32 - 1), extensions: { faker } });
    } catch {
      // The generator cannot satisfy every schema.
      return undefined;
    }
  }

  function hinted(schema: Schema, type: JsonType | undefined, hint: GeneratorSchema): unknown {
    if (!hint.faker) return draw({ ...schema, ...(type && { type }), ...hint });
    const value = draw({ faker: hint.faker });
    if (value instanceof Date) return value.toISOString().slice(0, schema.format === "date" ? 10 : undefined);
    if (type === "string") return String(value);
    return type === "integer" ? Math.round(Number(value)) : type === "number" ? Number(value) : value;
  }

  function number(schema: Schema, type: "integer" | "number"): number {
    const [least, most] = rangeOf(schema);
    const minimum = Number.isFinite(least) ? least : most >= 1 ? 1 : most - SPAN;
    const maximum = Math.min(most, minimum + SPAN * Math.max(1, schema.multipleOf ?? 1));
    const step = type === "number" && maximum - minimum > 1 && { multipleOf: 0.01 };
    // Without the error of a product, such as that of 3 * 0.01.
    return Number(Number(draw({ ...step, ...schema, type, minimum, maximum })).toPrecision(15));
  }

  function plain({ pattern, minLength = 0, maxLength = LONGEST }: Schema, type?: JsonType): unknown {
    if (type === "boolean") return faker.datatype.boolean();
    if (type === "null") return null;
    if (pattern !== undefined) {
      return repetitions(pattern) > LONGEST ? undefined : draw({ type, pattern, minLength, maxLength });
    }
    let words = faker.word.noun();
    while (words.length < minLength) words += ` ${faker.word.noun()}`;
    return words.slice(0, maxLength);
  }
}

/** Returns how often the innermost part of a pattern is repeated at least: 6,000 times for `((a{10}){100})+`. */
function repetitions(pattern: string): number {
  const counts = Array.from(pattern.matchAll(/\{(\d+)|\)[*+]/g), ([, count]) => Math.max(1, Number(count ?? 6)));
  return counts.reduce((all, count) => all * count, 1);
}
