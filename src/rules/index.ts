/**
 * Scenarios and rules: which requests a rule matches, and what happens to those.
 *
 * - *scenario*: a file of rules with a name, which tests activate
 * - *effect*: what a rule does to a request or its response, such as `delay` or `status`
 */

export {
  type ActivationContext,
  activateScenario,
  addRule,
  checkRule,
  namedScenario,
  unknownScenario,
} from "./activate.ts";
export {
  type ActiveItem,
  ActiveRules,
  type AllUses,
  type RulesHolder,
  type SweepRun,
  type SweptExchange,
  shownRules,
  shownScenarios,
  type Uses,
  usesOf,
} from "./active-rules.ts";
export { type Choice, type ChoiceInput, type ChosenEffect, createChoice } from "./choose.ts";
export { compileRule, type RuleContext, ruleOfFunction, type ScenarioSet } from "./compile.ts";
export { type DecisionKind, type DecisionOf, decisionKind, label, ruleDecisions } from "./decision.ts";
export type { EffectCall, Stub } from "./effects/effect.ts";
export { effectNamed, effectNames } from "./effects/effect-table.ts";
export type { Fault } from "./effects/fault-effect.ts";
export { sampleLatency } from "./effects/rule-effects.ts";
export {
  bodiless,
  contentProblem,
  HEADER_VALUE,
  hasTemplates,
  isOwnHeader,
  type Raw,
  type Respond,
} from "./effects/stub-effects.ts";
export type {
  AddAnyFunction,
  AddedFunction,
  AddFunction,
  AnyFunction,
  FunctionContext,
  FunctionOptions,
  FunctionRequest,
  FunctionResponse,
  OffContractFunction,
  OffContractResponse,
  OperationFunction,
} from "./function.ts";
export { loadScenarios } from "./load.ts";
export { type Difference, redacted, shownDifference } from "./matching/difference.ts";
export { nearestTo } from "./matching/distance.ts";
export { Effort } from "./matching/effort.ts";
export {
  ContractOperation,
  Match,
  OperationName,
  OperationOrAny,
  TOKEN,
  type UncheckedMatch,
  withNames,
} from "./matching/match-schema.ts";
export { queryOf, View } from "./matching/matchable.ts";
export { compileMatcher, type Matcher, matches } from "./matching/matcher.ts";
export type { Candidates } from "./matching/possible.ts";
export { type Preferences, preferenceText, readPrefer } from "./prefer.ts";
export {
  Counter,
  rulesOf,
  SavedRule,
  type SavedRules,
  SavedRulesHeader,
  SavedUses,
  savedRule,
  savedRules,
  savedScenario,
  savedUses,
  usesIn,
} from "./saved-rules.ts";
export {
  Activation,
  ActiveScenario,
  AddedRule,
  Effects,
  Rule,
  SavedScenario,
  type ScenarioPeriod,
} from "./scenario.ts";
export type {
  BodyEnd,
  BodyStream,
  BrokenDelivery,
  Delivery,
  DribbledDelivery,
  ResponseHeaders,
  ServiceResponse,
} from "./service-response.ts";
export { isTemplate, segmentsOf, type Template, type TemplateSource, templatesIn } from "./template.ts";
