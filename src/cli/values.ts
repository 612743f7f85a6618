import { readScalar, type Scalar, scalarProblem } from "../contract/scalar.ts";
import type { FromSchema, Schema } from "../contract/schema.ts";
import { loadCheck } from "../contract/validator.ts";
import { isObject } from "../text/json.ts";
import { jsonValue } from "../text/json-reader.ts";
import { shown } from "../text/shown.ts";

/** A command line that a command does not accept; the message says what was found and what is allowed. */
export class Misuse extends Error {
  override readonly name = "Misuse";
}

const spellings: Readonly<Record<string, string>> = { "1": "true", yes: "true", "0": "false", no: "false" };

/** Reads a value of the schema. Throws Misuse. */
export function readOne<S extends Scalar>(schema: S, text: string): FromSchema<S> {
  const value = readScalar(schema, (schema.type === "boolean" && spellings[text]) || text);
  if (value === undefined) throw new Misuse(scalarProblem(schema, text));
  return value as FromSchema<S>;
}

/** Reads JSON of the schema, which loads a validator. Throws Misuse, whose message begins with `short` and examples. */
export async function readStructure<S extends Schema>(schema: S, text: string, short: string): Promise<FromSchema<S>> {
  const value = jsonValue(text);
  if (value !== null && !isObject(value)) {
    const examples = schema.examples?.map((example) => JSON.stringify(example)).join(", ");
    throw new Misuse(`expected ${short}, or JSON such as ${examples}, found ${shown(text)}`);
  }
  const [problem] = (await loadCheck(schema))(value);
  if (problem) throw new Misuse(`${problem.pointer}${problem.pointer && ": "}${problem.message}`);
  return value as FromSchema<S>;
}

/** Reads `ID:SECRET` pairs. Throws Misuse. */
export function readClients(texts: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    texts.map((text) => {
      const colon = text.indexOf(":");
      if (colon < 1) throw new Misuse(`expected ID:SECRET, found ${shown(text)}`);
      return [text.slice(0, colon), text.slice(colon + 1)];
    }),
  );
}
