import { shellWord } from "../../contract/index.ts";
import { type ApiOperation, bodyExample, isText, type ParameterObject } from "./document.ts";

/** The contents of the form of an operation. */
export interface Draft {
  /** The texts of the parameters, by name. Empty ones are not sent. */
  readonly values: Readonly<Record<string, string>>;
  /** The value of the header `Prefer`, which selects a response of the mock. If empty, it is not sent. */
  readonly prefer: string;
  /** Further headers, one `Name: value` per line. */
  readonly headers: string;
  /** The body as JSON or JSON lines. If empty, the request has no body. */
  readonly body: string;
  readonly mediaType: string;
  /** The body of a media type other than JSON. Overrides the text of JSON lines. */
  readonly file?: Blob;
}

export interface BuiltRequest {
  /** The path with the query. */
  readonly target: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Blob | undefined;
}

/** Returns the form of an operation before its first change: path parameters and the body have examples. */
export function initialDraft(operation: ApiOperation): Draft {
  const inPath = operation.parameters.filter((parameter) => parameter.in === "path");
  return {
    values: Object.fromEntries(inPath.map(({ name, example = "" }) => [name, String(example)])),
    prefer: "",
    headers: "",
    body: operation.body?.isRequired ? bodyExample(operation) : "",
    mediaType: Object.keys(operation.body?.content ?? {})[0] ?? "",
  };
}

/** Returns the request for a form. Throws an Error with the reason if a browser cannot send such a request. */
export function requestOf(operation: ApiOperation, draft: Draft, token: string): BuiltRequest {
  const { method, parameters, body } = operation;
  const textOf = (name: string) => draft.values[name] ?? "";
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = textOf(name);
    if (value === "." || value === "..")
      throw new Error(`${name}: expected a value other than "." and "..", found "${value}"`);
    return encodeURIComponent(value);
  });
  const query = parameters.filter((each) => each.in === "query").flatMap((each) => queryOf(each, textOf(each.name)));
  const target = query.length === 0 ? path : `${path}?${new URLSearchParams(query)}`;
  const fromParameters = parameters
    .filter((each) => each.in === "header" && textOf(each.name) !== "")
    .map(({ name }) => [name, textOf(name)] as const);
  const content = draft.file ?? (isText(draft.mediaType) ? draft.body || undefined : undefined);
  const headers = {
    ...(token && { Authorization: `Bearer ${token}` }),
    ...Object.fromEntries(fromParameters),
    ...(body && content !== undefined && { "Content-Type": draft.mediaType }),
    ...(draft.prefer && { Prefer: draft.prefer }),
    ...Object.fromEntries(headerLines(draft.headers)),
  };
  return { target, method, headers, body: body && content };
}

/** Returns the name and value pairs of a query parameter. A list has one value per line. */
function queryOf({ name, schema }: ParameterObject, text: string): [string, string][] {
  if (text === "") return [];
  if (schema?.type !== "array" && !schema?.patternProperties) return [[name, text]];
  const lines = text.split("\n").filter((line) => line !== "");
  if (schema.type === "array") return lines.map((line) => [name, line]);
  return lines.map((line) => {
    const [, own, value] = /^([^=]+)=(.*)$/.exec(line) ?? [];
    if (own === undefined || value === undefined) throw new Error(`${name}: expected name=value, found "${line}"`);
    return [own, value];
  });
}

function headerLines(text: string): [string, string][] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => {
    const [, name, value] = /^\s*([^:\s]+)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw new Error(`Headers: expected "Name: value" on each line, found "${line}"`);
    try {
      new Headers({ [name]: value });
    } catch {
      throw new Error(`Headers: expected a valid name and value, found "${line}"`);
    }
    return [name, value];
  });
}

/** Returns a curl command for the request. The token is the variable `$TOKEN`, so that the command can be shared. */
export function curlOf({ target, method, headers, body }: BuiltRequest, origin: string): string {
  const parts = ["curl", ...(method === "HEAD" ? ["-I"] : method === "GET" ? [] : ["-X", method])];
  parts.push(shellWord(origin + target));
  for (const [name, value] of Object.entries(headers)) {
    const isToken = name === "Authorization" && value.startsWith("Bearer ");
    parts.push("-H", isToken ? '"Authorization: Bearer $TOKEN"' : shellWord(`${name}: ${value}`));
  }
  if (typeof body === "string") parts.push("-d", shellWord(body));
  if (body instanceof Blob) parts.push("--data-binary", shellWord(`@${body instanceof File ? body.name : "FILE"}`));
  return parts.join(" ");
}
