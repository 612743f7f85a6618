import type { ToolAnnotations } from "@modelcontextprotocol/sdk/types.js";
import {
  type Contract,
  cut,
  type FromSchema,
  isObject,
  MAX_LISTED,
  MAX_RESULT,
  MAX_SHOWN_BODY,
  MAX_SHOWN_ITEMS,
  MAX_SHOWN_TEXT,
  MAX_SHOWN_VALUE,
  type Schema,
} from "../../contract/index.ts";
import type { Connection, RequestEntry, ResourceMockClient } from "../../control/client/index.ts";

export interface Mock {
  readonly connection: Connection;
  readonly client: ResourceMockClient;
  readonly contract: Contract;
}

export interface Tool<Input = unknown> {
  readonly name: string;
  readonly title: string;
  /** What the tool does and when to use it, for the model. */
  readonly description: string;
  readonly input: ObjectSchema;
  /** The effects of the tool, for the client of the agent. */
  readonly hints: ToolAnnotations;
  /**
   * The arguments that the control API receives as the whole body, one in each call. Locations in its errors are relative to
   * this argument.
   */
  readonly bodies?: readonly string[];
  /**
   * Returns the result. Throws ControlError for a rejected call, and InvalidArguments.
   *
   * @param input valid by the schema
   */
  run(mock: Mock, input: Input): Promise<object>;
}

/** The schema of an object, as MCP requires it for arguments. */
export type ObjectSchema = Schema & { readonly type: "object" };

/** Returns a tool whose `run` receives the type of its input schema. */
export function tool<const Input extends ObjectSchema>(
  definition: Omit<Tool<FromSchema<Input>>, "input"> & { readonly input: Input },
): Tool {
  // The server validates the arguments before it calls `run`.
  return definition as unknown as Tool;
}

/** Returns the schema of a text. */
export function text<const Description extends string>(description: Description) {
  return { type: "string", minLength: 1, description } as const;
}

/** Returns the schema of the number of items in a result. */
export function limited<const Maximum extends number>(noun: string, fallback: number, maximum: Maximum) {
  const description = `The maximum number of ${noun}; ${fallback} by default.`;
  return { type: "integer", minimum: 1, maximum, description } as const;
}

// No tool reaches anything but the mock.
export const reads = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
export const adds = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
export const deletes = { readOnlyHint: false, destructiveHint: true, idempotentHint: true, openWorldHint: false };

/** Arguments that the schema allows, but that do not fit together. */
export class InvalidArguments extends Error {
  override readonly name = "InvalidArguments";
}

/**
 * Returns the name of the only given argument; undefined without one, if it is optional. Otherwise throws
 * InvalidArguments.
 */
export function onlyOne<Name extends string>(input: { readonly [Each in Name]: unknown }, isOptional = false) {
  const names = Object.keys(input) as Name[];
  const given = names.filter((name) => input[name] !== undefined);
  if (given.length === 1 || (given.length === 0 && isOptional)) return given[0];
  const found = given.length === 0 ? "none of them" : given.join(" and ");
  throw new InvalidArguments(`arguments: expected exactly one of ${names.join(", ")}, found ${found}`);
}

/** Returns the items that fit into a result, from the start of the list: at least one. */
export function fitting<Item>(items: readonly Item[]): readonly Item[] {
  // The rest of a result, such as its note, is short.
  let left = MAX_RESULT - 2000;
  const end = items.findIndex((item, index) => {
    left -= JSON.stringify(item).length + 1;
    return left < 0 && index > 0;
  });
  return end === -1 ? items : items.slice(0, end);
}

/** Returns the entries with short bodies and decisions. The body of a single request may be longer. */
export function shortEntries<Entry extends RequestEntry>(entries: readonly Entry[]): readonly object[] {
  const most = entries.length === 1 ? MAX_SHOWN_BODY : MAX_SHOWN_VALUE;
  return entries.map((entry) => shortEntry(entry, most));
}

/** Returns the entry with short bodies and decisions; only its main facts if it is still too long. */
function shortEntry(entry: RequestEntry, most: number): object {
  // The decisions say in words what the facts say as data.
  const { facts: _facts, ...rest } = entry;
  const { request, response, decisions } = rest;
  const omitted = decisions.length - MAX_SHOWN_ITEMS;
  const short = {
    ...rest,
    request: { ...request, ...shortBody(request.body, most) },
    response: { ...response, ...shortBody(response.body, most) },
    decisions: [
      ...decisions.slice(0, MAX_SHOWN_ITEMS).map((each) => cut(each, MAX_SHOWN_TEXT)),
      ...(omitted > 0 ? [`… and ${omitted} more`] : []),
    ],
  };
  if (JSON.stringify(short).length <= MAX_RESULT / 2) return short;
  const { method, path } = request;
  const main = { method, path: cut(path, MAX_SHOWN_VALUE) };
  return { ...short, request: main, response: { status: response.status }, violations: [], cut: true };
}

function shortBody(body: RequestEntry["request"]["body"], most: number): object {
  if (!body) return {};
  const { bytes, json, text, base64 } = body;
  const shown = json === undefined ? (text ?? base64 ?? "") : JSON.stringify(json);
  if (shown.length <= most) return { body };
  return { body: { bytes, [base64 === undefined ? "text" : "base64"]: shown.slice(0, most), cut: true } };
}

/** Returns the result, or its start as text with a note if it is too long. */
export function bounded(result: object): object {
  const text = JSON.stringify(result);
  if (text.length <= MAX_RESULT) return result;
  const note = `Cut: the result has ${text.length} characters, and at most ${MAX_RESULT} are returned.`;
  const shape = Object.fromEntries(
    Object.entries(result).filter(([, value]) => !isObject(value) && !Array.isArray(value)),
  );
  return { ...shape, note, start: text.slice(0, MAX_RESULT / 2) };
}

/** Throws InvalidArguments for a call without a type, if a document has several types. */
export function requireType({ types, document }: Contract, type: string | undefined): void {
  if (type !== undefined || !document || types.length < 2) return;
  const names = types.slice(0, MAX_LISTED).map(({ name }) => name);
  throw new InvalidArguments(`arguments: expected type, such as ${names.join(", ")}, found none`);
}

/** An OpenAPI document of one operation. */
export interface OperationDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, object>>>>;
  readonly components: object;
}

/** Returns the only operation of a document, with the components that it refers to. */
export function operationIn({ paths, components }: OperationDocument): object {
  const [[path, methods] = ["", {}]] = Object.entries(paths);
  const [[method, operation] = ["", {}]] = Object.entries(methods);
  return { method: method.toUpperCase(), path, ...operation, components };
}
