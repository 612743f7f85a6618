import { readFileSync, statSync } from "node:fs";
import { relative, resolve } from "node:path";
import type { Type } from "js-yaml";
import { MAX_DOCUMENT_BYTES, MAX_DOCUMENT_DEPTH, type Problem } from "../../contract/index.ts";
import { jsonLocator, type Locate, yamlLines } from "./lines.ts";

export interface DocumentProblem {
  /** The file, relative to the working directory if it is below it. */
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** The JSON pointer within the file. */
  readonly pointer?: string;
  readonly message: string;
}

/** Thrown if a file cannot be parsed, is no OpenAPI document, or corrects what the document does not have. */
export class DocumentError extends Error {
  override readonly name = "DocumentError";
  readonly problems: readonly DocumentProblem[];

  constructor(...problems: readonly DocumentProblem[]) {
    const lines = problems.map(({ file, line, column, message }) => {
      return `${[file, line, column].filter((part) => part !== undefined).join(":")}: ${message}`;
    });
    super(lines.join("\n"));
    this.problems = problems;
  }
}

/** A parsed file, or a document that was passed as an object. */
export interface Source {
  /** The absolute path. */
  readonly path: string;
  /** The path in messages. */
  readonly file: string;
  readonly value: unknown;
  readonly locate?: Locate;
}

type Yaml = typeof import("js-yaml");

/** The files of a document. */
export class Sources {
  readonly #yaml: Yaml;
  readonly #byPath = new Map<string, Source>();
  #bytes = 0;

  constructor(yaml: Yaml) {
    this.#yaml = yaml;
  }

  get paths(): string[] {
    return [...this.#byPath.keys()];
  }

  /** Returns the parsed file; undefined if there is no such file. Throws `DocumentError` for an invalid file. */
  open(path: string, bytes?: Uint8Array): Source | undefined {
    const known = this.#byPath.get(path);
    if (known) return known;
    const size = bytes?.length ?? sizeOf(path);
    if (size === undefined) return undefined;
    const file = shortPath(path);
    this.#bytes += size;
    if (this.#bytes > MAX_DOCUMENT_BYTES) {
      const expected = `expected at most ${MAX_DOCUMENT_BYTES} bytes in all files`;
      throw new DocumentError({ file, message: `${expected}, found ${this.#bytes}` });
    }
    const source = { path, file, ...this.#parsed(textOf(path, file, bytes), file) };
    this.#byPath.set(path, source);
    return source;
  }

  #parsed(text: string, file: string): Pick<Source, "value" | "locate"> {
    const isJson = /^\s*[{[]/.test(text);
    try {
      if (isJson) return { value: JSON.parse(text), locate: jsonLocator(text) };
    } catch {
      // The text can be YAML in braces. If not, the parser of YAML says where it is wrong.
    }
    // CORE_SCHEMA leaves dates and bytes as texts. With `json`, the last of duplicate keys wins, as in JSON.
    const { CORE_SCHEMA, types, load } = this.#yaml as Yaml & { types: { merge: Type } };
    const schema = CORE_SCHEMA.extend({ implicit: [types.merge] });
    const { listener, locatorFor } = yamlLines();
    const options = { json: true, schema, maxDepth: MAX_DOCUMENT_DEPTH, listener };
    try {
      const value = load(text, options);
      return { value, locate: locatorFor(value) };
    } catch (error) {
      const { reason, mark, message } = error as Error & { reason?: string; mark?: { line: number; column: number } };
      const place = mark && { line: mark.line + 1, column: mark.column + 1 };
      throw new DocumentError({ file, ...place, message: `invalid ${isJson ? "JSON" : "YAML"}: ${reason ?? message}` });
    }
  }
}

/** Returns the path of a file in messages: relative to the working directory if it is below it. */
export function shortPath(path: string): string {
  const short = relative("", path);
  return short.startsWith("..") ? resolve(path) : short;
}

/** Returns the file at a path, or the given object with this name. Throws `DocumentError` without a file. */
export function openSource(sources: Sources, given: string | object, name: string, bytes?: Uint8Array): Source {
  const source =
    typeof given === "string" ? sources.open(resolve(given), bytes) : { path: "", file: name, value: given };
  if (!source) throw new DocumentError({ file: String(given), message: "expected a file, found none" });
  return source;
}

/** Returns problems of a file by line. The file is scanned once. */
export function located({ file, locate }: Source, inside: readonly Problem[]): DocumentProblem[] {
  const lineOf = locate?.(inside.map(({ pointer }) => pointer));
  const problems = inside.map(({ pointer, message }) => ({ file, line: lineOf?.(pointer), pointer, message }));
  return problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

/** Returns the size of a file in bytes; undefined if there is no such file. */
export function sizeOf(path: string): number | undefined {
  try {
    const stats = statSync(path);
    return stats.isFile() ? stats.size : undefined;
  } catch {
    return undefined;
  }
}

function textOf(path: string, file: string, bytes?: Uint8Array): string {
  let found = "other bytes";
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes ?? readFileSync(path));
    if (!text.includes("\0")) return text;
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (/^E[A-Z]+$/.test(code)) found = `a file that cannot be read (${code})`;
  }
  throw new DocumentError({ file, message: `expected JSON or YAML in UTF-8, found ${found}` });
}
