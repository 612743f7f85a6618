import type { FromSchema } from "./json-schema.ts";
import type { Parameter } from "./operation-table.ts";
import type { OperationId } from "./service-contract.ts";
import type { BodyError, EveryError, OperationRow, operations, ResourceError } from "./service-operations.ts";

/** The types of requests and responses by operation, derived from the operation table. */

type FactsOf<Id extends OperationId> =
  Extract<(typeof operations)[number], { readonly id: Id }> extends OperationRow<Id, infer Facts> ? Facts : never;

type ParametersOf<Id extends OperationId> =
  FactsOf<Id> extends { readonly parameters: readonly (infer Each extends Parameter)[] } ? Each : never;

/** The path parameters of the operation, decoded. */
export type PathOf<Id extends OperationId> = {
  readonly [P in ParametersOf<Id> as P["in"] extends "path" ? P["name"] : never]: string;
} & { readonly projectKey: string };

/**
 * The query parameters of the operation by name. Parameters that the contract does not define are text or lists of
 * text.
 */
export type QueryOf<Id extends OperationId> = {
  readonly [P in ParametersOf<Id> as P["in"] extends "query" ? NameOf<P> : never]?: P extends {
    readonly repeatable: true;
  }
    ? FromSchema<P["schema"]>[]
    : FromSchema<P["schema"]>;
} & { readonly [other: string]: unknown };

type NameOf<P extends Parameter> = P extends { readonly pattern: RegExp } ? `${P["name"]}.${string}` : P["name"];

/** The body of a request to the operation: parsed JSON, the bytes of an image, or undefined without a body. */
export type BodyOf<Id extends OperationId> =
  FactsOf<Id> extends { readonly body: infer Body }
    ?
        | (Body extends { readonly schema: infer S } ? FromSchema<S> : Uint8Array)
        | (Body extends { readonly required: true } ? never : undefined)
    : undefined;

type ResponsesOf<Facts> = (Facts extends { readonly responses: infer Responses } ? Responses : never) &
  (Facts extends { readonly resource: object } ? ResourceError : unknown) &
  (Facts extends { readonly body: object } ? BodyError : unknown) &
  EveryError;

/** The statuses of the operation with the types of their bodies; `never` for a response without a body. */
export type ResponseBodiesOf<Id extends OperationId> = {
  readonly [Status in keyof ResponsesOf<FactsOf<Id>> & number]: FactsOf<Id> extends { readonly method: "HEAD" }
    ? never
    : ResponsesOf<FactsOf<Id>>[Status] extends { readonly schema: infer S }
      ? FromSchema<S>
      : never;
};
