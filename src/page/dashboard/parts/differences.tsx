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
      {withContext(merged(linesOf(before), linesOf(after))).map(({ kind, text }, index) => (
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

/** Longer texts are shown as removed and added: the time grows with the product of their lengths. */
const MAX_LINES = 3000;

/** Returns the lines of both texts in one order, with as many of the same as possible (longest common subsequence). */
function merged(was: readonly string[], is: readonly string[]): Line[] {
  /** The number of common lines from these indices on. */
  const common = Array.from({ length: was.length + 1 }, () => new Uint16Array(is.length + 1));
  const at = (i: number, j: number) => common[i]?.[j] ?? 0;
  const isLong = Math.max(was.length, is.length) > MAX_LINES;
  for (let i = was.length - 1; i >= 0 && !isLong; i--) {
    for (let j = is.length - 1; j >= 0; j--) {
      const row = common[i] as Uint16Array;
      row[j] = was[i] === is[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < was.length || j < is.length) {
    if (i < was.length && j < is.length && was[i] === is[j]) {
      lines.push({ kind: "same", text: was[i++] ?? "" });
      j++;
    } else if (i < was.length && (j >= is.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push({ kind: "removed", text: was[i++] ?? "" });
    } else lines.push({ kind: "added", text: is[j++] ?? "" });
  }
  return lines;
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
