import { join, jsonValue } from "../../../contract/index.ts";

/** Strings, punctuation, and what is between them. */
const token = /"(?:\\.|[^"\\])*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** An object or array that the reading is within. */
interface Frame {
  readonly pointer: string;
  /** The index of the next item; undefined in an object. */
  index?: number;
  /** The member whose value comes next, and where its name begins. */
  name?: string;
  start?: number;
}

/**
 * Returns where each value of a JSON text begins, by its JSON pointer (RFC 6901), in UTF-16 units; the value of a member
 * begins with its name. Reads a text with mistakes as far as it can.
 */
export function locationsOf(text: string): Map<string, number> {
  const locations = new Map<string, number>();
  const frames: Frame[] = [];
  for (const { 0: found, index: at } of text.matchAll(token)) {
    const frame = frames.at(-1);
    if (found === ":") continue;
    if (found === "}" || found === "]") frames.pop();
    else if (found === ",") {
      if (frame?.index !== undefined) frame.index++;
      else if (frame) frame.name = undefined;
    } else if (frame && frame.index === undefined && frame.name === undefined) {
      Object.assign(frame, { name: String(jsonValue(found) ?? found), start: at });
    } else {
      const step = frame && (frame.index ?? frame.name ?? "");
      const pointer = frame ? join(frame.pointer, String(step)) : "";
      if (!locations.has(pointer)) locations.set(pointer, frame?.start ?? at);
      if (found === "{" || found === "[") frames.push({ pointer, ...(found === "[" && { index: 0 }) });
    }
  }
  return locations;
}

/** Returns the line of a value, from 1: that of the nearest value around it if the text has no such value. */
export function lineOf(text: string, pointer: string, locations = locationsOf(text)): number {
  const steps = pointer.split("/");
  while (steps.length > 1 && !locations.has(steps.join("/"))) steps.pop();
  return text.slice(0, locations.get(steps.join("/")) ?? 0).split("\n").length;
}
