import type { Operation, Parameter, ResponseRule } from "./operation.ts";
import { scalarOf } from "./parameters.ts";
import { mapParts, type Schema } from "./schema.ts";

export interface OpenApiOptions {
  info: { title: string; version: string; summary: string; description: string };
  servers: readonly object[];
  tags: readonly { name: string; description: string }[];
  /** Schemas that stand under `components/schemas` by their names; found again by identity wherever they are used. */
  schemas: Readonly<Record<string, Schema>>;
  /** How one of these schemas is shown, where that is not as it is. */
  shown?: (schema: Schema) => Schema;
  /** Examples of an answer, by name. */
  examples?: (operation: Operation, status: number) => Readonly<Record<string, unknown>>;
  securitySchemes?: Readonly<Record<string, object>>;
  security?: (operation: Operation) => readonly object[];
}

/** An OpenAPI 3.1 document of an operation table. */
export function openApiDocument(operations: readonly Operation[], options: OpenApiOptions): object {
  const names = new Map(Object.entries(options.schemas).map(([name, schema]) => [schema, name]));
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const path = paths[operation.path] ?? {};
    paths[operation.path] = path;
    path[operation.method.toLowerCase()] = operationObject(operation, options, names);
  }
  return {
    openapi: "3.1.0",
    info: { ...options.info, license: { name: "MIT", identifier: "MIT" } },
    servers: options.servers,
    tags: options.tags,
    paths,
    components: {
      schemas: Object.fromEntries(
        Object.entries(options.schemas).map(([name, schema]) => [
          name,
          schemaMembers(options.shown?.(schema) ?? schema, names),
        ]),
      ),
      ...(options.securitySchemes && { securitySchemes: options.securitySchemes }),
    },
  };
}

type Names = ReadonlyMap<Schema, string>;

function operationObject(operation: Operation, options: OpenApiOptions, names: Names): object {
  const { id, tag, summary, description, parameters, body, responses } = operation;
  return {
    operationId: id,
    tags: [tag],
    summary,
    ...(description && { description }),
    ...(options.security && { security: options.security(operation) }),
    parameters: parameters.map((parameter) => parameterObject(parameter, names)),
    ...(body && {
      requestBody: {
        required: body.required,
        content: Object.fromEntries(
          body.mediaTypes.map((type) => [type, body.schema ? { schema: reference(body.schema, names) } : {}]),
        ),
      },
    }),
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [
        status,
        responseObject(response, options.examples?.(operation, Number(status)) ?? {}, names),
      ]),
    ),
  };
}

function parameterObject(parameter: Parameter, names: Names): object {
  const { name, repeatable, pattern, description } = parameter;
  const single = parameterSchema(parameter, names);
  const shared = { name, in: parameter.in, required: parameter.in === "path", ...(description && { description }) };
  if (pattern) {
    // OpenAPI has no pattern-named parameters; an exploded object whose members match the pattern is the same thing.
    const value = repeatable ? { type: "array", items: single } : single;
    const schema = { type: "object", patternProperties: { [pattern.source]: value }, additionalProperties: false };
    return { ...shared, style: "form", explode: true, schema };
  }
  if (parameter.type === "object" || parameter.type === "union") {
    return { ...shared, content: { "application/json": { schema: single } } };
  }
  return { ...shared, schema: repeatable ? { type: "array", items: single } : single };
}

function parameterSchema(parameter: Parameter, names: Names): object {
  const { type, schema } = parameter;
  if (type === "untyped") return { type: "string", description: "The interface gives no type." };
  if (type === "object") return { type: "object" };
  if (type === "string" && schema) return reference(schema, names);
  const object = schema ? [reference(schema, names)] : [];
  return scalarOf(parameter) ?? { anyOf: [{ type: "number" }, { type: "string", format: "date-time" }, ...object] };
}

function responseObject(response: ResponseRule, examples: Readonly<Record<string, unknown>>, names: Names): object {
  const { description, schema, headers, mediaType = "application/json", textType } = response;
  const named = Object.entries(examples).map(([name, value]) => [name, { value }]);
  return {
    description,
    ...(headers && {
      headers: Object.fromEntries(
        Object.entries(headers).map(([name, says]) => [name, { description: says, schema: { type: "string" } }]),
      ),
    }),
    ...(schema && {
      content: {
        [mediaType]: {
          schema: reference(schema, names),
          ...(named.length > 0 && { examples: Object.fromEntries(named) }),
        },
        ...(textType && { [textType]: { schema: { type: "string" } } }),
      },
    }),
  };
}

function reference(schema: Schema, names: Names): object {
  const name = names.get(schema);
  return name === undefined ? schemaMembers(schema, names) : { $ref: `#/components/schemas/${name}` };
}

/** The schema's own members, with every named schema inside it made a reference. */
function schemaMembers(schema: Schema, names: Names): object {
  return mapParts(schema, (part) => reference(part, names));
}
