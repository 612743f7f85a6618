/** A fenced block of code: ` ```ts cart.test.ts ` is of the language `ts`, and named. */
export interface Block {
  readonly language: string;
  readonly name: string;
  readonly code: string;
}

/** The blocks of code in a document, in order. */
export function blocksOf(markdown: string): Block[] {
  const blocks = markdown.matchAll(/^```(\S+)[ \t]*(\S*)\n(.*?)^```$/gms);
  return [...blocks].map(([, language = "", name = "", code = ""]) => ({ language, name, code }));
}

/** Every `sh` block, with the `text` block that follows it: the lines it prints, `…` for what varies. */
export function shellExamples(markdown: string): [first: string, script: string, expected: string][] {
  const blocks = markdown.matchAll(/^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?/gms);
  return [...blocks].map(([, script = "", expected = ""]) => [script.split("\n")[0] ?? "", script, expected]);
}

/** Matches an output that holds these lines in this order, `…` standing for anything. */
export function linesInOrder(expected: string): RegExp {
  const lines = expected.split("\n").filter((line) => line !== "");
  return new RegExp(lines.map((line) => line.split("…").map(RegExp.escape).join(".*")).join(".*"), "s");
}

/** The texts of a document's headings. */
export function headingsOf(markdown: string): string[] {
  return [...withoutBlocks(markdown).matchAll(/^#+ (.*)$/gm)].map(([, text = ""]) => text.replaceAll("`", ""));
}

/** The links of a document to files: their relative paths, empty for the document itself, and the headings there. */
export function linksOf(markdown: string): { path: string; heading: string }[] {
  const links = withoutBlocks(markdown).matchAll(/\]\((?!\w+:)([^)#\s]*)#?([^)\s]*)\)/g);
  return [...links].map(([, path = "", heading = ""]) => ({ path, heading }));
}

function withoutBlocks(markdown: string): string {
  return markdown.replace(/^```.*?^```$/gms, "");
}
