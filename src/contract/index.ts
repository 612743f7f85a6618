/**
 * The interface of the service as data: operations, schemas, errors, assumptions, and what follows from them: validation
 * and the OpenAPI document. Also all limits (`limits.ts`), and how JSON and other texts are read and shown.
 *
 * - *operation*: one row of the table of the interface, such as `updateResource`
 * - *assumption*: a point that the interface leaves open, and how this mock behaves there
 */

export { type Assumption, type AssumptionId, assumptions, assumptionsOf } from "./assumptions.ts";
export type { Contract, OperationId, ServiceOperation } from "./contract.ts";
export { type ErrorCode, errorCatalogue, type UpstreamErrorCode } from "./errors.ts";
export { instantOf } from "./formats.ts";
export {
  closedObject,
  count,
  dateTime,
  type FromSchema,
  mapParts,
  object,
  type Schema,
  string,
} from "./json-schema.ts";
export { lazily } from "./lazily.ts";
export * from "./limits.ts";
export { nearestOperations } from "./nearest-operations.ts";
export { openApiDocument } from "./openapi-document.ts";
export {
  declaredStatuses,
  type Operation,
  type Parameter,
  type ResponseRule,
  successStatus,
} from "./operation-table.ts";
export { invalidParameter, loadQueryChecks, type QueryValues, readQuery } from "./parameters.ts";
export type { Problem } from "./problems.ts";
export { readScalar, type Scalar, scalarProblem } from "./scalar.ts";
export type { Awaitable } from "./schedule/awaitable.ts";
export { type Slice, TimeSlice } from "./schedule/time-slice.ts";
export { serviceContract } from "./service-contract.ts";
export { type ErrorBody, type ErrorDetail, errorBody, invalidField, ServiceError } from "./service-error.ts";
export {
  AnyJson,
  ArrayElement,
  ArrayTestType,
  ObjectTestType,
  OutOfOrderPropertiesTestType,
  PagedQueryResult,
  protocolValues,
} from "./service-schemas.ts";
export { fromBase64 } from "./text/base64.ts";
export { detached } from "./text/detached.ts";
export { didYouMean, nearest, unknownName } from "./text/did-you-mean.ts";
export { headerOf } from "./text/headers.ts";
export { isCertificateName } from "./text/host-name.ts";
export { inProgressText } from "./text/in-progress.ts";
export { isObject, join, utf8 } from "./text/json.ts";
export { arrayPieces, base64Pieces, objectPieces, valuePieces } from "./text/json-pieces.ts";
export {
  type JsonBounds,
  type JsonReading,
  type JsonRefusal,
  jsonValue,
  readJson,
  textOf,
} from "./text/json-reader.ts";
export {
  isRecordedSecret,
  isSecret,
  MIN_SECRET,
  mentionsSecret,
  REDACTED,
  redactHeader,
  redactJson,
  redactMember,
  redactQuery,
  redactText,
  withoutSecrets,
} from "./text/redact.ts";
export { shellWord, targetOf } from "./text/shell.ts";
export { counted, cut, shown } from "./text/shown.ts";
export { type SourceKind, sourceKinds } from "./text/sources.ts";
export { tokenError, tokenOperation } from "./token-operation.ts";
export type { BodyOf, PathOf, QueryOf, ResponseBodiesOf } from "./typed.ts";
export { findProblems, loadCheck, loadedCheck } from "./validator.ts";
