/**
 * Scenarios and rules: which requests a rule matches, and what happens to those.
 *
 * - *scenario*: a file of rules with a name, which tests activate
 * - *effect*: what a rule does to a request or its response, such as `latency` or `respond`
 * - *note*: to add an effect with its facts to the decisions on a request
 */

export * from "./activate.ts";
export {
  type ActiveItem,
  ActiveRules,
  type AllUses,
  type RulesHolder,
  type SweepRun,
  type SweptExchange,
  shownRule,
  shownScenarios,
  type Uses,
  usesOf,
} from "./active-rules.ts";
export { type Choice, type ChoiceInput, type ChosenEffect, createChoice } from "./choose.ts";
export { compileRule, loadScenarios, type RuleContext, ruleOfFunction, type ScenarioSet } from "./compile.ts";
export { type DecisionKind, type DecisionOf, decisionKind, label, ruleDecisions } from "./decision.ts";
export type {
  BodyEnd,
  BodyStream,
  BrokenDelivery,
  Delivery,
  DribbledDelivery,
  EffectContext,
  ServiceResponse,
  Stub,
} from "./effects/effect.ts";
export { effectNamed, effectNames } from "./effects/effect-table.ts";
export { effectWords, faults } from "./effects/effect-words.ts";
export {
  HEADER_VALUE,
  headerProblems,
  isOwnHeader,
  type ResponseHeaders,
  withHeaders,
} from "./effects/headers.ts";
export { type Fault, sampleLatency } from "./effects/rule-effects.ts";
export { hasTemplates, type Raw, type Respond } from "./effects/stub-effects.ts";
export type * from "./function.ts";
export { type Difference, nearestTo, redacted, shownDifference } from "./matching/difference.ts";
export {
  ContractOperation,
  Match,
  OperationName,
  OperationOrAny,
  withNames,
} from "./matching/match-schema.ts";
export { compileMatcher, type Matcher, matches, queryOf, View } from "./matching/matcher.ts";
export { Effort } from "./matching/pattern.ts";
export type { Candidates } from "./matching/possible.ts";
export { type Preferences, preferenceText, readPrefer } from "./prefer.ts";
export * from "./scenario.ts";
export { isTemplate, jsonWithin, segmentsOf, type Template, type TemplateSource, templatesIn } from "./template.ts";
