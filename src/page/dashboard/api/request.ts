import { headerOf, targetOf as withQuery } from "../../../contract/index.ts";
import type { RequestEntry } from "../../../control/client/index.ts";
import { bytesOf, commandOf, REDACTED, redactedScheme } from "../request/copies.ts";
import { type ApiOperation, bodyExample, isText, JSON_TYPE, type ParameterObject } from "./document.ts";

export interface Draft {
  /** The texts of the parameters, by name. Empty ones are not sent. */
  readonly values: Readonly<Record<string, string>>;
  /** The path with the query as the user typed it, or as a recorded request had it. The parameters do not change it. */
  readonly target?: string;
  readonly method?: string;
  /** The value of the header `Prefer`, which selects a response of the mock. If empty, it is not sent. */
  readonly prefer: string;
  /** Further headers, one `Name: value` per line. */
  readonly headers: string;
  /** The body as JSON, JSON lines or other text. If empty, the request has no body. */
  readonly body: string;
  readonly mediaType: string;
  /** The body of a media type other than JSON. Overrides the text. */
  readonly file?: Blob;
}

export interface BuiltRequest {
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
    body: operation.requestBody?.required ? bodyExample(operation) : "",
    mediaType: Object.keys(operation.requestBody?.content ?? {})[0] ?? "",
  };
}

/** Returns the path of an operation with its parameters. Throws an Error with the reason if a browser cannot send it. */
export function targetOf({ path, parameters }: ApiOperation, values: Draft["values"]): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name] ?? "";
    if (value === "." || value === "..")
      throw new Error(`${name}: expected a value other than "." and "..", found "${value}"`);
    return encodeURIComponent(value);
  });
  const query = parameters
    .filter((each) => each.in === "query")
    .flatMap((each) => queryOf(each, values[each.name] ?? ""));
  return query.length === 0 ? filled : `${filled}?${new URLSearchParams(query)}`;
}

/** Returns the request for a form. Throws an Error with the reason if a browser cannot send such a request. */
export function requestOf(operation: ApiOperation, draft: Draft, token: string): BuiltRequest {
  const target = draft.target ?? targetOf(operation, draft.values);
  if (!/^\/(?!\/)/.test(target)) throw new Error(`URL: expected a path that begins with one /, found "${target}"`);
  const method = draft.method ?? operation.method;
  const fromParameters = operation.parameters
    .filter((each) => each.in === "header" && draft.values[each.name])
    .map(({ name }) => [name, draft.values[name] ?? ""] as const);
  const content = draft.file ?? (draft.body || undefined);
  const body = operation.requestBody && content;
  if (body !== undefined && /^(GET|HEAD)$/i.test(method))
    throw new Error(`Body: a browser sends no body with ${method}`);
  const headers = {
    ...(token && { Authorization: `Bearer ${token}` }),
    ...Object.fromEntries(fromParameters),
    ...(body !== undefined && draft.mediaType && { "Content-Type": draft.mediaType }),
    ...(draft.prefer && { Prefer: draft.prefer }),
    ...Object.fromEntries(headerLines(draft.headers)),
  };
  return { target, method, headers, body };
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

/** Headers that browsers set themselves, whatever a page says (Fetch, "forbidden request-header"); and `User-Agent`. */
const ofBrowser =
  /^(accept-charset|accept-encoding|access-control-request-.*|connection|content-length|cookie|cookie2|date|dnt|expect|host|keep-alive|origin|proxy-.*|referer|sec-.*|set-cookie|te|trailer|transfer-encoding|upgrade|user-agent|via)$/i;

/** Returns the form that sends a recorded request again. */
export function draftOf(operation: ApiOperation, { request }: RequestEntry) {
  const { method, path, pathParameters, query, headers, body } = request;
  const lists = Object.entries(query).map(([name, values]) => [name, values.join("\n")] as const);
  const isSent = ([name, value]: [string, string]) => !ofBrowser.test(name) && redactedScheme(value) === undefined;
  const entries = Object.entries(headers);
  const authorization = redactedScheme(headerOf(headers, "authorization") ?? "");
  const text = body?.json === undefined ? body?.text : JSON.stringify(body.json, undefined, 2);
  return {
    draft: {
      values: { ...Object.fromEntries(lists), ...pathParameters },
      target: withQuery(path, query),
      method,
      prefer: "",
      headers: entries
        .filter((entry) => isSent(entry) && entry[0] !== "content-type")
        .map(([name, value]) => `${name}: ${value}`)
        .join("\n"),
      body: text ?? "",
      mediaType: headerOf(headers, "content-type") ?? (operation.requestBody ? JSON_TYPE : ""),
      ...(body?.base64 !== undefined && { file: new Blob([bytesOf(body)]) }),
    } satisfies Draft,
    /** The headers that the form leaves out: those of the browser, and credentials, which the journal redacts. */
    leftOut: entries.filter((entry) => !isSent(entry)).map(([name]) => name),
    neededToken: authorization?.toLowerCase() === "bearer",
    /** Whether the journal keeps only the start of the body. */
    isCut: body?.cut === true,
  };
}

/** Returns a curl command for the request. The token is the variable `$TOKEN`, so that the command can be shared. */
export function curlOf({ target, method, headers, body }: BuiltRequest, origin: string): string {
  // Like a browser, which accepts any type.
  const sent: Record<string, string> = { accept: "*/*" };
  for (const [given, value] of Object.entries(headers)) {
    const name = given.toLowerCase();
    sent[name] = name === "authorization" && value.startsWith("Bearer ") ? `Bearer ${REDACTED}` : value;
  }
  const content = body instanceof Blob ? { file: body instanceof File ? body.name : "FILE" } : { body: { text: body } };
  return commandOf({ target, method, headers: sent, ...(body !== undefined && content) }, origin);
}

/** Returns whether the form shows the body as text: JSON, and what was recorded as text. */
export function hasTextBody({ mediaType, file }: Draft): boolean {
  return isText(mediaType) || (file === undefined && !/^image\//.test(mediaType));
}
