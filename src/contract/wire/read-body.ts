import type { Problem } from "../explain.ts";
import type { Schema } from "../json-schema.ts";
import { MAX_JSON_MEMBERS } from "../limits.ts";
import type { Serialization } from "../operation-table.ts";
import { segmentsOf, valueAt } from "../text/shown.ts";
import { isJson } from "./media-kinds.ts";
import { decodeForm, fieldsOf, pairsOf } from "./sent-fields.ts";
import { memberNames, readMembers, type TypedReading, typedValue } from "./typed-value.ts";

/** How a member of a form is written (OpenAPI 3.1, 4.8.15). */
export interface Encoding {
  readonly contentType?: string;
  readonly style?: "form" | "spaceDelimited" | "pipeDelimited" | "tabDelimited" | "deepObject";
  readonly explode?: boolean;
}

type Encodings = Readonly<Record<string, Encoding>>;
type FormReading = TypedReading | { readonly problem: string };

/** Reads a body of the type `application/x-www-form-urlencoded` (OpenAPI 3.1, 4.8.14.4). */
export async function readFormBody(text: string, schema: Schema, encoding: Encodings = {}): Promise<FormReading> {
  return formReading(pairsOf(text, "&", decodeForm), schema, encoding, decodeForm);
}

/**
 * Reads a body of the type `multipart/form-data` (RFC 7578; OpenAPI 3.1, 4.8.14.5). In the value, a file is its file name,
 * so that a required file is present. The schema does not judge this name.
 */
export async function readMultipart(
  bytes: Uint8Array<ArrayBuffer>,
  contentType: string,
  schema: Schema,
  encoding: Encodings = {},
): Promise<FormReading> {
  const pairs: [string, string][] = [];
  const fileNames = new Set<unknown>();
  try {
    for (const [name, part] of await new Response(bytes, { headers: { "content-type": contentType } }).formData()) {
      const isFile = typeof part !== "string" && !isJson(part.type);
      if (isFile) fileNames.add(part.name);
      pairs.push([name, typeof part === "string" ? part : isFile ? part.name : await part.text()]);
    }
  } catch {
    return { problem: "expected parts with the boundary of Content-Type (RFC 7578), found another body" };
  }
  const reading = await formReading(pairs, schema, encoding, (text) => text);
  if ("problem" in reading) return reading;
  const { value, problems } = reading;
  const isOfFile = ({ pointer }: Problem) => fileNames.has(valueAt(value, segmentsOf(pointer)));
  return { value, problems: problems.filter((problem) => !isOfFile(problem)) };
}

async function formReading(
  pairs: readonly (readonly [string, string])[],
  schema: Schema,
  encoding: Encodings,
  decode: (text: string) => string,
): Promise<FormReading> {
  if (pairs.length > MAX_JSON_MEMBERS) return { problem: `expected at most ${MAX_JSON_MEMBERS} fields, found more` };
  const fields = fieldsOf(pairs, new Set(memberNames(schema).names), decode);
  const serializationOf = (name: string) => serialization(Object.hasOwn(encoding, name) ? encoding[name] : undefined);
  return typedValue(schema, readMembers(fields.keys(), [schema], fields, serializationOf));
}

function serialization({ contentType, style, explode }: Encoding = {}): Serialization {
  if (style === undefined && explode === undefined && contentType !== undefined) return { mediaType: contentType };
  return { style: style ?? "form", explode: explode ?? (style ?? "form") === "form" };
}
