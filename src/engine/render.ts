import { isObject, join, MAX_HEADER_VALUE, MAX_INSERTED, redactHeader, shown } from "../contract/index.ts";
import {
  HEADER_VALUE,
  isTemplate,
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
import { invalidStub } from "./call/response.ts";
import { header } from "./call/service-request.ts";
import { addressedResource } from "./operations/resource.ts";

/** A response without templates. */
export type Rendered<Response> = Omit<Response, "headers"> & { readonly headers?: ResponseHeaders };

/**
 * Returns the response of a rule with values from the request in place of the templates in its body and headers. Throws
 * InvalidStub if a value is missing or too large, or if it is no text for a header.
 */
export async function render<Response extends Respond | Raw>(
  call: Call,
  response: Response,
  stub: Stub,
): Promise<Rendered<Response>> {
  const { body, headers } = response;
  const values = await valuesFor(call, [body, headers]);
  const budget = { left: MAX_INSERTED };

  function filled(value: unknown, pointer: string): unknown {
    if (Array.isArray(value)) return value.map((item, index) => filled(item, join(pointer, index)));
    if (!isObject(value)) return value;
    if (isTemplate(value)) return inserted(value, pointer);
    // `Object.fromEntries` creates own members, also for the name `__proto__`.
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, filled(member, join(pointer, name))]),
    );
  }

  function inserted({ $from, default: fallback }: Template, pointer: string): unknown {
    const [source, ...names] = segmentsOf($from);
    const value = valueAt(values.get(source), source === "headers" ? names.map((name) => name.toLowerCase()) : names);
    const found = value === undefined ? fallback : value;
    if (found === undefined) {
      throw invalidStub(stub, pointer, `expected a value at ${$from}, found nothing. Add "default" to the template.`);
    }
    subtractLength(found, budget);
    if (budget.left < 0) {
      const message = `expected at most ${MAX_INSERTED} characters of values from the request, found more`;
      throw invalidStub(stub, pointer, message);
    }
    return found;
  }

  function textOf(value: unknown, pointer: string): string {
    const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
    if (typeof text === "string" && text.length <= MAX_HEADER_VALUE && HEADER_VALUE.test(text)) return text;
    const message = `expected a number, a boolean, or at most ${MAX_HEADER_VALUE} printable ASCII characters, found ${shown(value)}`;
    throw invalidStub(stub, pointer, message);
  }

  const texts = Object.entries(headers ?? {}).map(([name, value]) => {
    const pointer = join("/headers", name);
    return [name, textOf(filled(value, pointer), pointer)] as const;
  });
  return {
    ...response,
    ...(body !== undefined && { body: filled(body, "/body") }),
    headers: Object.fromEntries(texts),
  };
}

/** Functions for the values that templates can select. Only used sources are read. */
const readers: Readonly<Record<TemplateSource, (call: Call) => unknown>> = {
  path: ({ path }) => path,
  query: queryValues,
  headers: headerTexts,
  body: ({ json }) => json?.value,
  resource: addressedResource,
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

/** Returns the headers by lower-case name, without credentials: the journal would keep the response with them. */
function headerTexts({ request }: Call): Readonly<Record<string, string>> {
  const texts = Object.keys(request.headers).map((name) => [name, redactHeader(name, header(request, name) ?? "")]);
  return Object.fromEntries(texts);
}

/** Returns the value at this path of own members and array indexes; undefined if it does not exist. */
function valueAt(root: unknown, names: readonly string[]): unknown {
  let value = root;
  for (const name of names) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    if (Array.isArray(value) && !/^(0|[1-9]\d*)$/.test(name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}

/** Subtracts the approximate length of the JSON of a value. Stops when nothing is left. */
function subtractLength(value: unknown, budget: { left: number }): void {
  if (typeof value !== "object" || value === null) {
    budget.left -= typeof value === "string" ? value.length + 2 : String(value).length;
    return;
  }
  budget.left -= 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && budget.left >= 0; index++) {
      budget.left--;
      subtractLength(value[index], budget);
    }
    return;
  }
  for (const [name, member] of Object.entries(value)) {
    budget.left -= name.length + 4;
    if (budget.left < 0) return;
    subtractLength(member, budget);
  }
}
