import {
  type Awaitable,
  acceptable,
  bestFor,
  cachedBy,
  cut,
  type ErrorDetail,
  findProblems,
  headerOf,
  invalidParameter,
  isJson,
  JSON_TYPE,
  JsonPatch,
  loadCheck,
  loadedCheck,
  matches,
  minimalValue,
  type Operation,
  type Problem,
  problemsOf,
  type QueryReading,
  readParameters,
  responseFor,
  type Schema,
  ServiceError,
  successStatus,
} from "../contract/index.ts";
import type { ServiceResponse } from "../rules/index.ts";
import { mergePatch } from "../state/index.ts";
import { authorize } from "./auth/authorize.ts";
import { type Call, violate } from "./call/call.ts";
import {
  contentLength,
  encodingProblem,
  header,
  isJsonPatch,
  isMergePatch,
  mediaType,
  refusedBody,
} from "./call/service-request.ts";

/**
 * Validates path, query, content type and body against the contract. The setting `validation` decides the effect of a
 * violation. Stores the typed query in the call. Returns a promise only if it has to load a check, or to describe a
 * violation.
 */
export function validateRequest(call: Call): Awaitable<void> {
  const isRead = call.request.query !== "" || readsParameters(call.operation);
  return isRead ? validateWithParameters(call) : validate(call);
}

/** Returns the error for a request that its head alone decides; undefined if the server has to read the body. */
export async function errorOfHead(call: Call): Promise<ServiceError | undefined> {
  const undecided = new ServiceError({ code: "InvalidInput", message: "The server has not read the body" });
  call.unread = undecided;
  try {
    authorize(call);
    await validateRequest(call);
  } catch (error) {
    if (error === undecided) return undefined;
    if (error instanceof ServiceError) return error;
    throw error;
  }
}

/** Whether the operation has parameters whose values have to be read although the request has no query. */
const readsParameters = cachedBy(({ parameters }: Operation) => parameters.some(({ serialization }) => serialization));

function validateWithParameters(call: Call): Awaitable<void> {
  const { operation, path, request } = call;
  const reading = readParameters(operation, { path, query: request.query, headers: request.headers });
  const use = ({ values, unnamed, violations }: QueryReading) => {
    call.query = values;
    call.unnamed = unnamed;
    violate(call, violations);
    return validate(call);
  };
  return reading instanceof Promise ? reading.then(use) : use(reading);
}

function validate(call: Call): Awaitable<void> {
  if (call.settings.validation !== "off") {
    const accept = header(call.request, "accept");
    if (accept) violate(call, acceptProblem(call, accept));
    for (const name in call.path) {
      if (call.path[name] === "") violate(call, [invalidParameter(name, "a value", undefined)]);
    }
    const validating = validateBody(call);
    if (validating) return validating.then(() => checkRefusal(call));
  }
  checkRefusal(call);
}

/**
 * Throws if the body exceeds a limit. Limits apply in every mode, and JSON.parse would change such a number. Also throws if
 * the server has not read the body.
 */
function checkRefusal(call: Call): void {
  if (call.unread) throw call.unread;
  if (!call.refusal || call.refusal.kind === "syntax") return;
  const refused = refusedBody(call.refusal);
  if (call.forwarding) violate(call, refused.details);
  else throw refused;
}

/** Returns whether a schema is that of a text. Other schemas do not describe the text of an XML or YAML body. */
const isOfText = cachedBy((schema: Schema) => typeof minimalValue(schema) === "string");

function validateBody(call: Call): Awaitable<void> {
  const { body } = call.operation;
  if (!body) return;
  if (call.unread ? !(contentLength(call.request) > 0) : call.bytes.length === 0) {
    if (body.required && !call.unread)
      violate(call, [{ code: "InvalidInput", message: `A body is required (${body.mediaTypes.join(", ")})` }]);
    return;
  }
  const type = bestFor(body.mediaTypes, header(call.request, "content-type"));
  if (type === undefined) {
    const found = mediaType(call.request) ?? "nothing";
    const message = `Content-Type: expected ${body.mediaTypes.join(" or ")}, found ${found}`;
    violate(call, [{ code: "UnsupportedMediaType", message, field: "Content-Type" }]);
  }
  const encoding = encodingProblem(call.request);
  if (encoding) violate(call, [encoding]);
  if (call.refusal?.kind === "syntax") violate(call, refusedBody(call.refusal).details);
  const schema = body.schemas?.[type ?? ""] ?? body.schema;
  if (!schema || !call.json) return;
  const isPatch = isJsonPatch(call.request);
  if (isPatch && matches(JsonPatch, call.json.value)) return;
  const found = isPatch ? problemsOf(JsonPatch, call.json.value) : call.json.problems;
  // A null says that a member is removed: the schema is that of the others.
  const value = isMergePatch(call.request) ? mergePatch({}, call.json.value) : call.json.value;
  const refuse = (problems: readonly Problem[]) => violate(call, problems.map(bodyViolation));
  if (found) return refuse(found);
  if (value === call.text && !isOfText(schema)) return;
  const check = loadedCheck(schema);
  return check ? refuse(check(value)) : findProblems(schema, value).then(refuse);
}

/** Returns the problem of the header `Accept`, if it allows no media type of the response (RFC 9110, section 15.5.7). */
function acceptProblem({ operation }: Call, accept: string): ErrorDetail[] {
  const { schema, mediaType, alternatives = [] } = responseFor(operation, successStatus(operation)) ?? {};
  // The built-in service ignores the header, as its responses have one media type each.
  if (!schema || !mediaType) return [];
  const types = [mediaType, ...alternatives.map(({ mediaType: other = JSON_TYPE }) => other)];
  if (acceptable(types, accept)) return [];
  const message = `Accept: expected ${types.join(" or ")}, found ${cut(accept, 200)}`;
  return [{ code: "NotAcceptable", message, field: "Accept" }];
}

/** Returns the service error for a problem in the body, with its location. */
export function bodyViolation({ pointer, message }: Problem): ErrorDetail {
  return { code: "InvalidField", message: `${pointer || "The body"}: ${message}`, field: pointer };
}

/**
 * Throws an error, which becomes a defect, if the contract does not allow the response. Skips labelled off-contract
 * responses. Skips responses from the state unless requests are validated, as the state can then contain invalid values.
 */
export async function checkResponse(call: Call, response: ServiceResponse): Promise<void> {
  const { operation } = call;
  if (response.source === "upstream") return;
  if (call.settings.validation !== "enforce" && response.source === "state") return;
  // A 304 says that the response is the one before (RFC 9110, section 15.4.5).
  if (response.status === 0 || response.status === 304 || response.offContract) return;
  const declared = responseFor(operation, response.status);
  if (!declared) throw new Error(`${operation.id} returned ${response.status}, which the contract does not declare`);
  const type = headerOf(response.headers, "content-type");
  const contents = [declared, ...(declared.alternatives ?? [])];
  const types = contents.map(({ mediaType = JSON_TYPE }) => mediaType);
  const { schema } = contents[types.indexOf(bestFor(types, String(type ?? JSON_TYPE)) ?? "")] ?? declared;
  if (!schema) {
    // Errors for HEAD contain a body here; the server does not send it.
    if (response.body !== null && operation.method !== "HEAD")
      throw new Error(`${operation.id} ${response.status}: expected no body, found one`);
    return;
  }
  if (response.body !== null && !isJson(String(type ?? JSON_TYPE))) return;
  const check = await loadCheck(schema);
  const [problem] = check(response.body === null ? undefined : JSON.parse(String(response.body)));
  if (problem) throw new Error(`${operation.id} ${response.status}: ${problem.pointer}: ${problem.message}`);
}
