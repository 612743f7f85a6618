import {
  type FromSchema,
  findProblems,
  MAX_ARCHIVE_BYTES,
  MAX_BODY_BYTES,
  MAX_JSON_BYTES,
  MAX_STATE_DEPTH,
  type Schema,
  ServiceError,
} from "../contract/index.ts";
import {
  bodyViolation,
  encodingProblem,
  mediaType,
  readJsonBody,
  refusedBody,
  type ServiceRequest,
} from "../engine/index.ts";
import { type ControlOperation, JSON_TYPE, LINES_TYPE } from "./define-operation.ts";

/**
 * Returns the JSON body of the request, validated for the operation. An absent optional body is `{}`. Of JSON lines,
 * returns the bytes.
 *
 * Throws UnsupportedMediaType if the body is encoded or has another content type: pages of other origins can send forms
 * without a preflight request. Throws ContentTooLarge, InvalidJsonInput and InvalidInput. Throws InvalidField with the
 * location of each schema violation.
 */
export async function readBody(operation: ControlOperation, request: ServiceRequest): Promise<unknown> {
  const { method, body, shapeOf, holdsState, bodyElsewhere } = operation;
  const type = mediaType(request);
  const { mediaTypes: expected } = body ?? { mediaTypes: [JSON_TYPE] };
  const isExpected = type !== undefined && expected.includes(type);
  if (!body && (method !== "POST" || isExpected || type === undefined)) return undefined;
  const limit = type === LINES_TYPE ? MAX_ARCHIVE_BYTES : holdsState ? MAX_BODY_BYTES : MAX_JSON_BYTES;
  const bytes = await request.readBody(limit);
  if (bytes.length === 0) {
    // An empty body may have any content type: `curl -d ''` sends the type of a form.
    if (!body?.required) return body && {};
    const message = `body: expected JSON (${expected.join(" or ")}), found nothing`;
    throw new ServiceError({ code: "InvalidInput", message });
  }
  if (!isExpected) {
    const hint = bodyElsewhere ? `. ${bodyElsewhere.hint}` : "";
    const message = `Content-Type: expected ${expected.join(" or ")}, found ${type ?? "nothing"}${hint}`;
    throw new ServiceError({ code: "UnsupportedMediaType", message });
  }
  const encoding = encodingProblem(request);
  if (encoding) throw new ServiceError(encoding);
  bodyElsewhere?.refuse(bytes);
  if (type === LINES_TYPE) return bytes;
  const reading = readJsonBody(bytes, holdsState ? MAX_STATE_DEPTH : undefined);
  if ("refusal" in reading) throw refusedBody(reading.refusal);
  const schema = shapeOf?.(reading.value) ?? body?.schema;
  return schema ? validated(schema, reading.value, "") : reading.value;
}

/** Validates the value at `pointer` in the body and returns it. Throws InvalidField with each problem. */
export async function validated<S extends Schema>(schema: S, value: unknown, pointer: string): Promise<FromSchema<S>> {
  const problems = await findProblems(schema, value);
  if (problems.length === 0) return value as FromSchema<S>;
  throw new ServiceError(problems.map((problem) => bodyViolation({ ...problem, pointer: pointer + problem.pointer })));
}
