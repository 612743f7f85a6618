/** One line of the table: a value, and the bar that it is held against. */
export interface Figure {
  what: string;
  value: number;
  /** What the value counts; a ratio has none. */
  unit?: string;
  bar: Bar;
  /** What the value was made from. */
  from: string;
}

/** A line of the table without a value. */
export interface Omission {
  what: string;
  /** Why it was not measured. */
  reason: string;
}

export type Row = Figure | Omission;

export type Bar = { atLeast: number } | { atMost: number };

/**
 * What the mock's values are to those that were taken in turn with them: the median of the rounds' ratios. Beside it
 * stand the medians of the values, whose own ratio is another where the machine changed its speed between the rounds.
 */
export function ratio(
  what: string,
  bar: Bar,
  [mock, against]: readonly [number[], number[]],
  show: (value: number) => string,
): Figure {
  const ratios = mock.map((value, round) => value / (against[round] ?? Number.NaN));
  return { what, value: median(ratios), bar, from: `${show(median(mock))} against ${show(median(against))}` };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which this share of the values lies, from 0 to 1. */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

/** Returns false for a missed bar. A row without a value misses none. */
export function isHeld(row: Row): boolean {
  if ("reason" in row) return true;
  const { bar, value } = row;
  return "atLeast" in bar ? value >= bar.atLeast : value <= bar.atMost;
}

export function lineOf(row: Row): string {
  if ("reason" in row) return `--    ${row.what.padEnd(42)} not measured: ${row.reason}`;
  const { what, value, unit = "", bar, from } = row;
  const limit = "atLeast" in bar ? `at least ${bar.atLeast}` : `at most ${bar.atMost}`;
  const shown = `${round(value)} ${unit}`.trim();
  return `${isHeld(row) ? "ok  " : "MISS"}  ${what.padEnd(42)} ${shown.padStart(9)}  (${limit}; ${from})`;
}

export function perSecond(rate: number): string {
  return `${Math.round(rate)}/s`;
}

export function milliseconds(time: number): string {
  return `${round(time)} ms`;
}

export function mebibytes(bytes: number): string {
  return `${Math.round(bytes / 2 ** 20)} MiB`;
}

/** Three digits, or as many as stand before the point. */
function round(value: number): string {
  return value.toFixed(Number.isInteger(value) || value >= 100 ? 0 : value >= 10 ? 1 : 2);
}
