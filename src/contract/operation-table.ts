import { cachedBy } from "./cached.ts";
import type { Schema } from "./json-schema.ts";
import type { Role } from "./resource-type.ts";
import type { Security } from "./security.ts";
import type { Encoding } from "./wire/read-body.ts";

/**
 * An entry of an operation table. Services and the control API both have such a table, so the same code reads parameters,
 * validates bodies and writes the documentation.
 */
export interface Operation {
  readonly id: string;
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE" | "OPTIONS" | "TRACE";
  /** An OpenAPI path template. A parameter may follow literal text within its segment (`key={key}`). */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly parameters: readonly Parameter[];
  readonly body?: BodyRule;
  /** The responses by status. */
  readonly responses: Responses;
  /** The credentials that requests need; none by default. */
  readonly security?: Security;
  /** What the operation does with the state; by default nothing, and it returns a fixture, an example or generated data. */
  readonly role?: Role;
  /** Why the operation has this role, or none. */
  readonly reason?: string;
  /** The names of the update actions that the body can contain. */
  readonly actions?: readonly string[];
  /** Additional query parameters if the operation returns a page of the state. */
  readonly pagedParameters?: readonly Parameter[];
}

export interface Parameter {
  readonly in: "path" | "query" | "header" | "cookie";
  /** The name. For a parameter with a `pattern`, the name in the OpenAPI document. */
  readonly name: string;
  /** Set if the parameter has many names: all names that match this pattern. */
  readonly pattern?: RegExp;
  /** The schema of one value: a text, number or boolean, an object as JSON, or a union of them. */
  readonly schema: Schema;
  /** Set if a request must have the parameter. Parameters of the path are always required. */
  readonly required?: boolean;
  readonly serialization?: Serialization;
  /** Set if the parameter can be sent several times. Its value is an array. */
  readonly repeatable?: boolean;
  readonly description?: string;
  /** An example value for the OpenAPI document. */
  readonly example?: string;
}

/**
 * How a value is written (OpenAPI 3.1, 4.8.12; RFC 6570). Without it, a parameter has the form of the built-in service: see
 * `schema`.
 */
export type Serialization = Style | { readonly mediaType: string; readonly style?: never; readonly explode?: never };

interface Style {
  /** `tabDelimited` is the format `tsv` of Swagger 2.0. */
  readonly style:
    | "simple"
    | "label"
    | "matrix"
    | "form"
    | "spaceDelimited"
    | "pipeDelimited"
    | "tabDelimited"
    | "deepObject";
  readonly explode: boolean;
  readonly mediaType?: never;
}

interface BodyRule {
  readonly required: boolean;
  /** The accepted media types, without parameters. `application/json` is parsed; others stay bytes. */
  readonly mediaTypes: readonly string[];
  readonly schema?: Schema;
  /** The schemas of media types with another one. */
  readonly schemas?: Readonly<Record<string, Schema>>;
  /** How forms write their members, by the names of the members. */
  readonly encoding?: Readonly<Record<string, Encoding>>;
  /** An example value for the OpenAPI document. */
  readonly example?: unknown;
}

/** The responses by status, by class of statuses, and for all other statuses. */
export type Responses = {
  readonly [status: number]: ResponseRule;
} & { readonly [Class in "1XX" | "2XX" | "3XX" | "4XX" | "5XX" | "default"]?: ResponseRule };

export const JSON_TYPE = "application/json";

/** The body of a response in one media type. */
export interface Content {
  /** The media type; JSON by default. */
  readonly mediaType?: string;
  /** Without a schema, the response has no body. */
  readonly schema?: Schema;
  /** The name of the schema in the document. */
  readonly name?: string;
  /** Examples of the body, by name. */
  readonly examples?: Readonly<Record<string, unknown>>;
}

export interface ResponseRule extends Content {
  readonly description: string;
  /** The descriptions of the response headers, by name. */
  readonly headers?: { readonly [name: string]: string };
  /** Values of response headers that do not come from the state, by name. */
  readonly headerValues?: { readonly [name: string]: string };
  /** The body in other media types, between which the client chooses with `Accept`. */
  readonly alternatives?: readonly Content[];
  /** A media type for the same content as text, if the client requests it with `Accept`. */
  readonly textType?: string;
  /** The schema of the body for each value of the setting `collection`, if it depends on this setting. */
  readonly schemaOf?: { readonly sample: Schema; readonly paged: Schema };
}

/** Returns the statuses that the operation declares, in ascending order; without classes of statuses. */
export function declaredStatuses({ responses }: Operation): number[] {
  return Object.keys(responses).map(Number).filter(Number.isInteger);
}

/** The statuses whose responses have no body (RFC 9110). */
export const bodiless: readonly number[] = [204, 205, 304];

/**
 * Returns what an operation declares for a status: itself, or its class, or all others (OpenAPI 3.1, 4.8.16). A body for a
 * status without one is ignored.
 */
export function responseFor({ responses }: Operation, status: number): ResponseRule | undefined {
  const rule = responses[status] ?? responses[`${Math.floor(status / 100)}XX` as "4XX"] ?? responses.default;
  if (!rule || !bodiless.includes(status)) return rule;
  const { description, headers = {} } = rule;
  return { description, headers };
}

/** Returns whether an operation declares nothing but `default`, which is its success then. */
export function hasOnlyDefault({ responses }: Pick<Operation, "responses">): boolean {
  return Object.keys(responses).join() === "default";
}

/**
 * Returns the default success status of the operation: its lowest 2xx, else its lowest 3xx other than 304, else 200 if it
 * declares a class of successes or nothing but `default`, else 204.
 */
export const successStatus = cachedBy((operation: Operation): number => {
  const { responses } = operation;
  const declared = declaredStatuses(operation).find((status) => status >= 200 && status < 400 && status !== 304);
  if (declared !== undefined) return declared;
  const isOpen = responses["2XX"] || hasOnlyDefault(operation);
  return isOpen || operation.role ? 200 : 204;
});
