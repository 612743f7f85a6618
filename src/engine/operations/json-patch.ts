import jsonPatch, { type Operation } from "fast-json-patch";
import {
  isObject,
  type JsonPatch,
  JsonPatch as JsonPatchSchema,
  MAX_BODY_BYTES,
  MAX_JSON_DEPTH,
  matches,
  problemsOf,
  type Schema,
  ServiceError,
  segmentsOf,
  shown,
} from "../../contract/index.ts";
import { type Adopted, adopt, formOf } from "../../state/index.ts";
import type { Call } from "../call/call.ts";
import { readJsonBody, refusedBody } from "../call/service-request.ts";
import { bodyViolation } from "../validate.ts";

/* JSON Patch (RFC 6902). Loaded with the first patch. */

/**
 * Returns how the operations in the body change the content of an item, which `check` has to accept. It throws
 * ConcurrentModification for a `test` that fails, and InvalidField for an invalid operation, or an unknown place.
 */
export function patched({ json }: Call, check: (after: unknown) => void) {
  return (schema: Schema, before: unknown): Adopted => {
    const after = withReadOnly(schema, before, applied(json?.value as JsonPatch, before));
    check(after);
    return adopt(schema, after, "service");
  };
}

function applied(operations: JsonPatch, before: unknown): unknown {
  if (!matches(JsonPatchSchema, operations))
    throw new ServiceError(problemsOf(JsonPatchSchema, operations).map(bodyViolation));
  let value = structuredClone(before);
  let copied = 0;
  for (const [index, operation] of operations.entries()) {
    const { op, path, from } = operation;
    const isNew = op === "add" || op === "move" || op === "copy";
    const lacks = op === "move" || op === "copy" ? from === undefined : op !== "remove" && !("value" in operation);
    // A value cannot become a part of itself.
    if (lacks || (op === "move" && path.startsWith(`${from}/`)))
      throw refused(index, `expected an operation of JSON Patch, found ${shown(JSON.stringify(operation))}`);
    const missing = [!isPlace(value, path, isNew) && path, from !== undefined && !isPlace(value, from, false) && from];
    const [place] = missing.filter((each) => each !== false);
    if (place !== undefined) throw refused(index, `expected a place that exists, found ${shown(place)}`);
    // Copies of copies grow without limit.
    if (op === "copy" && from !== undefined) copied += JSON.stringify(jsonPatch.getValueByPointer(value, from)).length;
    if (copied > MAX_BODY_BYTES)
      throw refused(index, `expected copies of at most ${MAX_BODY_BYTES} characters, found more`);
    try {
      // Its own validation copies the whole value for each operation.
      value = jsonPatch.applyOperation(value, operation as Operation, false).newDocument;
    } catch (error) {
      if ((error as Error).name !== "TEST_OPERATION_FAILED")
        throw refused(index, `expected another place than ${shown(path)}`);
      const found = shown(jsonPatch.getValueByPointer(value, path));
      const message = `/${index}: expected ${shown(operation.value)} at ${shown(path)}, found ${found}`;
      throw new ServiceError({ code: "ConcurrentModification", message, field: `/${index}` });
    }
  }
  requireJson(value, operations.length - 1);
  return value;
}

/** Throws if a value exceeds the limits of a body: moves can nest values without limit. */
function requireJson(value: unknown, index: number): void {
  let text: string;
  try {
    text = JSON.stringify(value);
  } catch {
    throw refused(index, `expected an item with at most ${MAX_JSON_DEPTH} levels of nesting, found more`);
  }
  const reading = readJsonBody(text);
  if ("refusal" in reading) throw refusedBody(reading.refusal, "The patched item");
}

/** Returns whether a value has a place (RFC 6901), or can get it as a new one. It does not have inherited members. */
function isPlace(value: unknown, pointer: string, isNew: boolean): boolean {
  if (/~(?![01])/.test(pointer)) return false;
  const tokens = segmentsOf(pointer);
  let part = value;
  return tokens.every((name, index) => {
    const isAdded = isNew && index === tokens.length - 1;
    const isIndex = Array.isArray(part) && (/^(0|[1-9]\d{0,8})$/.test(name) || (isAdded && name === "-"));
    const has = Array.isArray(part)
      ? isIndex && (name === "-" || Number(name) < part.length + Number(isAdded))
      : isObject(part) && (isAdded || Object.hasOwn(part, name));
    part = has && name !== "-" ? (part as Readonly<Record<string, unknown>>)[name] : undefined;
    return has;
  });
}

function refused(index: number, message: string): ServiceError {
  return new ServiceError({ code: "InvalidField", message: `/${index}: ${message}`, field: `/${index}` });
}

/** Returns the value with the members that clients cannot set as they were. */
function withReadOnly(schema: Schema, before: unknown, after: unknown): unknown {
  if (!isObject(before) || !isObject(after)) return after;
  const { properties = {} } = formOf(schema, before);
  const isKept = (name: string) => Object.hasOwn(properties, name) && properties[name]?.readOnly === true;
  const taken = Object.entries(after).filter(([name]) => !isKept(name));
  const kept = Object.entries(before).filter(([name]) => isKept(name));
  return Object.fromEntries([...taken, ...kept]);
}
