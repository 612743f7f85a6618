import type { ProjectControl } from "../client/types.ts";
import type { RequestEntry } from "../journal/entry.ts";
import { targetOf } from "../text/shell.ts";
import { counted, cut } from "../text/shown.ts";

/** The last requests usually show why a test failed. A test may send thousands. */
const MAX_ENTRIES = 50;
const MAX_BODY = 300;

/** Returns the report of a failed test: the requests of its project, oldest first, and the command to run it again. */
export async function failureReport(mock: ProjectControl, reproduce: string): Promise<string> {
  const entries = await mock.requests.list();
  const shown = entries.slice(0, MAX_ENTRIES).reverse();
  const omitted = entries.length - shown.length;
  return [
    `resource-mock: project ${mock.key} received ${counted(entries.length, "request")}`,
    ...(omitted > 0 ? [`  … ${counted(omitted, "earlier request")}`] : []),
    ...shown.flatMap(entryLines),
    `Run the test again: ${reproduce}`,
  ].join("\n");
}

/**
 * Returns the lines for one request: the request, its body, the body of an error or off-contract response, and its
 * violations.
 */
export function entryLines(entry: RequestEntry): string[] {
  const { operation, request, response, source, offContract, violations, timings } = entry;
  const target = targetOf(request.path, request.query);
  const sent = bodyText(request.body);
  const returned = response.status >= 400 || offContract ? bodyText(response.body) : undefined;
  const label = offContract ? ", off-contract" : "";
  return [
    `  ${timings.receivedAt.slice(11, 23)} ${request.method} ${target} → ${response.status} (${operation ?? "no operation"}, ${source}${label})`,
    ...(sent === undefined ? [] : [`      request body: ${sent}`]),
    ...(returned === undefined ? [] : [`      response body: ${returned}`]),
    ...violations.map(({ message }) => `      contract violation: ${message}`),
  ];
}

function bodyText(body: RequestEntry["request"]["body"]): string | undefined {
  if (!body) return undefined;
  const text = body.json === undefined ? (body.text ?? `${body.bytes} bytes`) : JSON.stringify(body.json);
  return cut(text, MAX_BODY).replaceAll(/\s*\n\s*/g, " ");
}
