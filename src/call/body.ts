import { type ErrorDetail, ServiceError } from "../contract/service-error.ts";
import { isTooDeep, jsonProblem, MAX_JSON_DEPTH, readJson, utf8 } from "../text/json.ts";
import { shown } from "../text/shown.ts";
import { header, type ServiceRequest } from "./request.ts";

/** What is wrong with the body's encoding, if anything: bodies are read as they were sent (RFC 9110, 8.4). */
export function encodingProblem(request: ServiceRequest): ErrorDetail | undefined {
  const found = header(request, "content-encoding")?.trim() || "identity";
  if (found.toLowerCase() === "identity") return undefined;
  const message = `Content-Encoding: expected none or identity, as bodies are read as they were sent, found ${shown(found)}`;
  return { code: "UnsupportedMediaType", message, field: "Content-Encoding" };
}

/** The JSON value in a body, boxed as any value is possible; `undefined` if the body is not JSON. */
export function jsonIn(bytes: Uint8Array): { readonly value: unknown } | undefined {
  return readJson(utf8(bytes) ?? "");
}

/** The error of a body in which `jsonIn` finds no JSON: InvalidJsonInput with the position, or InvalidInput if it is nested too deep. */
export async function notJson(bytes: Uint8Array): Promise<ServiceError> {
  const text = utf8(bytes);
  if (text !== undefined && isTooDeep(text)) {
    return new ServiceError({
      code: "InvalidInput",
      message: `The body is nested deeper than ${MAX_JSON_DEPTH} levels`,
    });
  }
  const problem = text === undefined ? "it is not valid UTF-8" : await jsonProblem(text);
  return new ServiceError({ code: "InvalidJsonInput", message: `The body is not JSON: ${problem}` });
}
