import type { FromSchema, Parameter } from "../../contract/index.ts";
import type { Image, ImageDraft } from "./control/image-operations.ts";
import type { StateDocument } from "./control/state-form.ts";
import type { BodyError, EveryError, OperationRow, operations, ResourceError } from "./operations.ts";
import type { ObjectTestTypeDraft } from "./schemas.ts";

/** The types of requests and responses by operation, derived from the operation table. */

declare module "../../contract/known-service.ts" {
  interface KnownOperations extends OperationTypes {}
  interface KnownStatuses extends EveryError {}
  interface KnownMembers extends ObjectTestTypeDraft {}
  interface KnownForms {
    State: StateDocument;
    Image: Image;
    ImageDraft: ImageDraft;
  }
}

type OperationId = (typeof operations)[number]["id"];

type OperationTypes = {
  readonly [Id in OperationId]: {
    readonly path: PathOf<Id>;
    readonly query: QueryOf<Id>;
    readonly body: BodyOf<Id>;
    readonly responses: ResponseBodiesOf<Id>;
  };
};

type FactsOf<Id extends OperationId> =
  Extract<(typeof operations)[number], { readonly id: Id }> extends OperationRow<Id, infer Facts> ? Facts : never;

type ParametersOf<Id extends OperationId> =
  FactsOf<Id> extends { readonly parameters: readonly (infer Each extends Parameter)[] } ? Each : never;

/** The path parameters of the operation, decoded. */
type PathOf<Id extends OperationId> = {
  readonly [P in ParametersOf<Id> as P["in"] extends "path" ? P["name"] : never]: string;
} & { readonly projectKey: string };

/**
 * The query parameters of the operation by name. Parameters that the contract does not define are text or lists of
 * text.
 */
type QueryOf<Id extends OperationId> = {
  readonly [P in ParametersOf<Id> as P["in"] extends "query" ? NameOf<P> : never]?: P extends {
    readonly repeatable: true;
  }
    ? FromSchema<P["schema"]>[]
    : FromSchema<P["schema"]>;
} & { readonly [other: string]: unknown };

type NameOf<P extends Parameter> = P extends { readonly pattern: RegExp } ? `${P["name"]}.${string}` : P["name"];

/** The body of a request to the operation: parsed JSON, the bytes of an image, or undefined without a body. */
type BodyOf<Id extends OperationId> =
  FactsOf<Id> extends { readonly body: infer Body }
    ?
        | (Body extends { readonly schema: infer S } ? FromSchema<S> : Uint8Array)
        | (Body extends { readonly required: true } ? never : undefined)
    : undefined;

type ResponsesOf<Facts> = (Facts extends { readonly responses: infer Responses } ? Responses : never) &
  (Facts extends { readonly role: { readonly by: object } } ? ResourceError : unknown) &
  (Facts extends { readonly body: object } ? BodyError : unknown) &
  EveryError;

/** The statuses of the operation with the types of their bodies; `never` for a response without a body. */
type ResponseBodiesOf<Id extends OperationId> = {
  readonly [Status in keyof ResponsesOf<FactsOf<Id>> & number]: FactsOf<Id> extends { readonly method: "HEAD" }
    ? never
    : ResponsesOf<FactsOf<Id>>[Status] extends { readonly schema: infer S }
      ? FromSchema<S>
      : never;
};
