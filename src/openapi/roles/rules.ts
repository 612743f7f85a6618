import type { Role } from "../../contract/index.ts";
import type { Group } from "./groups.ts";
import type { Kind, Location } from "./locations.ts";
import type { Documented } from "./paths.ts";
import type { Shapes } from "./shapes.ts";
import { isVerb, plain } from "./words.ts";

/** What is known of an operation when its role is decided. */
export interface Facts extends Pick<Documented, "returned" | "body" | "hasBody" | "status" | "operation"> {
  readonly method: string;
  readonly location: Location;
  readonly group: Group;
  readonly shapes: Shapes;
}

/** A rule: what an operation at a location does, and why. Without `does`, it has no state. */
export interface Rule {
  readonly at: readonly Kind[];
  readonly on: readonly string[];
  readonly when?: (facts: Facts) => boolean;
  readonly does?: Role["does"];
  /** An unknown item is created. */
  readonly creates?: true;
  /** The id is in the body. */
  readonly inBody?: true;
  /** In words; `{}` is the path of the item or of the collection. */
  readonly because: string;
}

const whole: readonly Kind[] = ["item", "one"];
const anyItem: readonly Kind[] = [...whole, "view"];
const collection: readonly Kind[] = ["collection"];

/**
 * The roles of operations. The first rule that fits decides; an operation without one has no state. A role is dropped if
 * nothing reads what the operations of its type write.
 */
export const rules: readonly Rule[] = [
  { at: ["item"], on: ["GET"], when: isListed, does: "list", because: "GET that lists a part of the collection of {}" },
  {
    at: whole,
    on: ["PUT"],
    when: isPresence,
    does: "replace",
    creates: true,
    because: "PUT that marks {} as present",
  },
  { at: whole, on: ["GET"], when: hasPresence, does: "read", because: "GET that checks whether {} is present" },
  { at: ["item"], on: ["GET"], when: isFlag, because: "GET that returns no content" },
  { at: ["item", "view"], on: ["GET", "HEAD"], does: "read", because: "{method} on the item {}" },
  { at: ["one"], on: ["GET", "HEAD"], does: "read", because: "{method} on {}, which {writer} changes" },
  { at: whole, on: ["POST"], when: hasActions, does: "update", because: "POST on {} whose body has update actions" },
  { at: anyItem, on: ["PUT", "PATCH", "POST"], when: isEdit, because: "a body that lists parts to add and to remove" },
  { at: whole, on: ["PUT"], when: isWhole, does: "replace", because: "PUT on {} whose body is a whole item" },
  {
    at: anyItem,
    on: ["PUT"],
    when: hasMembers,
    does: "merge",
    because: "PUT on {} whose body has only some members of the item",
  },
  { at: anyItem, on: ["PATCH"], when: hasMembers, does: "merge", because: "PATCH on {}" },
  { at: anyItem, on: ["PATCH"], when: isJsonPatch, does: "merge", because: "PATCH on {} whose body is a JSON Patch" },
  { at: anyItem, on: ["PUT", "PATCH"], when: ({ hasBody }) => hasBody, because: "a body that is a list of changes" },
  { at: anyItem, on: ["PUT", "PATCH"], because: "{method} that has no body" },
  { at: whole, on: ["DELETE"], does: "delete", because: "DELETE on {}" },
  { at: whole, on: ["POST"], when: isCreatedThere, does: "replace", because: "POST on {}, which creates the item" },
  { at: whole, on: ["POST"], when: isChange, does: "merge", because: "POST on {}, which has neither PUT nor PATCH" },
  { at: collection, on: ["GET"], when: isList, does: "list", because: "GET on the collection of {}" },
  { at: collection, on: ["POST"], when: isMany, because: "POST whose body has several items" },
  { at: collection, on: ["POST"], when: isCreate, does: "create", because: "POST on the collection of {}" },
  {
    at: collection,
    on: ["PUT"],
    when: namesItem,
    does: "replace",
    inBody: true,
    because: "PUT whose body has the id of an item of {}",
  },
  {
    at: collection,
    on: ["PATCH"],
    when: namesItem,
    does: "merge",
    inBody: true,
    because: "PATCH whose body has the id of an item of {}",
  },
  { at: collection, on: ["PUT", "PATCH", "DELETE"], because: "{method} for several items" },
  { at: ["finding"], on: ["GET"], when: findsItems, does: "list", because: "GET that finds items of {}" },
];

export function ruleFor(facts: Facts): Rule | undefined {
  return rules.find(
    ({ at, on, when }) => at.includes(facts.location.kind) && on.includes(facts.method) && (when?.(facts) ?? true),
  );
}

function others({ location }: Facts, methods: readonly string[]): boolean {
  return methods.some((each) => location.path.operations.has(each));
}

/** Whether the path of an item with fewer parameters than others returns a list. */
function isListed(facts: Facts): boolean {
  const { location, group, returned, shapes } = facts;
  const isArray = shapes.typeOf(returned) === "array";
  const isShorter = group.items.some(({ parts }) => parts > location.parts);
  return location.list !== undefined && (isShorter || isArray) && !others(facts, ["PUT", "PATCH", "DELETE"]);
}

function isFlag({ returned, status, group, location, shapes }: Facts): boolean {
  if (returned !== undefined) return shapes.typeOf(returned) === "array";
  const { operations } = location.path;
  const isWritten = [operations.get("PUT"), operations.get("PATCH"), group.creator].some((each) => each?.hasBody);
  return status === 204 || group.schema === undefined || !isWritten;
}

/** Whether all members of the body say what to add and what to remove. */
function isEdit({ body, shapes }: Facts): boolean {
  const names = body === undefined ? [] : [...shapes.members(body).keys()].map(plain);
  return names.length > 0 && names.every((name) => /^(to)?(add|remov)|(added|removed|toadd|toremove)$/.test(name));
}

function hasActions({ body, shapes }: Facts): boolean {
  return body !== undefined && shapes.typeOf(shapes.members(body).get("actions")) === "array";
}

/** Whether the body is a list of operations (RFC 6902). */
function isJsonPatch({ body, operation, shapes }: Facts): boolean {
  const members = shapes.members(shapes.itemsOf(body));
  return (
    operation.body?.mediaTypes.includes("application/json-patch+json") || (members.has("op") && members.has("path"))
  );
}

/** Whether a PUT says only that an item is there: a GET tells whether it is, or the PUT has no body beside a DELETE. */
function isPresence({ hasBody, location }: Facts): boolean {
  const { operations } = location.path;
  return hasPresence({ location }) || (!hasBody && operations.has("DELETE"));
}

/** Whether a GET tells only whether an item is there, which a PUT says. */
function hasPresence({ location }: Pick<Facts, "location">): boolean {
  const { operations } = location.path;
  const read = operations.get("GET");
  return read?.status === 204 && read.returned === undefined && operations.has("PUT");
}

function isWhole({ body, group, shapes }: Facts): boolean {
  if (body === undefined || shapes.typeOf(body) === "array") return false;
  return shapes.of(body) === shapes.of(group.schema) || coversItem(body, group, shapes);
}

/** Whether a body has nearly all members that clients can set: those of the create, else those of the item. */
function coversItem(body: unknown, { creator, schema }: Group, shapes: Shapes): boolean {
  if (creator?.body !== undefined) {
    const required = [shapes.of(creator.body), shapes.of(body)].map((each) => new Set([each.required ?? []].flat()));
    const hasAll = [...(required[0] ?? [])].every((name) => required[1]?.has(name));
    return shapes.of(creator.body) === shapes.of(body) || (hasAll && shapes.areAlike(creator.body, body));
  }
  const settable = [...shapes.members(schema)].filter(([, member]) => !shapes.isReadOnly(member));
  const sent = shapes.members(body);
  return settable.filter(([name]) => sent.has(name)).length / Math.max(1, settable.length) > 0.6;
}

function hasMembers({ body, hasBody, shapes }: Facts): boolean {
  return hasBody && shapes.typeOf(body) !== "array";
}

function isChange(facts: Facts): boolean {
  const { returned, body, group, location, shapes } = facts;
  if (others(facts, ["PUT", "PATCH"]) || isVerb(location.path.segments.at(-1)?.text ?? "")) return false;
  const isRead = others(facts, ["GET", "DELETE"]);
  return isRead && (shapes.resemble(body, group.schema) || shapes.areAlike(returned, group.schema));
}

/** Whether a client creates an item with the id in the path. */
function isCreatedThere({ status, hasBody, returned, group, shapes }: Facts): boolean {
  return status === 201 && hasBody && shapes.areAlike(returned, group.schema);
}

function isList({ location, returned }: Facts): boolean {
  return location.list !== undefined || returned === undefined;
}

function isMany({ body, group, location, shapes }: Facts): boolean {
  if (body === undefined) return false;
  if (shapes.typeOf(body) === "array") return true;
  const isEnvelope = shapes.members(body).size <= 3 && shapes.resemblance(body, group.schema) < 0.5;
  return isEnvelope && shapes.listIn(body, location.path.word) !== undefined;
}

/** Whether what is sent or returned resembles an item, or the item can be read where nothing says what it is. */
function isCreate({ returned, body, hasBody, group, location, shapes, status }: Facts): boolean {
  const { schema, items, word } = group;
  const created = returned === undefined ? undefined : shapes.itemIn(returned, word, [schema]).schema;
  const sent = body === undefined ? undefined : shapes.itemIn(body, word, [schema]).schema;
  if (shapes.members(sent ?? {}).has("actions") && items.length === 0) return false;
  if (isVerb(location.path.word) && items.length === 0 && !location.list) return false;
  const likeness = Math.max(shapes.resemblance(created, schema), shapes.resemblance(sent, schema));
  const isOpen = shapes.members(schema).size === 0;
  const isCreated = status === 201 && (likeness >= 0.3 || isOpen);
  return likeness >= 0.6 || isCreated || ((returned === undefined || isOpen) && hasBody && items.length > 0);
}

/** Whether the body has an item with its id. */
function namesItem({ body, group, shapes }: Facts): boolean {
  if (body === undefined || shapes.typeOf(body) === "array" || group.items.length === 0) return false;
  const ids = ["id", `${group.word}id`];
  return (
    shapes.resemblance(body, group.schema) >= 0.7 &&
    [...shapes.members(body).keys()].some((name) => ids.includes(plain(name)))
  );
}

function findsItems({ location, group, shapes }: Facts): boolean {
  return location.list !== undefined && shapes.areAlike(location.list.schema, group.schema);
}
