import { cut, MAX_SKIPPED_RULES, MAX_TEXT, type OperationId } from "../contract/index.ts";
import { type ActiveItem, type Uses, usesOfRule, withRuleUses } from "./active-rules.ts";
import type { CompiledRule, Kind, Step } from "./compile.ts";
import { type Difference, reasonOf } from "./matching/difference.ts";
import { type Matchable, View } from "./matching/matchable.ts";
import type { RequestSettings } from "./scenario.ts";

/** An effect on a request, and its source. */
export interface ChosenEffect<Effect> {
  readonly effect: Effect;
  /** The value of `Mock-Source`: `rule:r-1`, `scenario:conflict`. */
  readonly source: string;
  /** The name in decisions: `rule r-1`, `scenario conflict rule 2`. */
  readonly label: string;
  /** The decision for the journal: `rule r-1 responded with 500`. */
  readonly decision: string;
}

/** The effects on a request: at most one of each kind, from the rule with the highest precedence. */
export type ChosenEffects = { [K in Kind]?: ChosenEffect<Exclude<Step[K], undefined>> };

export interface ChoiceInput {
  readonly operationId: OperationId;
  readonly request: Matchable;
  /** The active scenarios and rules, highest precedence first. */
  readonly active: readonly ActiveItem[];
  /** The project's counters of uses. */
  readonly counts: { usesOf(item: ActiveItem): Uses; setUses(item: ActiveItem, uses: Uses): void };
  /** The project's random numbers: at least 0, below 1. */
  readonly random: () => number;
  /** Called with the text of each decision. */
  readonly decide: (decision: string) => void;
  /** Called when this request is the last one that a scenario or rule affects in the project. */
  readonly onUsedUp: (item: ActiveItem) => void;
}

/**
 * The choice of effects on one request, in two steps. The settings come first, as they decide whether the request is
 * authorized and valid. The other effects come second, so that a rejected request does not use them up.
 */
export interface Choice {
  /** Returns the settings that rules override for this request. */
  settings(): RequestSettings | undefined;
  /** Returns all effects, without the kinds in `given`: a source with higher precedence has set these. */
  effects(given: readonly Kind[]): ChosenEffects;
  /**
   * Returns the effect that ends the request instead of the chosen one: the next by precedence. Called if the chosen one
   * is a function that passed the request on.
   */
  passOn(): ChosenEffects["ending"];
  /** Returns whether the scenario or rule has taken effect on this request. */
  hasTakenEffect(item: ActiveItem): boolean;
  /** The effects so far. Each step adds its effects. */
  readonly chosen: ChosenEffects;
}

/** An active rule, and how it applies to this request. */
interface Candidate {
  readonly item: ActiveItem;
  readonly rule: CompiledRule;
  /** The rule's index in its scenario. */
  readonly index: number;
  /** The first difference between the request and the rule; undefined if the request matches. */
  readonly difference: Difference | undefined;
  /** The effects on this request, already counted; null if the rule is skipped; undefined before the evaluation. */
  verdict?: Step | null;
  /** Whether the rule is skipped only because its effect has been chosen from a rule with higher precedence. */
  isOutranked?: boolean;
}

const afterSettings: readonly Kind[] = ["latency", "conflict", "ending", "evolve", "dribble"];

/** Compares the request with each active rule. */
export function createChoice(input: ChoiceInput): Choice {
  const { operationId, counts, random } = input;
  const candidates = candidatesFor(input);
  const chosen: ChosenEffects = {};
  const used = new Set<ActiveItem>();
  const selected = new Map<ActiveItem, boolean>();
  let endedBy: Candidate | undefined;
  let listed = 0;
  let notListed = 0;

  function decide(decision: string): void {
    input.decide(cut(decision, MAX_TEXT));
  }

  /** Adds the decision about a rule without effect, up to `MAX_SKIPPED_RULES` of them. */
  function list(decision: string): void {
    if (listed === MAX_SKIPPED_RULES) {
      notListed++;
    } else {
      listed++;
      decide(decision);
    }
  }

  /** Chooses effects of the wanted kinds from these rules. */
  function takeAll(rules: readonly Candidate[], wanted: readonly Kind[]): void {
    notListed = 0;
    for (const candidate of rules) take(candidate, wanted);
    if (notListed > 0) decide(`and ${notListed} more rules had no effect`);
  }

  function take(candidate: Candidate, wanted: readonly Kind[]): void {
    if (candidate.verdict === undefined) candidate.verdict = evaluate(candidate, wanted);
    const { verdict, item } = candidate;
    if (!verdict) return;
    const label = labelOf(candidate);
    const source = `${item.kind}:${item.name}`;
    for (const kind of wanted) {
      if (!isOpen(kind) || verdict[kind] === undefined) continue;
      if (kind === "ending") endedBy = candidate;
      const decision = `${label} ${effectText(kind, verdict)}`;
      // `Object.assign`, as the compiler cannot see that `kind` and `effect` belong together.
      Object.assign(chosen, { [kind]: { effect: verdict[kind], source, label, decision } });
      if (!isDecidedLater(kind, verdict)) decide(decision);
    }
  }

  /** Returns whether no effect of this kind is chosen yet. A broken connection excludes dribbling. */
  function isOpen(kind: Kind): boolean {
    return !chosen[kind] && !(kind === "dribble" && chosen.ending?.effect.fault);
  }

  /**
   * Returns the rule's effects on this request and counts the use. Returns null and adds a decision if the rule is
   * skipped. Returns undefined if only the second step can decide.
   */
  function evaluate(candidate: Candidate, wanted: readonly Kind[]): Step | null | undefined {
    const { item, rule, index, difference } = candidate;
    const skip = (why: string, isListed = true) => {
      if (isListed) list(`${labelOf(candidate)} skipped: ${why}`);
      else notListed++;
      return null;
    };
    if (!rule.operations.has(operationId)) {
      // If there are many rules, the list is kept for rules of this operation.
      return skip("it applies to other operations", candidates.length <= MAX_SKIPPED_RULES);
    }
    if (difference) return skip(reasonOf(difference));

    const uses = repeated(item, counts.usesOf(item));
    const ofRule = usesOfRule(uses, index);
    const { after = 0, probability = 1 } = rule.source;
    const step = rule.steps[ofRule.count % rule.steps.length];
    if (!step || ofRule.count >= limitOf(rule)) return skip("used up");
    const kinds = Object.keys(step) as Kind[];
    if (kinds.length > 0 && !kinds.some((kind) => wanted.includes(kind) && isOpen(kind))) {
      if (wanted.includes("settings")) return undefined;
      candidate.isOutranked = true;
      return skip("another effect has higher precedence");
    }
    if (!used.has(item) && uses.count >= (item.times ?? Infinity)) return skip("the scenario is used up");
    if (!isSelected(item)) return skip(`the scenario was not selected, with probability ${item.probability}`);
    if (ofRule.passed < after) {
      const passed = ofRule.passed + 1;
      counts.setUses(item, withRuleUses(uses, index, { ...ofRule, passed }));
      return skip(`request ${passed} of the first ${after} that it lets through`);
    }
    if (probability < 1 && random() >= probability) return skip(`not selected, with probability ${probability}`);
    if (item.claim?.() === false) return skip("another request got the failure");

    const counted = withRuleUses(uses, index, { ...ofRule, count: ofRule.count + 1 });
    const count = used.has(item) ? uses.count : uses.count + 1;
    used.add(item);
    const isLast = isUsedUp(item, { ...counted, count });
    counts.setUses(item, { ...counted, count, isUsedUp: isLast });
    if (isLast && !uses.isUsedUp) input.onUsedUp(item);
    if (kinds.length === 0) list(`${labelOf(candidate)} let this request through`);
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
    settings() {
      takeAll(
        candidates.filter(({ rule }) => rule.changesSettings),
        ["settings"],
      );
      return chosen.settings?.effect;
    },
    effects(given) {
      takeAll(
        candidates,
        afterSettings.filter((kind) => !given.includes(kind)),
      );
      return chosen;
    },
    passOn() {
      const others = endedBy ? candidates.slice(candidates.indexOf(endedBy) + 1) : [];
      for (const candidate of others) {
        if (candidate.isOutranked) candidate.verdict = undefined;
        candidate.isOutranked = false;
      }
      chosen.ending = undefined;
      endedBy = undefined;
      takeAll(others, ["ending"]);
      return chosen.ending;
    },
    hasTakenEffect: (item) => used.has(item),
    chosen,
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

/** Returns whether each rule has reached its own limit. */
function hasEnded(uses: Uses): boolean {
  return uses.rules.every((rule, index) => usesOfRule(uses, index).count >= limitOf(rule));
}

/** Starts the rules of a scenario again that has ended by itself, if the activation has `times`. */
function repeated({ times }: ActiveItem, uses: Uses): Uses {
  if (times === undefined || !hasEnded(uses)) return uses;
  return { ...uses, ofRules: uses.ofRules.map((ofRule) => ofRule && { ...ofRule, count: 0 }) };
}

function labelOf({ item: { kind, name }, index }: Candidate): string {
  return kind === "scenario" ? `scenario ${name} rule ${index + 1}` : `${kind} ${name}`;
}

/** Returns whether a later step adds the decision: a function can pass the request on, and a response can stay as it is. */
function isDecidedLater(kind: Kind, { ending }: Step): boolean {
  return kind === "evolve" || (kind === "ending" && ending?.run !== undefined);
}

function effectText(kind: Kind, { settings, ending, dribble }: Step): string {
  switch (kind) {
    case "settings":
      return `changed settings for this request: ${JSON.stringify(settings)}`;
    case "latency":
      return "sets the latency";
    case "conflict":
      return "makes another client write first";
    case "ending":
      if (ending?.run) return "responded";
      if (ending?.raw) return `responded off-contract with ${ending.raw.status}`;
      return ending?.respond ? `responded with ${ending.respond.status}` : `broke the connection: ${ending?.fault}`;
    case "evolve":
      return "changes the response";
    case "dribble":
      return `sends the body in ${dribble?.numberOfChunks} chunks`;
  }
}
