/** An error in a JSON text, with its location. The message names the line and the column. */
export class JsonError extends Error {
  override readonly name = "JsonError";
  /** The location, in UTF-16 units from the start of the text. */
  readonly index: number;

  constructor(problem: string, index: number) {
    super(problem);
    this.index = index;
  }
}

/** Returns the parsed JSON value. Throws JsonError with the location of the first error. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    // The messages of browsers differ, and some name no location.
    new Scanner(text).scan();
    throw error;
  }
}

/**
 * Returns the values of a JSON text, or of NDJSON: one JSON value in each line. Throws JsonError with the location of the
 * first error.
 */
export function parsedLines(text: string): unknown[] {
  const lines = text.split("\n");
  // The first line of NDJSON is a value. JSON over several lines almost always starts with an incomplete line.
  if (lines.filter((line) => line.trim() !== "").length < 2 || !isJson(lines.find((line) => line.trim() !== ""))) {
    return [parsedJson(text)];
  }
  const values: unknown[] = [];
  let start = 0;
  for (const line of lines) {
    if (line.trim() !== "") {
      try {
        values.push(JSON.parse(line));
      } catch (error) {
        new Scanner(text, start, start + line.length).scan();
        throw error;
      }
    }
    start += line.length + 1;
  }
  return values;
}

/** Returns the location of the value at a JSON pointer (RFC 6901), or undefined if the text has no such value. */
export function locationOf(
  text: string,
  pointer: string,
): { readonly start: number; readonly end: number } | undefined {
  let found: { start: number; end: number } | undefined;
  try {
    new Scanner(text, 0, text.length, (at, start, end) => {
      if (at === pointer) found = { start, end };
    }).scan();
  } catch {
    // Invalid JSON: the value may stand before the error.
  }
  return found;
}

function isJson(text = ""): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Deeper texts are rejected by the mock. */
const MAX_DEPTH = 200;

const literal = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** Reads a JSON text (RFC 8259) up to its first error. */
class Scanner {
  readonly #text: string;
  readonly #end: number;
  readonly #visit: (pointer: string, start: number, end: number) => void;
  #at: number;

  constructor(
    text: string,
    start = 0,
    end = text.length,
    visit: (pointer: string, start: number, end: number) => void = () => {},
  ) {
    this.#text = text;
    this.#at = start;
    this.#end = end;
    this.#visit = visit;
  }

  /** Throws JsonError for the first error. */
  scan(): void {
    this.#value("", 0);
    if (this.#next() !== "") throw this.#error("expected the end of the text");
  }

  /** Returns the next character that is no white space; an empty text at the end. */
  #next(): string {
    while (this.#at < this.#end && " \t\r\n".includes(this.#text[this.#at] ?? "")) this.#at++;
    return this.#at < this.#end ? (this.#text[this.#at] ?? "") : "";
  }

  #value(pointer: string, depth: number): void {
    const first = this.#next();
    const start = this.#at;
    if (depth > MAX_DEPTH) throw this.#error(`expected at most ${MAX_DEPTH} levels`);
    if (first === "{") this.#members(pointer, depth);
    else if (first === "[") this.#items(pointer, depth);
    else if (first === '"') this.#string();
    else this.#literal();
    this.#visit(pointer, start, this.#at);
  }

  #members(pointer: string, depth: number): void {
    this.#at++;
    if (this.#takes("}")) return;
    do {
      if (this.#next() !== '"') throw this.#error("expected a member name in double quotes");
      const name = this.#string();
      if (!this.#takes(":")) throw this.#error('expected ":"');
      this.#value(`${pointer}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`, depth + 1);
    } while (this.#takes(","));
    if (!this.#takes("}")) throw this.#error('expected "," or "}"');
  }

  #items(pointer: string, depth: number): void {
    this.#at++;
    if (this.#takes("]")) return;
    let index = 0;
    do this.#value(`${pointer}/${index++}`, depth + 1);
    while (this.#takes(","));
    if (!this.#takes("]")) throw this.#error('expected "," or "]"');
  }

  #takes(character: string): boolean {
    if (this.#next() !== character) return false;
    this.#at++;
    return true;
  }

  #string(): string {
    const start = this.#at++;
    for (;;) {
      const character = this.#at < this.#end ? (this.#text[this.#at] ?? "") : "";
      if (character === "" || character === "\n") throw this.#error('expected " at the end of the string');
      if (character < " ") throw this.#error("expected an escape for the control character");
      this.#at++;
      if (character === '"') break;
      if (character !== "\\") continue;
      const escaped = /["\\/bfnrt]|u[\da-fA-F]{4}/y;
      escaped.lastIndex = this.#at;
      if (!escaped.test(this.#text)) throw this.#error('expected an escape such as \\n or \\"');
      this.#at = escaped.lastIndex;
    }
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
  }

  #literal(): void {
    literal.lastIndex = this.#at;
    if (!literal.test(this.#text)) throw this.#error("expected a value");
    this.#at = literal.lastIndex;
  }

  #error(expected: string): JsonError {
    const before = this.#text.slice(0, this.#at);
    const line = before.split("\n").length;
    const column = this.#at - before.lastIndexOf("\n");
    const code = this.#at < this.#end ? this.#text.codePointAt(this.#at) : undefined;
    return new JsonError(`Invalid JSON in line ${line}, column ${column}: ${expected}, found ${shown(code)}`, this.#at);
  }
}

function shown(code: number | undefined): string {
  if (code === undefined) return "the end";
  if (code === 10) return "the end of the line";
  return code < 32 ? `U+${code.toString(16).padStart(4, "0")}` : `"${String.fromCodePoint(code)}"`;
}
