import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
import { type Contract, type FromSchema, mapParts, type Schema } from "../../contract/index.ts";
import type { Connection, ResourceMockClient } from "../../control/client/index.ts";
import { withNames } from "../../rules/index.ts";

export interface Mock {
  readonly connection: Connection;
  readonly client: ResourceMockClient;
  readonly contract: Contract;
}

export interface Tool<Input = unknown> {
  readonly name: string;
  readonly title: string;
  /** What the tool does and when to use it, for the model. */
  readonly description: string;
  readonly input: ObjectSchema;
  /** The effects of the tool, for the client of the agent. */
  readonly hints: ToolAnnotations;
  /**
   * The arguments that the control API receives as the whole body, one in each call. Locations in its errors are relative to
   * this argument.
   */
  readonly bodies?: readonly string[];
  /**
   * Returns the result. Throws ControlError for a rejected call, and InvalidArguments.
   *
   * @param input valid by the schema
   */
  run(mock: Mock, input: Input): Promise<object>;
}

/** The schema of an object, as MCP requires it for arguments. */
export type ObjectSchema = Schema & { readonly type: "object" };

/** Returns a tool whose `run` receives the type of its input schema. */
export function tool<const Input extends ObjectSchema>(
  definition: Omit<Tool<FromSchema<Input>>, "input"> & { readonly input: Input },
): Tool {
  // The server validates the arguments before it calls `run`.
  return definition as unknown as Tool;
}

// No tool reaches anything but the mock.
export const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
export const adds = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
export const deletes = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
};

/** Arguments that the schema allows, but that do not fit together. */
export class InvalidArguments extends Error {
  override readonly name = "InvalidArguments";
}

type Input<Name extends string> = { readonly [Each in Name]?: unknown };

/** Throws InvalidArguments unless exactly one of these arguments is given. */
export function onlyOne<Name extends string>(input: Input<Name>, names: readonly Name[]): void {
  const given = names.filter((name) => input[name] !== undefined);
  if (given.length === 1) return;
  const found = given.length === 0 ? "none of them" : given.join(" and ");
  throw new InvalidArguments(`arguments: expected exactly one of ${names.join(", ")}, found ${found}`);
}

/** Returns the name of the only given argument; undefined if none is given. Throws InvalidArguments for several. */
export function atMostOne<Name extends string>(input: Input<Name>, names: readonly Name[]): Name | undefined {
  const given = names.filter((name) => input[name] !== undefined);
  if (given.length > 0) onlyOne(input, names);
  return given[0];
}

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
