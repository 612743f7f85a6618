import { expect, test } from "vitest";
import { read } from "../../scripts/docs.ts";
import { MAX_LINE_BYTES, MAX_LINE_VALUES } from "../../src/archive/archive.ts";
import { MAX_CLIENT_ID, MAX_SCOPE, MAX_SCOPES } from "../../src/auth/tokens.ts";
import { jsonBounds, MAX_ARCHIVE_BYTES, MAX_JSON_BYTES, MAX_STATE_BYTES } from "../../src/call/body.ts";
import { MAX_ERROR_DETAILS, MAX_PROBLEMS } from "../../src/contract/service-error.ts";
import { MAX_SNAPSHOTS } from "../../src/control/snapshots.ts";
import { MAX_EVOLVED } from "../../src/engine/evolve.ts";
import { MAX_RETURNED_BODY } from "../../src/engine/function.ts";
import { MAX_INSERTED } from "../../src/engine/render.ts";
import { MAX_GROWTH } from "../../src/generate/evolve.ts";
import { MAX_RECEIVED } from "../../src/http/received.ts";
import { DRAIN_MS } from "../../src/http/server.ts";
import { JOURNAL_BYTES } from "../../src/journal/budget.ts";
import { MAX_SINGLE, MAX_PROJECTS as MAX_SUMMARY_PROJECTS } from "../../src/journal/event-summary.ts";
import { MAX_KEPT_BODY } from "../../src/journal/exchange.ts";
import { MAX_CHANGES } from "../../src/journal/history.ts";
import { MAX_STEPS } from "../../src/matching/effort.ts";
import { MAX_MATCHED_TEXT, MAX_PATTERN, MAX_PATTERNS_SIZE } from "../../src/matching/pattern.ts";
import {
  MAX_BODY,
  MAX_DECISIONS,
  MAX_ONLY_BODY,
  MAX_RESULT,
  MAX_DECISION as MAX_SHOWN_DECISION,
} from "../../src/mcp/bounds.ts";
import { MAX_ADDED_SHOWN, PAGE } from "../../src/mcp/tools.ts";
import { MAX_PROJECT_KEY } from "../../src/projects/projects.ts";
import { MAX_VALUES } from "../../src/query/operands.ts";
import { MAX_COMPARISONS, MAX_NESTING } from "../../src/query/predicate.ts";
import { MAX_COMPARED, MAX_SORT_KEYS, MAX_SORTED } from "../../src/query/sort.ts";
import { MAX_TEXTS_LENGTH } from "../../src/query/texts.ts";
import { MAX_SANDBOX_NAME } from "../../src/sandbox/sandbox.ts";
import { MAX_RULES } from "../../src/scenarios/active-rules.ts";
import { MAX_DECISION } from "../../src/scenarios/choose.ts";
import { MAX_RULE_BYTES } from "../../src/scenarios/compile.ts";
import { MAX_HEADER_VALUE } from "../../src/scenarios/scenario.ts";
import { MAX_TEMPLATE } from "../../src/scenarios/template.ts";
import { DEFAULT_MAX_PROJECTS, DEFAULT_MAX_STATE_BYTES } from "../../src/settings/limits.ts";
import { SettingsSchema } from "../../src/settings/settings.ts";
import { MAX_NAME, MAX_VERSION } from "../../src/state/record.ts";
import { MAX_OUTPUT_PART } from "../../src/sweep/output.ts";
import { MAX_NOTED } from "../../src/sweep-run.ts";
import { MAX_JSON_DEPTH } from "../../src/text/json-reader.ts";
import { MAX_BODY as MAX_RESPONSE } from "../../src/verify/http.ts";
import { MAX_KEPT as MAX_OBSERVED, MAX_REPEATS, MAX_SILENT, MAX_WAIT } from "../../src/verify/requests.ts";

const { maxBodyBytes, maxImageBytes, journalSize } = SettingsSchema.properties;
const number = (value: number) => value.toLocaleString("en");

/** Formats a number of bytes as the page does, such as "16 MiB". */
function bytes(value: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB"];
  const unit = Math.floor(Math.log2(value) / 10);
  return `${value / 1024 ** unit} ${units[unit]}`;
}

/** The start of each row in docs/reliability.md, with the numbers that the row must contain. */
const limits: readonly (readonly [row: string, ...numbers: string[]])[] = [
  ["project key", number(MAX_PROJECT_KEY)],
  ["name of a sandbox", number(MAX_SANDBOX_NAME), number(MAX_PROJECT_KEY - 1)],
  ["id or key of a resource", number(MAX_NAME)],
  ["JSON body of the service", bytes(maxBodyBytes.default), bytes(maxBodyBytes.maximum)],
  ["image", bytes(maxImageBytes.default), bytes(maxImageBytes.maximum)],
  ["body of the control API", bytes(MAX_JSON_BYTES)],
  ["body with resources, an image or a state in the control API", bytes(MAX_STATE_BYTES)],
  ["archive in `PUT …/archive`, and file of `--open`", bytes(MAX_ARCHIVE_BYTES)],
  ["line of an archive", bytes(MAX_LINE_BYTES), number(MAX_LINE_VALUES)],
  ["bodies of all requests in progress", bytes(MAX_RECEIVED)],
  ["nesting", number(MAX_JSON_DEPTH)],
  ["values in a body", number(jsonBounds.values)],
  ["members of an object in a body", number(jsonBounds.members)],
  ["`where`", ...[MAX_TEXTS_LENGTH, MAX_COMPARISONS, MAX_NESTING, MAX_VALUES].map(number)],
  ["`sort`", ...[MAX_TEXTS_LENGTH, MAX_SORT_KEYS, MAX_SORTED, MAX_COMPARED].map(number)],
  ["state of all projects", bytes(DEFAULT_MAX_STATE_BYTES)],
  ["projects", number(DEFAULT_MAX_PROJECTS)],
  ["snapshots of a project", number(MAX_SNAPSHOTS)],
  ["version of a resource", `10<sup>${Math.log10(MAX_VERSION)}</sup>`],
  ["requests in the journal of a project", number(journalSize.default), number(journalSize.maximum)],
  ["body in the journal", bytes(MAX_KEPT_BODY)],
  ["changes of one request or call in the history", number(MAX_CHANGES)],
  ["value in the history", bytes(MAX_KEPT_BODY)],
  ["all journals and histories", bytes(JOURNAL_BYTES)],
  ["decisions of a request", number(MAX_DECISION)],
  ["single events of a reader with `summary=true`", number(MAX_SINGLE)],
  ["projects in a `summary` event", number(MAX_SUMMARY_PROJECTS)],
  ["rules and functions of a project", number(MAX_RULES)],
  ["memory of the rules and inline scenarios of a project", bytes(MAX_RULE_BYTES)],
  ["headers of a rule's response", number(MAX_HEADER_VALUE)],
  ["values from the request in one response (`$from`)", number(MAX_INSERTED)],
  ["body of a rule with values from the request (`$from`)", number(MAX_TEMPLATE)],
  ["body that `evolve` changes", number(MAX_EVOLVED), number(MAX_GROWTH)],
  ["body of a function's response", bytes(MAX_RETURNED_BODY)],
  ["pattern (`matches`)", number(MAX_PATTERN)],
  ["text that a pattern is tested with", number(MAX_MATCHED_TEXT)],
  ["patterns of all active rules of a project", number(MAX_PATTERNS_SIZE)],
  ["patterns of a verification, or of a wait over the journal", number(MAX_STEPS)],
  ["output of a run", bytes(MAX_OUTPUT_PART)],
  ["projects that a mock notes for an operation", number(MAX_NOTED)],
  ["result of a tool", number(MAX_RESULT)],
  ["body of a request or response in a result", number(MAX_BODY), number(MAX_ONLY_BODY)],
  ["decisions of a request in a result", number(MAX_DECISIONS), number(MAX_SHOWN_DECISION)],
  ["items in a result", ...[PAGE.requests.maximum, PAGE.projects.maximum, MAX_ADDED_SHOWN].map(number)],
  ["scopes of a token", number(MAX_SCOPES), number(MAX_SCOPE)],
  ["id of a client", number(MAX_CLIENT_ID)],
  ["time to complete requests when the server stops", `${DRAIN_MS} ms`],
  ["response of the service", bytes(MAX_RESPONSE)],
  ["requests in a row without a response", number(MAX_SILENT)],
  ["repeated requests after 429", number(MAX_REPEATS), number(MAX_WAIT / 1000)],
  ["responses that the last checks judge", number(MAX_OBSERVED)],
  ["problems in an error", number(MAX_ERROR_DETAILS), number(MAX_PROBLEMS)],
];

test("docs/reliability.md states the limits in the code", () => {
  const lines = read("reliability.md").split("\n");
  const missing = limits.flatMap(([row, ...numbers]) => {
    const line = lines.find((each) => each.startsWith(`| ${row} |`)) ?? "";
    return numbers.filter((number) => !line.includes(number)).map((number) => `${row}: ${number}`);
  });
  expect(missing).toEqual([]);
});
