import { readFileSync } from "node:fs";
import * as constants from "../src/contract/limits.ts";

/** A constant of src/contract/limits.ts with the parts of its comments, which the start of that file describes. */
export interface Limit {
  readonly name: string;
  readonly heading: string;
  readonly what: string;
  readonly unit: string;
  readonly beyond: string;
  readonly why: string;
}

const values: Readonly<Record<string, number>> = { ...constants };

const heading = /^\/\/ # (?<title>.+)/;
const row = /^\/\/ (?<what>[^|\n]+?)(?: \| (?<rest>.+))?\n(?<reason>(?:\/\/ .*\n)*)/;
const constant = /^export const (?<name>\w+) = [^;]+;(?: \/\/ (?<unit>[^|\n]+?)(?: \| (?<other>.+))?)?$/;
const statement = new RegExp([heading, row, constant].map(({ source }) => source).join("|"), "gm");

/** Returns the constants in their order. Parts that a comment lacks are empty. */
export function limitsIn(source: string): Limit[] {
  let current = { heading: "", what: "", beyond: "", why: "" };
  return [...source.matchAll(statement)].flatMap(({ groups: parts = {} }) => {
    const { title, what, rest = "", reason = "", name, unit = "", other } = parts;
    if (title !== undefined) current = { heading: title, what: "", beyond: "", why: "" };
    if (what !== undefined) current = { ...current, what, beyond: rest, why: reason.replaceAll(/^\/\/ |\n$/gm, "") };
    return name === undefined ? [] : [{ ...current, name, unit, beyond: other ?? current.beyond }];
  });
}

/** Returns the limits of src/contract/limits.ts. */
export function allLimits(): Limit[] {
  return limitsIn(readFileSync(new URL("../src/contract/limits.ts", import.meta.url), "utf8"));
}

/** The heading of the limits that are not in the document, because errors name them, or no user meets them. */
const UNLISTED = "Unlisted";

/** Returns the headings, each with its rows: limits on the same with the same consequence are one row. */
export function limitRows(limits = allLimits()): Map<string, string[][]> {
  const byHeading = Map.groupBy(limits, ({ heading }) => heading);
  byHeading.delete(UNLISTED);
  return new Map([...byHeading].map(([heading, each]) => [heading, rowsOf(each)]));
}

function rowsOf(limits: readonly Limit[]): string[][] {
  const byWhat = Map.groupBy(limits, ({ what }) => what);
  return [...byWhat].flatMap(([what, sameWhat]) => {
    const byBeyond = Map.groupBy(sameWhat, ({ beyond }) => beyond);
    return [...byBeyond].map(([beyond, each]) => [
      what,
      each.map(({ name, unit }) => quantity(values[name] ?? Number.NaN, unit)).join("<br>"),
      beyond,
    ]);
  });
}

const KIBI = 1024;
const times = { days: 86_400_000, hours: 3_600_000, minutes: 60_000, s: 1000, ms: 1 };

/** Returns a number with its unit: `4 MiB by default`, `30 s`, `1,000 rules`. */
function quantity(value: number, unit: string): string {
  const [first = "", ...rest] = unit.split(" ");
  const after = rest.map((word) => ` ${word}`).join("");
  if (first === "bytes") return `${binary(value)}B${after}`;
  if (first === "ms") return time(value) + after;
  if (first === "seconds") return time(value * 1000) + after;
  return `${value.toLocaleString("en")} ${unit}`;
}

function binary(value: number): string {
  const power = Math.floor(Math.log2(value) / 10);
  return `${value / KIBI ** power} ${["", "Ki", "Mi", "Gi"][power]}`;
}

function time(milliseconds: number): string {
  const [name, size] = Object.entries(times).find(([, each]) => milliseconds >= 2 * each) ?? ["ms", 1];
  return `${(milliseconds / size).toLocaleString("en")} ${name}`;
}
