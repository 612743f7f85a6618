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
  Counter,
  checkRule,
  namedScenario,
  rulesOf,
  SavedRule,
  type SavedRules,
  SavedRulesHeader,
  SavedUses,
  savedRule,
  savedRules,
  savedScenario,
  savedUses,
  unknownScenario,
  usesIn,
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
export { compileRule, loadScenarios, type RuleContext, ruleOfFunction, type ScenarioSet } from "./compile.ts";
export { type DecisionKind, type DecisionOf, decisionKind, label, ruleDecisions } from "./decision.ts";
export type {
  BodyEnd,
  BodyStream,
  BrokenDelivery,
  Delivery,
  DribbledDelivery,
  EffectCall,
  ResponseHeaders,
  ServiceResponse,
  Stub,
} from "./effects/effect.ts";
export { effectNamed, effectNames } from "./effects/effect-table.ts";
export { effectWords, faults } from "./effects/effect-words.ts";
export { type Fault, sampleLatency } from "./effects/rule-effects.ts";
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
export { type Difference, nearestTo, redacted, shownDifference } from "./matching/difference.ts";
export {
  ContractOperation,
  Match,
  OperationName,
  OperationOrAny,
  TOKEN,
  type UncheckedMatch,
  withNames,
} from "./matching/match-schema.ts";
export { compileMatcher, type Matcher, matches, queryOf, View } from "./matching/matcher.ts";
export { Effort } from "./matching/pattern.ts";
export type { Candidates } from "./matching/possible.ts";
export { type Preferences, preferenceText, readPrefer } from "./prefer.ts";
export {
  Activation,
  ActiveScenario,
  AddedRule,
  Effects,
  Rule,
  SavedScenario,
  type ScenarioPeriod,
} from "./scenario.ts";
export { isTemplate, segmentsOf, type Template, type TemplateSource, templatesIn } from "./template.ts";
