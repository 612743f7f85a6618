import { Buffer } from "node:buffer";
import { join } from "./json.ts";

/** An object or array that has been opened and not been closed yet. */
interface Frame {
  isObject: boolean;
  /** Where it begins. */
  from: number;
  /** Where the first of its members or items begins that has not been parsed yet; -1 if there is none. */
  pending: number;
  /** Where the last of these ends. */
  pendingEnd: number;
  /** The name of the latest member: where its string begins and ends. */
  nameFrom: number;
  nameEnd: number;
  /** How many items have begun. */
  items: number;
  /** For a list whose items are read as units, the largest size of one; else 0. */
  itemBytes: number;
  /** The value, once a part of it has been parsed. */
  value: unknown[] | Record<string, unknown> | undefined;
}

/** Members or items are parsed together until they have this size, in bytes: `JSON.parse` takes a few milliseconds at most. */
const RUN = 64 * 1024;

/**
 * Builds the value of a valid JSON text from the outside in, as its parts are found: small ones are parsed together,
 * large ones are put together from theirs. What comes out is what `JSON.parse` would have made of the whole.
 */
export class JsonBuilder {
  /** The value of the whole text. */
  root: unknown;
  /** How many objects and arrays are open. */
  depth = 0;
  /** The innermost of them. */
  top: Frame | undefined;
  readonly #buffer: Buffer;
  /** From the outside in; what lies beyond `depth` has been closed. */
  readonly #frames: Frame[] = [];

  constructor(bytes: Uint8Array) {
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  frameAt(depth: number): Readonly<Frame> | undefined {
    return this.#frames[depth - 1];
  }

  /** The text between two places. */
  text(from: number, end: number): string {
    return this.#buffer.toString("utf8", from, end);
  }

  /** The pointer of the place that has been reached, or of the one around it that lies in so many objects and arrays. */
  pointer(depth = this.depth): string {
    let pointer = "";
    for (const { isObject, nameFrom, nameEnd, items } of this.#frames.slice(0, depth)) {
      pointer = join(pointer, isObject ? this.#nameIn(nameFrom, nameEnd) : items - 1);
    }
    return pointer;
  }

  /** A member's name has been read. */
  name(from: number, end: number): void {
    const frame = this.top as Frame;
    frame.nameFrom = from;
    frame.nameEnd = end;
    if (frame.pending < 0) frame.pending = from;
  }

  /** A value begins. */
  begin(at: number): void {
    const frame = this.top;
    if (!frame) return;
    frame.items++;
    if (frame.pending < 0) frame.pending = at;
  }

  open(from: number, isObject: boolean, itemBytes: number): void {
    this.#frames[this.depth++] = this.top = {
      isObject,
      from,
      pending: -1,
      pendingEnd: -1,
      nameFrom: 0,
      nameEnd: 0,
      items: 0,
      itemBytes,
      value: undefined,
    };
  }

  /** The innermost object or array has ended. Returns where it begins, and its value if parts of it have been parsed. */
  close(): { from: number; built: { value: unknown } | undefined } {
    const frame = this.top as Frame;
    if (frame.value && frame.pending >= 0) this.#parsePending(frame);
    this.top = this.#frames[--this.depth - 1];
    return { from: frame.from, built: frame.value && { value: frame.value } };
  }

  /** A value has ended; `built` if it is known already. */
  end(from: number, end: number, built: { readonly value: unknown } | undefined): void {
    const frame = this.top;
    if (!frame) this.root = built ? built.value : JSON.parse(this.text(from, end));
    else if (built) this.#add(frame, from, built.value);
    else {
      frame.pendingEnd = end;
      if (end - frame.pending >= RUN) this.#parsePending(frame);
    }
  }

  /** The value of a string without escapes that is long: `JSON.parse` would take several times as long. */
  longString(from: number, end: number): { readonly value: string } | undefined {
    return end - from < RUN ? undefined : { value: this.text(from + 1, end - 1) };
  }

  #nameIn(from: number, end: number): string {
    return JSON.parse(this.text(from, end));
  }

  #parsePending(frame: Frame): void {
    const text = this.text(frame.pending, frame.pendingEnd);
    frame.pending = -1;
    addAll(frame, JSON.parse(frame.isObject ? `{${text}}` : `[${text}]`));
  }

  /** Adds a value that begins at `from`, after the members or items before it. */
  #add(frame: Frame, from: number, value: unknown): void {
    const before = this.text(frame.pending, from);
    frame.pending = -1;
    // The value's place is kept by a null: members keep the order of their first appearance.
    if (frame.isObject) {
      const members = JSON.parse(`{${before}null}`);
      define(members, this.#nameIn(frame.nameFrom, frame.nameEnd), value);
      addAll(frame, members);
    } else {
      const items: unknown[] = JSON.parse(`[${before}null]`);
      items[items.length - 1] = value;
      addAll(frame, items);
    }
  }
}

function addAll(frame: Frame, parts: unknown[] | Record<string, unknown>): void {
  if (frame.value === undefined) frame.value = parts;
  else if (Array.isArray(frame.value)) for (const item of parts as unknown[]) frame.value.push(item);
  else for (const [name, value] of Object.entries(parts)) define(frame.value, name, value);
}

/** Sets a member as `JSON.parse` does: `__proto__` is a name like any other. */
function define(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === "__proto__") {
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  } else object[name] = value;
}
