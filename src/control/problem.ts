import { type ErrorDetail, invalidField, ServiceError } from "../contract/service-error.ts";
import type { ControlResponse } from "./response.ts";
import type { Problem } from "./schemas.ts";

/** What the kinds of problems are called. */
const titles: Readonly<Record<ErrorDetail["code"], string>> = {
  InvalidJsonInput: "The body is not JSON",
  InvalidInput: "The request cannot be understood",
  InvalidField: "A value is not what it should be",
  invalid_token: "The admin token is missing or wrong",
  insufficient_scope: "The token does not allow this",
  ResourceNotFound: "There is no such thing",
  EndpointNotFound: "There is no such path",
  MethodNotAllowed: "The path has other methods",
  ConcurrentModification: "It has been changed meanwhile",
  ContentTooLarge: "The body is too large",
  UnsupportedMediaType: "The body is of another type",
  TooManyRequests: "Too many requests",
  General: "The server failed",
  ServiceUnavailable: "It cannot be answered right now",
  InsufficientStorage: "Insufficient storage",
  CrossOriginRequest: "A page of another origin may not do this",
  RequestsMissing: "The requests have not arrived in time",
  DuplicateValue: "An id or key is taken",
  LimitReached: "There are too many",
};

/** The problem details (RFC 9457) of an error, as every error of the control API is answered. */
export function problemOf(error: ServiceError): Problem {
  const places = error.details.filter(({ field }) => field !== undefined);
  return {
    type: `urn:resource-mock:problem:${error.code}`,
    title: titles[error.code],
    status: error.status,
    detail: error.message,
    ...(places.length > 0 && { errors: places.map(placeOf) }),
  };
}

function placeOf({ message, field = "" }: ErrorDetail): NonNullable<Problem["errors"]>[number] {
  // A JSON pointer is empty or begins with a slash; no parameter's name does.
  return field === "" || field.startsWith("/")
    ? { detail: message, pointer: field }
    : { detail: message, parameter: field };
}

/** The answer that stands for an error; `more` are further members of the problem. */
export function problemResponse(error: ServiceError, more: object = {}): ControlResponse {
  return problemDetails({ ...problemOf(error), ...more }, error.headers);
}

/** The answer that stands for a defect of resource-mock itself; it shows nothing of the machine. */
export function defectProblem(): ControlResponse {
  return problemDetails({
    type: "urn:resource-mock:problem:Defect",
    title: "resource-mock itself failed",
    status: 500,
    detail: "resource-mock itself failed to answer this request; its log says why. Please report it.",
  });
}

function problemDetails(problem: Problem, headers: Readonly<Record<string, string>> = {}): ControlResponse {
  return { status: problem.status, json: problem, headers: { "Content-Type": "application/problem+json", ...headers } };
}

/** The error of something that a path names and that is not there. */
export function notFound(message: string): ServiceError {
  return new ServiceError({ code: "ResourceNotFound", message });
}

/** The error of one value in a body or among the parameters; `field` is its pointer or name. */
export function invalid(field: string, message: string): ServiceError {
  return new ServiceError(invalidField(field, message));
}
