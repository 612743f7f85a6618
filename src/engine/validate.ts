import {
  type Awaitable,
  type ErrorDetail,
  findProblems,
  invalidParameter,
  loadCheck,
  loadedCheck,
  loadQueryChecks,
  type Problem,
  readQuery,
  responseFor,
  type Schema,
  ServiceError,
} from "../contract/index.ts";
import type { ServiceResponse } from "../rules/index.ts";
import { authorize } from "./auth/authorize.ts";
import { type Call, violate } from "./call/call.ts";
import { contentLength, encodingProblem, mediaType, refusedBody } from "./call/service-request.ts";

/**
 * Validates path, query, content type and body against the contract. The setting `validation` decides the effect of a
 * violation. Stores the typed query in the call. Returns a promise only if it has to load a check, or to describe a
 * violation.
 */
export function validateRequest(call: Call): Awaitable<void> {
  return call.request.query === "" ? validate(call) : validateWithQuery(call);
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

async function validateWithQuery(call: Call): Promise<void> {
  const { operation, request } = call;
  await loadQueryChecks(operation);
  const reading = readQuery(operation.parameters, request.query);
  call.query = reading.values;
  call.unnamed = reading.unnamed;
  violate(call, reading.violations);
  await validate(call);
}

function validate(call: Call): Awaitable<void> {
  if (call.settings.validation !== "off") {
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

function validateBody(call: Call): Promise<void> | undefined {
  const { body } = call.operation;
  if (!body) return undefined;
  if (call.unread ? !(contentLength(call.request) > 0) : call.bytes.length === 0) {
    if (body.required && !call.unread)
      violate(call, [{ code: "InvalidInput", message: `A body is required (${body.mediaTypes.join(", ")})` }]);
    return undefined;
  }
  const type = mediaType(call.request);
  if (type === undefined || !body.mediaTypes.includes(type)) {
    const message = `Content-Type: expected ${body.mediaTypes.join(" or ")}, found ${type ?? "nothing"}`;
    violate(call, [{ code: "UnsupportedMediaType", message, field: "Content-Type" }]);
  }
  const encoding = encodingProblem(call.request);
  if (encoding) violate(call, [encoding]);
  if (call.refusal?.kind === "syntax") violate(call, refusedBody(call.refusal).details);
  if (!body.schema || !call.json) return undefined;
  const { value } = call.json;
  const check = loadedCheck(body.schema, "first");
  return check && check(value).length === 0 ? undefined : describeProblems(call, body.schema, value);
}

async function describeProblems(call: Call, schema: Schema, value: unknown): Promise<void> {
  const check = await loadCheck(schema, "first");
  if (check(value).length > 0) violate(call, (await findProblems(schema, value)).map(bodyViolation));
}

/** Returns the service error for a problem in the body, with its location. */
export function bodyViolation({ pointer, message }: Problem): ErrorDetail {
  return {
    code: "InvalidField",
    message: pointer === "" ? `The body: ${message}` : `${pointer}: ${message}`,
    field: pointer,
  };
}

/**
 * Throws an error, which becomes a defect, if the contract does not allow the response. Skips labelled off-contract
 * responses. Skips responses from the state unless requests are validated, as the state can then contain invalid values.
 */
export async function checkResponse(call: Call, response: ServiceResponse): Promise<void> {
  const { operation } = call;
  if (response.source === "upstream") return;
  if (call.settings.validation !== "enforce" && response.source === "state") return;
  if (response.status === 0 || response.offContract) return;
  const declared = responseFor(operation, response.status);
  if (!declared) throw new Error(`${operation.id} returned ${response.status}, which the contract does not declare`);
  if (!declared.schema) {
    // Errors for HEAD contain a body here; the server does not send it.
    if (response.body !== null && operation.method !== "HEAD")
      throw new Error(`${operation.id} ${response.status}: expected no body, found one`);
    return;
  }
  const check = await loadCheck(declared.schema);
  const [problem] = check(response.body === null ? undefined : JSON.parse(String(response.body)));
  if (problem) throw new Error(`${operation.id} ${response.status}: ${problem.pointer}: ${problem.message}`);
}
