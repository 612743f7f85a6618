import { jsonValue, MAX_QUERY_TEXT, ServiceError, shown } from "../../contract/index.ts";

/** Returns an error for a column of a text; `column` counts UTF-16 code units from 1. */
export type ErrorAt = (column: number, problem: string) => ServiceError;

/**
 * Reads each text of a repeatable query parameter.
 *
 * @throws ServiceError InvalidField with `field` and `column`, if the texts are too long. `read` creates its errors
 *   with `errorAt`. If there are several texts, the message says which one is invalid.
 */
export function readTexts<T>(
  parameter: "where" | "sort",
  texts: readonly string[],
  read: (text: string, errorAt: ErrorAt) => T,
): T[] {
  let length = 0;
  return texts.map((text, index) => {
    const location = texts.length === 1 ? parameter : `${parameter} ${index + 1} of ${texts.length}`;
    const errorAt: ErrorAt = (column, problem) => {
      const message = `${location}: column ${column}: ${problem}`;
      return new ServiceError({ code: "InvalidField", message, field: parameter, column });
    };
    length += text.length;
    if (length > MAX_QUERY_TEXT) {
      const where = texts.length === 1 ? "" : " in all parameters of this name together";
      throw errorAt(1, `expected at most ${MAX_QUERY_TEXT} characters${where}, found more`);
    }
    return read(text, errorAt);
  });
}

export interface QueryToken {
  /** A `word` is a keyword or a field, depending on its position. `quoted` (in backticks) is always a field. */
  readonly kind: "word" | "number" | "string" | "quoted" | "variable" | "symbol" | "unknown" | "end";
  /** The token without delimiters: a string without quotes and escapes, a variable's name without the colon. */
  readonly text: string;
  /** The position of the first character, in UTF-16 code units from 1. */
  readonly column: number;
}

/** Reads the tokens of one text one after the other, on demand, so that the leftmost of several errors is reported. */
export class Cursor {
  readonly errorAt: ErrorAt;
  readonly #text: string;
  /** The index of the first character after the next token. */
  #end = 0;
  #token: QueryToken;

  constructor(text: string, errorAt: ErrorAt) {
    this.#text = text;
    this.errorAt = errorAt;
    this.#token = this.#read();
  }

  get token(): QueryToken {
    return this.#token;
  }

  #read(): QueryToken {
    space.lastIndex = this.#end;
    space.test(this.#text);
    const start = space.lastIndex;
    const [kind, source] = match(this.#text, start);
    this.#end = start + source.length;
    return { kind, text: unmarked(kind, source, start + 1, this.errorAt), column: start + 1 };
  }

  take(): void {
    this.#token = this.#read();
  }

  /** Returns whether the next token is this symbol or keyword (`wanted` is in lower case, the token in any case). */
  at(wanted: string): boolean {
    const { kind, text } = this.#token;
    return (kind === "word" || kind === "symbol") && text.toLowerCase() === wanted;
  }

  /** Takes the next token if it is this symbol or keyword. Returns whether it was. */
  accept(wanted: string): boolean {
    const found = this.at(wanted);
    if (found) this.take();
    return found;
  }

  /** Takes the next token. Throws if it is not this symbol or keyword; `expected` is the text for the error. */
  expect(wanted: string, expected = `"${wanted}"`): void {
    if (!this.accept(wanted)) throw this.unexpected(expected);
  }

  /** Returns the error for a next token that is not allowed here. */
  unexpected(expected: string, hint = ""): ServiceError {
    return this.errorAt(this.#token.column, `expected ${expected}, found ${described(this.#token)}${hint}`);
  }
}

const space = /\s*/y;

/**
 * The forms of tokens, tried in this order. `unknown` matches any character; the parser then reports what it expected.
 */
const lexemes: readonly (readonly [QueryToken["kind"], RegExp])[] = [
  ["word", /[A-Za-z_][A-Za-z0-9_]*/y],
  ["number", /-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/y],
  ["string", /"[^"\\]*(\\.[^"\\]*)*"/sy],
  ["quoted", /`[^`]*`/y],
  ["variable", /:[A-Za-z0-9]+/y],
  ["symbol", /[!<>]=|<>|[=<>(),.]/y],
  ["unknown", /./suy],
];

function match(text: string, start: number): readonly [QueryToken["kind"], string] {
  for (const [kind, pattern] of lexemes) {
    pattern.lastIndex = start;
    const source = pattern.exec(text)?.[0];
    if (source !== undefined) return [kind, source];
  }
  return ["end", ""];
}

function unmarked(kind: QueryToken["kind"], source: string, column: number, errorAt: ErrorAt): string {
  if (kind === "string") return unescaped(source, column, errorAt);
  if (kind === "unknown" && (source === '"' || source === "`")) {
    throw errorAt(column, `expected a closing ${source}, found none`);
  }
  if (kind === "variable") return source.slice(1);
  return kind === "quoted" ? source.slice(1, -1) : source;
}

function unescaped(source: string, column: number, errorAt: ErrorAt): string {
  return source.slice(1, -1).replace(/\\(?:u[0-9a-fA-F]{4}|.)/gsu, (sequence, at: number) => {
    const character = jsonValue(`"${sequence}"`);
    if (typeof character === "string") return character;
    throw errorAt(column + 1 + at, `expected an escape of JSON such as \\" or \\n, found ${shown(sequence)}`);
  });
}

function described({ kind, text }: QueryToken): string {
  if (kind === "end") return "the end";
  if (kind === "string") return `the string ${shown(text)}`;
  return shown(kind === "variable" ? `:${text}` : text);
}
