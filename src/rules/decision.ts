import { closedObject, type FromSchema, MAX_KEPT_TEXT, type Schema } from "../contract/index.ts";
import { effectFacts, effectNamed, effectNames } from "./effects/effect-table.ts";
import { type DifferenceFacts, differenceFacts, differenceText } from "./matching/difference.ts";

/** A kind of decisions: the schema of its members beside `kind`, and the decision in words. */
export interface DecisionKind {
  readonly schema: Schema;
  readonly reads: (facts: never) => string;
}

/** A text in a decision. */
export const label = { type: "string", maxLength: MAX_KEPT_TEXT } as const satisfies Schema;

type Properties = { readonly [name: string]: Schema };

/** Returns a kind of decisions with the types of its members. Without `required`, all members are. */
export function decisionKind<
  const Members extends Properties,
  const Required extends readonly (keyof Members & string)[] = (keyof Members & string)[],
>(
  members: Members,
  reads: (
    facts: FromSchema<{ readonly type: "object"; readonly required: Required; readonly properties: Members }>,
  ) => string,
  required = Object.keys(members) as unknown as Required,
) {
  return { schema: closedObject(required, members), reads };
}

/** The decisions of kinds in a table, each with its kind. */
export type DecisionOf<Kinds extends { readonly [kind: string]: DecisionKind }> = {
  [Kind in keyof Kinds]: Readonly<{ kind: Kind } & FromSchema<Kinds[Kind]["schema"]>>;
}[keyof Kinds];

const byRule = {
  source: { ...label, description: "The rule, function or scenario, as in Mock-Source." },
  rule: { type: "integer", minimum: 1, description: "The number of the rule in its scenario." },
} as const satisfies Properties;

const responds = { const: true, description: "Set if it replaced the response, or broke the connection." } as const;

/** Returns the name of a rule in words: `rule r-1`, `scenario conflict rule 2`. */
export function labelOf({ source, rule }: { readonly source: string; readonly rule?: number }): string {
  const name = source.replace(":", " ");
  return rule === undefined ? name : `${name} rule ${rule}`;
}

/** Why a rule had no effect on a request. */
const skipReasons = {
  operation: () => "it applies to other operations",
  request: differenceText,
  "used-up": () => "used up",
  precedence: () => "another effect has higher precedence",
  "scenario-used-up": () => "the scenario is used up",
  "scenario-probability": ({ probability }) => `the scenario was not selected, with probability ${probability}`,
  after: ({ number, after }) => `request ${number} of the first ${after} that it lets through`,
  probability: ({ probability }) => `not selected, with probability ${probability}`,
  claimed: () => "another request got the failure",
} as const satisfies Record<string, (facts: SkipFacts) => string>;
export type SkipReason = keyof typeof skipReasons;

/** The values of a reason. */
export type SkipFacts = DifferenceFacts & Readonly<Partial<Record<"number" | "after" | "probability", number>>>;

/** The decisions about rules and scenarios, by kind. */
export const ruleDecisions = {
  effect: decisionKind(
    {
      ...byRule,
      effect: { type: "string", enum: effectNames, description: "The effect, by its name in rules; or function." },
      responds,
      ...effectFacts,
    },
    (facts) => `${labelOf(facts)} ${effectNamed(facts.effect).reads(facts)}`,
    ["source", "effect"],
  ),
  skipped: decisionKind(
    {
      ...byRule,
      because: { enum: Object.keys(skipReasons) as SkipReason[], description: "Why the rule had no effect." },
      ...differenceFacts,
      number: { type: "integer", description: "The number of the request among those that the rule lets through." },
      after: { type: "integer", description: "The number of requests that the rule lets through first." },
      probability: { type: "number" },
    },
    (facts) => `${labelOf(facts)} skipped: ${(skipReasons[facts.because] as (facts: SkipFacts) => string)(facts)}`,
    ["source", "because"],
  ),
  "let-through": decisionKind(byRule, (facts) => `${labelOf(facts)} let this request through`, ["source"]),
  "passed-on": decisionKind(byRule, (facts) => `${labelOf(facts)} passed the request on`, ["source"]),
  others: decisionKind(
    { count: { type: "integer", description: "The number of further rules without effect." } },
    ({ count }) => `and ${count} more rules had no effect`,
  ),
  prefer: decisionKind(
    { applied: { ...label, description: "The applied preferences, as in Preference-Applied." }, responds },
    ({ applied }) => `Prefer applied: ${applied}`,
    ["applied"],
  ),
};
export type RuleDecision = DecisionOf<typeof ruleDecisions>;
