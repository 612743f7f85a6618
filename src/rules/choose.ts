import { MAX_SKIPPED_RULES } from "../contract/index.ts";
import type { Settings } from "../state/index.ts";
import { type ActiveItem, type Uses, usesOfRule, withRuleUses } from "./active-rules.ts";
import type { CompiledRule, StepEffect } from "./compile.ts";
import { labelOf, type RuleDecision, type SkipFacts, type SkipReason } from "./decision.ts";
import type { EffectFacts, Note, Stub } from "./effects/effect.ts";
import { canCombine, effectNames } from "./effects/effect-table.ts";
import { type Difference, factsOf } from "./matching/difference.ts";
import { type Matchable, View } from "./matching/matcher.ts";

/** An effect on a request, and its source. */
export interface ChosenEffect extends StepEffect, Stub {
  readonly note: Note;
}

export interface ChoiceInput {
  readonly operationId: string;
  readonly request: Matchable;
  /** The active scenarios and rules, highest precedence first. */
  readonly active: readonly ActiveItem[];
  /** The project's counters of uses. */
  readonly counts: { usesOf(item: ActiveItem): Uses; setUses(item: ActiveItem, uses: Uses): void };
  /** The project's random numbers: at least 0, below 1. */
  readonly random: () => number;
  /** Called with each decision. */
  readonly decide: (decision: RuleDecision) => void;
  /** Called when this request is the last one that a scenario or rule affects in the project. */
  readonly onUsedUp: (item: ActiveItem) => void;
}

/**
 * The choice of effects on one request, in two steps. The settings come first, as they decide whether the request is
 * authorized and valid. The other effects come second, so that a rejected request does not use them up.
 */
export type Choice = ReturnType<typeof createChoice>;

/** An active rule, and how it applies to this request. */
interface Candidate {
  readonly item: ActiveItem;
  readonly rule: CompiledRule;
  /** The rule's index in its scenario. */
  readonly index: number;
  /** The first difference between the request and the rule; undefined if the request matches. */
  readonly difference: Difference | undefined;
  /** The effects on this request, already counted; null if the rule is skipped; undefined before the evaluation. */
  verdict?: readonly StepEffect[] | null;
  /** Whether the rule is skipped only because its effect has been chosen from a rule with higher precedence. */
  isOutranked?: boolean;
}

type Wanted = (effect: StepEffect) => boolean;
const isSetting: Wanted = ({ row }) => row.settings !== undefined;
const isEnding: Wanted = ({ row }) => row.slot === "ending";

/** Compares the request with each active rule. */
export function createChoice(input: ChoiceInput) {
  const { operationId, counts, random, decide } = input;
  const candidates = candidatesFor(input);
  const chosen = new Map<string, ChosenEffect>();
  const used = new Set<ActiveItem>();
  const selected = new Map<ActiveItem, boolean>();
  let endedBy: Candidate | undefined;
  let listed = 0;
  let notListed = 0;

  /** Adds the decision about a rule without effect, up to `MAX_SKIPPED_RULES` of them. */
  function list(decision: RuleDecision): void {
    if (listed++ < MAX_SKIPPED_RULES) decide(decision);
    else notListed++;
  }

  function takeAll(rules: readonly Candidate[], isWanted: Wanted): void {
    notListed = 0;
    for (const candidate of rules) take(candidate, isWanted);
    if (notListed > 0) decide({ kind: "others", count: notListed });
  }

  function take(candidate: Candidate, isWanted: Wanted): void {
    if (candidate.verdict === undefined) candidate.verdict = evaluate(candidate, isWanted);
    for (const effect of candidate.verdict ?? []) {
      if (!isWanted(effect) || !isOpen(effect)) continue;
      if (isEnding(effect)) endedBy = candidate;
      const { name, row, value } = effect;
      const rule = ruleIn(candidate);
      const note = (facts: EffectFacts) => {
        const responds = isEnding(effect) && facts.unchanged === undefined ? { responds: true as const } : undefined;
        decide({ kind: "effect", ...rule, effect: name, ...responds, ...facts });
      };
      chosen.set(name, { ...effect, source: rule.source, label: labelOf(rule), note });
      if (!row.notesItself) note(row.notes?.(value) ?? {});
    }
  }

  /** Returns whether this effect can be combined with the effects chosen so far. */
  function isOpen({ name }: StepEffect): boolean {
    return chosen.keys().every((other) => canCombine(name, other));
  }

  /**
   * Returns the rule's effects on this request and counts the use. Returns null and adds a decision if the rule is
   * skipped. Returns undefined if only the second step can decide.
   */
  function evaluate(candidate: Candidate, isWanted: Wanted): readonly StepEffect[] | null | undefined {
    const { item, rule, index, difference } = candidate;
    const skip = (because: SkipReason, facts?: SkipFacts) => {
      list({ kind: "skipped", ...ruleIn(candidate), because, ...facts });
      return null;
    };
    if (!rule.operations.has(operationId)) {
      // If there are many rules, the list is kept for rules of this operation.
      if (candidates.length <= MAX_SKIPPED_RULES) return skip("operation");
      notListed++;
      return null;
    }
    if (difference) return skip("request", factsOf(difference));

    const uses = repeated(item, counts.usesOf(item));
    const ofRule = usesOfRule(uses, index);
    const { after = 0, probability = 1 } = rule.source;
    const step = rule.steps[ofRule.count % rule.steps.length];
    if (!step || ofRule.count >= limitOf(rule)) return skip("used-up");
    if (step.length > 0 && !step.some((effect) => isWanted(effect) && isOpen(effect))) {
      if (isWanted === isSetting) return undefined;
      candidate.isOutranked = true;
      return skip("precedence");
    }
    if (!used.has(item) && uses.count >= (item.times ?? Infinity)) return skip("scenario-used-up");
    if (!isSelected(item)) return skip("scenario-probability", { probability: item.probability });
    if (ofRule.passed < after) {
      const passed = ofRule.passed + 1;
      counts.setUses(item, withRuleUses(uses, index, { ...ofRule, passed }));
      return skip("after", { number: passed, after });
    }
    if (probability < 1 && random() >= probability) return skip("probability", { probability });
    if (item.claim?.() === false) return skip("claimed");

    const counted = withRuleUses(uses, index, { ...ofRule, count: ofRule.count + 1 });
    const count = used.has(item) ? uses.count : uses.count + 1;
    used.add(item);
    counts.setUses(item, { ...counted, count });
    if (isUsedUp(item, { ...counted, count }) && !isUsedUp(item, uses)) input.onUsedUp(item);
    if (step.length === 0) list({ kind: "let-through", ...ruleIn(candidate) });
    return step;
  }

  /** Returns whether the scenario's `probability` selects this request. Decides once for all rules of the scenario. */
  function isSelected(item: ActiveItem): boolean {
    const { probability = 1 } = item;
    const result = selected.get(item) ?? (probability === 1 || random() < probability);
    selected.set(item, result);
    return result;
  }

  return {
    /** Returns the settings that rules override for this request. */
    settings(): Partial<Settings> | undefined {
      const changing = candidates.filter(({ rule }) => rule.steps.some((step) => step.some(isSetting)));
      takeAll(changing, isSetting);
      return Array.from(chosen.values(), ({ row, value }) => row.settings?.(value)).at(-1);
    },
    /**
     * Returns all effects, in the order in which they take place. Without those that end the request if a source of higher
     * precedence has set its response.
     */
    effects(hasResponse: boolean): readonly ChosenEffect[] {
      takeAll(candidates, (effect) => !(isSetting(effect) || (hasResponse && isEnding(effect))));
      return effectNames.flatMap((name) => chosen.get(name) ?? []);
    },
    /**
     * Returns the effect that ends the request instead of the chosen one: the next by precedence. Called if the chosen one
     * is a function that passed the request on.
     */
    passOn(): ChosenEffect | undefined {
      const others = endedBy ? candidates.slice(candidates.indexOf(endedBy) + 1) : [];
      for (const candidate of others) {
        if (candidate.isOutranked) candidate.verdict = undefined;
        candidate.isOutranked = false;
      }
      for (const effect of chosen.values()) if (isEnding(effect)) chosen.delete(effect.name);
      endedBy = undefined;
      takeAll(others, isEnding);
      return chosen.values().find(isEnding);
    },
    /** Returns whether the scenario or rule has taken effect on this request. */
    hasTakenEffect: (item: ActiveItem) => used.has(item),
  };
}

function candidatesFor({ operationId, request, active }: ChoiceInput): Candidate[] {
  const candidates: Candidate[] = [];
  const view = new View(request);
  for (const item of active) {
    for (const [index, rule] of item.rules().entries()) {
      const isFor = rule.operations.has(operationId);
      const [difference] = isFor ? rule.matcher.differences(view, undefined, 1) : [];
      candidates.push({ item, rule, index, difference });
    }
  }
  return candidates;
}

/** Returns the most requests that a rule takes effect on. Without `times`, a sequence ends after its last step. */
function limitOf({ source }: CompiledRule): number {
  return source.times ?? source.sequence?.length ?? Infinity;
}

/** Returns whether the scenario or rule affects no further requests of the project. */
function isUsedUp({ times }: ActiveItem, uses: Uses): boolean {
  return times === undefined ? hasEnded(uses) : uses.count >= times;
}

function hasEnded(uses: Uses): boolean {
  return uses.rules.every((rule, index) => usesOfRule(uses, index).count >= limitOf(rule));
}

/** Starts the rules of a scenario again that has ended by itself, if the activation has `times`. */
function repeated({ times }: ActiveItem, uses: Uses): Uses {
  if (times === undefined || !hasEnded(uses)) return uses;
  return { ...uses, ofRules: uses.ofRules.map((ofRule) => ofRule && { ...ofRule, count: 0 }) };
}

function ruleIn({ item: { kind, name }, index }: Candidate): { readonly source: string; readonly rule?: number } {
  const source = `${kind}:${name}`;
  return kind === "scenario" ? { source, rule: index + 1 } : { source };
}
