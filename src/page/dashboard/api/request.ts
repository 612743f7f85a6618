import { delimiterOf, headerOf, isObject, targetOf as withQuery } from "../../../contract/index.ts";
import type { RequestEntry } from "../../../control/client/index.ts";
import { bytesOf, redactedScheme } from "../request/copies.ts";
import {
  type ApiOperation,
  bodyExample,
  bodyKindOf,
  exampleOf,
  fileNameOf,
  JSON_TYPE,
  keyOf,
  type ParameterObject,
} from "./document.ts";

export interface Draft {
  /** The texts of the parameters, by `keyOf`. Empty ones are not sent. A list or an object has one value per line. */
  readonly values: Readonly<Record<string, string>>;
  /** The path with the query as the user typed it, or as a recorded request had it. The parameters do not change it. */
  readonly target?: string;
  readonly method?: string;
  /** Further headers, one `Name: value` per line. */
  readonly headers: string;
  /** The body as JSON, lines of a form or other text. If empty, the request has no body. */
  readonly body: string;
  readonly mediaType: string;
  /** The body of a media type other than JSON, in place of the text; the file of a multipart body, beside its lines. */
  readonly file?: Blob;
}

export interface BuiltRequest {
  readonly target: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Blob | FormData | undefined;
}

/** Returns the form of an operation before its first change: path parameters and the body have examples. */
export function initialDraft(operation: ApiOperation): Draft {
  const { api, method, parameters, requestBody } = operation;
  // Many documents do not say that a body is required.
  const hasBody = requestBody?.required || (api === "service" && /^(POST|PUT|PATCH)$/.test(method));
  const required = parameters.filter((each) => each.in === "path" || each.required);
  const types = Object.keys(requestBody?.content ?? {});
  const mediaType = types.find((type) => bodyKindOf(type) === "json") ?? types[0] ?? "";
  return {
    values: Object.fromEntries(required.map((each) => [keyOf(each), exampleText(each)])),
    headers: "",
    body: hasBody ? bodyExample(operation, mediaType) : "",
    mediaType,
  };
}

function exampleText({ schema = {}, content, ...parameter }: ParameterObject): string {
  const value = exampleOf(parameter) ?? schema.examples?.[0] ?? schema.default ?? schema.enum?.[0] ?? "";
  if (content) return JSON.stringify(value || {});
  if (Array.isArray(value)) return value.join("\n");
  const members = isObject(value) ? Object.entries(value).map(([name, each]) => `${name}=${each}`) : [String(value)];
  return members.join("\n");
}

/** Returns the names of the parameters that a request needs and that are empty. */
export function missingIn({ path, parameters }: ApiOperation, { values }: Draft): string[] {
  const inPath = Array.from(path.matchAll(/\{([^{}]+)\}/g), ([, name = ""]) => ({ in: "path" as const, name }));
  const needed = [...inPath, ...parameters.filter((each) => each.required && each.in !== "cookie")];
  return [...new Set(needed.filter((each) => !values[keyOf(each)]).map(({ name }) => name))];
}

/** Returns the address of an operation below a path. Throws an Error with the reason if a browser cannot send it. */
export function targetOf({ path, parameters }: ApiOperation, { values }: Draft, base = ""): string {
  const filled = path.replace(/\{([^{}]+)\}/g, (template, name: string) => {
    const parameter = parameters.find((each) => each.in === "path" && each.name === name);
    const value = values[keyOf({ in: "path", name })] ?? "";
    if (value === "." || value === "..")
      throw new Error(`${name}: expected a value other than "." and "..", found "${value}"`);
    return value === "" ? template : written(parameter ?? { in: "path", name }, value);
  });
  const queries = parameters.filter((each) => each.in === "query" && values[keyOf(each)]);
  const pairs = queries.map((each) => written(each, values[keyOf(each)] ?? "")).filter(Boolean);
  return base + filled + (pairs.length > 0 ? `?${pairs.join("&")}` : "");
}

/** Returns whether a parameter is a list or an object: its field has one value, or `name=value`, per line. */
export function linesOf({ schema, content }: ParameterObject): "list" | "object" | undefined {
  const options = [schema ?? {}, ...(schema?.oneOf ?? schema?.anyOf ?? [])];
  const has = (type: string) => options.some((each) => [each.type].flat().includes(type as "array"));
  return content ? undefined : has("array") ? "list" : has("object") ? "object" : undefined;
}

/** How exploded values of a parameter begin, and what is between them, by style or place. */
const exploding: Readonly<Record<string, readonly [start: string, separator: string]>> = {
  ...{ label: [".", "."], matrix: [";", ";"], query: ["", "&"], path: ["", ","], header: ["", ","] },
};

/** Returns the text of a parameter as a request has it, in its style (OpenAPI 3.1, 4.8.12). */
function written(parameter: ParameterObject, text: string): string {
  const { name, in: place, style = place === "query" ? "form" : "simple", explode = style === "form" } = parameter;
  const kind = linesOf(parameter);
  const lines = kind ? text.split("\n").filter((line) => line !== "") : [text];
  const encoded = place === "header" ? lines : lines.map(encodeURIComponent);
  const isDeep = style === "deepObject";
  const values =
    kind === "object" ? encoded.map((line) => line.replace(/=|%3D/, explode || isDeep ? "=" : ",")) : encoded;
  const key = encodeURIComponent(name);
  if (isDeep) return values.map((value) => value.replace(/^[^=]*/, `${key}[$&]`)).join("&");
  const named = place === "query" || style === "matrix" ? `${key}=` : "";
  const [start, separator] = exploding[style] ?? exploding[place] ?? ["", ","];
  if (explode) return start + values.map((value) => (kind === "object" ? value : named + value)).join(separator);
  const delimiter = delimiterOf(style);
  return (
    (place === "query" ? "" : start) + named + values.join(delimiter === "," ? "," : encodeURIComponent(delimiter))
  );
}

/**
 * Returns the request for a form, with these headers besides its own. Throws an Error with the reason if a browser cannot
 * send such a request.
 */
export function requestOf(operation: ApiOperation, draft: Draft, base = "", others = {}): BuiltRequest {
  const { parameters, requestBody } = operation;
  const target = draft.target ?? targetOf(operation, draft, base);
  if (!/^\/(?!\/)/.test(target)) throw new Error(`URL: expected a path that begins with one /, found "${target}"`);
  const method = draft.method ?? operation.method;
  const fromParameters = parameters.flatMap((each) => {
    const value = each.in === "header" && draft.values[keyOf(each)];
    return value ? [[each.name, written(each, value)] as const] : [];
  });
  const body = requestBody && sentBody(operation, draft);
  if (body !== undefined && /^(GET|HEAD)$/i.test(method))
    throw new Error(`Body: a browser sends no body with ${method}`);
  const headers = {
    ...others,
    ...Object.fromEntries(fromParameters),
    // The browser adds the media type of multipart bodies, with the boundary of the parts.
    ...(body !== undefined &&
      !(body instanceof FormData) && {
        "Content-Type": draft.mediaType
          .replace(/^text\/\*/, "text/plain")
          .replace(/^.*\*.*$/, draft.file?.type || "application/octet-stream"),
      }),
    ...Object.fromEntries(headerLines(draft.headers)),
  };
  return { target, method, headers, body };
}

/** Returns the body of a form. Throws an Error if a line of a form has no name. */
function sentBody({ requestBody }: ApiOperation, { body, file, mediaType }: Draft): BuiltRequest["body"] {
  const kind = bodyKindOf(mediaType);
  if (kind !== "multipart" && (file || body === "")) return file;
  if (kind !== "form" && kind !== "multipart") return body;
  const lines = body.split("\n").filter((line) => line !== "");
  const fields = lines.map((line): [name: string, value: string] => {
    const [, name, value] = /^([^=]+)=(.*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) throw new Error(`Body: expected name=value, found "${line}"`);
    return [name, value];
  });
  if (kind === "form") return new URLSearchParams(fields).toString();
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  if (file) form.append(fileNameOf(requestBody?.content[mediaType]?.schema ?? {}) ?? "file", file);
  return form;
}

function headerLines(text: string): [string, string][] {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return lines.map((line) => {
    const [, name, value] = /^\s*([!#$%&'*+.^`|~\w-]+)\s*:\s*([ -~]*?)\s*$/.exec(line) ?? [];
    if (name === undefined || value === undefined)
      throw new Error(`Headers: expected "Name: value" on each line, found "${line}"`);
    return [name, value];
  });
}

/** Headers that browsers set themselves, whatever a page says (Fetch, "forbidden request-header"); and `User-Agent`. */
const ofBrowser =
  /^(accept-charset|accept-encoding|access-control-request-.*|connection|content-length|cookie|cookie2|date|dnt|expect|host|keep-alive|origin|proxy-.*|referer|sec-.*|set-cookie|te|trailer|transfer-encoding|upgrade|user-agent|via)$/i;

/** Returns the form that sends a recorded request again. */
export function draftOf(operation: ApiOperation, { request }: RequestEntry): Draft {
  const { method, path, pathParameters, query, headers, body } = request;
  const inPath = Object.entries(pathParameters).map(([name, value]) => [keyOf({ in: "path", name }), value] as const);
  const lists = Object.entries(query).map(
    ([name, values]) => [keyOf({ in: "query", name }), values.join("\n")] as const,
  );
  // The journal redacts credentials.
  const kept = Object.entries(headers).filter(
    ([name, value]) => !ofBrowser.test(name) && redactedScheme(value) === undefined && name !== "content-type",
  );
  const text = body?.json === undefined ? body?.text : JSON.stringify(body.json, undefined, 2);
  return {
    values: Object.fromEntries([...lists, ...inPath]),
    target: withQuery(path, query),
    method,
    headers: kept.map(([name, value]) => `${name}: ${value}`).join("\n"),
    body: text ?? "",
    mediaType: headerOf(headers, "content-type") ?? (operation.requestBody ? JSON_TYPE : ""),
    ...(body?.base64 !== undefined && { file: new Blob([bytesOf(body)]) }),
  };
}
