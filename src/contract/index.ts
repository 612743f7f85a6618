/**
 * The interface of the service as data: operations, schemas, errors, assumptions, and what follows from them:
 * validation and the OpenAPI document. Also all limits (`limits.ts`), and how JSON and other texts are read and shown.
 *
 * - *operation*: one row of the table of the interface, such as `updateResource`
 * - *assumption*: a point that the interface leaves open, and how this mock behaves there
 */

export { type AssumptionId, assumptions, assumptionsOf } from "./assumptions.ts";
export { type ErrorCode, errorCatalogue, type UpstreamErrorCode } from "./errors.ts";
export { instantOf } from "./formats.ts";
export {
  closedObject,
  count,
  dateTime,
  type FromSchema,
  mapParts,
  members,
  object,
  type Schema,
  string,
} from "./json-schema.ts";
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
export { isCertificateName, readScalar, type Scalar, scalarProblem } from "./scalar.ts";
export { type Awaitable, lazily, type Slice, TimeSlice } from "./schedule.ts";
export { type Contract, type OperationId, type ServiceOperation, serviceContract } from "./service-contract.ts";
export { type ErrorBody, type ErrorDetail, errorBody, invalidField, ServiceError } from "./service-error.ts";
export {
  AnyJson,
  ArrayElement,
  ArrayTestType,
  ObjectTestType,
  OutOfOrderPropertiesTestType,
  PagedQueryResult,
  protocolValues,
  updateActions,
} from "./service-schemas.ts";
export {
  arrayPieces,
  base64Pieces,
  chunksOf,
  detached,
  fromBase64,
  objectPieces,
  utf8,
  valuePieces,
} from "./text/bytes.ts";
export { didYouMean, nearest, unknownName } from "./text/did-you-mean.ts";
export { isObject, join } from "./text/json.ts";
export {
  type JsonBounds,
  type JsonReading,
  type JsonRefusal,
  jsonValue,
  readJson,
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
export {
  counted,
  cut,
  headerOf,
  inProgressText,
  type SourceKind,
  shellWord,
  shown,
  sourceKinds,
  targetOf,
} from "./text/shown.ts";
export { tokenError, tokenOperation } from "./token-operation.ts";
export type { BodyOf, PathOf, QueryOf, ResponseBodiesOf } from "./typed.ts";
export { findProblems, loadCheck, loadedCheck } from "./validator.ts";
