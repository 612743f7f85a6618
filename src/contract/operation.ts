import type { Schema } from "./schema.ts";

/**
 * What an operation table is made of. The service's table (`operations.ts`) and the control API's are both written in
 * these terms, so that reading parameters, checking bodies and documenting them is done by the same code.
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
  /** The answers by status; every status the operation can answer is here. */
  readonly responses: { readonly [status: number]: ResponseRule };
  /** Scope names that grant access, any one of them; bound to the project key (`name:{projectKey}`). None: any token. */
  readonly scopes: readonly string[];
  /** Set if the path names one resource: by which parameter, and what the operation does to it. */
  readonly resource?: { readonly parameter: "id" | "key"; readonly access: "read" | "update" | "delete" };
  /** The names of the update actions that the body may hold. */
  readonly actions?: readonly string[];
  /** The query parameters that the operation reads as well when it returns a page of the state. */
  readonly pagedParameters?: readonly Parameter[];
}

export interface Parameter {
  readonly in: "path" | "query";
  /** The parameter's name; of a pattern-named parameter, the name that the OpenAPI document shows. */
  readonly name: string;
  /** Set on a pattern-named parameter: which names it stands for. */
  readonly pattern?: RegExp;
  readonly type: ParameterType;
  /** May be passed several times; its value is then an array. */
  readonly repeatable?: boolean;
  readonly description?: string;
  /** The named schema of a JSON object in this parameter (`union`), or of its text in documents (`string`). */
  readonly schema?: Schema;
  /** The bounds of a number, inclusive. */
  readonly minimum?: number;
  readonly maximum?: number;
  /** The name of an integer's bounds in the OpenAPI document. */
  readonly format?: "int32";
  /** Set on a `float` whose value must be a whole number: an integer in the OpenAPI document. */
  readonly isWhole?: true;
  readonly choices?: readonly string[];
  /** A value for the OpenAPI document. */
  readonly example?: string;
}

/**
 * - `string`, `untyped`: the text as sent
 * - `float`, `integer`, `boolean`: a decimal number, a whole number, `true` or `false`
 * - `object`: a JSON object, written as JSON
 * - `union`: a Float, a DateTime (RFC 3339, as a JSON string or as it stands), or a JSON object of the parameter's schema
 */
export type ParameterType = "string" | "untyped" | "float" | "integer" | "boolean" | "object" | "union";

export interface BodyRule {
  readonly required: boolean;
  /** The media types taken, without parameters; `application/json` is parsed, all else is kept as bytes. */
  readonly mediaTypes: readonly string[];
  readonly schema?: Schema;
}

export interface ResponseRule {
  readonly description: string;
  /** The body's schema; without one, the answer has no body. */
  readonly schema?: Schema;
  /** Names of headers that the answer carries, with what they say. */
  readonly headers?: { readonly [name: string]: string };
  /** The media type of the body when it is not JSON. */
  readonly mediaType?: string;
  /** A media type that the same can be had in as text, when it is asked for. */
  readonly textType?: string;
  /** The body's schema by the setting `collection`, if the setting decides. */
  readonly schemaOf?: { readonly sample: Schema; readonly paged: Schema };
}

/** The statuses that the operation declares, ascending. */
export function declaredStatuses(operation: Operation): number[] {
  return Object.keys(operation.responses).map(Number);
}

/** The answer that the interface names first for the operation: its lowest 2xx. */
export function successStatus(operation: Operation): number {
  return declaredStatuses(operation)[0] ?? 200;
}
