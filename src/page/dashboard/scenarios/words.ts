import { counted, cut } from "../../../contract/index.ts";
import type { Effects, Rule } from "../../../control/client/index.ts";
import { effectWords } from "../../../rules/index.ts";
import { type Condition, conditionsOf, isAbsent, kinds } from "./conditions.ts";

const MAX_VALUE = 60;
/** The most steps of a sequence, and the most conditions, in a sentence. */
const MAX_LISTED = 4;

/** Returns the words for a part of a rule that the user may have typed, also while the part is not as the schema says. */
export function safely(words: () => string): string {
  try {
    return words();
  } catch {
    return "has members that no rule has";
  }
}

/** Returns what a rule does: "Every operation returns 503". */
export function ruleInWords(rule: Rule): string {
  const { operation = "*", sequence } = rule;
  const subject = operation === "*" ? "Every operation" : short(operation);
  if (!sequence) return `${subject} ${effectsInWords(rule)}`;
  const steps = sequence.slice(0, MAX_LISTED).map(effectsInWords);
  const more = sequence.length - steps.length;
  return `${subject} ${steps.join(", then ")}${more > 0 ? `, then ${more} more steps` : ""}`;
}

/** Returns what the effects of a rule do: "returns 503 after 200 ms". */
export function effectsInWords(effects: Effects): string {
  const parts = Object.entries(effectWords).flatMap(([name, words]) => {
    const value = effects[name as keyof Effects];
    return value === undefined ? [] : words(value as never, short);
  });
  if (parts.length === 0) return "responds normally";
  return parts.length === 1 ? String(parts[0]) : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

/** Returns the conditions and limits of a rule: "if id is 42, after 2 requests, once"; empty without any. */
export function conditionsInWords(rule: Rule): string {
  const conditions = conditionsOf(rule);
  const listed = conditions.slice(0, MAX_LISTED).map(conditionInWords);
  const more = conditions.length - listed.length;
  const { after, probability, times } = rule;
  return [
    listed.length > 0 && `if ${listed.join(" and ")}${more > 0 ? ` and ${more} more` : ""}`,
    after !== undefined && after > 0 && `after ${counted(after, "request")}`,
    probability !== undefined && `for ${percent(probability)} of requests`,
    times !== undefined && (times === 1 ? "once" : `${times} times`),
  ]
    .filter(Boolean)
    .join(", ");
}

function conditionInWords({ kind, name, isPattern, value }: Condition): string {
  const comparison = isAbsent(value) ? "is absent" : `${isPattern ? "matches" : "is"} ${short(value)}`;
  return `${kinds[kind].words}${short(name)} ${comparison}`.replace("  ", " ").trim();
}

/** Returns how often a rule or scenario was used, and of how many times. */
export function usesInWords(used: number, limit: number | undefined): string {
  if (limit === undefined) return used === 0 ? "not used yet" : `used ${counted(used, "time")}`;
  if (used >= limit) return `used up, ${used} of ${limit}`;
  return `${used} of ${limit} ${limit === 1 ? "time" : "times"} used`;
}

/** Returns the number of requests that the rule takes effect on; undefined without a limit. */
export function limitOf({ times, sequence }: Rule): number | undefined {
  return times ?? sequence?.length;
}

function percent(probability: number): string {
  return `${Number((probability * 100).toFixed(4))} %`;
}

/** Returns a value in one line, without control characters and marks that change the direction of text. */
function short(value: unknown): string {
  const text = typeof value === "object" ? JSON.stringify(value) : `${value}`;
  return cut(text, MAX_VALUE).replaceAll(
    /[\p{Cc}\p{Cf}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

export interface Activity {
  readonly used?: number;
  readonly times?: number;
  readonly probability?: number;
}

/** Returns how often an active scenario was used, and its limits. */
export function stateOf({ used, times, probability }: Activity): string {
  const uses =
    used === undefined ? times !== undefined && `${times} requests of each project` : usesInWords(used, times);
  const parts = [uses, probability !== undefined && percent(probability)];
  return parts.filter(Boolean).join(", ") || "active";
}
