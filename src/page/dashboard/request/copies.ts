import { headerOf, shellWord, targetOf } from "../../../contract/index.ts";
import type { Match, RequestEntry, Rule } from "../../../control/client/index.ts";

/** What the journal shows instead of a credential. */
const REDACTED = "[redacted]";

type RequestMatch = Pick<Match, "operation" | "method" | "query" | "body"> & { path?: Match["path"] };

/**
 * Returns the match of this request: operation, path, query and JSON body. Without an operation: method and path. Leaves
 * out what the journal has redacted or cut.
 */
function matchOf({ operation, request }: RequestEntry): RequestMatch {
  const { method, path, pathParameters, query, body } = request;
  // The project key is left out, so that the match also works in other projects.
  const parameters = Object.entries(pathParameters).filter(([name]) => name !== "projectKey");
  const texts = Object.entries(query).flatMap(([name, values]) => {
    const [value, ...others] = values;
    return value === undefined || value === REDACTED ? [] : [[name, others.length > 0 ? values : value] as const];
  });
  return {
    ...(operation === undefined ? { method, path } : { operation }),
    ...(operation !== undefined && parameters.length > 0 && { path: Object.fromEntries(parameters) }),
    ...(texts.length > 0 && { query: Object.fromEntries(texts) }),
    ...(body?.json !== undefined &&
      operation !== undefined && { body: JSON.parse(JSON.stringify(body.json), withoutRedacted) }),
  };
}

/** A redacted member matches any value. */
const withoutRedacted = (_name: string, member: unknown) => (member === REDACTED ? undefined : member);

/** Returns the statement of a test, for Vitest and Jest, that the project has received this request. */
export function assertionOf(entry: RequestEntry): string {
  const { status } = entry.response;
  // A broken connection has no status to match.
  const match = { ...matchOf(entry), ...(status > 0 ? { status } : { source: entry.source }) };
  const json = JSON.stringify(match, undefined, 2);
  return `await expect(mock).toHaveReceived(${json.replace(/^( *)"([A-Za-z_$][\w$]*)":/gm, "$1$2:")});`;
}

/** A rule, or the reason why a request has none. */
type RuleOrReason = { readonly rule: Rule; readonly reason?: undefined } | { readonly reason: string };

/** Returns a rule that matches this request and returns its response. */
export function ruleOf(entry: RequestEntry): RuleOrReason {
  const { operation, response, effects, source, violations } = entry;
  if (operation === undefined) return { reason: "no operation matches the request" };
  const fault = effects.find((effect) => effect.fault)?.fault;
  if (response.status === 0 && fault === undefined) return { reason: "the client closed the connection" };
  if (response.body?.cut) return { reason: "the journal keeps only the start of the response body" };
  const { operation: id, ...when } = matchOf(entry);
  // The mock rejects invalid and unauthorized requests before it applies rules.
  const isUnauthorized = response.status === 401 || response.status === 403;
  const settings = isUnauthorized ? { auth: "off" } : violations.length > 0 ? { validation: "off" } : undefined;
  const rule = {
    operation: id,
    ...(Object.keys(when).length > 0 && { when }),
    ...(source === "error" && settings && { settings }),
    ...(fault === undefined ? endingOf(entry) : { fault }),
  };
  return { rule: rule as Rule };
}

function endingOf({ source, offContract, response }: RequestEntry): Pick<Rule, "respond" | "raw"> {
  const { status, body: { json, text, base64 } = {} } = response;
  const { "content-type": type, ...others } = ruleHeadersOf(response.headers);
  // The contract does not allow the response of a defect of the mock.
  const isByContract = !offContract && source !== "defect";
  const isImplied = isByContract && mediaTypeOf(response.headers) === "application/json";
  const headers = type === undefined || isImplied ? others : { "content-type": type, ...others };
  const head = { status, ...(Object.keys(headers).length > 0 && { headers }) };
  if (isByContract) return { respond: { ...head, ...(json !== undefined && { body: json }) } };
  const body = text ?? json;
  return { raw: { ...head, ...(body !== undefined && { body }), ...(base64 && { bodyBase64: base64 }) } };
}

const ownHeaders =
  /^(connection|content-length|keep-alive|mock-.*|preference-applied|proxy-connection|trailer|transfer-encoding|upgrade|vary|x-ratelimit-.*)$/;

function ruleHeadersOf(headers: Headers): Record<string, string> {
  const known = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
  const isSent = (value: string) => redactedScheme(value) === undefined && /^[\t\x20-\x7e]{0,8192}$/.test(value);
  return Object.fromEntries(known.filter(([name, value]) => !ownHeaders.test(name) && isSent(value)));
}

/** Headers that curl sends by default, and headers of the connection. The command leaves them out. */
const omitted =
  /^(host|connection|keep-alive|content-length|transfer-encoding|expect|accept-encoding|user-agent|sec-.*)$/;

/** A text that systems accept as an argument, and that a terminal does not change on paste. */
const argument = /^[\P{Cc}\n]{0,30000}$/u;

/**
 * Returns a shell command that sends the request again, or undefined if the journal truncated the body. The journal
 * redacts credentials: the command reads them from environment variables, which `variablesOf` lists.
 */
export function curlOf({ request }: RequestEntry, origin: string): string | undefined {
  const { path, query, headers, body } = request;
  if (body?.cut) return undefined;
  const sent = Object.entries(headers).filter(([name]) => !omitted.test(name));
  return commandOf({ ...request, target: targetOf(path, query), headers: Object.fromEntries(sent) }, origin);
}

interface Sent {
  readonly method: string;
  readonly target: string;
  /** With names in lower case. */
  readonly headers: Headers;
  readonly body?: Partial<Body>;
  /** The name of the file that has the body. */
  readonly file?: string;
}

/** Returns the shell command for a request. It reads redacted credentials from environment variables. */
function commandOf({ method, target, headers, body, file }: Sent, origin: string): string {
  // Headers that curl adds unless the command removes them.
  const added = body || file ? ["accept", "content-type"] : ["accept"];
  const absent = added.filter((name) => headers[name] === undefined);
  const text = body?.json === undefined ? body?.text : JSON.stringify(body.json);
  const isArgument = text !== undefined && argument.test(text);
  const base64 = isArgument ? undefined : text === undefined ? body?.base64 : base64Of(text);
  const data = base64 === undefined ? file : "-";
  const command = [
    "curl",
    "-i",
    // Without it, curl would expand [] and {} in the URL.
    "--globoff",
    // With -X HEAD, curl would wait for a body.
    ...(method === "HEAD" ? ["--head"] : ["-X", shellWord(method)]),
    shellWord(origin + target),
    ...Object.entries(headers).flatMap(([name, value]) => ["-H", headerWord(name, value)]),
    ...absent.flatMap((name) => ["-H", `${name}:`]),
    ...(data !== undefined ? ["--data-binary", shellWord(`@${data}`)] : []),
    ...(isArgument ? ["--data-raw", shellWord(text)] : []),
  ].join(" ");
  return base64 === undefined ? command : `echo ${base64} | base64 -d | ${command}`;
}

/** Returns the environment variables that the command reads credentials from. */
export function variablesOf({ request }: RequestEntry): string[] {
  return Object.entries(request.headers).flatMap(([name, value]) =>
    redactedScheme(value) === undefined ? [] : variableOf(name),
  );
}

function headerWord(name: string, value: string): string {
  const scheme = redactedScheme(value);
  // "Name;" sends a header without a value. "Name:" removes the header.
  if (scheme === undefined) return shellWord(value === "" ? `${name};` : `${name}: ${value}`);
  const shownName = name === "authorization" ? "Authorization" : name;
  return `"${shownName}: ${scheme === "" ? "" : `${scheme} `}$${variableOf(name)}"`;
}

/** Returns the environment variable for a redacted header: `TOKEN`, `COOKIE`, `X_API_KEY`. */
function variableOf(header: string): string {
  return header === "authorization" ? "TOKEN" : header.replaceAll("-", "_").toUpperCase();
}

function base64Of(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

export type Headers = RequestEntry["request"]["headers"];
export type Body = NonNullable<RequestEntry["request"]["body"]>;

/** Returns the media type of a message, in lower case and without parameters. */
export function mediaTypeOf(headers: Headers): string {
  return (headerOf(headers, "Content-Type") ?? "").split(";", 1)[0]?.trim().toLowerCase() ?? "";
}

/**
 * Returns the scheme of a credential that the journal has redacted: "Bearer", or "" for a credential without a scheme.
 * Returns undefined for any other value.
 */
export function redactedScheme(value: string): string | undefined {
  const found = /^(?:([A-Za-z][\w-]*) )?\[redacted\]$/.exec(value);
  return found ? (found[1] ?? "") : undefined;
}

/** Returns the bytes of a body as they were sent. The journal may have formatted JSON, or cut the body. */
export function bytesOf({ json, text, base64 }: Body): Uint8Array<ArrayBuffer> {
  if (base64 !== undefined) return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  return new TextEncoder().encode(json === undefined ? (text ?? "") : JSON.stringify(json));
}
