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

/** The largest body of an operation with lists, in bytes: the state of 100,000 resources has room in it. */
export const MAX_LISTS_BYTES = 256 * 1024 * 1024;

/** The most JSON values in such a body: these take up to a gigabyte of memory. */
export const MAX_LISTS_VALUES = 10_000_000;

/**
 * Returns the JSON in the request's body, valid for the operation; `{}` for an optional body that is left out.
 * Throws UnsupportedMediaType for a body that is encoded or not sent as JSON (a page of another origin can send a form
 * unasked), ContentTooLarge, InvalidJsonInput, InvalidInput, and InvalidField with the places that break the schema.
 */
export async function readBody(operation: ControlOperation, request: ServiceRequest): Promise<unknown> {
  const { method, body, shapeOf, lists } = operation;
  const type = mediaType(request);
  const isJson = type === "application/json";
  if (!body && (method !== "POST" || isJson || type === undefined)) return undefined;
  if (!isJson && type !== undefined && announcesBody(request)) throw wrongType(type);
  const bytes = await request.readBody(lists ? MAX_LISTS_BYTES : MAX_JSON_BYTES);
  if (bytes.length === 0) {
    // Its content type says nothing: `curl -d ''` calls it a form.
    if (body?.required)
      throw new ServiceError({ code: "InvalidInput", message: "A body is required (application/json)" });
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

/** Whether the head of the request says that there is a body: what is none of ours is not waited for. */
function announcesBody(request: ServiceRequest): boolean {
  return header(request, "transfer-encoding") !== undefined || Number(header(request, "content-length")) > 0;
}

/** Validates a value that stands in the body, at `pointer`, and returns it. Throws InvalidField with each problem. */
export async function validated<S extends Schema>(schema: S, value: unknown, pointer: string): Promise<FromSchema<S>> {
  const problems = await findProblems(schema, value);
  if (problems.length === 0) return value as FromSchema<S>;
  throw new ServiceError(problems.map((problem) => bodyViolation({ ...problem, pointer: pointer + problem.pointer })));
}

function wrongType(found: string): ServiceError {
  const message = `Content-Type: expected application/json, found ${found}`;
  return new ServiceError({ code: "UnsupportedMediaType", message });
}

/** Returns the problems of a value. Those of its lists are searched item by item, in slices of time. */
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

/** The schema of the list that stands at a pointer, if values of the schema have any there. */
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

/** A copy of the value with no items in the list at this path. */
function emptied(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined || !isObject(value)) return [];
  return { ...value, [name]: emptied(value[name], rest) };
}
