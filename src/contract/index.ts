/**
 * The interface of the service as data: operations, schemas, errors, assumptions, and what follows from them:
 * validation and the OpenAPI document. Also all limits (`limits.ts`), and how JSON and other texts are read and shown.
 *
 * - *operation*: one row of the table of the interface, such as `updateResource`
 * - *assumption*: a point that the interface leaves open, and how this mock behaves there
 */

export { type AssumptionId, assumptionsOf } from "./assumptions.ts";
export {
  type ErrorCode,
  type ErrorDetail,
  errorBody,
  errorCatalogue,
  invalidField,
  ServiceError,
  type UpstreamErrorCode,
} from "./errors.ts";
export {
  closedObject,
  count,
  dateTime,
  type FromSchema,
  mapParts,
  members,
  object,
  objectExcept,
  type Schema,
  string,
  variantsOf,
} from "./json-schema.ts";
export * from "./limits.ts";
export { nearestOperations, slashHint } from "./nearest-operations.ts";
export { openApiDocument } from "./openapi-document.ts";
export {
  declaredStatuses,
  type Operation,
  type Parameter,
  type ResponseRule,
  successStatus,
} from "./operation-table.ts";
export { invalidParameter, loadQueryChecks, type QueryValues, readQuery } from "./read-query.ts";
export {
  deviationsOf,
  differencesIn,
  type Expectation,
  type Expected,
  expectedText,
  matching,
  present,
  responseClaims,
  type SeenResponse,
  type SeenValue,
  typed,
  valuesOf,
} from "./response-claims.ts";
export {
  instantOf,
  isCertificateName,
  isTime,
  LAST_INSTANT,
  readScalar,
  type Scalar,
  scalarProblem,
} from "./scalar.ts";
export { type Awaitable, lazily, type Slice, TimeSlice } from "./schedule.ts";
export {
  type Contract,
  type OperationId,
  serviceContract,
  tokenError,
  tokenOperation,
} from "./service-contract.ts";
export {
  AnyJson,
  ArrayElement,
  ArrayTestType,
  type ErrorResponse,
  ObjectTestType,
  OutOfOrderPropertiesTestType,
  PagedQueryResult,
  protocolValues,
  updateActions,
} from "./service-schemas.ts";
export { IMAGE, NAMESPACE_ACTION, RESOURCE } from "./service-types.ts";
export { checkOptionNames, didYouMean, nearest, unknownName } from "./text/did-you-mean.ts";
export {
  changedNumberText,
  isLossless,
  type JsonBounds,
  type JsonReading,
  type JsonRefusal,
  jsonValue,
  readJsonText,
} from "./text/json-reader.ts";
export {
  arrayPieces,
  base64Pieces,
  chunksOf,
  detached,
  fromBase64,
  objectPieces,
  readJson,
  utf8,
  valuePieces,
} from "./text/json-text.ts";
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
  isObject,
  isPathSegment,
  join,
  type SourceKind,
  shellWord,
  shown,
  sourceKinds,
  targetOf,
} from "./text/shown.ts";
export type { BodyOf, PathOf, QueryOf, ResponseBodiesOf } from "./typed.ts";
export { findProblems, loadCheck, loadedCheck, type Problem } from "./validator.ts";
