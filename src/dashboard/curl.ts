import type { RequestEntry } from "../client/types.ts";
import { shellWord, targetOf } from "../text/shell.ts";

/** What curl sends by itself, or what was the connection's and not the request's. */
const left = /^(host|connection|keep-alive|content-length|transfer-encoding|expect|accept-encoding|user-agent|sec-.*)$/;

/**
 * The request as a command line that asks again. Credentials are not in the journal, so they are not in it; undefined
 * for a body of which the journal kept but the beginning.
 */
export function curlOf({ request }: RequestEntry, origin: string): string | undefined {
  const { method, path, query, headers, body } = request;
  if (body?.cut) return undefined;
  const sent = Object.entries(headers).filter(([name, value]) => !left.test(name) && !value.includes("[redacted]"));
  const bytes = body?.base64 !== undefined;
  const text = body?.json === undefined ? body?.text : JSON.stringify(body.json);
  const words = [
    "curl",
    "-i",
    // HEAD has an option of its own: with -X, curl would wait for the body.
    ...(method === "HEAD" ? ["-I"] : ["-X", method]),
    origin + targetOf(path, query),
    ...sent.flatMap(([name, value]) => ["-H", `${name}: ${value}`]),
    ...(bytes ? ["--data-binary", "@-"] : text === undefined ? [] : ["--data-raw", text]),
  ];
  const command = words.map(shellWord).join(" ");
  return bytes ? `echo ${body.base64} | base64 -d | ${command}` : command;
}
