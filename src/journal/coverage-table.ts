import { counted } from "../text/shown.ts";
import type { CoverageReport } from "./coverage.ts";

/**
 * Returns a coverage report as text for a terminal or a log, with one row per operation, one column per status, and one for off-contract responses. A dot marks a declared status that was not exercised. A blank marks a status that the operation does not declare.
 */
export function coverageTable(report: CoverageReport): string {
  const { requests, totals, operations, unmatched, violations, otherViolations } = report;
  const shares = [
    `operations ${shareText(totals.operations)}`,
    `statuses ${shareText(totals.statuses)}`,
    `update actions ${shareText(totals.actions)}`,
    `error codes ${shareText(totals.errorCodes)}`,
  ];
  const statuses = [...new Set(operations.flatMap((operation) => Object.keys(operation.statuses)))].sort();
  const rows = operations.map((operation) => [
    operation.operation,
    cell(operation.requests),
    ...statuses.map((status) => cell(operation.statuses[status])),
    cell(operation.offContract),
  ]);
  const actions = operations.flatMap((operation) => Object.entries(operation.actions ?? {}));
  const lines = [
    `${counted(requests, "request")}: ${shares.join(", ")}`,
    "",
    ...table([["operation", "requests", ...statuses, "off-contract"], ...rows]),
    "",
    `update actions: ${listed(actions)}`,
    `error codes: ${listed(Object.entries(report.errorCodes))}`,
  ];
  if (unmatched > 0) lines.push(`requests that match no operation: ${unmatched}`);
  lines.push("", violations.length === 0 ? "no violations of the contract" : "violations of the contract:");
  for (const { count, operation, code, message } of violations) {
    lines.push(`  ${count} × ${operation} ${code}: ${message.replaceAll("\n", " ")}`);
  }
  if (otherViolations > 0) lines.push(`  ${otherViolations} more at other locations`);
  return `${lines.join("\n")}\n`;
}

function shareText({ exercised, declared }: { exercised: number; declared: number }): string {
  return `${exercised} of ${declared}`;
}

function cell(times: number | undefined): string {
  if (times === undefined) return "";
  return times === 0 ? "." : String(times);
}

function listed(entries: readonly (readonly [name: string, times: number])[]): string {
  return entries.map(([name, times]) => `${name} ${cell(times)}`).join(", ");
}

/** Returns lines with aligned columns: the first column to the left, the others to the right. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((text, column) => (column === 0 ? text.padEnd(widths[column] ?? 0) : text.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
}
