import type { Awaitable, BodyOf, OperationId, PathOf, QueryOf, ResponseBodiesOf } from "../contract/index.ts";
import type { ResourceRecord } from "../state/index.ts";

/** A request as a function receives it. Changes of its members have no effect on the mock. */
export interface FunctionRequest<Id extends OperationId = OperationId> {
  readonly operation: Id;
  readonly method: string;
  /** The path parameters by name, decoded. */
  readonly path: PathOf<Id>;
  /** The query parameters by name, with the types of the contract. Other parameters are text, or lists if repeated. */
  readonly query: QueryOf<Id>;
  /** The headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The parsed JSON, or the bytes of an image. Valid by the contract if the setting `validation` is `enforce`. */
  readonly body: BodyOf<Id>;
  /** Aborts when the client disconnects, the project is reset or deleted, or the mock stops. */
  readonly signal: AbortSignal;
}

/** Values of the project, for the response of a function. */
export interface FunctionContext {
  /** A copy of the stored resource that the path names; undefined if it is not stored, or the path names none. */
  readonly resource: ResourceRecord | undefined;
  /** The time of the project, in the format of RFC 3339. */
  readonly now: string;
  /** Returns a new UUID. The same project, seed and calls return the same UUIDs. */
  uuid(): string;
  /** Returns a random number: at least 0, below 1. The same project, seed and calls return the same numbers. */
  random(): number;
}

type HeaderValue = string | number | boolean;
/** Headers by name. An array has several values, such as two cookies. */
type FunctionHeaders = Readonly<Record<string, HeaderValue | readonly HeaderValue[]>> | Headers;

/**
 * A response of a function. Without a body, the response has the body of the fixture for the status. The contract must
 * allow the response, unless `offContract` is true.
 */
export type FunctionResponse<Id extends OperationId = OperationId> =
  | {
      [Status in keyof ResponseBodiesOf<Id>]: {
        readonly status: Status;
        readonly headers?: FunctionHeaders;
        readonly body?: ResponseBodiesOf<Id>[Status];
        readonly offContract?: false;
      };
    }[keyof ResponseBodiesOf<Id>]
  | OffContractResponse;

/** A response that the contract does not restrict: any status from 200 to 599, and text, bytes or JSON. */
export interface OffContractResponse {
  readonly status: number;
  readonly headers?: FunctionHeaders;
  readonly body?: unknown;
  readonly offContract: true;
}

/** A function that responds to the requests of one operation, or returns undefined to pass a request on. */
export type OperationFunction<Id extends OperationId = OperationId, Result = FunctionResponse<Id>> = (
  request: FunctionRequest<Id>,
  context: FunctionContext,
) => Awaitable<Result | Response | undefined>;

/** A function whose responses the contract does not restrict. */
export type OffContractFunction<Id extends OperationId = OperationId> = OperationFunction<
  Id,
  Omit<OffContractResponse, "offContract"> & { readonly offContract?: boolean }
>;

export interface FunctionOptions {
  /** Whether to send all responses of the function without validating them against the contract; false by default. */
  readonly offContract?: boolean;
}

/** A request to an operation of the user's contract. */
interface OtherRequest extends Pick<FunctionRequest, "method" | "headers" | "signal"> {
  readonly operation: string;
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: unknown;
}

/** Adds a function for the requests of one operation in a project. */
export interface AddFunction {
  <Id extends OperationId>(
    operation: Id,
    respond: OperationFunction<Id>,
    options?: { readonly offContract?: false },
  ): AddedFunction;
  <Id extends OperationId>(
    operation: Id,
    respond: OffContractFunction<Id>,
    options: { readonly offContract: true },
  ): AddedFunction;
  <Id extends string>(
    operation: Id extends OperationId ? never : Id,
    respond: (
      ...call: [request: OtherRequest, context: FunctionContext]
    ) => Awaitable<ReturnType<OffContractFunction> | undefined>,
    options?: FunctionOptions,
  ): AddedFunction;
}

/** An added function. Call it, or leave a `using` block, to remove the function; more calls do nothing. */
export interface AddedFunction extends Disposable {
  (): void;
  /** `f-1`, `f-2`, … in the order of adding. `Mock-Source` of a response is `function:f-1`. */
  readonly id: string;
}

/** A function of any operation. */
export interface AnyFunction {
  /** Every function has this type, but only the caller knows the request of its operation. */
  readonly respond: (request: never, context: FunctionContext) => unknown;
  readonly offContract: boolean;
}

/** `AddFunction` without the types of the operation. */
export type AddAnyFunction = (
  operation: string,
  respond: AnyFunction["respond"],
  options?: FunctionOptions,
) => AddedFunction;
