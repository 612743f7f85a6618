import {
  isObject,
  isXml,
  kindOf,
  percentDecoded,
  type Schema,
  segmentsOf,
  valueAt,
  xmlText,
} from "../../../contract/index.ts";

interface MediaType {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value?: unknown }>>;
}
export type Content = Readonly<Record<string, MediaType>>;

export interface ParameterObject {
  readonly name: string;
  readonly in: "path" | "query" | "header" | "cookie";
  readonly required?: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly examples?: MediaType["examples"];
  readonly style?: string;
  readonly explode?: boolean;
  readonly schema?: Schema;
  readonly content?: Content;
}

interface ResponseObject {
  readonly description?: string;
  readonly content?: Content;
}

type Requirements = readonly Readonly<Record<string, readonly string[]>>[];

interface OperationObject {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description?: string;
  readonly deprecated?: boolean;
  /** Each item is enough: scopes by the name of a security scheme. Empty if calls need no credentials. */
  readonly security: Requirements;
  readonly parameters: readonly ParameterObject[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, ResponseObject>>;
  /** What the mock assumes where the interface leaves a question open. */
  readonly "x-assumptions"?: readonly { readonly id: string; readonly behaviour: string }[];
}

/** The parts of an OpenAPI 3.1 document that the page reads. */
export interface OpenApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Partial<OperationObject>>>>>;
  readonly components?: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly security?: Requirements;
}

type ApiName = "service" | "control";

export interface ApiOperation extends Omit<OperationObject, "operationId" | "responses"> {
  readonly api: ApiName;
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly schemes: Readonly<Record<string, Readonly<Partial<Record<"type" | "in" | "name" | "scheme", string>>>>>;
  readonly responses: readonly (readonly [status: string, response: ResponseObject])[];
}

const methods: ReadonlySet<string> = new Set("get head post put patch delete options trace".split(" "));

/**
 * Returns the operations of a document. Changes the document: replaces references by what they name, so a schema can then
 * contain itself, and the parts of `allOf` by one schema.
 */
export function operationsOf(api: ApiName, document: OpenApiDocument): ApiOperation[] {
  const { components = {}, paths, security = [] } = document;
  for (const [name, schema] of Object.entries(components.schemas ?? {})) names.set(schema, name);
  const parts = new Set<object>([document]);
  for (const part of parts) {
    for (const [name, member] of Object.entries(part)) {
      const found = resolved(member, document);
      if (found !== member) Object.assign(part, { [name]: found });
      if (typeof found === "object" && found !== null) parts.add(found);
    }
  }
  for (const schema of parts as Set<Schema>) if (Array.isArray(schema.allOf)) flattened(schema);
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.has(method))
      .map(
        ([method, { operationId = "", parameters = [], requestBody, responses = {}, ...operation }]): ApiOperation => {
          const address = { api, id: operationId, method: method.toUpperCase(), path };
          const shared = (item.parameters ?? []) as readonly ParameterObject[];
          const byPlace = [...shared, ...parameters].map((each) => [keyOf(each), each] as const);
          return {
            ...{ tags: [], security, schemes: (components.securitySchemes ?? {}) as ApiOperation["schemes"] },
            ...operation,
            ...address,
            ...(requestBody && { requestBody: { ...requestBody, content: withJson(requestBody.content) } }),
            summary: operation.summary || `${address.method} ${path}`,
            parameters: [...new Map(byPlace).values()],
            responses: Object.entries(responses),
          };
        },
      ),
  );
}

/** Returns a content with JSON in place of a range of media types, unless its values are bytes. */
function withJson(content: Content = {}): Content {
  const isRange = ([type, { schema }]: [string, MediaType]) =>
    /^(\*|application)\/\*/.test(type) && schema && schema.type !== "string";
  return Object.fromEntries(Object.entries(content).map((each) => (isRange(each) ? [JSON_TYPE, each[1]] : each)));
}

/** Returns a key for a parameter, unique within its operation: its location and name. */
export function keyOf({ in: place, name }: Pick<ParameterObject, "in" | "name">): string {
  return `${place} ${name}`;
}

/** The names of the schemas that a document names. */
const names = new WeakMap<object, string>();

/** Returns what a reference leads to, with what is written beside it; any other value as it is. */
function resolved(value: unknown, document: object): unknown {
  let found = value;
  for (let steps = 0; isObject(found) && typeof found.$ref === "string" && steps < 20; steps++) {
    const { $ref, ...beside }: Record<string, unknown> = found;
    const target = valueAt(document, segmentsOf(percentDecoded(String($ref).slice(1))));
    if (!isObject(target)) return beside;
    const isSchema = String($ref).startsWith("#/components/schemas/");
    if (isSchema && !names.has(target)) names.set(target, String($ref).replace(/^.*\//, ""));
    found = isSchema && Object.keys(beside).length > 0 ? { ...beside, allOf: [target] } : target;
  }
  return found;
}

/** Returns the schema whose parts of `allOf` are one now: the members of all, and else what the first of them says. */
export function flattened(schema: Schema): Schema {
  const { allOf, ...own } = schema;
  if (!allOf) return schema;
  // A schema can contain itself.
  delete (schema as { allOf?: unknown }).allOf;
  const parts = allOf.map(flattened);
  const [only] = parts;
  const isAlone = parts.length === 1 && only !== undefined && !own.properties;
  if (isAlone && !names.has(schema)) names.set(schema, names.get(only) ?? "");
  // What names or shows one of several parts is not about the whole.
  const others = isAlone ? parts : parts.map(({ title, description, examples, ...part }) => part as Schema);
  const all: readonly Schema[] = [own, ...others];
  return Object.assign(schema, {
    ...Object.assign({}, ...all.toReversed()),
    ...(all.some(({ properties }) => properties) && {
      properties: Object.assign({}, ...all.map(({ properties }) => properties)),
    }),
    ...(all.some(({ required }) => required) && {
      required: [...new Set(all.flatMap(({ required = [] }) => required))],
    }),
  });
}

/** Returns the type of a schema in words, such as `array of integer (int32)`. */
export function typeOf(schema: Schema): string {
  const { type, format, items, oneOf, anyOf, title, additionalProperties: others } = schema;
  const known = names.get(schema);
  if (known) return known;
  const options = oneOf ?? anyOf;
  if (options) return [...new Set(options.map(typeOf))].join(" or ");
  if (type === "array" && items) return `array of ${typeOf(items)}`;
  if (type === "object" && !schema.properties && isObject(others)) return `map of ${typeOf(others)}`;
  const fixed = "const" in schema ? [schema.const] : (schema.enum ?? []);
  const implied = schema.properties
    ? "object"
    : [...new Set(fixed.map((value) => (value === null ? "null" : typeof value)))];
  const name = [type ?? title ?? implied].flat().join(" or ") || "any value";
  return format === undefined ? name : `${name} (${format})`;
}

/** What limits mean, by their keyword; their values follow. */
const limitWords = {
  ...{ const: "always", enum: "one of", minimum: "at least", maximum: "at most" },
  ...{ exclusiveMinimum: "more than", exclusiveMaximum: "less than", multipleOf: "multiple of" },
  ...{ minLength: "length at least", maxLength: "length at most", pattern: "pattern" },
  ...{ minItems: "items at least", maxItems: "items at most", default: "default" },
} satisfies Partial<Record<keyof Schema, string>>;
/** The most values of an enum that are named. */
const MAX_VALUES = 12;

/** Returns the limits of a schema in words, such as `at least 1`, `pattern ^a`. */
export function limitsOf(schema: Schema): string[] {
  const limits = Object.entries(limitWords).flatMap(([keyword, words]) => {
    const values = [schema[keyword as keyof Schema] ?? []].flat();
    const texts = values.slice(0, MAX_VALUES).map((each) => (typeof each === "string" ? each : JSON.stringify(each)));
    return values.length > 0 ? `${words} ${texts.join(", ")}${values.length > texts.length ? ", …" : ""}` : [];
  });
  return schema.readOnly ? [...limits, "only in responses"] : limits;
}

/** A parameter, or a part of a schema: a member, an option of a union, an item of an array. */
export interface SchemaPart {
  /** The name of a parameter or member, or words that describe the part. */
  readonly name?: string;
  readonly isMember?: boolean;
  readonly isRequired?: boolean;
  /** Where a parameter is: `path`, `query`, `header` or `cookie`. */
  readonly place?: string;
  readonly schema: Schema;
}

/** Returns the parts of a schema: its members, the options of a union, the items of an array. */
export function partsOf(schema: Schema): SchemaPart[] {
  const { properties = {}, patternProperties = {}, additionalProperties: others, required = [], items } = schema;
  const options = (schema.oneOf ?? schema.anyOf ?? []).filter(({ type }) => type !== "null");
  const parts: SchemaPart[] = [
    ...Object.entries(properties)
      .filter(([, each]) => !each.not)
      .map(([name, each]) => ({ name, schema: each, isMember: true, isRequired: required.includes(name) })),
    ...Object.entries(patternProperties).map(([text, each]) => ({ name: `names that match ${text}`, schema: each })),
    ...(isObject(others) ? [{ name: "any other name", schema: others }] : []),
    ...options.map((each, index) => ({ name: `option ${index + 1}`, schema: each })),
  ];
  // An array has the parts of its items, unless the items have none: its type says enough then.
  return items ? [...parts, ...partsOf(items)] : parts;
}

/** The depths of a sample below which objects have required members only, and below which there is nothing. */
const DEPTH = { whole: 2, most: 6 };

const textByFormat: Readonly<Record<string, string>> = {
  ...{ date: "2024-01-01", "date-time": "2024-01-01T00:00:00Z", time: "00:00:00Z", ipv4: "192.0.2.1", byte: "" },
  ...{ uuid: "00000000-0000-4000-8000-000000000000", email: "name@example.com", hostname: "example.com" },
  ...{ uri: "https://example.com", url: "https://example.com", ipv6: "2001:db8::1", duration: "P1D" },
};

/**
 * Returns a value to begin with: the example of the schema, or a value with the required members, or with all if none is
 * required. It can violate rare keywords: the mock says so when the user sends it.
 */
export function sampleOf(schema: Schema, depth = 0): unknown {
  const { oneOf, anyOf = oneOf, discriminator, ...own } = flattened(schema);
  const { properties = {}, required = [], items, minLength = 0 } = own;
  const fixed = (["const", "default"] as const).filter((keyword) => keyword in own).map((keyword) => own[keyword]);
  const given = [...(own.examples ?? []), ...fixed, ...(own.enum ?? [])];
  if (given.length > 0 || depth > DEPTH.most) return given[0] ?? null;
  const option = anyOf?.find(({ type }) => type !== "null");
  if (option) {
    const value = sampleOf(own.properties ? flattened({ allOf: [own, option] }) : option, depth + 1);
    const name = names.get(option);
    const mapped = Object.entries(discriminator?.mapping ?? {}) as [string, unknown][];
    const [tag = name] = mapped.find(([, target]) => String(target).replace(/^.*\//, "") === name) ?? [];
    return isObject(value) && discriminator && tag ? { ...value, [discriminator.propertyName]: tag } : value;
  }
  const implied = own.properties ? "object" : items ? "array" : "string";
  switch ([own.type ?? implied].flat().find((type) => type !== "null")) {
    case "object": {
      const all = Object.keys(properties).filter((name) => !properties[name]?.not);
      const shown = required.length > 0 || depth >= DEPTH.whole ? required : all;
      return Object.fromEntries(shown.map((name) => [name, sampleOf(properties[name] ?? {}, depth + 1)]));
    }
    case "array": {
      const length = Math.max(own.minItems ?? 0, items && depth < DEPTH.whole ? 1 : 0);
      return Array.from({ length }, () => sampleOf(items ?? {}, depth + 1));
    }
    case "integer":
    case "number":
      return own.minimum ?? (own.exclusiveMinimum ?? 0) + (own.multipleOf ?? 1);
    case "boolean":
      return true;
    case "string":
      return (textByFormat[own.format ?? ""] ?? "text").padEnd(minLength, "x").slice(0, own.maxLength);
    default:
      return null;
  }
}

export const JSON_TYPE = "application/json";

/** Returns how the form shows a body of this type. A body that was recorded in parts is a text. */
export function bodyKindOf(mediaType: string): ReturnType<typeof kindOf> {
  return /boundary=/.test(mediaType) ? "text" : kindOf(mediaType);
}

/** Returns the first of the examples of a parameter or a media type, before those of its schema. */
export function exampleOf({ example, examples = {} }: Pick<MediaType, "example" | "examples">): unknown {
  return example ?? Object.values(examples)[0]?.value;
}

/** Returns an example of a body: the one in the document, or a sample. Forms have a member in each line. */
export function bodyExample({ requestBody }: ApiOperation, mediaType: string): string {
  const { schema = {}, ...media } = requestBody?.content[mediaType] ?? {};
  const kind = bodyKindOf(mediaType);
  const value = exampleOf(media) ?? sampleOf(schema);
  if (kind === "json") return JSON.stringify(value, undefined, 2);
  if (kind === "text" && typeof value !== "object") return String(value);
  if (kind === "text") return isXml(mediaType) ? xmlText(value, schema, names.get(schema)) : "";
  if (kind === "bytes" || !isObject(value)) return "";
  const lines = Object.entries(value).filter(([name]) => name !== fileNameOf(schema));
  const textOf = (each: unknown) => (typeof each === "object" ? JSON.stringify(each) : String(each));
  return lines.flatMap(([name, each]) => [each].flat().map((one) => `${name}=${textOf(one)}`)).join("\n");
}

/** Returns the first member of a form that is a file. */
export function fileNameOf({ properties = {} }: Schema): string | undefined {
  const isFile = (each: Schema = {}) => each.format === "binary" || "contentMediaType" in each;
  return Object.keys(properties).find((name) => isFile(properties[name]?.items ?? properties[name]));
}

/** Returns who can call an operation, in words. */
export function accessOf({ api, security, schemes }: ApiOperation): string {
  const wordsOf = ([id, scopes]: [string, readonly string[]]) => {
    const { type, in: place, name, scheme = "bearer" } = schemes[id] ?? {};
    if (type === "apiKey") return `the API key \`${name}\` (${place})`;
    const scoped = scopes.length > 0 ? ` with ${scopes.map((scope) => `\`${scope}\``).join(", ")}` : "";
    return `${type === "http" || type === "oauth2" ? `a ${scheme.toLowerCase()} token` : `the credentials \`${id}\``}${scoped}`;
  };
  const words = security.map((all) => Object.entries(all).map(wordsOf).join(" and ")).filter(Boolean);
  if (words.length === 0) return "Needs no credentials.";
  if (api === "control") return "Needs the admin token, if the server has one.";
  return `${words.length < security.length ? "Takes" : "Needs"} ${words.join(", or ")}.`;
}
