import { numberRule, problemWith, type Rule } from "../options.ts";
import { Milliseconds, type Settings } from "../settings/settings.ts";
import { isObject } from "../text/json.ts";
import { didYouMean } from "../text/nearest.ts";
import { shown } from "../text/shown.ts";

/** A command line that cannot be understood; the message says what is wrong and what would do. */
export class Misuse extends Error {
  override readonly name = "Misuse";
}

/** Of a flag that stands for one value, that; the reader of each flag is given all its texts. */
function last(texts: readonly string[]): string {
  return texts.at(-1) ?? "";
}

/** Reads a text that fits the rule. */
export function text(rule: Rule) {
  return (texts: readonly string[]): string => {
    const found = last(texts);
    const problem = problemWith(rule, found);
    if (problem) throw new Misuse(problem);
    return found;
  };
}

/** Reads a number in decimal digits that fits the rule. */
export function number(rule: Rule) {
  return (texts: readonly string[]): number => {
    const found = last(texts);
    const value = /^\d+(\.\d+)?$/.test(found) ? Number(found) : Number.NaN;
    if (!rule.fits(value)) throw new Misuse(`expected ${rule.expected}, found ${shown(found)}`);
    return value;
  };
}

/** What the flag of a setting that is a number has from the setting's schema. */
export function numberOf(schema: Parameters<typeof numberRule>[0] & { default: number }) {
  return { default: String(schema.default), read: number(numberRule(schema)) };
}

/** Reads one of these words. */
export function oneOf<const Choice extends string>(options: readonly Choice[]) {
  return (texts: readonly string[]): Choice => {
    const text = last(texts);
    const choice = options.find((option) => option === text);
    if (choice === undefined) {
      throw new Misuse(`expected ${options.join(", ")}, found ${shown(text)}.${didYouMean(text, options)}`);
    }
    return choice;
  };
}

/** The words as `--help` lists them. */
export function choices(options: readonly string[]): string {
  return options.join("|");
}

/** Reads a switch. */
export function yesOrNo(texts: readonly string[]): boolean {
  const text = last(texts);
  if (["true", "1", "yes"].includes(text)) return true;
  if (["false", "0", "no"].includes(text)) return false;
  throw new Misuse(`expected true or false, found ${shown(text)}`);
}

/** Reads a latency, as it is written: `200` is short for `{"fixed":200}`. */
export function latencySetting(texts: readonly string[]): Settings["latency"] {
  const found = last(texts);
  const value = jsonIn(found);
  if (numberRule(Milliseconds).fits(value)) return { fixed: value as number };
  if (value === null || isObject(value)) return value as Settings["latency"];
  const forms = '{"fixed":200}, {"uniform":[50,200]} or {"lognormal":{"median":100,"sigma":0.5}}';
  throw new Misuse(`expected milliseconds from 0 to ${Milliseconds.maximum}, or ${forms}, found ${shown(found)}`);
}

function jsonIn(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}

/** Reads `ID:SECRET`, as often as it is given. */
export function clientSecrets(texts: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    texts.map((text) => {
      const colon = text.indexOf(":");
      if (colon < 1) throw new Misuse(`expected ID:SECRET, found ${shown(text)}`);
      return [text.slice(0, colon), text.slice(colon + 1)];
    }),
  );
}
