import { encodingProblem, MAX_JSON_BYTES, readJsonBody, refusedBody } from "../call/body.ts";
import { header, mediaType, type ServiceRequest } from "../call/request.ts";
import type { Problem } from "../contract/problems.ts";
import type { FromSchema, Schema } from "../contract/schema.ts";
import { MAX_ERROR_DETAILS, ServiceError } from "../contract/service-error.ts";
import { findProblems, loadCheck } from "../contract/validator.ts";
import { bodyViolation } from "../engine/validate.ts";
import { TimeSlice } from "../schedule/time-slice.ts";
import { isObject, join } from "../text/json.ts";
import { counted } from "../text/shown.ts";
import type { ControlOperation } from "./operation.ts";

/** The largest body of an operation with lists, in bytes. The state of 100,000 resources fits in it. */
export const MAX_LISTS_BYTES = 256 * 1024 * 1024;

/** The most JSON values in the body of an operation with lists. They take up to a gigabyte of memory. */
export const MAX_LISTS_VALUES = 10_000_000;

/**
 * Returns the JSON body of the request, validated for the operation. An absent optional body is `{}`.
 *
 * Throws UnsupportedMediaType if the body is encoded or has another content type: pages of other origins can send forms
 * without a preflight request. Throws ContentTooLarge, InvalidJsonInput and InvalidInput. Throws InvalidField with the
 * location of each schema violation.
 */
export async function readBody(operation: ControlOperation, request: ServiceRequest): Promise<unknown> {
  const { method, body, shapeOf, lists } = operation;
  const type = mediaType(request);
  const isJson = type === "application/json";
  if (!body && (method !== "POST" || isJson || type === undefined)) return undefined;
  if (!isJson && type !== undefined && announcesBody(request)) throw wrongType(type);
  const bytes = await request.readBody(lists ? MAX_LISTS_BYTES : MAX_JSON_BYTES);
  if (bytes.length === 0) {
    // An empty body may have any content type: `curl -d ''` sends the type of a form.
    if (body?.required)
      throw new ServiceError({
        code: "InvalidInput",
        message: "body: expected JSON (application/json), found nothing",
      });
    return body && {};
  }
  if (!isJson) throw wrongType(type ?? "nothing");
  const encoding = encodingProblem(request);
  if (encoding) throw new ServiceError(encoding);
  const reading = await readJsonBody(bytes, lists && { itemBytes: lists, values: MAX_LISTS_VALUES });
  if ("refusal" in reading) throw refusedBody(reading.refusal);
  const { value } = reading;
  const schema = shapeOf?.(value) ?? body?.schema;
  const problems = schema ? await problemsOf(schema, value, Object.keys(lists ?? {})) : [];
  if (problems.length > 0) throw new ServiceError(problems.map(bodyViolation));
  return value;
}

/** Returns whether the headers announce a body. A body of another type is rejected before it arrives. */
function announcesBody(request: ServiceRequest): boolean {
  return header(request, "transfer-encoding") !== undefined || Number(header(request, "content-length")) > 0;
}

/** Validates the value at `pointer` in the body and returns it. Throws InvalidField with each problem. */
export async function validated<S extends Schema>(schema: S, value: unknown, pointer: string): Promise<FromSchema<S>> {
  const problems = await findProblems(schema, value);
  if (problems.length === 0) return value as FromSchema<S>;
  throw new ServiceError(problems.map((problem) => bodyViolation({ ...problem, pointer: pointer + problem.pointer })));
}

function wrongType(found: string): ServiceError {
  const message = `Content-Type: expected application/json, found ${found}`;
  return new ServiceError({ code: "UnsupportedMediaType", message });
}

/** Returns the problems of a value. Validates the items of its lists one by one, so that other requests can run in between. */
async function problemsOf(schema: Schema, value: unknown, lists: readonly string[]): Promise<readonly Problem[]> {
  let outside = value;
  const inLists: Problem[] = [];
  for (const pointer of lists) {
    const path = pointer.split("/").slice(1);
    const items = path.reduce<unknown>((at, name) => (isObject(at) ? at[name] : undefined), value);
    const list = listAt(schema, pointer);
    if (!list?.items || !Array.isArray(items)) continue;
    const { maxItems = Infinity } = list;
    if (items.length > maxItems) {
      return [{ pointer, message: `expected at most ${counted(maxItems, "item")}, found ${items.length}` }];
    }
    await addProblemsOfItems(items, list.items, pointer, inLists);
    outside = emptied(outside, path);
  }
  return [...inLists, ...(await findProblems(schema, outside))];
}

/** Returns the schema of the property at a JSON pointer, or undefined if the schema has no such property. */
export function listAt(schema: Schema, pointer: string): Schema | undefined {
  const path = pointer.split("/").slice(1);
  return path.reduce<Schema | undefined>((at, name) => at?.properties?.[name], schema);
}

async function addProblemsOfItems(
  items: readonly unknown[],
  schema: Schema,
  pointer: string,
  found: Problem[],
): Promise<void> {
  const slice = new TimeSlice();
  const check = await loadCheck(schema, "first");
  for (const [index, item] of items.entries()) {
    if (found.length >= MAX_ERROR_DETAILS) return;
    if (check(item).length > 0) {
      const problems = await findProblems(schema, item);
      for (const problem of problems) found.push({ ...problem, pointer: join(pointer, index) + problem.pointer });
    }
    if (slice.isOver) await slice.next();
  }
}

/** Returns a copy of the value in which the list at this path is empty. */
function emptied(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined || !isObject(value)) return [];
  return { ...value, [name]: emptied(value[name], rest) };
}
