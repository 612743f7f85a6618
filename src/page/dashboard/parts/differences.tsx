import { JsonView } from "./text.tsx";

/** A line of one text or of both. */
interface Line {
  readonly kind: "same" | "removed" | "added" | "skipped";
  readonly text: string;
}

/** How each kind of line begins, and what assistive technology reads. */
const signs = { same: ["", " "], removed: ["Removed: ", "-"], added: ["Added: ", "+"], skipped: ["", "…"] } as const;

interface DifferencesProps {
  readonly before: unknown;
  readonly after: unknown;
  readonly label: string;
}

/** The lines in which two values differ, with the lines around them. Values that are no texts are shown as JSON. */
export function Differences({ before, after, label }: DifferencesProps) {
  return (
    <ol class="plain differences" aria-label={label}>
      {withContext(inSequence(linesOf(before), linesOf(after))).map(({ kind, text }, index) => (
        <li key={index} class={kind}>
          <span class="hidden">{signs[kind][0]}</span>
          <span aria-hidden="true">{signs[kind][1]} </span>
          {text}
        </li>
      ))}
    </ol>
  );
}

/** The longest line, in UTF-16 units. */
const MAX_LINE = 300;

function linesOf(value: unknown): string[] {
  const text = typeof value === "string" ? value : JSON.stringify(value, undefined, 2);
  const lines = text === undefined ? [] : text.split("\n");
  return lines.map((line) => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line));
}

/** The number of equal lines that are shown around a difference. */
const CONTEXT = 3;

function withContext(lines: readonly Line[]): Line[] {
  const isNear = lines.map((_, index) =>
    lines.slice(Math.max(0, index - CONTEXT), index + CONTEXT + 1).some(({ kind }) => kind !== "same"),
  );
  return lines.flatMap((line, index) => {
    if (isNear[index]) return [line];
    return index === 0 || isNear[index - 1] ? [{ kind: "skipped", text: "" }] : [];
  });
}

/** Texts with more differences are shown as removed and added. Memory grows with the square of this number. */
const MAX_DIFFERENCES = 1000;

/**
 * Returns the lines of both texts in one order, with as few differences as possible (Myers, "An O(ND) Difference Algorithm
 * and Its Variations", 1986). Diagonal k has the pairs of lines x and y with x - y = k.
 */
function inSequence(before: readonly string[], after: readonly string[]): Line[] {
  const from = MAX_DIFFERENCES + 1;
  /** The farthest x on each diagonal, after each number of differences. */
  const rounds: Int32Array[] = [];
  const reached = new Int32Array(2 * from + 1);
  const at = (round: Int32Array, k: number) => round[from + k] ?? 0;
  const isAdded = (round: Int32Array, k: number, count: number) =>
    k === -count || (k !== count && at(round, k - 1) < at(round, k + 1));
  for (let count = 0; count <= MAX_DIFFERENCES; count++) {
    rounds.push(reached.slice());
    for (let k = -count; k <= count; k += 2) {
      let x = isAdded(reached, k, count) ? at(reached, k + 1) : at(reached, k - 1) + 1;
      while (x < before.length && x - k < after.length && before[x] === after[x - k]) x++;
      reached[from + k] = x;
      if (x >= before.length && x - k >= after.length) return pathOf(count);
    }
  }
  const all = (kind: Line["kind"], lines: readonly string[]) => lines.map((text): Line => ({ kind, text }));
  return [...all("removed", before), ...all("added", after)];

  /** Returns the lines on the way to the ends of both texts, found from there. */
  function pathOf(count: number): Line[] {
    const lines: Line[] = [];
    let [x, k] = [before.length, before.length - after.length];
    for (let left = count; left > 0; left--) {
      const round = rounds[left] as Int32Array;
      const isAddition = isAdded(round, k, left);
      k += isAddition ? 1 : -1;
      const start = at(round, k) + (isAddition ? 0 : 1);
      while (x > start) lines.push({ kind: "same", text: before[--x] ?? "" });
      if (isAddition) lines.push({ kind: "added", text: after[x - k] ?? "" });
      else lines.push({ kind: "removed", text: before[--x] ?? "" });
    }
    while (x > 0) lines.push({ kind: "same", text: before[--x] ?? "" });
    return lines.reverse();
  }
}

interface ChangeProps {
  /** The values; null if there was none, undefined if the history does not keep it. A long value is cut. */
  readonly before?: unknown;
  readonly after?: unknown;
  readonly unit?: string;
}

/** What a change did to a value: the differences or, for a created or deleted value, the whole value. */
export function ChangeView({ before, after, unit = "characters" }: ChangeProps) {
  const cut = [before, after].find(isCut);
  if (cut) {
    const size = `${cut.cut.toLocaleString("en")} ${unit}`;
    return <p class="quiet">Not shown: the history keeps only the start of this value, which has {size}.</p>;
  }
  if (after === undefined) return <p class="quiet">The history no longer keeps the values.</p>;
  if (before !== null && before !== undefined && after !== null)
    return <Differences {...{ before, after }} label="Differences of the value" />;
  return (
    <>
      {before === undefined && <p class="quiet">The history has no earlier version.</p>}
      <JsonView value={after ?? before} label={after === null ? "Value before" : "Value after"} />
    </>
  );
}

/** Returns whether a value is only the start of a long one. */
function isCut(value: unknown): value is { readonly cut: number; readonly text: string } {
  if (typeof value !== "object" || value === null) return false;
  return "cut" in value && typeof value.cut === "number" && "text" in value && Object.keys(value).length === 2;
}
