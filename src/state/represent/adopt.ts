import { cachedBy, isObject, matches, partsOf, type Schema } from "../../contract/index.ts";
import { formOf, plainName } from "./parts.ts";

/** The parts of a sent value that a schema takes, and the others. Undefined for none. */
export interface Adopted {
  readonly taken?: unknown;
  readonly left?: unknown;
}

/**
 * Who sends a value. Clients send no `readOnly` members: those that they send back are neither taken nor left. In a `patch`
 * (RFC 7396), null removes a member, also one that can be null.
 */
export type SentBy = "client" | "service" | "patch";

/**
 * Returns the members of a value that the schema names and accepts, at all depths, and the others. Names are equal without
 * case, `_` and `-`. A schema that names no members takes all that it allows.
 *
 * With the value `before`, the sent one has the members that change. A null removes the member, unless it can be null. A
 * removed required member is undefined.
 */
export function adopt(schema: Schema, sent: unknown, by: SentBy, before?: unknown): Adopted {
  const form = formOf(schema, isObject(sent) && isObject(before) ? { ...before, ...sent } : sent);
  if (isObject(sent) && isOf(form, "object")) return adoptMembers(form, sent, by, before);
  if (Array.isArray(sent) && isOf(form, "array")) return adoptItems(form, sent, by);
  return matches(form, sent) ? { taken: sent } : { left: sent };
}

function isOf({ type }: Schema, kind: "object" | "array"): boolean {
  return type === undefined || [type].flat().includes(kind);
}

function adoptMembers(form: Schema, sent: Readonly<Record<string, unknown>>, by: SentBy, before: unknown): Adopted {
  const taken = new Map(isObject(before) ? Object.entries(before) : []);
  const left: [string, unknown][] = [];
  for (const [name, value] of Object.entries(sent)) {
    const own = declaredName(form, name);
    const part = own !== name && Object.hasOwn(sent, own) ? undefined : memberOf(form, own);
    if (part?.readOnly && by !== "service") continue;
    if (part && value === null && (isObject(before) || by === "patch")) {
      const isRequired = form.required?.includes(own);
      if (matches(part, null) && (isRequired || by !== "patch")) taken.set(own, null);
      else if (isRequired) taken.set(own, undefined);
      else taken.delete(own);
      continue;
    }
    const member = part ? adopt(part, value, by, taken.get(own)) : { left: value };
    if (member.taken !== undefined) taken.set(own, member.taken);
    if (member.left !== undefined) left.push([name, member.left]);
  }
  return { taken: Object.fromEntries(taken), ...(left.length > 0 && { left: Object.fromEntries(left) }) };
}

function adoptItems(form: Schema, sent: readonly unknown[], by: SentBy): Adopted {
  const items = sent.map((item, index) => adopt(partsOf(form, sent, String(index))[0] ?? {}, item, by));
  const taken = items.flatMap((item) => (item.taken === undefined ? [] : [item.taken]));
  const isWhole = items.every(({ left }) => left === undefined);
  return { ...((taken.length > 0 || sent.length === 0) && { taken }), ...(!isWhole && { left: sent }) };
}

function memberOf(form: Schema, name: string): Schema | undefined {
  const { properties, additionalProperties } = form;
  const [part] = partsOf(form, {}, name);
  const isOpen = additionalProperties === true || (additionalProperties === undefined && !properties);
  return part ?? (isOpen ? {} : undefined);
}

/** Returns the name that the schema has for a member; the name itself if it has none. */
export function declaredName(form: Schema, name: string): string {
  const { properties = {} } = form;
  return Object.hasOwn(properties, name) ? name : (namesOf(form).get(plainName(name)) ?? name);
}

const namesOf = cachedBy(({ properties = {} }: Schema) => {
  const names = Object.keys(properties).reverse();
  return new Map(names.map((name) => [plainName(name), name]));
});
