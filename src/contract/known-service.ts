/*
 * What TypeScript knows of the service that the package comes with: types of requests, responses and resources. The service
 * adds its own members to the interfaces (`src/services`). At runtime, the ids of operations are any strings.
 */

/** The types of requests and responses by operation: `path`, `query`, `body`, `responses`. */
// biome-ignore lint/suspicious/noEmptyInterface: the service adds its operations
export interface KnownOperations {}

/** The members of a resource beside those that the mock adds. */
// biome-ignore lint/suspicious/noEmptyInterface: the service adds its members
export interface KnownMembers {}

/** The forms of values in the control API that the service decides, by name: `State`, and those of its own calls. */
// biome-ignore lint/suspicious/noEmptyInterface: the service adds its forms
export interface KnownForms {}

/** A form of values in the control API; any object, if the service does not decide it. */
export type FormOf<Name extends string> = KnownForms extends Readonly<Record<Name, infer Form>> ? Form : object;

/**
 * The statuses that all operations have. Without them, TypeScript infers `number` for the status of a function's response.
 */
// biome-ignore lint/suspicious/noEmptyInterface: the service adds its statuses
export interface KnownStatuses {}

export type OperationId = keyof KnownOperations & string;

type Part<Id extends OperationId, Name extends string> = KnownOperations[Id][Name & keyof KnownOperations[Id]];

/** The path parameters of the operation, decoded. */
export type PathOf<Id extends OperationId> = Part<Id, "path">;

/**
 * The query parameters of the operation by name. Parameters that the contract does not define are text or lists of
 * text.
 */
export type QueryOf<Id extends OperationId> = Part<Id, "query">;

/** The body of a request to the operation: parsed JSON, the bytes of an image, or undefined without a body. */
export type BodyOf<Id extends OperationId> = Part<Id, "body">;

/** The statuses of the operation with the types of their bodies; `never` for a response without a body. */
export type ResponseBodiesOf<Id extends OperationId> = {
  readonly [Status in keyof (Part<Id, "responses"> & KnownStatuses) & number]: Part<Id, "responses">[Status &
    keyof Part<Id, "responses">];
};
