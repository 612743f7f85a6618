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
  header,
  mediaType,
  readJsonBody,
  refusedBody,
  type ServiceRequest,
} from "../engine/index.ts";
import type { ControlOperation } from "./define-operation.ts";

const JSON_TYPE = "application/json";

/**
 * Returns the JSON body of the request, validated for the operation. An absent optional body is `{}`. For an operation with
 * JSON lines, returns the bytes.
 *
 * Throws UnsupportedMediaType if the body is encoded or has another content type: pages of other origins can send forms
 * without a preflight request. Throws ContentTooLarge, InvalidJsonInput and InvalidInput. Throws InvalidField with the
 * location of each schema violation.
 */
export async function readBody(operation: ControlOperation, request: ServiceRequest): Promise<unknown> {
  const { method, body, shapeOf, holdsState, bodyElsewhere } = operation;
  const type = mediaType(request);
  const [expected = JSON_TYPE] = body?.mediaTypes ?? [];
  const isExpected = type === expected;
  if (!body && (method !== "POST" || isExpected || type === undefined)) return undefined;
  const wrongType = () => unsupportedType(expected, type ?? "nothing", operation);
  if (!isExpected && type !== undefined && announcesBody(request)) throw wrongType();
  const hasLines = expected !== JSON_TYPE;
  const limit = hasLines ? MAX_ARCHIVE_BYTES : holdsState ? MAX_BODY_BYTES : MAX_JSON_BYTES;
  const bytes = await request.readBody(limit);
  if (bytes.length === 0) {
    // An empty body may have any content type: `curl -d ''` sends the type of a form.
    if (body?.required)
      throw new ServiceError({
        code: "InvalidInput",
        message: `body: expected JSON (${expected}), found nothing`,
      });
    return body && {};
  }
  if (!isExpected) throw wrongType();
  const encoding = encodingProblem(request);
  if (encoding) throw new ServiceError(encoding);
  bodyElsewhere?.refuse?.(bytes);
  if (hasLines) return bytes;
  const reading = readJsonBody(bytes, holdsState ? MAX_STATE_DEPTH : undefined);
  if ("refusal" in reading) throw refusedBody(reading.refusal);
  const { value } = reading;
  const schema = shapeOf?.(value) ?? body?.schema;
  const problems = schema ? await findProblems(schema, value) : [];
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

function unsupportedType(expected: string, found: string, { bodyElsewhere }: ControlOperation): ServiceError {
  const hint = bodyElsewhere?.mediaType === found ? `. ${bodyElsewhere.hint}` : "";
  const message = `Content-Type: expected ${expected}, found ${found}${hint}`;
  return new ServiceError({ code: "UnsupportedMediaType", message });
}
