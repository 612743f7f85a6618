import { redactQuery } from "../contract/index.ts";
import { decisionNamed, type Exchange, forcedBy, sentenceOf, violationsOf } from "../journal/index.ts";
import { sandboxOf } from "../state/index.ts";

/**
 * Returns a function that logs one line per response. All lines of one turn of the event loop go out in one write, so
 * that logging does not slow down a busy server.
 */
export function createAccessLog(
  format: "pretty" | "json",
  write: (text: string) => void,
): (projectKey: string, exchange: Exchange) => void {
  let pending = "";
  const line = format === "json" ? jsonLine : prettyLine;
  const flush = () => {
    const text = pending;
    pending = "";
    write(text);
  };
  return (projectKey, exchange) => {
    if (pending === "") setImmediate(flush);
    pending += `${printable(line(projectKey, exchange))}\n`;
  };
}

/**
 * Returns a line such as `09:30:00.000 POST /demo/resource 201 state 1.2 ms`. If the response is an error or the
 * request violates the contract, the reason follows.
 */
function prettyLine(projectKey: string, exchange: Exchange): string {
  const { serverTime, method, path, query, status, source, offContract, duration } = exchange;
  const time = new Date(serverTime).toISOString().slice(11, 23);
  const target = query === "" ? path : `${path}?${redactQuery(query)}`;
  const why = reasonOf(exchange);
  const label = offContract ? " off-contract" : "";
  // Without a header that has selected it, the path contains the whole project key.
  const name = exchange.pathParameters.projectKey === projectKey ? undefined : sandboxOf(projectKey);
  const sandbox = name === undefined ? "" : ` sandbox:${name}`;
  return `${time} ${method} ${target} ${status} ${source}${label}${sandbox} ${duration.toFixed(1)} ms${why === undefined ? "" : `  ${why}`}`;
}

/** Returns why the response is an error, or the first contract violation of the request. */
function reasonOf(exchange: Exchange): string | undefined {
  const { status, decisions } = exchange;
  const isError = status === 0 || status >= 400;
  const forced = isError ? forcedBy(exchange) : undefined;
  if (forced) return sentenceOf(forced);
  const last = isError ? (decisionNamed(decisions, "rejected") ?? decisions.at(-1)) : undefined;
  return violationsOf(exchange)[0]?.message ?? (last && sentenceOf(last));
}

function jsonLine(projectKey: string, exchange: Exchange): string {
  const { id, serverTime, method, path, query, operationId, status, source, offContract, duration } = exchange;
  return JSON.stringify({
    time: new Date(serverTime).toISOString(),
    project: projectKey,
    id,
    method,
    path,
    query: redactQuery(query),
    operation: operationId,
    status,
    source,
    ...(offContract && { offContract }),
    duration: Number(duration.toFixed(3)),
    violations: violationsOf(exchange).length,
  });
}

/** Returns the text with control characters escaped as in JSON, so that a client cannot write log lines or colours. */
function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern finds control characters to escape them
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
