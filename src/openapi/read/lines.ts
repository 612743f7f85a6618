import type { LoadOptions } from "js-yaml";
import { join, segmentsOf, valueAt } from "../../contract/index.ts";
import { textOf } from "../references.ts";

/** Returns the function that returns the line of one of these locations (JSON pointers), or of the nearest value around it. */
export type Locate = (pointers: readonly string[]) => (pointer: string) => number;

/** The lines of locations; 0 if unknown. */
type Lines = Map<string, number>;

const parentOf = (pointer: string) => pointer.slice(0, pointer.lastIndexOf("/"));

/** `find` sets the lines of locations. */
function locator(find: (lines: Lines) => void): Locate {
  return (pointers) => {
    const lines: Lines = new Map([["", 1]]);
    for (const pointer of pointers) {
      for (let place = pointer; !lines.has(place); place = parentOf(place)) lines.set(place, 0);
    }
    find(lines);
    const lineOf = (pointer: string): number => lines.get(pointer) || lineOf(parentOf(pointer));
    return lineOf;
  };
}

const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")\s*:|"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],\n]/g;

/** Returns the locator for a valid JSON text. It finds members, and the objects and arrays in arrays. */
export function jsonLocator(text: string): Locate {
  return locator((lines) => {
    /** The arrays and objects around a token. Their pointer is undefined if no line inside is needed. */
    const around: { readonly pointer?: string; readonly isArray: boolean; index: number }[] = [];
    let next: string | undefined = "";
    let line = 1;
    for (const [token, name] of text.matchAll(TOKEN)) {
      const inside = around.at(-1);
      const isOpen = token === "{" || token === "[";
      if (inside?.pointer !== undefined && (name !== undefined || (isOpen && inside.isArray))) {
        const pointer = join(inside.pointer, name === undefined ? inside.index : JSON.parse(name));
        next = lines.has(pointer) ? pointer : undefined;
        if (next) lines.set(next, line);
      }
      if (isOpen) around.push({ pointer: next, isArray: token === "[", index: 0 });
      else if (token === "}" || token === "]") around.pop();
      else if (token === "," && inside) inside.index++;
      else if (token === "\n") line++;
    }
  });
}

/** Returns a listener for the parser of a YAML text, and the function that returns the locator for the parsed value. */
export function yamlLines(): { listener: LoadOptions["listener"]; locatorFor: (value: unknown) => Locate } {
  interface Open {
    readonly line: number;
    readonly parts: { readonly line: number; readonly value: unknown }[];
  }
  const open: Open[] = [{ line: 1, parts: [] }];
  const linesIn = new Map<unknown, Map<string, number>>();
  const listener: LoadOptions["listener"] = (event, { line, kind, result }) => {
    if (event === "open") return void open.push({ line: line + 1, parts: [] });
    const { line: start, parts } = open.pop() as Open;
    open.at(-1)?.parts.push({ line: start, value: result });
    // An alias has no parts, and the object of its anchor.
    if (typeof result !== "object" || linesIn.has(result)) return;
    // The parts of a mapping are its keys and values in turn.
    const isMapping = kind === "mapping";
    const named = isMapping ? parts.filter((_, index) => index % 2 === 0) : parts;
    linesIn.set(result, new Map(named.map((part, index) => [textOf(isMapping ? part.value : index), part.line])));
  };
  const locatorFor = (value: unknown) =>
    locator((lines) => {
      for (const pointer of lines.keys()) {
        const segments = segmentsOf(pointer);
        const name = segments.pop();
        if (name !== undefined) lines.set(pointer, linesIn.get(valueAt(value, segments))?.get(name) ?? 0);
      }
    });
  return { listener, locatorFor };
}
