/** A fenced code block. ` ```ts cart.test.ts ` has the language `ts` and the name `cart.test.ts`. */
export interface Block {
  readonly language: string;
  readonly name: string;
  readonly code: string;
}

/** Returns the code blocks of a document, in order. */
export function blocksOf(markdown: string): Block[] {
  const blocks = markdown.matchAll(/^```(\S+)[ \t]*(\S*)\n(.*?)^```$/gms);
  return [...blocks].map(([, language = "", name = "", code = ""]) => ({ language, name, code }));
}

/** Returns each `sh` block with the `text` block after it: the expected output, where `…` is any text. */
export function shellExamples(markdown: string): [first: string, script: string, expected: string][] {
  const blocks = markdown.matchAll(/^```sh\n(.*?)^```\n(?:\n```text\n(.*?)^```\n)?/gms);
  return [...blocks].map(([, script = "", expected = ""]) => [script.split("\n")[0] ?? "", script, expected]);
}

/** Returns the document of the first command that starts the mock with a contract, or undefined if there is no such command. */
export function contractOf(markdown: string): string | undefined {
  return /^(?:npm start --|(?:npx )?resource-mock) --contract (\S+)/m.exec(markdown)?.[1];
}

/** Returns a pattern for an output that contains these lines in this order, where `…` is any text. */
export function linesInOrder(expected: string): RegExp {
  const lines = expected.split("\n").filter((line) => line !== "");
  // Node 22 has no `RegExp.escape`.
  const escaped = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  return new RegExp(lines.map((line) => line.split("…").map(escaped).join(".*")).join(".*"), "s");
}

/** Returns the texts of the headings of a document. */
export function headingsOf(markdown: string): string[] {
  return [...withoutBlocks(markdown).matchAll(/^#+ (.*)$/gm)].map(([, text = ""]) => text.replaceAll("`", ""));
}

/** Returns the links of a document to files: the relative path, empty for the same document, and the heading. */
export function linksOf(markdown: string): { path: string; heading: string }[] {
  const links = withoutBlocks(markdown).matchAll(/\]\((?!\w+:)([^)#\s]*)#?([^)\s]*)\)/g);
  return [...links].map(([, path = "", heading = ""]) => ({ path, heading }));
}

function withoutBlocks(markdown: string): string {
  return markdown.replace(/^```.*?^```$/gms, "");
}
