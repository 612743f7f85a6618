import { mapParts, type Schema } from "../../contract/index.ts";
import { withNames } from "../../rules/index.ts";
import type { ObjectSchema } from "./tool.ts";

/** Returns the schema with the ids of the operations. */
export function withOperations(schema: ObjectSchema, ids: readonly string[]): ObjectSchema {
  const named = (part: Schema): Schema => mapParts(withNames(part, ids) as Schema, named) as Schema;
  return named(schema) as ObjectSchema;
}

/** The shortest repeated part that a reference replaces, in UTF-16 units of JSON. */
const MIN_REPEATED = 100;

/**
 * Returns the schema for the list of tools, which the model has in its context all the time: where the schema of an
 * argument repeats, it refers to the first one, such as "Same as rule.respond". The server validates arguments by the
 * whole schema.
 */
export function listed(schema: ObjectSchema, ids: readonly string[]): ObjectSchema {
  const places = new Map<Schema, string>();
  /** @param place the path of the argument; undefined for a part without a name, such as an alternative */
  const brief = (part: Schema, place: string | undefined): Schema => {
    const first = places.get(part);
    if (place !== undefined && first !== undefined && JSON.stringify(part).length >= MIN_REPEATED) {
      const { type, const: only } = part;
      return { ...(type && { type }), ...(only !== undefined && { const: only }), description: `Same as ${first}.` };
    }
    if (place !== undefined) places.set(part, place);
    const names = new Map(Object.entries(part.properties ?? {}).map(([name, member]) => [member, name]));
    const placeOf = (inner: Schema) => {
      if (inner === part.items) return place;
      const name = names.get(inner);
      return name === undefined || place === undefined ? undefined : `${place}${place && "."}${name}`;
    };
    return mapParts(withNames(part, ids) as Schema, (inner) => brief(inner, placeOf(inner))) as Schema;
  };
  return brief(schema, "") as ObjectSchema;
}
