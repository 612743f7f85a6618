import {
  isObject,
  matches,
  minimalValue,
  partsOf,
  problemsOf,
  type Schema,
  segmentsOf,
  valueAt,
} from "../../contract/index.ts";
import { adopt } from "./adopt.ts";
import { formOf, plainName, schemaAt, withPart } from "./parts.ts";

/**
 * Returns the value with the required members that it lacks, at all depths: those of the first template that has a valid
 * one, or else small values.
 */
export function complete(schema: Schema, value: unknown, ...templates: readonly unknown[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  const form = formOf(schema, value);
  const below = (name: string) => templates.map((each) => memberIn(each, name)).filter((each) => each !== undefined);
  const partOf = (name: string) => partsOf(form, value, name)[0] ?? {};
  const whole = (part: unknown, name: string) =>
    typeof part === "object" ? complete(partOf(name), part, ...below(name)) : part;
  if (Array.isArray(value)) return value.map((item, at) => whole(item, String(at)));
  const members = Object.entries(value).map(([name, each]) => [name, whole(each, name)]);
  // A member that a patch has removed is undefined, and not missing.
  const missing = (form.required ?? []).filter((name) => !Object.hasOwn(value, name));
  const added = missing.map((name) => {
    const part = partOf(name);
    // The elements of the template belong to another value.
    const empty = [part.type].flat().includes("array") ? [[]] : [];
    return [name, fitting(part, [...empty, ...below(name), ...successOf(name, part)])];
  });
  return Object.fromEntries([...members, ...added]);
}

/** Returns how a member can say that a request has succeeded. Only responses to successful requests are completed. */
function successOf(name: string, { enum: choices }: Schema): readonly unknown[] {
  if (/^(is)?(success|succeeded|successful|ok)$/.test(plainName(name))) return [true];
  return (
    choices?.filter((each) => /^(status|code|result)$/i.test(name) && /^(success|ok|200|0)$/i.test(`${each}`)) ?? []
  );
}

/** Returns the member or item of a template. A template of a list is one of each of its items. */
export function memberIn(template: unknown, name: string): unknown {
  if (Array.isArray(template)) return template[Number(name)] ?? template[0];
  return isObject(template) && Object.hasOwn(template, name) ? template[name] : undefined;
}

/** Returns the first candidate that the schema allows, or else its valid parts, or else a small value. */
function fitting(schema: Schema, candidates: readonly unknown[]): unknown {
  const valid = candidates.find((each) => matches(schema, each));
  if (valid !== undefined) return valid;
  return candidates.map((each) => mended(schema, each)).find((each) => each !== undefined) ?? minimalValue(schema);
}

/** Returns the parts of a value that the schema takes, with what they lack; undefined if it takes none. */
export function mended(schema: Schema, value: unknown): unknown {
  const { taken } = adopt(schema, value, "service");
  if (taken === undefined || (isObject(taken) && Object.keys(taken).length === 0)) return undefined;
  const whole = corrected(schema, taken);
  return matches(schema, whole) ? whole : undefined;
}

/** How often invalid parts are replaced, as a replaced part can make another one invalid. */
const ATTEMPTS = 3;

/**
 * Returns the complete value, with other parts in place of its invalid ones, except for those that a client has sent: valid
 * parts of the templates, or else small values.
 */
export function corrected(schema: Schema, value: unknown, templates: readonly unknown[] = [], sent?: unknown): unknown {
  let result = complete(schema, value, ...templates);
  for (let attempt = 0; attempt < ATTEMPTS && !matches(schema, result); attempt++) {
    for (const { pointer } of problemsOf(schema, result)) {
      const path = segmentsOf(pointer);
      if (path.length === 0 || valueAt(sent, path) !== undefined) continue;
      const part = schemaAt(schema, path, result);
      const candidates = templates.map((each) => path.reduce(memberIn, each)).filter((each) => each !== undefined);
      result = withPart(result, path, part && fitting(part, candidates));
    }
  }
  return result;
}

/** Returns a value that another schema allows: its members that fit, and those that it lacks. */
export function represented(schema: Schema, value: unknown, ...templates: readonly unknown[]): unknown {
  const { taken = fitting(schema, templates) } = adopt(schema, value, "service");
  return corrected(schema, taken, templates);
}

/** Returns the JSON of a value, with a text in place of the part at this path. */
export function textWith(value: unknown, [name, ...below]: readonly string[], text: string): string {
  if (name === undefined) return text;
  const members = Object.entries(isObject(value) ? value : {}).filter(([, member]) => member !== undefined);
  const texts = members.map(([each, member]) => {
    return `${JSON.stringify(each)}:${each === name ? textWith(member, below, text) : JSON.stringify(member)}`;
  });
  return `{${texts.join(",")}}`;
}
