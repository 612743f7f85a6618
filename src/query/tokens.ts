import type { ServiceError } from "../contract/service-error.ts";
import { shown } from "../text/shown.ts";
import type { ErrorAt } from "./texts.ts";

export interface Token {
  /** `word` is a keyword or a field, told apart by its place; `quoted`, in backticks, is always a field. */
  readonly kind: "word" | "number" | "string" | "quoted" | "variable" | "symbol" | "unknown" | "end";
  /** The token without its marks: a string's characters with escapes resolved, a variable's name without the colon. */
  readonly text: string;
  /** From 1, in UTF-16 code units. */
  readonly column: number;
}

/** A walk through the tokens of one text. */
export interface Cursor {
  /** The token to be taken next. */
  readonly token: Token;
  readonly errorAt: ErrorAt;
  take(): Token;
  /** Whether the next token is this symbol or keyword: given in lower case, written in any. */
  at(wanted: string): boolean;
  /** Takes the next token if it is this symbol or keyword, and says whether. */
  accept(wanted: string): boolean;
  /** Takes the next token, which must be this symbol or keyword; `expected` is how the error puts it. */
  expect(wanted: string, expected?: string): void;
  /** The error to throw when the next token is not what belongs here. */
  unexpected(expected: string, hint?: string): ServiceError;
}

/** Tokens are read as they are needed, so that of several errors the leftmost is told. */
export function openCursor(text: string, errorAt: ErrorAt): Cursor {
  let end = 0;
  let token = read();

  function read(): Token {
    const start = skipSpace(text, end);
    const [kind, source] = match(text, start);
    end = start + source.length;
    return { kind, text: unmarked(kind, source, start + 1, errorAt), column: start + 1 };
  }

  const cursor: Cursor = {
    get token() {
      return token;
    },
    errorAt,
    take() {
      const taken = token;
      token = read();
      return taken;
    },
    at(wanted) {
      return (token.kind === "word" || token.kind === "symbol") && token.text.toLowerCase() === wanted;
    },
    accept(wanted) {
      const found = cursor.at(wanted);
      if (found) cursor.take();
      return found;
    },
    expect(wanted, expected = `"${wanted}"`) {
      if (!cursor.accept(wanted)) throw cursor.unexpected(expected);
    },
    unexpected(expected, hint = "") {
      return errorAt(token.column, `expected ${expected}, found ${described(token)}${hint}`);
    },
  };
  return cursor;
}

const space = /\s*/y;

/** Tried in this order. `unknown` takes any character, so that the error is what the language expects in its place. */
const lexemes: readonly (readonly [Token["kind"], RegExp])[] = [
  ["word", /[A-Za-z_][A-Za-z0-9_]*/y],
  ["number", /-?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?/y],
  ["string", /"[^"\\]*(\\.[^"\\]*)*"/sy],
  ["quoted", /`[^`]*`/y],
  ["variable", /:[A-Za-z0-9]+/y],
  ["symbol", /[!<>]=|<>|[=<>(),.]/y],
  ["unknown", /./suy],
];

function skipSpace(text: string, start: number): number {
  space.lastIndex = start;
  space.test(text);
  return space.lastIndex;
}

function match(text: string, start: number): readonly [Token["kind"], string] {
  for (const [kind, pattern] of lexemes) {
    pattern.lastIndex = start;
    const source = pattern.exec(text)?.[0];
    if (source !== undefined) return [kind, source];
  }
  return ["end", ""];
}

function unmarked(kind: Token["kind"], source: string, column: number, errorAt: ErrorAt): string {
  switch (kind) {
    case "variable":
      return source.slice(1);
    case "quoted":
      return source.slice(1, -1);
    case "string":
      return unescaped(source, column, errorAt);
    case "unknown":
      if (source === '"' || source === "`")
        throw errorAt(column, `expected a closing ${source} to this one, found none`);
      return source;
    default:
      return source;
  }
}

/** The escapes of JSON. */
const escapes = new Map([
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

function unescaped(source: string, column: number, errorAt: ErrorAt): string {
  return source.slice(1, -1).replace(/\\(?:u([0-9a-fA-F]{4})|(.))/gsu, (sequence, hex, letter, at: number) => {
    const character = hex === undefined ? escapes.get(letter) : String.fromCharCode(Number.parseInt(hex, 16));
    if (character !== undefined) return character;
    throw errorAt(column + 1 + at, `expected an escape of JSON such as \\" or \\n, found ${shown(sequence)}`);
  });
}

function described({ kind, text }: Token): string {
  if (kind === "end") return "the end";
  if (kind === "string") return `the string ${shown(text)}`;
  return shown(kind === "variable" ? `:${text}` : text);
}
