import {
  closedObject,
  counted,
  cut,
  type FromSchema,
  MAX_ID,
  MAX_LISTED,
  MAX_TEXT,
  object,
  type Schema,
} from "../contract/index.ts";
import {
  type DecisionKind,
  type DecisionOf,
  decisionKind,
  effectNamed,
  effectNames,
  label,
  ruleDecisions,
} from "../rules/index.ts";
import type { Author } from "./history.ts";

const integer = { type: "integer" } as const satisfies Schema;
const version = { ...integer, description: "The version of the resource." } as const satisfies Schema;
const id = { ...label, description: "The id of the resource." } as const satisfies Schema;
export const milliseconds = { type: "number", minimum: 0 } as const satisfies Schema;

const Writer = closedObject(["by", "earlier"], {
  by: { enum: ["request", "control", "effect"] },
  request: { ...label, description: "The id of the request." },
  method: label,
  path: label,
  client: { ...label, description: "The client that the token of the request was issued to." },
  earlier: { ...milliseconds, description: "The time from the write to this request, in milliseconds." },
});

const namesOf = <Name extends string>(table: Readonly<Record<Name, string>>) => Object.keys(table) as Name[];

const passes = {
  off: "the setting auth is off",
  upstream: "left to the upstream",
  "not-required": "the operation requires no credentials",
  credentials: "the request has the required credentials",
  anonymous: "no Authorization header, which lenient allows",
  "unknown-token": "an unknown token, which lenient allows",
  "other-credentials": "credentials of another scheme, which lenient allows",
  "token-of-another-sandbox": "a token of another sandbox, which lenient allows",
} as const;

const missing = {
  deleted: "the resource was deleted",
  "too-long": `ids and keys have at most ${MAX_ID} characters`,
  "never-created": "the setting unknownIds creates no resource",
} as const;

const writeKind = (verb: string) =>
  decisionKind(
    { resource: id, version },
    (facts) => `${verb} the resource ${facts.resource}, now at version ${facts.version}`,
  );

/**
 * The kinds of decisions behind a response: what the journal keeps, and how it reads. A new kind is one entry. Users see
 * both: `facts` of a journal entry has the decisions as data, `decisions` the sentences.
 */
const kinds = {
  sandbox: decisionKind(
    { name: label, header: label },
    ({ name, header }) => `sandbox "${name}", selected by the header ${header}`,
  ),
  "rate-limit": decisionKind(
    {
      number: { ...integer, description: "The number of the request in its window." },
      limit: integer,
      window: { ...milliseconds, description: "The length of the window, in milliseconds." },
    },
    ({ number, limit, window }) =>
      `rate limit ${number > limit ? "exceeded" : "passed"}: request ${number} of ${limit} in ${window} ms`,
  ),
  auth: decisionKind(
    {
      as: { enum: [...namesOf(passes), "client"], description: "Why the request is authorized." },
      client: { ...label, description: "The client that the token was issued to." },
    },
    ({ as, client }) => `auth passed: ${as === "client" ? `a token of client "${client}"` : passes[as]}`,
    ["as"],
  ),
  ...ruleDecisions,
  delayed: decisionKind({ ms: milliseconds }, ({ ms }) => `the setting latency delayed the response by ${ms} ms`),
  "other-write": decisionKind({ version }, (facts) => `another client wrote version ${facts.version}`),
  generated: decisionKind(
    { status: integer, seed: integer },
    ({ status, seed }) =>
      `generated the response; send Prefer: code=${status}, dynamic=true, seed=${seed} to repeat it`,
  ),
  "from-fixture": decisionKind(
    { fixture: { ...label, description: "The path of the fixture." } },
    ({ fixture }) => `created the resource from the fixture ${fixture}`,
  ),
  missing: decisionKind({ because: { enum: namesOf(missing) } }, ({ because }) => missing[because]),
  ignored: decisionKind(
    { names: { type: "array", items: label, description: "The names of query parameters." } },
    ({ names }) => `the list ignores ${names.join(", ")}`,
  ),
  "cut-page": decisionKind(
    { results: { ...integer, description: "The number of results that fit." } },
    ({ results }) => `the page is too long: only its first ${counted(results, "result")} fit`,
  ),
  created: writeKind("created"),
  overwrote: writeKind("overwrote"),
  "nothing-to-overwrite": decisionKind(
    { deleted: { ...label, description: "The id of the last written resource, which was deleted." } },
    ({ deleted }) =>
      deleted === undefined
        ? "no client has written a resource yet that could be overwritten"
        : `the last written resource ${deleted} was deleted`,
    [],
  ),
  updated: decisionKind({ version }, (facts) => `updated the resource to version ${facts.version}`),
  unchanged: decisionKind({ version }, (facts) => `no actions, so the resource stays at version ${facts.version}`),
  deleted: decisionKind({ version }, (facts) => `deleted the resource, which was at version ${facts.version}`),
  stored: decisionKind({ image: label }, ({ image }) => `stored the image ${image}`),
  conflict: decisionKind(
    {
      sent: { type: "number", description: "The version in the request." },
      stored: { ...integer, description: "The stored version." },
      writer: {
        ...Writer,
        description:
          "Who wrote the stored version. `effect`: the effect `conflict` of a rule. Absent if it is unknown.",
      },
    },
    ({ sent, stored, writer }) => {
      const start = `the client sent version ${sent}; `;
      if (!writer) return `${start}the stored version is ${stored}`;
      const { by, ...author } = writer;
      return `${start}version ${stored} was written by ${by === "effect" ? "the effect conflict" : shownAuthor({ ...author, by })}`;
    },
    ["sent", "stored"],
  ),
  gone: decisionKind({}, () => "the client disconnected: the request was not handled"),
  rejected: decisionKind({ code: label, message: label }, ({ code, message }) => `rejected: ${code}: ${message}`),
  forwarded: decisionKind(
    { status: integer },
    ({ status }) => `forwarded to the upstream, which responded with ${status}`,
  ),
  "not-forwarded": decisionKind({ reason: label }, ({ reason }) => reason),
  "broke-off": decisionKind({ reason: label }, ({ reason }) => `the response broke off: ${reason}`),
  "not-validated": decisionKind(
    { most: { ...integer, description: "The most bytes of a validated body." } },
    ({ most }) => `the request body was not validated: it has more than ${counted(most, "byte")}`,
  ),
  "not-changed": decisionKind(
    { reason: label },
    ({ reason }) => `rules did not change the response of the upstream: ${reason}`,
  ),
  "not-checked": decisionKind(
    { reason: label, unrecorded: { const: true, description: "Set if the response was not recorded either." } },
    ({ reason, unrecorded }) => `the response was not checked${unrecorded ? " and not recorded" : ""}: ${reason}`,
    ["reason"],
  ),
  differs: decisionKind(
    { assumption: label, message: label },
    ({ assumption, message }) => `the response differs from the assumption ${assumption}: ${message}`,
  ),
  violates: decisionKind({ message: label }, ({ message }) => `the response violates the contract: ${message}`),
  recorded: decisionKind(
    { fixture: label, unseeded: { ...label, description: "Why seed.json cannot have the items." } },
    ({ fixture, unseeded }) =>
      `recorded the response as ${fixture}${unseeded === undefined ? "" : `, not in seed.json: ${unseeded}`}`,
    ["fixture"],
  ),
  "not-recorded": decisionKind({ reason: label }, ({ reason }) => `the response was not recorded: ${reason}`),
};

/** Returns the author in words: `request 5f0c2a9e-1`, `a call of the control API`. */
export function shownAuthor({ by, request, method, path, client }: Readonly<Author>): string {
  if (by === "control") return "a call of the control API";
  const call = method === undefined ? "" : ` ${method} ${path}`;
  const details = [call.trim(), client === undefined ? "" : `client ${client}`].filter(Boolean).join(", ");
  return `request ${request ?? "in progress"}${details && ` (${details})`}`;
}

type Kinds = typeof kinds;
/** A decision behind a response, as data. */
export type Decision = DecisionOf<Kinds>;
export type DecisionNamed<Kind extends keyof Kinds> = Extract<Decision, { kind: Kind }>;

/** The schema of a decision: that of its kind. The type of its values is `Decision`. */
export const DecisionSchema: Schema & { readonly enum?: readonly Decision[] } = {
  type: "object",
  required: ["kind"],
  discriminator: { propertyName: "kind" },
  oneOf: Object.entries<DecisionKind>(kinds).map(([kind, { schema }]) => {
    const properties: Record<string, Schema> = { kind: { const: kind }, ...schema.properties };
    return closedObject(["kind", ...(schema.required ?? [])], properties);
  }),
};

/** The schema of a version conflict. */
export const conflictSchema = kinds.conflict.schema;

/** Returns the decision in words, for people. Only this function makes sentences of decisions. */
export function sentenceOf(decision: Decision): string {
  const { reads }: DecisionKind = kinds[decision.kind];
  return cut(reads(decision as never), MAX_TEXT);
}

const { rule: _rule, ...effectMembers } = ruleDecisions.effect.schema.properties;

/** An effect on a request: its rule, scenario or function, its name, what is recorded of it, and how it reads. */
export const AppliedEffect = object(["source", "effect", "text"], {
  ...effectMembers,
  text: { type: "string", description: "What the effect did, in words." },
});
export type AppliedEffect = FromSchema<typeof AppliedEffect>;

/** Returns the effects on a request in the order in which effects take place, at most one of each kind. */
export function effectsIn(decisions: readonly Decision[]): AppliedEffect[] {
  const found = decisions.flatMap((decision) => {
    if (decision.kind !== "effect") return [];
    const { kind: _kind, rule: _rule, ...effect } = shownDecision(decision);
    return { ...effect, text: effectNamed(effect.effect).reads(effect) };
  });
  return found.sort((a, b) => effectNames.indexOf(a.effect) - effectNames.indexOf(b.effect));
}

/** Returns the decision as a journal entry shows it: with the first changes of the effect evolve. */
export function shownDecision<Shown extends Decision>(decision: Shown): Shown {
  if (decision.kind !== "effect" || !decision.changes) return decision;
  return { ...decision, changes: decision.changes.slice(0, MAX_LISTED) };
}

/** Returns the decision of this kind; undefined without one. */
export function decisionNamed<Kind extends Decision["kind"]>(decisions: readonly Decision[], kind: Kind) {
  return decisions.find((decision): decision is DecisionNamed<Kind> => decision.kind === kind);
}

/** Returns the changes of the effect evolve in the response; undefined without changes. */
export function evolvedIn(decisions: readonly Decision[]): readonly string[] | undefined {
  for (const decision of decisions) if (decision.kind === "effect" && decision.changes) return decision.changes;
  return undefined;
}

/** Returns the decision of the rule, function or preference that forced the response or broke the connection. */
export function forcedBy({ source, decisions }: { source: string; decisions: readonly Decision[] }) {
  if (source === "error" || source === "defect") return undefined;
  return decisions.find((decision) => "responds" in decision && decision.responds);
}
