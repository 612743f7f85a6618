import { mapParts, type Schema } from "./json-schema.ts";
import type { Operation, Parameter, ResponseRule } from "./operation-table.ts";
import { mapValues } from "./text/shown.ts";

interface OpenApiOptions {
  info: { title: string; version: string; summary?: string; description?: string };
  /** The address of the mock: the first server of the document, which generated clients call. */
  url: string;
  /** Further servers of the same operations. */
  servers?: readonly object[] | undefined;
  tags?: readonly { name: string; description: string }[] | undefined;
  /**
   * The schemas under `components/schemas`, by name. Other schemas refer to them; they are found by object identity.
   */
  schemas: Readonly<Record<string, Schema>>;
  /** Returns the documented form of one of these schemas, if it differs from the schema. */
  shown?: (schema: Schema) => Schema;
  /** Returns the examples of a response, by name. */
  examples?: (operation: Operation, status: number) => Readonly<Record<string, unknown>>;
  /** The schemas of headers that every response can have, by name. */
  responseHeaders?: Readonly<Record<string, Schema>>;
  /** Returns what the mock assumes about an operation where its interface is silent: the extension `x-assumptions`. */
  assumptions?: (operation: Operation) => readonly { readonly id: string; readonly behaviour: string }[];
  securitySchemes?: Readonly<Record<string, object>>;
  security?: (operation: Operation) => readonly object[];
}

/** Returns the OpenAPI 3.1 document of an operation table, as JSON: members can be undefined. */
export function openApiDocument(operations: readonly Operation[], options: OpenApiOptions): object {
  const { schemas, responseHeaders, shown = (schema) => schema } = options;
  const { title, version, summary, description } = options.info;
  // Other schemas can contain the documented form too.
  const names = new Map(
    Object.entries(schemas).flatMap(([name, schema]) => [schema, shown(schema)].map((each) => [each, name] as const)),
  );
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const path = paths[operation.path] ?? {};
    paths[operation.path] = path;
    path[operation.method.toLowerCase()] = operationObject(operation, options, names);
  }
  return {
    openapi: "3.1.0",
    info: {
      ...{ title, version, summary, description },
      contact: { name: "resource-mock contributors" },
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: options.url, description: "The mock that served this document." }, ...(options.servers ?? [])],
    tags: options.tags,
    paths,
    components: {
      schemas: mapValues(schemas, (schema) => schemaMembers(shown(schema), names)),
      headers: responseHeaders && mapValues(responseHeaders, ({ description, ...schema }) => ({ description, schema })),
      securitySchemes: options.securitySchemes,
    },
  };
}

type SchemaNames = ReadonlyMap<Schema, string>;

function operationObject(operation: Operation, options: OpenApiOptions, names: SchemaNames): object {
  const { id, tag, summary, description, parameters, body, responses } = operation;
  const assumptions = options.assumptions?.(operation).map(({ id, behaviour }) => ({ id, behaviour }));
  const contentOf = (type: string) => {
    const own = body?.schemas?.[type];
    const schema = own ?? body?.schema;
    const hasExample = body?.example !== undefined && !own;
    return {
      schema: schema ? reference(schema, names) : bytes,
      examples: hasExample ? { default: { value: body.example } } : undefined,
    };
  };
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    "x-assumptions": assumptions?.length ? assumptions : undefined,
    security: options.security?.(operation),
    parameters: parameters.map((parameter) => parameterObject(parameter, names)),
    requestBody: body && {
      required: body.required,
      content: Object.fromEntries(body.mediaTypes.map((type) => [type, contentOf(type)])),
    },
    responses: mapValues(responses as Readonly<Record<string, ResponseRule>>, (response, status) =>
      responseObject(response, options, options.examples?.(operation, Number(status)) ?? {}, names),
    ),
  };
}

function parameterObject(parameter: Parameter, names: SchemaNames): object {
  const { name, repeatable, pattern, description, example, schema } = parameter;
  const single = reference(schema, names);
  const shared = {
    name,
    in: parameter.in,
    required: parameter.required ?? parameter.in === "path",
    description,
    example,
  };
  if (pattern) {
    // OpenAPI has no pattern-named parameters; an exploded object whose members match the pattern is the same thing.
    // Its members are single values: OpenAPI does not define how to send an array in an exploded object.
    const members = { type: "object", patternProperties: { [pattern.source]: single }, additionalProperties: false };
    return { ...shared, style: "form", explode: true, schema: members };
  }
  if (schema.anyOf || schema.type === "object") {
    return { ...shared, content: { "application/json": { schema: single } } };
  }
  return { ...shared, schema: repeatable ? { type: "array", items: single } : single };
}

function responseObject(
  response: ResponseRule,
  { responseHeaders = {} }: OpenApiOptions,
  examples: Readonly<Record<string, unknown>>,
  names: SchemaNames,
): object {
  const { description, schema, headers = {}, mediaType = "application/json", textType } = response;
  const named = mapValues(examples, (value) => ({ value }));
  const all = [
    ...Object.entries(headers).map(([name, meaning]) => [name, { description: meaning, schema: { type: "string" } }]),
    ...Object.keys(responseHeaders).map((name) => [name, { $ref: `#/components/headers/${name}` }]),
  ];
  const content = schema && {
    [mediaType]: {
      schema: reference(schema, names),
      examples: Object.keys(named).length > 0 ? named : undefined,
    },
    ...(textType && { [textType]: { schema: { type: "string" } } }),
  };
  return { description, headers: all.length > 0 ? Object.fromEntries(all) : undefined, content };
}

function reference(schema: Schema, names: SchemaNames): object {
  const name = names.get(schema);
  return name === undefined ? schemaMembers(schema, names) : { $ref: `#/components/schemas/${name}` };
}

/** The schema of binary bodies. Generated clients send such a body unchanged; without a schema, they send JSON. */
const bytes = { type: "string", format: "binary" } as const;

/** Returns the members of a schema with references to named schemas, in keywords that most tools support. */
function schemaMembers(schema: Schema, names: SchemaNames): object {
  const { const: constant, discriminator, default: initial, multipleOf, ...members } = schema;
  // With the keyword `default`, generated clients would send the default of every setting that a change leaves out.
  const sentences = [schema.description ?? [], initial === undefined ? [] : `Default: ${JSON.stringify(initial)}.`];
  const description = sentences.flat().join(" ");
  const mapping = discriminator && mappingOf(schema, discriminator.propertyName, names);
  return {
    ...mapParts(members, (part) => reference(part, names)),
    ...([schema.type].flat().includes("array") && !schema.items && { items: {} }),
    ...(description && { description }),
    ...(multipleOf === 1 ? { type: "integer" } : multipleOf && { multipleOf }),
    // Several generators ignore `const`.
    ...(constant !== undefined && { type: typeof constant, enum: [constant] }),
    ...(mapping && { discriminator: { ...discriminator, mapping } }),
  };
}

/**
 * Returns the `mapping` of the discriminator: a schema reference by value. Without it, tools use the schema names as
 * values. Returns `undefined` if an option is not a named schema; then the document has no discriminator.
 */
function mappingOf({ oneOf = [] }: Schema, propertyName: string, names: SchemaNames): object | undefined {
  const entries = oneOf.map((option) => [option.properties?.[propertyName]?.const, names.get(option)]);
  if (entries.some(([value, name]) => value === undefined || name === undefined)) return undefined;
  return Object.fromEntries(entries.map(([value, name]) => [value, `#/components/schemas/${name}`]));
}
