import { encodingProblem, refusedBody } from "../call/body.ts";
import { type Call, violate } from "../call/call.ts";
import { mediaType } from "../call/request.ts";
import type { ServiceResponse } from "../call/response.ts";
import { invalidParameter, loadQueryChecks, readQuery } from "../contract/parameters.ts";
import type { Problem } from "../contract/problems.ts";
import type { ErrorDetail } from "../contract/service-error.ts";
import { findProblems, loadCheck, loadedCheck } from "../contract/validator.ts";

/**
 * Holds the request against the contract: path, query, content type, body (the settings say what a violation does).
 * Leaves the typed query on the call.
 */
export async function validateRequest(call: Call): Promise<void> {
  const { operation, request, settings } = call;
  if (request.query !== "") {
    await loadQueryChecks(operation);
    const reading = readQuery(operation.parameters, request.query);
    call.query = reading.values;
    call.unnamed = reading.unnamed;
    violate(call, reading.violations);
  }
  if (settings.validation !== "off") {
    for (const name in call.path) {
      if (call.path[name] === "") violate(call, [invalidParameter(name, "a value", undefined)]);
    }
    await validateBody(call);
  }
  // Bounds hold in every mode, and a number that would change cannot be kept.
  if (call.refusal && call.refusal.kind !== "syntax") throw refusedBody(call.refusal);
}

async function validateBody(call: Call): Promise<void> {
  const { body } = call.operation;
  if (!body) return;
  if (call.bytes.length === 0) {
    if (body.required)
      violate(call, [{ code: "InvalidInput", message: `A body is required (${body.mediaTypes.join(", ")})` }]);
    return;
  }
  const type = mediaType(call.request);
  if (type === undefined || !body.mediaTypes.includes(type)) {
    const message = `Content-Type: expected ${body.mediaTypes.join(" or ")}, found ${type ?? "nothing"}`;
    violate(call, [{ code: "UnsupportedMediaType", message, field: "Content-Type" }]);
  }
  const encoding = encodingProblem(call.request);
  if (encoding) violate(call, [encoding]);
  if (call.refusal?.kind === "syntax") violate(call, refusedBody(call.refusal).details);
  if (!body.schema || !call.json) return;
  const check = loadedCheck(body.schema, "first") ?? (await loadCheck(body.schema, "first"));
  if (check(call.json.value).length === 0) return;
  violate(call, (await findProblems(body.schema, call.json.value)).map(bodyViolation));
}

/** A problem of the body as the error of the service that names its place. */
export function bodyViolation({ pointer, message }: Problem): ErrorDetail {
  return {
    code: "InvalidField",
    message: pointer === "" ? `The body: ${message}` : `${pointer}: ${message}`,
    field: pointer,
  };
}

/**
 * Throws a defect when the answer is not one that the contract declares for the operation. Where the settings let a
 * request break it, state may hold what breaks it too, and is not held against it.
 */
export async function checkResponse(call: Call, answer: ServiceResponse): Promise<void> {
  const { operation } = call;
  if (call.settings.validation !== "enforce" && answer.source === "state") return;
  if (answer.status === 0) return;
  const response = operation.responses[answer.status];
  if (!response) throw new Error(`${operation.id} answered ${answer.status}, which the contract does not declare`);
  if (!response.schema) {
    // HEAD has no bodies; errors have one until it is put on the wire.
    if (answer.body !== null && operation.method !== "HEAD")
      throw new Error(`${operation.id} ${answer.status} has no body`);
    return;
  }
  const check = await loadCheck(response.schema);
  const [problem] = check(answer.body === null ? undefined : JSON.parse(answer.body));
  if (problem) throw new Error(`${operation.id} ${answer.status}: ${problem.pointer}: ${problem.message}`);
}
