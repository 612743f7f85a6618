import { shellWord, targetOf } from "../../../contract/index.ts";
import type { RequestEntry } from "../../../control/client/index.ts";
import { redactedScheme } from "./parts-of.ts";

/** Headers that curl sends by default, and headers of the connection. The command leaves them out. */
const omitted =
  /^(host|connection|keep-alive|content-length|transfer-encoding|expect|accept-encoding|user-agent|sec-.*)$/;

/** Headers that curl adds unless the command removes them. */
const added = ["accept", "content-type"];

/** The longest body that is passed as an argument, in UTF-16 units. Most systems limit an argument to 128 KiB. */
const MAX_ARGUMENT = 30_000;

/** Control characters other than line breaks. A terminal changes or drops them on paste. */
const unpastable = /[^\P{Cc}\n]/u;

/**
 * Returns a shell command that sends the request again, or undefined if the journal truncated the body. The journal
 * redacts credentials: the command reads them from environment variables, which `variablesOf` lists.
 */
export function curlOf({ request }: RequestEntry, origin: string): string | undefined {
  const { method, path, query, headers, body } = request;
  if (body?.cut) return undefined;
  const sent = Object.entries(headers).filter(([name]) => !omitted.test(name));
  const absent = added.filter((name) => headers[name] === undefined);
  const text = body?.json === undefined ? body?.text : JSON.stringify(body.json);
  const isArgument = text !== undefined && text.length <= MAX_ARGUMENT && !unpastable.test(text);
  const base64 = isArgument ? undefined : text === undefined ? body?.base64 : base64Of(text);
  const command = [
    "curl",
    "-i",
    // Without it, curl would expand [] and {} in the URL.
    "--globoff",
    // With -X HEAD, curl would wait for a body.
    ...(method === "HEAD" ? ["--head"] : ["-X", shellWord(method)]),
    shellWord(origin + targetOf(path, query)),
    ...sent.flatMap(([name, value]) => ["-H", headerWord(name, value)]),
    ...absent.flatMap((name) => (body || name === "accept" ? ["-H", `${name}:`] : [])),
    ...(base64 !== undefined ? ["--data-binary", "@-"] : isArgument ? ["--data-raw", shellWord(text)] : []),
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
