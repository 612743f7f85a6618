/** A column of a table. */
export interface Column {
  readonly title: string;
  /** `left` by default. */
  readonly align?: "left" | "center" | "right";
}

/** The text of each column. A missing text is an empty cell. */
export type Row = readonly (string | undefined)[];

const GAP = "  ";

/** Returns the lines of a table for a terminal or a log: the titles, then the rows, with aligned columns. */
export function textTable(columns: readonly Column[], rows: readonly Row[]): string[] {
  const all = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_, column) => Math.max(...all.map((row) => widthOf(row[column] ?? ""))));
  return all.map((row) =>
    columns
      .map(({ align }, column) => aligned(row[column] ?? "", widths[column] ?? 0, align))
      .join(GAP)
      .trimEnd(),
  );
}

/** Returns a table of GitHub Flavored Markdown. Texts with special characters are escaped. */
export function markdownTable(columns: readonly Column[], rows: readonly Row[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const rule = columns.map(({ align }) => (align === "center" ? ":-:" : align === "right" ? "--:" : "---"));
  const texts = [columns.map(({ title }) => title), ...rows].map((row) =>
    line(columns.map((_, column) => markdownText(row[column] ?? ""))),
  );
  return `${[...texts.slice(0, 1), line(rule), ...texts.slice(1)].join("\n")}\n`;
}

/** Returns the text for Markdown. Characters with a meaning in Markdown or HTML are escaped; line breaks become spaces. */
export function markdownText(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>|~&#]/g, (character) => `\\${character}`).replaceAll(/\s*[\r\n]+\s*/g, " ");
}

/** In code points: terminals show most characters of our tables in one cell. */
function widthOf(text: string): number {
  return [...text].length;
}

function aligned(text: string, width: number, align: Column["align"]): string {
  const space = width - widthOf(text);
  const before = align === "right" ? space : align === "center" ? Math.floor(space / 2) : 0;
  return " ".repeat(before) + text + " ".repeat(space - before);
}
