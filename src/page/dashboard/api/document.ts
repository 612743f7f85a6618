import { counted, isObject, type Schema } from "../../../contract/index.ts";

interface MediaType {
  readonly schema?: Schema;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}
type Content = Readonly<Record<string, MediaType>>;

export interface ParameterObject {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema?: Schema;
  readonly content?: Content;
}

export interface ResponseObject {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description?: string }>>;
  readonly content?: Content;
}

/** What the mock assumes where the interface leaves a question open. */
interface AssumptionObject {
  readonly id: string;
  readonly behaviour: string;
}

interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  /** Each item is enough: scopes by the name of a security scheme. Empty if calls need no token. */
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly ParameterObject[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject>>;
  readonly "x-assumptions"?: readonly AssumptionObject[];
}

/** The parts of an OpenAPI 3.1 document that the page reads. References are only to components. */
export interface OpenApiDocument {
  readonly tags?: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, object>>>>;
}

export type ApiName = "service" | "control";

export interface ApiOperation extends Omit<OperationObject, "operationId" | "responses"> {
  readonly api: ApiName;
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly responses: readonly (readonly [status: string, response: ResponseObject])[];
}

/**
 * Returns the operations of a document, in the order of its tags. Replaces the references in the document by what they
 * name: a schema can then contain itself.
 */
export function operationsOf(api: ApiName, document: OpenApiDocument): ApiOperation[] {
  const { tags = [], paths, components } = document;
  for (const [name, schema] of Object.entries(components.schemas ?? {})) names.set(schema, name);
  resolveIn(document, components);
  const all = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, responses, ...operation }]): ApiOperation => {
      const address = { api, id: operationId, method: method.toUpperCase(), path };
      return { ...operation, ...address, responses: Object.entries(responses) };
    }),
  );
  return tags.flatMap((tag) => all.filter(({ tags: [group] }) => group === tag.name));
}

/** Returns the id of the operation that reads an item by its id. */
export function readOf(operations: readonly ApiOperation[]): string | undefined {
  return operations.find(({ method, path }) => method === "GET" && path.endsWith("/{id}"))?.id;
}

/** The names of the schemas that a document names. */
const names = new WeakMap<object, string>();

function resolveIn(part: object, components: OpenApiDocument["components"]): void {
  for (const [name, member] of Object.entries(part)) {
    const [, kind = "", component = ""] = /^#\/components\/(\w+)\/(.+)$/.exec(member?.$ref) ?? [];
    const referred = components[kind]?.[component];
    if (referred) Object.assign(part, { [name]: referred });
    else if (typeof member === "object" && member !== null) resolveIn(member, components);
  }
}

/** Returns the type of a schema in words, such as `array of integer (int32)`. */
export function typeOf(schema: Schema): string {
  const { type, format, items, oneOf, anyOf, title } = schema;
  const known = names.get(schema);
  if (known !== undefined) return known;
  const options = oneOf ?? anyOf;
  if (options) return [...new Set(options.map(typeOf))].join(" or ");
  if (type === "array" && items) return `array of ${typeOf(items)}`;
  const name = [type ?? title ?? "any value"].flat().join(" or ");
  return format === undefined ? name : `${name} (${format})`;
}

/** Returns the limits of a schema in words, such as `at least 1`, `pattern ^a`. */
export function limitsOf(schema: Schema): string[] {
  const { minimum, maximum, exclusiveMinimum, pattern, enum: values } = schema;
  const texts = values?.map((value) => JSON.stringify(value)).join(", ");
  const limits = [
    texts !== undefined && `${values?.length === 1 ? "always" : "one of"} ${texts}`,
    exclusiveMinimum !== undefined && `more than ${exclusiveMinimum}`,
    range(minimum, maximum, String),
    range(schema.minLength, schema.maxLength, (length) => counted(length, "character")),
    range(schema.minItems, schema.maxItems, (length) => counted(length, "item")),
    range(schema.minProperties, schema.maxProperties, (size) => counted(size, "member")),
    pattern !== undefined && `pattern ${pattern}`,
  ];
  return limits.filter((limit) => typeof limit === "string");
}

function range(least: number | undefined, most: number | undefined, inWords: (value: number) => string) {
  if (least !== undefined) return most === undefined ? `at least ${inWords(least)}` : `${least} to ${inWords(most)}`;
  return most !== undefined && `at most ${inWords(most)}`;
}

/** The depth at which a sample leaves out optional members. */
const SAMPLE_DEPTH = 4;

/** Returns a value that fits the schema: its example, or a value with all members, or with the required ones if there are. */
export function sampleOf(schema: Schema, depth = 0): unknown {
  const { examples, enum: values, oneOf, anyOf, items, required = [], properties = {}, minItems = 0 } = schema;
  if (examples && examples.length > 0) return examples[0];
  if (values && values.length > 0) return values[0];
  const option = (oneOf ?? anyOf)?.[0];
  if (option) return sampleOf(option, depth);
  switch ([schema.type].flat()[0]) {
    case "object": {
      const all = Object.keys(properties).filter((name) => !properties[name]?.not);
      const names = required.length > 0 || depth >= SAMPLE_DEPTH ? required : all;
      return Object.fromEntries(names.map((name) => [name, sampleOf(properties[name] ?? {}, depth + 1)]));
    }
    case "array":
      if (!items || (minItems === 0 && depth >= SAMPLE_DEPTH)) return [];
      return Array.from({ length: Math.max(minItems, 1) }, () => sampleOf(items, depth + 1));
    case "integer":
    case "number":
      return Math.min(Math.max(1, schema.minimum ?? 1), schema.maximum ?? Number.POSITIVE_INFINITY);
    case "boolean":
      return true;
    case "string":
      return schema.format === "date-time" ? "2026-01-01T12:00:00.000Z" : "text";
    default:
      return null;
  }
}

export const JSON_TYPE = "application/json";
/** The media type of JSON values in lines. */
export const LINES_TYPE = "application/x-ndjson";

/** Returns whether the form shows a body of this type as text. The user chooses a file for other types. */
export function isText(mediaType: string): boolean {
  return mediaType === JSON_TYPE || mediaType === LINES_TYPE;
}

/**
 * Returns an example of a JSON body: the one in the document, or a sample whose members are those of an example response
 * as far as both have the same members. For JSON lines: the examples of a line, each as a line.
 */
export function bodyExample({ requestBody: body, responses }: ApiOperation, mediaType?: string): string {
  const lines = mediaType === JSON_TYPE ? undefined : body?.content[LINES_TYPE]?.schema;
  if (lines) return (lines.examples ?? []).map((line) => `${JSON.stringify(line)}\n`).join("");
  const media = body?.content[JSON_TYPE];
  if (!media) return "";
  const [example] = Object.values(media.examples ?? {});
  return JSON.stringify(example?.value ?? sampleBody(), undefined, 2);

  function sampleBody(): unknown {
    const sample = sampleOf(media?.schema ?? {});
    const success = responses.find(([status]) => status.startsWith("2"))?.[1];
    const [response] = Object.values(success?.content?.[JSON_TYPE]?.examples ?? {});
    if (!isObject(sample) || !isObject(response?.value)) return sample;
    const shared = Object.entries(response.value).filter(([name, value]) => name in sample && isObject(value));
    return { ...sample, ...Object.fromEntries(shared) };
  }
}
