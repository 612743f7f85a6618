import type { RequestEntry } from "../client/types.ts";
import { shellWord, targetOf } from "../text/shell.ts";

/** What curl sends by itself, or what was the connection's and not the request's. */
const left = /^(host|connection|keep-alive|content-length|transfer-encoding|expect|accept-encoding|user-agent|sec-.*)$/;

/** What curl adds unless the command removes it. */
const added = ["accept", "content-type"];

/** Longer texts are not passed as an argument, which most systems limit to 128 KiB. In UTF-16 units. */
const MAX_ARGUMENT = 30_000;

/** Control characters, other than line breaks, do not survive the way through a terminal. */
const unpastable = /[^\P{Cc}\n]/u;

/**
 * Returns the request as a command line that sends it again. The journal has no credentials, so the command has none;
 * undefined for a body of which the journal kept only the beginning.
 */
export function curlOf({ request }: RequestEntry, origin: string): string | undefined {
  const { method, path, query, headers, body } = request;
  if (body?.cut) return undefined;
  const sent = Object.entries(headers).filter(([name, value]) => !left.test(name) && !value.includes("[redacted]"));
  const absent = added.filter((name) => headers[name] === undefined);
  const text = body?.json === undefined ? body?.text : JSON.stringify(body.json);
  const isArgument = text !== undefined && text.length <= MAX_ARGUMENT && !unpastable.test(text);
  const base64 = isArgument ? undefined : text === undefined ? body?.base64 : base64Of(text);
  const words = [
    "curl",
    "-i",
    // Without it, curl would expand [] and {} in the URL.
    "--globoff",
    // HEAD has an option of its own: with -X, curl would wait for the body.
    ...(method === "HEAD" ? ["--head"] : ["-X", method]),
    origin + targetOf(path, query),
    // A header without a value ends with a semicolon; one that ends with a colon is not sent.
    ...sent.flatMap(([name, value]) => ["-H", value === "" ? `${name};` : `${name}: ${value}`]),
    ...absent.flatMap((name) => (body || name === "accept" ? ["-H", `${name}:`] : [])),
    ...(base64 !== undefined ? ["--data-binary", "@-"] : isArgument ? ["--data-raw", text] : []),
  ];
  const command = words.map(shellWord).join(" ");
  return base64 === undefined ? command : `echo ${base64} | base64 -d | ${command}`;
}

function base64Of(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}
