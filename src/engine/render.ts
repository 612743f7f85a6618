import {
  isObject,
  join,
  MAX_INSERTED,
  mapValues,
  partsOf,
  readScalar,
  type Schema,
  valueAt,
  variantsOf,
} from "../contract/index.ts";
import { shownHeaders } from "../journal/index.ts";
import {
  isTemplate,
  jsonWithin,
  queryOf,
  type Raw,
  type Respond,
  type ResponseHeaders,
  type Stub,
  segmentsOf,
  type Template,
  type TemplateSource,
  templatesIn,
} from "../rules/index.ts";
import type { Call } from "./call/call.ts";
import { headerTexts, invalidStub } from "./call/response.ts";
import { addressedItem } from "./operations/find.ts";

/** A response without templates. */
export type Rendered<Response> = Omit<Response, "headers"> & { readonly headers?: ResponseHeaders };

/**
 * Returns the response of a rule with values from the request in place of the templates in its body and headers. Texts of
 * the path, the query and headers become numbers and booleans where the schema of the body has no text. Throws InvalidStub
 * if a value is missing or too large, or if it is no text for a header.
 */
export async function render<Response extends Respond | Raw>(
  call: Call,
  response: Response,
  stub: Stub,
  schema: Schema = {},
): Promise<Rendered<Response>> {
  const { body, headers } = response;
  const values = await valuesFor(call, [body, headers]);
  let left = MAX_INSERTED;

  function filled(value: unknown, pointer: string, schemas: readonly Schema[]): unknown {
    if (Array.isArray(value)) {
      return value.map((item, index) => filled(item, join(pointer, index), partsIn(schemas, value, `${index}`)));
    }
    if (!isObject(value)) return value;
    if (isTemplate(value)) return inserted(value, pointer, schemas);
    return mapValues(value, (member, name) => filled(member, join(pointer, name), partsIn(schemas, value, name)));
  }

  function inserted({ $from, default: fallback }: Template, pointer: string, schemas: readonly Schema[]): unknown {
    const [source, ...names] = segmentsOf($from);
    const given = valueAt(values.get(source), source === "headers" ? names.map((name) => name.toLowerCase()) : names);
    const value = textSources.has(source) ? typed(given, schemas) : given;
    const found = value === undefined ? fallback : value;
    if (found === undefined) {
      throw invalidStub(stub, pointer, `expected a value at ${$from}, found nothing. Add "default" to the template.`);
    }
    left -= jsonWithin(found, left)?.length ?? Number.POSITIVE_INFINITY;
    if (left < 0) {
      const message = `expected at most ${MAX_INSERTED} characters of values from the request, found more`;
      throw invalidStub(stub, pointer, message);
    }
    return found;
  }

  const filledHeaders = mapValues(headers ?? {}, (value, name) => filled(value, join("/headers", name), []));
  return {
    ...response,
    ...(body !== undefined && { body: filled(body, "/body", variantsOf(schema)) }),
    headers: headerTexts(filledHeaders, stub),
  };
}

/** The sources whose values are texts: JSON Schema does not describe them. */
const textSources: ReadonlySet<TemplateSource> = new Set<TemplateSource>(["path", "query", "headers"]);

/** Returns a text, and each text of a list, with the type that the schemas have in its place. Other values stay. */
function typed(value: unknown, schemas: readonly Schema[]): unknown {
  if (Array.isArray(value)) return value.map((item, index) => typed(item, partsIn(schemas, value, `${index}`)));
  const types = schemas.flatMap(({ type }) => type ?? "string");
  if (typeof value !== "string" || types.includes("string")) return value;
  const read = (type: (typeof types)[number]) =>
    type === "integer" || type === "number" || type === "boolean" ? readScalar({ type }, value) : undefined;
  return types.map(read).find((each) => each !== undefined) ?? value;
}

/** Returns the schemas of a member or an item of a value with these schemas. */
function partsIn(schemas: readonly Schema[], holder: object, name: string): Schema[] {
  return schemas.flatMap((schema) => partsOf(schema, holder, name)).flatMap(variantsOf);
}

/** Functions for the values that templates can select. Only used sources are read. */
const readers: Readonly<Record<TemplateSource, (call: Call) => unknown>> = {
  path: ({ path }) => path,
  query: queryValues,
  // Without credentials: the journal would keep the response with them.
  headers: ({ request }) => shownHeaders(request.headers),
  body: ({ json }) => json?.value,
  resource: addressedItem,
  now: ({ project }) => project.clock.timestamp(),
  uuid: ({ project }) => project.stubbedId(),
};

/**
 * Returns the query parameters by name: with the types of the contract, so a repeatable parameter is an array; as sent if
 * the contract does not define the parameter or the value is invalid.
 */
export function queryValues({ request, query }: Call): Record<string, unknown> {
  const values: Record<string, unknown> = Object.create(null);
  for (const [name, texts] of Object.entries(queryOf(request))) {
    values[name] = query[name] ?? (texts.length === 1 ? texts[0] : texts);
  }
  return values;
}

async function valuesFor(call: Call, parts: readonly unknown[]): Promise<ReadonlyMap<TemplateSource, unknown>> {
  const values = new Map<TemplateSource, unknown>();
  for (const { $from } of templatesIn(parts).values()) {
    const [source] = segmentsOf($from);
    if (!values.has(source)) values.set(source, await readers[source](call));
  }
  return values;
}
