/** A row of the table: a value and the bar that it must meet, if it has one. */
export interface Figure {
  what: string;
  value: number;
  /** The unit of the value. A ratio has none. */
  unit?: string;
  bar?: Bar;
  /** The measurements behind the value. */
  from: string;
}

/** A row of the table without a value. */
export interface Omission {
  what: string;
  /** The reason why the value is missing. */
  reason: string;
}

export type Row = Figure | Omission;

/** The limit that a value must meet. */
export type Bar = { atLeast: number } | { atMost: number };

/**
 * Returns the median ratio of two lists of values from the same rounds, and the median of each list. The quotient of
 * these medians may differ from the median ratio, because the speed of the machine changes between rounds.
 */
export function ratio(
  what: string,
  bar: Bar | undefined,
  [mock, against]: readonly [number[], number[]],
  show: (value: number) => string,
): Figure {
  const ratios = mock.map((value, round) => value / (against[round] ?? Number.NaN));
  return {
    what,
    value: median(ratios),
    ...(bar && { bar }),
    from: `${show(median(mock))} against ${show(median(against))}`,
  };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Returns the quantile of the values. `share` is from 0 to 1. */
export function quantile(values: readonly number[], share: number): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? Number.NaN;
}

/** Returns whether the row meets its bar. The result is true for a row without a value or bar. */
export function meetsBar(row: Row): boolean {
  if ("reason" in row || !row.bar) return true;
  const { bar, value } = row;
  return "atLeast" in bar ? value >= bar.atLeast : value <= bar.atMost;
}

export function lineOf(row: Row): string {
  if ("reason" in row) return `--    ${row.what.padEnd(42)} not measured: ${row.reason}`;
  const { what, value, unit = "", bar, from } = row;
  const limit = !bar ? "no bar" : "atLeast" in bar ? `at least ${bar.atLeast}` : `at most ${bar.atMost}`;
  const shown = `${round(value)} ${unit}`.trim();
  return `${meetsBar(row) ? "ok  " : "MISS"}  ${what.padEnd(42)} ${shown.padStart(9)}  (${limit}; ${from})`;
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

/** Returns the value with three significant digits, or with all digits before the decimal point if there are more. */
function round(value: number): string {
  return value.toFixed(Number.isInteger(value) || value >= 100 ? 0 : value >= 10 ? 1 : 2);
}
