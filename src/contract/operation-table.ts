import type { Schema } from "./json-schema.ts";

/**
 * An entry of an operation table. The service (`service-operations.ts`) and the control API both have such a table, so the same
 * code reads parameters, validates bodies and writes the documentation.
 */
export interface Operation {
  readonly id: string;
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** An OpenAPI path template. A parameter may follow literal text within its segment (`key={key}`). */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly parameters: readonly Parameter[];
  readonly body?: BodyRule;
  /** The responses by status: every status that the operation can return. */
  readonly responses: { readonly [status: number]: ResponseRule };
  /**
   * The scopes that grant access; one is enough. Tokens have them as `name:{projectKey}`. If empty, any token is
   * enough.
   */
  readonly scopes: readonly string[];
  /** Set if the path identifies one resource: the parameter that identifies it, and the kind of access. */
  readonly resource?: { readonly parameter: "id" | "key"; readonly access: "read" | "update" | "delete" };
  /** The names of the update actions that the body can contain. */
  readonly actions?: readonly string[];
  /** Additional query parameters if the operation returns a page of the state. */
  readonly pagedParameters?: readonly Parameter[];
}

export interface Parameter {
  readonly in: "path" | "query" | "header";
  /** The name. For a parameter with a `pattern`, the name in the OpenAPI document. */
  readonly name: string;
  /** Set if the parameter has many names: all names that match this pattern. */
  readonly pattern?: RegExp;
  /** The schema of one value: a text, number or boolean, an object as JSON, or a union of them. */
  readonly schema: Schema;
  /** Set if the parameter can be sent several times. Its value is an array. */
  readonly repeatable?: boolean;
  readonly description?: string;
  /** An example value for the OpenAPI document. */
  readonly example?: string;
}

interface BodyRule {
  readonly required: boolean;
  /** The accepted media types, without parameters. `application/json` is parsed; others stay bytes. */
  readonly mediaTypes: readonly string[];
  readonly schema?: Schema;
  /** The schemas of media types with another one. */
  readonly schemas?: Readonly<Record<string, Schema>>;
  /** An example value for the OpenAPI document. */
  readonly example?: unknown;
}

export interface ResponseRule {
  readonly description: string;
  /** The schema of the body. Without a schema, the response has no body. */
  readonly schema?: Schema;
  /** The descriptions of the response headers, by name. */
  readonly headers?: { readonly [name: string]: string };
  /** The media type of the body, if it is not JSON. */
  readonly mediaType?: string;
  /** A media type for the same content as text, if the client requests it with `Accept`. */
  readonly textType?: string;
  /** The schema of the body for each value of the setting `collection`, if it depends on this setting. */
  readonly schemaOf?: { readonly sample: Schema; readonly paged: Schema };
}

/** Returns the statuses that the operation declares, in ascending order. */
export function declaredStatuses(operation: Operation): number[] {
  return Object.keys(operation.responses).map(Number);
}

/** Returns the default success status of the operation: its lowest 2xx. */
export function successStatus(operation: Operation): number {
  return declaredStatuses(operation)[0] ?? 200;
}
