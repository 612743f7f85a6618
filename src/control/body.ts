import { encodingProblem, jsonIn, notJson } from "../call/body.ts";
import { header, mediaType, type ServiceRequest } from "../call/request.ts";
import type { Problem } from "../contract/problems.ts";
import type { FromSchema, Schema } from "../contract/schema.ts";
import { MAX_ERROR_DETAILS, ServiceError } from "../contract/service-error.ts";
import { loadCheck } from "../contract/validator.ts";
import { bodyViolation, LIST_ALL_UP_TO } from "../engine/validate.ts";
import { isObject, join } from "../text/json.ts";
import type { ControlOperation } from "./operation.ts";

/** The largest body, in bytes: the state of 100,000 resources has room in it. */
export const MAX_CONTROL_BODY = 256 * 1024 * 1024;

/**
 * Returns the JSON in the request's body, valid for the operation; `{}` for an optional body that is left out.
 * Throws UnsupportedMediaType for a body that is encoded or not sent as JSON (a page of another origin can send a form
 * unasked), ContentTooLarge, InvalidJsonInput, InvalidInput, and InvalidField with the places that break the schema.
 */
export async function readBody(operation: ControlOperation, request: ServiceRequest): Promise<unknown> {
  const { method, body, shapeOf } = operation;
  const type = mediaType(request);
  const isJson = type === "application/json";
  if (!body && (method !== "POST" || isJson || type === undefined)) return undefined;
  if (!isJson && type !== undefined && announcesBody(request)) throw wrongType(type);
  const bytes = await request.readBody(MAX_CONTROL_BODY);
  if (bytes.length === 0) {
    // Its content type says nothing: `curl -d ''` calls it a form.
    if (body?.required)
      throw new ServiceError({ code: "InvalidInput", message: "A body is required (application/json)" });
    return body && {};
  }
  if (!isJson) throw wrongType(type ?? "nothing");
  const encoding = encodingProblem(request);
  if (encoding) throw new ServiceError(encoding);
  const json = jsonIn(bytes);
  if (!json) throw await notJson(bytes);
  const { value } = json;
  const schema = shapeOf?.(value) ?? body?.schema;
  const problems = schema ? await problemsOf(schema, value, bytes.length) : [];
  if (problems.length > 0) throw new ServiceError(problems.map(bodyViolation));
  return value;
}

/** Whether the head of the request says that there is a body: what is none of ours is not waited for. */
function announcesBody(request: ServiceRequest): boolean {
  return header(request, "transfer-encoding") !== undefined || Number(header(request, "content-length")) > 0;
}

/** Validates a value that stands in the body, at `pointer`, and returns it. Throws InvalidField with each problem. */
export async function validated<S extends Schema>(schema: S, value: unknown, pointer: string): Promise<FromSchema<S>> {
  const problems = (await loadCheck(schema))(value);
  if (problems.length === 0) return value as FromSchema<S>;
  throw new ServiceError(problems.map((problem) => bodyViolation({ ...problem, pointer: pointer + problem.pointer })));
}

function wrongType(found: string): ServiceError {
  const message = `Content-Type: expected application/json, found ${found}`;
  return new ServiceError({ code: "UnsupportedMediaType", message });
}

async function problemsOf(schema: Schema, value: unknown, bytes: number): Promise<Problem[]> {
  if (bytes <= LIST_ALL_UP_TO) return (await loadCheck(schema))(value);
  const first = (await loadCheck(schema, "first"))(value);
  if (first.length === 0) return [];
  const inLists: Problem[] = [];
  await addFirstOfEachItem(schema, value, "", inLists);
  return inLists.length > 0 ? inLists : first;
}

/** To find every problem of a large value would take memory in proportion to it: this finds the first of each list's item. */
async function addFirstOfEachItem(schema: Schema, value: unknown, pointer: string, found: Problem[]): Promise<void> {
  if (schema.items && Array.isArray(value)) {
    const check = await loadCheck(schema.items, "first");
    for (const [index, item] of value.entries()) {
      if (found.length === MAX_ERROR_DETAILS) return;
      for (const problem of check(item)) found.push({ ...problem, pointer: join(pointer, index) + problem.pointer });
    }
  } else if (schema.properties && isObject(value)) {
    for (const [name, property] of Object.entries(schema.properties)) {
      if (property.type === "array") await addFirstOfEachItem(property, value[name], join(pointer, name), found);
    }
  }
}
