import type { XmlForm } from "./wire/xml-text.ts";

/**
 * The part of JSON Schema (2020-12) that this project uses. `FromSchema` derives the TypeScript type of a schema.
 * Schemas refer to each other as objects (`owner: Person`), so the OpenAPI document recognises a named schema by object
 * identity.
 */
export interface Schema {
  readonly type?: JsonType | readonly JsonType[];
  readonly title?: string;
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly pattern?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  /** 1 for a number without a fraction, with any notation: `20`, `20.0`, `2e1`. */
  readonly multipleOf?: number;
  readonly properties?: { readonly [name: string]: Schema };
  readonly patternProperties?: { readonly [pattern: string]: Schema };
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly contains?: Schema;
  readonly minContains?: number;
  readonly not?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  /** The member that names the option, and the options by its values if they have no `const` for it. */
  readonly discriminator?: { readonly propertyName: string; readonly mapping?: { readonly [tag: string]: Schema } };
  /** Only in bodies of requests. */
  readonly writeOnly?: boolean;
  /** Only in bodies of responses. Clients can send it, without effect. */
  readonly readOnly?: boolean;
  readonly xml?: XmlForm;
  readonly deprecated?: boolean;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
}

export type JsonType = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";

export const string = { type: "string" } as const satisfies Schema;
export const integer = { type: "integer" } as const satisfies Schema;
export const count = { type: "integer", minimum: 0 } as const satisfies Schema;
export const dateTime = { type: "string", format: "date-time" } as const satisfies Schema;

/** Any JSON value. */
export const AnyJson = { description: "Any JSON value." } as const satisfies Schema;

type Properties = { readonly [name: string]: Schema };

/** Returns the schema of an object with these properties. Other properties are allowed. */
export function object<const Names extends Properties, const Required extends readonly (keyof Names & string)[]>(
  required: Required,
  properties: Names,
) {
  return { type: "object", ...(required.length > 0 && { required }), properties } as {
    readonly type: "object";
    readonly required: Required;
    readonly properties: Names;
  };
}

/** Returns the schema of an object with these properties. Only the named ones can be absent. */
export function objectExcept<const Names extends Properties, const Optional extends keyof Names>(
  optional: readonly Optional[],
  properties: Names,
) {
  type Required = Exclude<keyof Names, Optional> & string;
  const required = Object.keys(properties).filter((name) => !optional.includes(name as Optional));
  return object(required as Required[], properties);
}

/** Returns the schema of an object with these properties and no others. */
export function closedObject<const Names extends Properties, const Required extends readonly (keyof Names & string)[]>(
  required: Required,
  properties: Names,
) {
  return { ...object(required, properties), additionalProperties: false } as const;
}

/** Returns the schema of an object that has all members of `required`, can have those of `optional`, and no others. */
export function members<const Required extends Properties, const Optional extends Properties = Record<never, never>>(
  required: Required,
  optional: Optional = {} as Optional,
) {
  return closedObject(Object.keys(required) as (keyof Required & string)[], { ...required, ...optional });
}

interface Primitives {
  string: string;
  number: number;
  integer: number;
  boolean: boolean;
  null: null;
}

const byName = ["properties", "patternProperties"] as const;
const inLists = ["prefixItems", "oneOf", "anyOf", "allOf"] as const;
const single = ["items", "propertyNames", "additionalProperties"] as const;

/** Returns the schema with each direct subschema replaced by the result of `each`. */
export function mapParts<Part>(schema: Schema, each: (part: Schema) => Part): object {
  const mapped: Record<string, unknown> = { ...schema };
  for (const keyword of byName) {
    const parts = schema[keyword];
    if (parts) mapped[keyword] = Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, each(part)]));
  }
  for (const keyword of inLists) if (schema[keyword]) mapped[keyword] = schema[keyword].map(each);
  for (const keyword of single) if (typeof schema[keyword] === "object") mapped[keyword] = each(schema[keyword]);
  return mapped;
}

/** Returns whether a schema says what its values are. */
export function isTyped(schema: Schema | undefined): schema is Schema {
  const keywords = ["type", "enum", "const", "anyOf", "oneOf", "properties", "discriminator"];
  return schema !== undefined && keywords.some((keyword) => keyword in schema);
}

/** Returns the schemas of all options of a union, also of unions in it; for another schema, the schema itself. */
export function variantsOf(schema: Schema): Schema[] {
  const all = new Set([schema]);
  // A union can contain itself. The loop also visits the options that it adds.
  for (const { anyOf, oneOf = anyOf } of all) for (const option of oneOf ?? []) all.add(option);
  return [...all].filter(({ oneOf, anyOf }) => !oneOf && !anyOf);
}

/** The type of the values that a schema allows. The schema must be declared `as const satisfies Schema`. */
export type FromSchema<S> = S extends { const: infer Value }
  ? Value
  : "enum" extends keyof S
    ? FromEnum<S>
    : S extends { oneOf: readonly (infer Option)[] }
      ? FromSchema<Option>
      : S extends { anyOf: readonly (infer Option)[] }
        ? FromSchema<Option>
        : S extends { type: readonly (infer Type)[] }
          ? FromEach<S, Type>
          : S extends { type: "array" }
            ? (S extends { items: infer Item } ? FromSchema<Item> : unknown)[]
            : S extends { type: "object" }
              ? FromObject<S>
              : S extends { type: infer Type extends keyof Primitives }
                ? Primitives[Type]
                : S extends { not: object }
                  ? undefined
                  : unknown;

type FromEnum<S> = S extends { enum?: readonly (infer Value)[] } ? Value : never;

/** The union of the values of each type, for a schema with several types. */
type FromEach<S, Type> = Type extends JsonType ? FromSchema<Omit<S, "type"> & { type: Type }> : never;

type FromObject<S> = S extends { properties: infer Properties }
  ? Flat<
      { -readonly [Name in Required<S, Properties>]: FromSchema<Properties[Name]> } & {
        -readonly [Name in Exclude<keyof Properties, Required<S, Properties>>]?: FromSchema<Properties[Name]>;
      }
    > &
      (S extends { additionalProperties: Schema } ? FromMembers<S> : unknown)
  : FromMembers<S>;

type FromMembers<S> = S extends { additionalProperties: infer Value extends Schema }
  ? Record<string, FromSchema<Value>>
  : Record<string, unknown>;

type Required<S, Properties> = S extends { required: readonly (infer Name)[] } ? Name & keyof Properties : never;

type Flat<T> = { [Name in keyof T]: T[Name] };
