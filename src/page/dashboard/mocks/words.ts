import { counted, cut } from "../../../contract/index.ts";
import type { Effects, Rule } from "../../../control/client/index.ts";
import { effectWords } from "../../../rules/index.ts";
import { conditionsOf, isAbsent, labelOf } from "./conditions.ts";

const MAX_VALUE = 60;
const MAX_SENTENCE = 400;

/** Returns what a rule does: "Every operation returns 503". */
export function ruleInWords(rule: Rule): string {
  const { operation = "*", sequence = [rule] } = rule;
  const subject = operation === "*" ? "Every operation" : short(operation);
  return cut(`${subject} ${sequence.map(effectsInWords).join(", then ")}`, MAX_SENTENCE);
}

/** Returns what the effects of a rule do: "returns 503 after 200 ms". */
function effectsInWords(effects: Effects): string {
  const parts = Object.entries(effectWords).flatMap(([name, words]) => {
    const value = effects[name as keyof Effects];
    return value === undefined ? [] : words(value as never, short);
  });
  if (parts.length === 0) return "responds normally";
  return parts.length === 1 ? String(parts[0]) : `${parts.slice(0, -1).join(", ")} and ${parts.at(-1)}`;
}

/** Returns the conditions and limits of a rule: "if path parameter id is 42, after 2 requests, once"; empty without any. */
export function conditionsInWords(rule: Rule): string {
  const conditions = conditionsOf(rule).map(({ at, isPattern, value }) => {
    const comparison = isAbsent(value) ? "is absent" : `${isPattern ? "matches" : "is"} ${short(value)}`;
    return `${short(labelOf(at))} ${comparison}`;
  });
  const { after, probability, times } = rule;
  const limits = [
    conditions.length > 0 && `if ${cut(conditions.join(" and "), MAX_SENTENCE)}`,
    after !== undefined && after > 0 && `after ${counted(after, "request")}`,
    probability !== undefined && `for ${percent(probability)} of requests`,
    times !== undefined && (times === 1 ? "once" : `${times} times`),
  ];
  return limits.filter(Boolean).join(", ");
}

/** Returns how often a rule or scenario was used, and of how many times. */
export function usesInWords(used: number, limit: number | undefined): string {
  if (limit === undefined) return used === 0 ? "not used yet" : `used ${counted(used, "time")}`;
  return used >= limit ? `used up, ${used} of ${limit}` : `${used} of ${limit} used`;
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
  const limits = [uses, probability !== undefined && percent(probability)];
  return limits.filter(Boolean).join(", ") || "active";
}
