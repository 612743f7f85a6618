import { Buffer } from "node:buffer";
import { join } from "./json.ts";

/** An object or array whose end has not been read yet. Offsets are in bytes. */
interface Frame {
  isObject: boolean;
  /** The start of the object or array. */
  from: number;
  /** The start of the first member or item that is not parsed yet, or -1. */
  pending: number;
  /** The end of the last member or item that is not parsed yet. */
  pendingEnd: number;
  /** The start and the end of the name of the latest member. */
  nameFrom: number;
  nameEnd: number;
  /** The number of items read so far, including the current one. */
  items: number;
  /** The maximum size of an item in bytes, if the items of this list are units; otherwise 0. */
  itemBytes: number;
  /** The value, if a part of it has been parsed. */
  value: unknown[] | Record<string, unknown> | undefined;
}

/** The size of a group of members or items that are parsed together, in bytes. `JSON.parse` needs a few milliseconds for it. */
const RUN = 64 * 1024;

/**
 * Builds the value of a JSON text while a reader finds its parts. Small parts are parsed in groups; large parts are built
 * from their members or items. The result equals that of `JSON.parse` for the whole text.
 */
export class JsonBuilder {
  /** The value of the whole text. */
  root: unknown;
  /** The number of open objects and arrays. */
  depth = 0;
  /** The innermost open object or array. */
  top: Frame | undefined;
  readonly #buffer: Buffer;
  /** The open objects and arrays, outermost first. Entries beyond `depth` are closed. */
  readonly #frames: Frame[] = [];

  constructor(bytes: Uint8Array) {
    this.#buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  frameAt(depth: number): Readonly<Frame> | undefined {
    return this.#frames[depth - 1];
  }

  /** Returns the text between two offsets. */
  text(from: number, end: number): string {
    return this.#buffer.toString("utf8", from, end);
  }

  /** Returns the pointer of the current location, or of its parent at this depth. `item` replaces indexes of arrays. */
  pointer(depth = this.depth, item?: string): string {
    let pointer = "";
    for (const { isObject, nameFrom, nameEnd, items } of this.#frames.slice(0, depth)) {
      pointer = join(pointer, isObject ? this.#nameIn(nameFrom, nameEnd) : (item ?? items - 1));
    }
    return pointer;
  }

  /** Records the name of a member. */
  name(from: number, end: number): void {
    const frame = this.top as Frame;
    frame.nameFrom = from;
    frame.nameEnd = end;
    if (frame.pending < 0) frame.pending = from;
  }

  /** Records the start of a value. */
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

  /** Closes the innermost object or array. Returns its start, and its value if a part of it has been parsed. */
  close(): { from: number; built: { value: unknown } | undefined } {
    const frame = this.top as Frame;
    if (frame.value && frame.pending >= 0) this.#parsePending(frame);
    this.top = this.#frames[--this.depth - 1];
    return { from: frame.from, built: frame.value && { value: frame.value } };
  }

  /** Records the end of a value. `built` is the value, if it is already known. */
  end(from: number, end: number, built: { readonly value: unknown } | undefined): void {
    const frame = this.top;
    if (!frame) this.root = built ? built.value : JSON.parse(this.text(from, end));
    else if (built) this.#add(frame, from, built.value);
    else {
      frame.pendingEnd = end;
      if (end - frame.pending >= RUN) this.#parsePending(frame);
    }
  }

  /** Returns the value of a long string without escapes. This is several times as fast as `JSON.parse`. */
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

  /** Parses the members or items before `from`, then adds the value that starts there. */
  #add(frame: Frame, from: number, value: unknown): void {
    const before = this.text(frame.pending, from);
    frame.pending = -1;
    // A null is the placeholder of the value, so that members keep their order.
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
