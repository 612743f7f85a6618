import {
  bodiless,
  closedObject,
  declaredStatuses,
  type FromSchema,
  findProblems,
  fromBase64,
  join,
  type Operation,
  type Problem,
  responseFor,
  type Schema,
  shown,
  tokenOperation,
} from "../../contract/index.ts";
import { keepOperations } from "../matching/possible.ts";
import { templateProblems, templatesIn } from "../template.ts";
import { type CheckedRule, effect } from "./effect.ts";
import { HeadersOfRule, headerProblems } from "./headers.ts";

const Respond = {
  ...closedObject(["status"], {
    status: { type: "integer", description: "A status that the operation declares." },
    fixture: {
      type: "string",
      description: "The variant of the fixture: NAME in fixtures/<operationId>/<status>.NAME.json.",
    },
    body: {
      description:
        'The JSON body. It must be valid by the contract. Cannot be combined with fixture. { "$from": "/path/id" } in place of any value is a value from the request.',
    },
    headers: HeadersOfRule,
  }),
  description:
    "A response with a valid body. The mock returns this response, and does not run the operation. The default body is the fixture for the status.",
} as const satisfies Schema;
export type Respond = FromSchema<typeof Respond>;

const Raw = {
  ...closedObject(["status"], {
    status: { type: "integer", minimum: 200, maximum: 599, description: "Any status." },
    headers: HeadersOfRule,
    body: {
      description:
        "A string is sent as it is, as text/plain by default. Any other JSON value is sent as application/json by default. It can contain values from the request.",
    },
    bodyBase64: {
      type: "string",
      description:
        "The bytes of the body in base64, as application/octet-stream by default. Cannot be combined with body.",
    },
  }),
  description: "Any response, valid or invalid. The mock returns this response, and does not run the operation.",
} as const satisfies Schema;
export type Raw = FromSchema<typeof Raw>;

/** What the two effects have in common: they end the request, and note their status. */
const stub = {
  slot: "ending",
  facts: { status: { type: "integer", description: "The status of the response." } },
  notes: ({ status }: { readonly status: number }) => ({ status }),
} as const;

export const respond = effect({
  ...stub,
  schema: Respond,
  check: checkRespond,
  /** The endpoint has no fixtures and error codes of the service, and the errors of tokens are not its errors. */
  affectsTokens: ({ status, body, fixture }) =>
    body === undefined && fixture === undefined && status !== 401 && status in tokenOperation.responses,
  reads: ({ status }) => `responded with ${status}`,
  respond: (value, context, stub) => context.respond(value, stub),
});

export const raw = effect({
  ...stub,
  schema: Raw,
  excludes: ["respond", "fault"],
  check: checkRaw,
  reads: ({ status }) => `responded off-contract with ${status}`,
  respond: (value, context, stub) => context.respondRaw(value, stub),
});

/** Returns whether the body or a header contains values from the request. */
export function hasTemplates({ body, headers }: Respond | Raw): boolean {
  return templatesIn([body, headers]).size > 0;
}

async function checkRespond(respond: Respond, pointer: string, rule: CheckedRule): Promise<void> {
  const { status, fixture } = respond;
  // An operation that leaves statuses out can have any: the response is then labelled as off-contract.
  const isOpen = !rule.declaresAllStatuses && status >= 200 && status <= 599;
  const declares = (operation: Operation) => isOpen || responseFor(operation, status) !== undefined;
  keepOperations(rule, declares, join(pointer, "status"), (operations) => {
    const declared = [...new Set(operations.flatMap(declaredStatuses))].sort();
    return `expected a status of the operation (${declared.join(", ")}), found ${status}`;
  });
  if (fixture !== undefined) {
    const hasIt = ({ id }: Operation) => rule.fixtures.get(id, status, fixture) !== undefined;
    keepOperations(rule, hasIt, join(pointer, "fixture"), (operations) => {
      const known = new Set(operations.flatMap(({ id }) => rule.fixtures.examples(id, status)));
      return `fixture ${status}.${fixture}.json not found. Known variants: ${[...known].join(", ") || "none"}`;
    });
  }
  checkHeaders(respond, pointer, rule.problems, "Use raw to send other content.");
  if ("body" in respond) await checkBody(respond, pointer, rule);
}

function checkRaw(raw: Raw, pointer: string, { problems }: CheckedRule): void {
  const { status, bodyBase64 } = raw;
  checkHeaders(raw, pointer, problems);
  problems.push(...templateProblems(templatesIn(raw.body), join(pointer, "body"), raw.body));
  const names = ["body", "bodyBase64"].filter((name) => Object.hasOwn(raw, name));
  const bodyPointer = join(pointer, names.at(-1) ?? "");
  if (names.length === 2) problems.push({ pointer: bodyPointer, message: "expected body or bodyBase64, found both" });
  if (names.length > 0 && bodiless.includes(status)) {
    problems.push({ pointer: bodyPointer, message: `expected no body, as responses with ${status} have none` });
  }
  if (bodyBase64 !== undefined && !fromBase64(bodyBase64)) {
    problems.push({ pointer: bodyPointer, message: `expected base64 with padding, found ${shown(bodyBase64)}` });
  }
}

function checkHeaders({ headers = {} }: Respond | Raw, pointer: string, problems: Problem[], hint?: string): void {
  const below = join(pointer, "headers");
  problems.push(...headerProblems(headers, below, hint), ...templateProblems(templatesIn(headers), below));
}

async function checkBody(respond: Respond, pointer: string, rule: CheckedRule): Promise<void> {
  const bodyPointer = join(pointer, "body");
  if (respond.fixture !== undefined) {
    rule.problems.push({ pointer: bodyPointer, message: "expected body or fixture, found both" });
  }
  const schemas = new Set(rule.operations.flatMap((operation) => responseFor(operation, respond.status)?.schema ?? []));
  // A rule for several operations can include HEAD: its response then has no body.
  if (schemas.size === 0 && rule.operations.length > 0 && rule.declaresAllStatuses) {
    rule.problems.push({ pointer: bodyPointer, message: "expected no body, as this response has none" });
  }
  if (rule.isChecked) return;
  const templates = templatesIn(respond.body);
  rule.problems.push(...templateProblems(templates, bodyPointer, respond.body));
  // The value of a template is validated in each response.
  const isInserted = (pointer: string) => templates.keys().some((each) => `${pointer}/`.startsWith(`${each}/`));
  for (const schema of schemas) {
    for (const problem of await findProblems(schema, respond.body)) {
      if (!isInserted(problem.pointer)) rule.problems.push({ ...problem, pointer: bodyPointer + problem.pointer });
    }
  }
}
