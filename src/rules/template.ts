import {
  join,
  segmentsOf as jsonSegments,
  MAX_TEMPLATE_TEXT,
  nearest,
  type Problem,
  shown,
} from "../contract/index.ts";

/**
 * A template: a JSON value of the request that replaces this object in a response, such as
 * `{ "$from": "/path/id", "default": "none" }`. Objects with other members are no templates, and stay as they are.
 */
export interface Template {
  /** A JSON pointer (RFC 6901) into an object with the members of `templateSources`. */
  readonly $from: string;
  /** The value if the pointer leads to no value. It is used as it is, without templates. */
  readonly default?: unknown;
}

/** The values that templates can select, by the first segment of their pointers. */
const templateSources = ["path", "query", "headers", "body", "resource", "now", "uuid"] as const;
export type TemplateSource = (typeof templateSources)[number];

/** Returns whether the object is a template: it has `$from`, perhaps `default`, and no other members. */
export function isTemplate(value: object): value is Template {
  if (!Object.hasOwn(value, "$from")) return false;
  const { length } = Object.keys(value);
  return length === 1 || (length === 2 && Object.hasOwn(value, "default"));
}

/** Returns the templates in a JSON value by their pointers. A default can contain no templates. */
export function templatesIn(
  value: unknown,
  pointer = "",
  found: Map<string, Template> = new Map(),
): Map<string, Template> {
  if (typeof value !== "object" || value === null) return found;
  if (isTemplate(value)) return found.set(pointer, value);
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === "object") templatesIn(member, join(pointer, name), found);
  }
  return found;
}

/** Returns the source and the other segments of a pointer that `templateProblems` accepts. */
export function segmentsOf(pointer: string): [source: TemplateSource, ...names: string[]] {
  return jsonSegments(pointer) as [TemplateSource, ...string[]];
}

/**
 * Returns a problem for each template whose pointer is invalid or starts with an unknown source, and for a body with
 * templates that is too long.
 */
export function templateProblems(templates: ReadonlyMap<string, Template>, below: string, body?: unknown): Problem[] {
  const length = templates.size > 0 && body !== undefined ? JSON.stringify(body).length : 0;
  if (length > MAX_TEMPLATE_TEXT) {
    const message = `expected at most ${MAX_TEMPLATE_TEXT} characters of JSON in a body with $from, found ${length}`;
    return [{ pointer: below, message }];
  }
  return Array.from(templates).flatMap(([pointer, { $from }]) => {
    const message = pointerProblem($from);
    return message === undefined ? [] : { pointer: `${below}${join(pointer, "$from")}`, message };
  });
}

/** Returns why the pointer of a template is invalid, with the same pointer in a valid form. */
function pointerProblem($from: unknown): string | undefined {
  const text = typeof $from === "string" ? $from : "";
  const [first = "", ...rest] = text.replace(/^\//, "").split("/");
  const isKnown = text.startsWith("/") && templateSources.some((name) => name === jsonSegments(`/${first}`)[0]);
  if (isKnown && !/~(?![01])/.test(text)) return undefined;
  const start = `a JSON pointer that starts with ${templateSources.map((name) => `/${name}`).join(", ")}`;
  const expected = isKnown ? "~0 for ~ and ~1 for / in a JSON pointer" : start;
  const meant = [nearest(first, templateSources), ...rest.map((segment) => segment.replace(/~(?![01])/g, "~0"))];
  const hint = meant[0] === undefined || text.length > 100 ? "" : ` Did you mean "/${meant.join("/")}"?`;
  return `expected ${expected}, found ${shown($from)}.${hint}`;
}

const tooLong = new Error("the JSON exceeds the limit");

/** Returns the JSON of a value; undefined if there is no value or its JSON exceeds this number of characters by far. */
export function jsonWithin(value: unknown, most: number): string | undefined {
  let length = 0;
  try {
    return JSON.stringify(value, (_name, member: unknown) => {
      // Counts the minimum length, as serializing a large value completely would be slow.
      length += typeof member === "string" ? member.length + 2 : 1;
      if (length > most) throw tooLong;
      return member;
    });
  } catch (error) {
    if (error === tooLong) return undefined;
    throw error;
  }
}
