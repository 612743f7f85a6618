import type { RequestEntry } from "../../client/types.ts";
import { shellWord, targetOf } from "../../text/shell.ts";

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
 * redacts credentials, so the command has none.
 */
export function curlOf({ request }: RequestEntry, origin: string): string | undefined {
  const { method, path, query, headers, body } = request;
  if (body?.cut) return undefined;
  const sent = Object.entries(headers).filter(([name, value]) => !omitted.test(name) && !value.includes("[redacted]"));
  const absent = added.filter((name) => headers[name] === undefined);
  const text = body?.json === undefined ? body?.text : JSON.stringify(body.json);
  const isArgument = text !== undefined && text.length <= MAX_ARGUMENT && !unpastable.test(text);
  const base64 = isArgument ? undefined : text === undefined ? body?.base64 : base64Of(text);
  const words = [
    "curl",
    "-i",
    // Without it, curl would expand [] and {} in the URL.
    "--globoff",
    // With -X HEAD, curl would wait for a body.
    ...(method === "HEAD" ? ["--head"] : ["-X", method]),
    origin + targetOf(path, query),
    // "Name;" sends a header without a value. "Name:" removes the header.
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
