/**
 * The forms of a service as data: operations, schemas, types, errors, assumptions, and what follows from them: validation
 * and the OpenAPI document. Also all limits (`limits.ts`), and how JSON and other texts are read and shown.
 *
 * - *operation*: one row of the table of a contract
 * - *role*: what an operation does with the items of a type: list, create, read, update or delete
 * - *assumption*: a point that the interface leaves open, and how this mock behaves there
 */

export { cachedBy } from "./cached.ts";
export { collectionAt, type NamedCollection, pathOfCollection } from "./collections.ts";
export type { Validate } from "./compiled.ts";
export * from "./contract.ts";
export { type ErrorContract, errorForm, errorText } from "./error-form.ts";
export { ErrorResponse } from "./error-response.ts";
export {
  type ErrorCode,
  type ErrorDetail,
  errorBody,
  errorCatalogue,
  invalidField,
  methodNotAllowed,
  ServiceError,
  type UpstreamErrorCode,
} from "./errors.ts";
export * from "./explain.ts";
export { addFormats, formats, instantOf, isCertificateName, isTime, LAST_INSTANT } from "./formats.ts";
export { JsonPatch } from "./json-patch.ts";
export * from "./json-schema.ts";
export type { BodyOf, FormOf, KnownMembers, OperationId, PathOf, QueryOf, ResponseBodiesOf } from "./known-service.ts";
export * from "./limits.ts";
export { type Maker, makeValue, narrow } from "./make-value.ts";
export { minimalLeaf, minimalValue, rangeOf } from "./minimal-value.ts";
export { nearestOperations, slashHint } from "./nearest-operations.ts";
export { openApiDocument } from "./openapi-document.ts";
export { OperationSummary, summaryOf, type TypeSummary, typeFacts, typeSummariesOf } from "./operation-summary.ts";
export * from "./operation-table.ts";
export { OperationTrie, type Route } from "./operation-trie.ts";
export { invalidParameter, type QueryReading, type QueryValues, readQuery } from "./read-query.ts";
export * from "./resource-type.ts";
export * from "./response-claims.ts";
export { readScalar, type Scalar, scalarProblem } from "./scalar.ts";
export { type Awaitable, lazily, type Slice, TimeSlice } from "./schedule.ts";
export * from "./security.ts";
export { checkOptionNames, didYouMean, nearest, unknownName } from "./text/did-you-mean.ts";
export * from "./text/json-reader.ts";
export * from "./text/json-text.ts";
export { regExpFor } from "./text/pattern.ts";
export * from "./text/redact.ts";
export * from "./text/shown.ts";
export { oauthError, tokenError, tokenOperation } from "./token-operation.ts";
export { findProblems, interpreted, loadCheck, loadedCheck, registerValidator } from "./validator.ts";
export { isJson, kindOf, typeOf } from "./wire/media-kinds.ts";
export { acceptable, bestFor, typeWithin } from "./wire/media-types.ts";
export { type Encoding, readFormBody, readMultipart } from "./wire/read-body.ts";
export { readParameters } from "./wire/read-parameters.ts";
export { delimiterOf } from "./wire/typed-value.ts";
export { isXml, xmlText } from "./wire/xml-text.ts";
