import type { ProjectControl } from "../client/types.ts";
import type { RequestEntry } from "../journal/entry.ts";
import { targetOf } from "../text/shell.ts";
import { counted, cut } from "../text/shown.ts";

/** The last requests of a test tell why it failed; all of them could be thousands. */
const MAX_ENTRIES = 50;
const MAX_BODY = 300;

/** What is printed when a test has failed: what its project received, oldest first, and how to run it again. */
export async function failureReport(mock: ProjectControl, reproduce: string): Promise<string> {
  const entries = await mock.requests.list();
  const shown = entries.slice(0, MAX_ENTRIES).reverse();
  const left = entries.length - shown.length;
  return [
    `resource-mock: project ${mock.key} received ${counted(entries.length, "request")}`,
    ...(left > 0 ? [`  … ${counted(left, "request")} before`] : []),
    ...shown.flatMap(entryLines),
    `Run it again: ${reproduce}`,
  ].join("\n");
}

/** A request in the report, and beneath it what it sent and why it was not answered as it should have been. */
export function entryLines({ operation, request, response, source, violations, timings }: RequestEntry): string[] {
  const target = targetOf(request.path, request.query);
  const sent = bodyText(request.body);
  const answered = response.status < 400 ? undefined : bodyText(response.body);
  return [
    `  ${timings.receivedAt.slice(11, 23)} ${request.method} ${target} → ${response.status} (${operation ?? "no operation"}, ${source})`,
    ...(sent === undefined ? [] : [`      sent ${sent}`]),
    ...(answered === undefined ? [] : [`      answered ${answered}`]),
    ...violations.map(({ message }) => `      broke the contract: ${message}`),
  ];
}

function bodyText(body: RequestEntry["request"]["body"]): string | undefined {
  if (!body) return undefined;
  const text = body.json === undefined ? (body.text ?? `${body.bytes} bytes`) : JSON.stringify(body.json);
  return cut(text, MAX_BODY);
}
