import {
  bodiless,
  type ErrorContract,
  errorForm,
  errorText,
  findProblems,
  join,
  MAX_HEADER_VALUE,
  mapValues,
  type Operation,
  responseFor,
  ServiceError,
  shown,
} from "../../contract/index.ts";
import { HEADER_VALUE, type ResponseHeaders, type ServiceResponse, type Stub } from "../../rules/index.ts";
import type { Call } from "./call.ts";

export const JSON_HEADERS = Object.freeze({ "Content-Type": "application/json" });
const NO_HEADERS = Object.freeze({});

/** Returns a response with JSON text from the state of the project, unless its status has no body. */
export function stateResponse(status: number, text: string | null, headers?: Record<string, string>): ServiceResponse {
  const body = bodiless.includes(status) ? null : text;
  const typed = headers ? { ...JSON_HEADERS, ...headers } : JSON_HEADERS;
  return { status, headers: body === null ? (headers ?? NO_HEADERS) : typed, body, source: "state" };
}

/** Returns the response for a service error, in the form of the contract. Never throws. */
export function errorResponse(contract: ErrorContract, error: ServiceError, operation?: Operation): ServiceResponse {
  const form = errorForm(contract, error, operation);
  const { mediaType, isOffContract } = form;
  const text = errorText(form);
  const type = text === null ? undefined : { "Content-Type": mediaType };
  return {
    status: error.status,
    headers: { ...type, ...error.headers },
    body: text,
    source: "error",
    reason: error.message,
    ...(isOffContract && { offContract: true }),
  };
}

/**
 * Returns the response for a defect of resource-mock itself. Its code and source differ from those of every mocked error.
 * It contains no details, as these could describe the machine.
 */
export function defectResponse(): ServiceResponse {
  const message = "resource-mock itself failed to handle this request. Its log contains the error; please report it.";
  const body = JSON.stringify({ statusCode: 500, message, errors: [{ code: "Defect", message }] });
  return { status: 500, headers: JSON_HEADERS, body, source: "defect" };
}

/** Returns the error for an invalid response of a stub. `pointer` leads into `{ status, headers, body }`; "" for all of it. */
export function invalidStub({ label, source }: Stub, pointer: string, message: string): ServiceError {
  return new ServiceError({
    code: "InvalidStub",
    message: `${label}: ${pointer === "" ? "" : `${pointer}: `}${message}`,
    ...(pointer !== "" && { field: pointer }),
    source,
  });
}

/** Returns the headers of a stub as texts. Throws InvalidStub for a value that no header can have. */
export function headerTexts(headers: Readonly<Record<string, unknown>>, stub: Stub): ResponseHeaders {
  const textOf = (value: unknown, pointer: string) => {
    const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
    if (typeof text === "string" && text.length <= MAX_HEADER_VALUE && HEADER_VALUE.test(text)) return text;
    const message = `expected a number, a boolean, at most ${MAX_HEADER_VALUE} printable ASCII characters, or an array of these, found ${shown(value)}`;
    throw invalidStub(stub, pointer, message);
  };
  return mapValues(headers, (value, name) => {
    const pointer = join("/headers", name);
    const isList = Array.isArray(value) && value.length > 0;
    return isList ? value.map((each) => textOf(each, pointer)) : textOf(value, pointer);
  });
}

/** Validates the JSON body of a stub against the contract. Throws InvalidStub with the first problem. */
export async function checkStubBody(call: Call, status: number, body: unknown, stub: Stub): Promise<void> {
  const schema = responseFor(call.operation, status)?.schema;
  if (!schema) return;
  const [problem] = await findProblems(schema, body);
  if (problem) throw invalidStub(stub, `/body${problem.pointer}`, problem.message);
}
