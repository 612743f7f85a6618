import { isObject, type Schema } from "../../contract/index.ts";
import { type Adopted, adopt, type SentBy } from "./adopt.ts";
import { complete } from "./complete.ts";
import { isLasting } from "./known-members.ts";
import { formOf } from "./parts.ts";

/* Changes of the content of an item by the body of a request. */

/** Returns the content with other members, as far as the schema takes them. New parts have what they lack of the template. */
export function merged(
  schema: Schema,
  before: unknown,
  sent: unknown,
  template: unknown,
  by: SentBy = "client",
): Adopted {
  const { taken = before, left } = adopt(schema, sent, by, before);
  return { taken: complete(schema, taken, template), left };
}

/**
 * Returns the sent content in place of the one before, as far as the schema takes it. The members that clients cannot set, and
 * those that tell when and as what an item was created, stay; required ones that are missing too.
 */
export function replaced(schema: Schema, before: unknown, sent: unknown, template: unknown): Adopted {
  const { taken = before, left } = adopt(schema, sent, "client");
  return { taken: complete(schema, withLasting(schema, before, taken, true), before, template), left };
}

function withLasting(schema: Schema, before: unknown, after: unknown, isWhole: boolean): unknown {
  if (!isObject(before) || !isObject(after)) return after;
  const { properties = {} } = formOf(schema, before);
  const members = new Map(Object.entries(after));
  for (const [name, held] of Object.entries(before)) {
    const part = Object.hasOwn(properties, name) ? properties[name] : undefined;
    const isKept = part?.readOnly || (isWhole && part && isLasting(name, part));
    const isOwn = isWhole && /^meta(data)?$/.test(name);
    if (part && members.has(name)) members.set(name, withLasting(part, held, members.get(name), isOwn));
    else if (isKept) members.set(name, held);
  }
  return Object.fromEntries(members);
}

/** Returns a value with a patch in it (RFC 7396). */
export function mergePatch(before: unknown, patch: unknown): unknown {
  if (!isObject(patch)) return patch;
  const members = new Map(isObject(before) ? Object.entries(before) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) members.delete(name);
    else members.set(name, mergePatch(members.get(name), value));
  }
  return Object.fromEntries(members);
}
