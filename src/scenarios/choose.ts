import type { OperationId } from "../contract/contract.ts";
import { type Difference, reasonOf } from "../matching/difference.ts";
import { Effort } from "../matching/effort.ts";
import { type Matchable, View } from "../matching/matchable.ts";
import { cut } from "../text/shown.ts";
import type { CompiledRule, Kind, Step } from "./compile.ts";
import type { RequestSettings } from "./scenario.ts";
import type { Switch, Switches } from "./switches.ts";

/** An effect on a request, and where it comes from. */
export interface Given<Effect> {
  readonly effect: Effect;
  /** As `Mock-Source` says it: `rule:r-1`, `scenario:conflict`. */
  readonly source: string;
  /** As decisions say it: `rule r-1`, `scenario conflict rule 2`. */
  readonly label: string;
  /** What the effect does, in words: `rule r-1 answered 500`. */
  readonly decision: string;
}

/** What happens to a request: each kind from the first in the order of precedence that has it. */
export type Chosen = { [K in Kind]?: Given<Exclude<Step[K], undefined>> };

export interface ChoiceContext {
  readonly operationId: OperationId;
  readonly request: Matchable;
  /** What is on, in the order of precedence. */
  readonly active: readonly Switch[];
  /** Where the project counts how often each has taken effect. */
  readonly counts: Pick<Switches, "usesOf">;
  /** The project's chance. */
  readonly random: () => number;
  /** Takes each decision, in words. */
  readonly decide: (decision: string) => void;
}

/**
 * Chooses what happens to one request, in two steps: settings decide whether it is let in at all, and only a request
 * that is may use up the other effects.
 */
export interface Choice {
  /** The settings that are changed for the request. */
  settings(): RequestSettings | undefined;
  /** All else, but for the kinds that something of higher precedence has given. */
  effects(given: readonly Kind[]): Chosen;
  /** Whether this has had any effect on the request so far. */
  hasUsed(one: Switch): boolean;
}

/** One rule that is on, and what has been found out about it for this request. */
interface Candidate {
  readonly one: Switch;
  readonly rule: CompiledRule;
  /** The rule's place in its scenario. */
  readonly index: number;
  /** Where the request is not as the rule says, if anywhere. */
  readonly difference: Difference | undefined;
  /** Its effects on this request, which have been counted; null when something speaks against it. */
  verdict?: Step | null;
}

/** How many rules without effect the decisions on one request list; the others are counted. */
const MAX_LISTED = 100;

/** A decision may quote what a client has sent: longer ones are cut. In UTF-16 units. */
export const MAX_DECISION = 500;

const afterSettings: readonly Kind[] = ["latency", "conflict", "ending", "dribble"];

/**
 * Compares the request with each rule that is on; other requests are answered while this takes long. From then on
 * nothing interrupts the choice.
 */
export async function createChoice(context: ChoiceContext): Promise<Choice> {
  const { operationId, counts, random } = context;
  const candidates = await candidatesFor(context);
  const chosen: Chosen = {};
  const used = new Set<Switch>();
  const luck = new Map<Switch, boolean>();
  let listed = 0;
  let notListed = 0;

  function decide(decision: string): void {
    context.decide(cut(decision, MAX_DECISION));
  }

  /** Lists a rule without effect, as long as there are few. */
  function list(decision: string): void {
    if (listed === MAX_LISTED) {
      notListed++;
    } else {
      listed++;
      decide(decision);
    }
  }

  /** Takes the wanted effects of these rules. */
  function takeAll(rules: readonly Candidate[], wanted: readonly Kind[]): void {
    notListed = 0;
    for (const look of rules) take(look, wanted);
    if (notListed > 0) decide(`and ${notListed} more rules had no effect`);
  }

  function take(look: Candidate, wanted: readonly Kind[]): void {
    if (look.verdict === undefined) look.verdict = evaluate(look, wanted);
    const { verdict, one } = look;
    if (!verdict) return;
    const label = labelOf(look);
    const source = `${one.kind}:${one.name}`;
    for (const kind of wanted) {
      if (!isOpen(kind) || verdict[kind] === undefined) continue;
      const decision = `${label} ${effectText(kind, verdict)}`;
      // Assigned so, as the compiler does not see that the two belong to one kind.
      Object.assign(chosen, { [kind]: { effect: verdict[kind], source, label, decision } });
      decide(decision);
    }
  }

  /** Whether nothing has given this kind of effect yet. A connection that breaks leaves nothing to dribble. */
  function isOpen(kind: Kind): boolean {
    return !chosen[kind] && !(kind === "dribble" && chosen.ending?.effect.fault);
  }

  /** The rule's effects on this request, now counted; null with the reason told, or undefined when it is too early. */
  function evaluate(look: Candidate, wanted: readonly Kind[]): Step | null | undefined {
    const { one, rule, difference } = look;
    const skip = (why: string, isOfInterest = true) => {
      if (isOfInterest) list(`${labelOf(look)} skipped: ${why}`);
      else notListed++;
      return null;
    };
    if (!rule.operations.has(operationId)) {
      // Of many rules, those that could have had an effect are of more interest.
      return skip("it is for other operations", candidates.length <= MAX_LISTED);
    }
    if (difference) return skip(reasonOf(difference));

    const uses = counts.usesOf(one);
    const ofRule = uses.rules.get(rule) ?? { passed: 0, count: 0 };
    uses.rules.set(rule, ofRule);
    const { after = 0, probability = 1 } = rule.source;
    const step = rule.steps[ofRule.count % rule.steps.length];
    if (!step || ofRule.count >= limitOf(rule)) return skip("used up");
    const kinds = Object.keys(step) as Kind[];
    if (kinds.length > 0 && !kinds.some((kind) => wanted.includes(kind) && isOpen(kind))) {
      return wanted.includes("settings") ? undefined : skip("another came first");
    }
    if (!used.has(one) && uses.count >= (one.times ?? Infinity)) return skip("the scenario is used up");
    if (!isLucky(one)) return skip(`by chance, the scenario being on with a probability of ${one.probability}`);
    if (ofRule.passed < after) return skip(`request ${++ofRule.passed} of ${after} that it lets through first`);
    if (probability < 1 && random() >= probability) return skip(`by chance, with a probability of ${probability}`);

    ofRule.count++;
    if (!used.has(one)) uses.count++;
    used.add(one);
    if (kinds.length === 0) list(`${labelOf(look)} let this request through`);
    return step;
  }

  /** A scenario's own chance is asked once for all of its rules. */
  function isLucky(one: Switch): boolean {
    const { probability = 1 } = one;
    const lucky = luck.get(one) ?? (probability === 1 || random() < probability);
    luck.set(one, lucky);
    return lucky;
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
    hasUsed: (one) => used.has(one),
  };
}

async function candidatesFor({ operationId, request, active }: ChoiceContext): Promise<Candidate[]> {
  const looks: Candidate[] = [];
  const view = new View(request);
  const effort = new Effort();
  for (const one of active) {
    for (const [index, rule] of one.rules().entries()) {
      if (effort.isDue) await effort.pause();
      const isFor = rule.operations.has(operationId);
      const [difference] = isFor ? await rule.matcher.differences(view, effort, 1) : [];
      looks.push({ one, rule, index, difference });
    }
  }
  return looks;
}

/** How many requests a rule takes effect on: without `times`, a sequence is over after its last step. */
function limitOf({ source }: CompiledRule): number {
  return source.times ?? source.sequence?.length ?? Infinity;
}

function labelOf({ one: { kind, name }, index }: Candidate): string {
  return kind === "rule" ? `rule ${name}` : `scenario ${name} rule ${index + 1}`;
}

function effectText(kind: Kind, { settings, ending, dribble }: Step): string {
  switch (kind) {
    case "settings":
      return `changed settings for this request: ${JSON.stringify(settings)}`;
    case "latency":
      return "says how long the answer is held back";
    case "conflict":
      return "has another client write first";
    case "ending":
      return ending?.respond ? `answered ${ending.respond.status}` : `broke the connection: ${ending?.fault}`;
    case "dribble":
      return `sends the body in ${dribble?.numberOfChunks} chunks`;
  }
}
