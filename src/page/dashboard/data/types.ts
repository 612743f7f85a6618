/* The types of the stored items, and what the page knows of their items. */

import { isObject, jsonValue, type Schema, valueAt } from "../../../contract/index.ts";
import type { StoredType } from "../../../control/client/index.ts";
import { type ApiOperation, bodyExample, flattened, JSON_TYPE, sampleOf } from "../api/document.ts";
import { operationLines, operationOf, roleOn } from "../live/contract.ts";
import { type Loaded, type Session, useLoaded, useSession } from "../live/session.ts";

/** An item as the control API shows it: its members, and what the mock knows of it. */
export interface Shown {
  readonly $mock?: Bookkeeping & { readonly hidden?: unknown };
  readonly [member: string]: unknown;
}

interface Bookkeeping {
  readonly id?: string;
  readonly version?: number;
  readonly createdAt?: string;
  readonly lastModifiedAt?: string;
  readonly createdBy?: string;
}

/** Returns what the mock knows of an item. Items of the built-in service have it among their members. */
export function bookkeepingOf(item: Shown): Bookkeeping {
  return item.$mock ?? (item as Bookkeeping);
}

/** Returns the members of an item, and of what the mock knows only those that the service does not return. */
export function membersOf({ $mock, ...members }: Shown): Shown {
  return $mock?.hidden === undefined ? members : { ...members, $mock: { hidden: $mock.hidden } };
}

/** Returns the id of an item, as the control API takes it. */
export function idOf({ id: member = "id" }: StoredType, item: Shown): string {
  const { id } = item.$mock ?? {};
  return String(id ?? valueAt(item, member.split(".")) ?? item.id ?? "");
}

/** Returns the members of an item that its schema need not have: the built-in service has them beside its own. */
export function ofMock({ alternates = [] }: StoredType, item: Shown | undefined): readonly string[] {
  return item?.$mock ? [] : ["id", "version", "createdAt", "lastModifiedAt", "createdBy", ...alternates];
}

/** Returns the version of an item: that of its own member, or that which the mock counts. */
export function versionOf({ version }: StoredType, item: Shown): unknown {
  return (version === undefined ? undefined : valueAt(item, version.split("."))) ?? bookkeepingOf(item).version;
}

/** Returns the type that a text names: its name, or the path of one of its collections. */
export function typeAt(types: readonly StoredType[], text: string): StoredType | undefined {
  const segments = text.split("/");
  const isAt = ({ path }: StoredType) => {
    const parts = path.split("/");
    return (
      parts.length === segments.length && parts.every((part, index) => /^\{/.test(part) || part === segments[index])
    );
  };
  return types.find(({ name }) => name === text) ?? types.find(({ path }) => path === text) ?? types.find(isAt);
}

/** Returns a short name for a type: those without a schema of their own are named by the fixed parts of their path. */
export function shortName({ name }: Pick<StoredType, "name">): string {
  if (!name.startsWith("/")) return name;
  return name
    .split("/")
    .filter((part) => part !== "" && !part.startsWith("{"))
    .join(" / ");
}

/** Returns whether a type has several collections, one for each value of the parameters in its path. */
export function isScoped({ path }: StoredType): boolean {
  return path.includes("{");
}

/** The schema of the items of a type; empty if the contract has none. */
export function useItemSchema(type: StoredType | undefined): Loaded<Schema> {
  const session = useSession();
  return useLoaded(async () => (type ? await itemSchema(session, type.name) : {}), [], [type?.name]);
}

/** Returns an item to begin with: what clients send to create one, without what the mock sets itself. */
export async function startOf(session: Session, { name, id = "", version = "" }: StoredType): Promise<string> {
  const item = await itemSchema(session, name);
  const creating = (await operationLines(session)).find((line) => roleOn(line, name) === "creates");
  const operation = creating && (await operationOf(session, creating.id));
  const sent = jsonSchema(operation?.requestBody?.content);
  const members = Object.keys(item.properties ?? {});
  const isItem = Object.keys(sent?.properties ?? {}).every((member) => members.includes(member));
  const sample = operation && sent && isItem ? jsonValue(bodyExample(operation, JSON_TYPE)) : sampleOf(item);
  const own = new Set([...id.split(","), version, "createdAt", "lastModifiedAt"]);
  const kept = Object.entries(isObject(sample) ? sample : {}).filter(([member]) => !own.has(member));
  return JSON.stringify(Object.fromEntries(kept), undefined, 2);
}

/** The operations whose schemas describe an item, the best first. */
const describing = ["reads", "lists", "creates", "replaces", "updates"];

async function itemSchema(session: Session, name: string): Promise<Schema> {
  const lines = await operationLines(session);
  for (const verb of describing) {
    const id = lines.find((line) => roleOn(line, name) === verb)?.id;
    const operation = id === undefined ? undefined : await operationOf(session, id);
    const found = operation && itemIn(operation, verb);
    if (found) return found;
  }
  return {};
}

function itemIn({ requestBody, responses }: ApiOperation, verb: string): Schema | undefined {
  const success = responses.find(([status]) => /^2/.test(status))?.[1];
  const schema = jsonSchema(success?.content) ?? jsonSchema(requestBody?.content);
  if (verb !== "lists") return schema;
  const { items, properties = {} } = schema ?? {};
  const list = items
    ? schema
    : Object.values(properties)
        .map(flattened)
        .find((member) => member.items);
  return list?.items && flattened(list.items);
}

function jsonSchema(content: NonNullable<ApiOperation["requestBody"]>["content"] = {}): Schema | undefined {
  const schema = Object.entries(content).find(([type]) => /json/.test(type))?.[1].schema;
  return schema && flattened(schema);
}

/** Returns whether values of a schema are a text, a number or a truth value. */
export function isScalar(schema: Schema): boolean {
  const { type, enum: values, oneOf, anyOf, allOf } = schema;
  if (values) return true;
  const kinds = [type ?? []].flat().filter((kind) => kind !== "null");
  return !(oneOf || anyOf || allOf) && kinds.length === 1 && !["object", "array"].includes(String(kinds[0]));
}

/** The most members that are columns, and the longest text of one, in UTF-16 units. */
const MAX_COLUMNS = 4;
const MAX_TEXT = 32;

/** Returns the members that tell items apart: scalar and short, those with different values first. */
export function columnsOf(type: StoredType, schema: Schema, items: readonly Shown[]): string[] {
  const { properties = {}, required = [] } = schema;
  const own = [type.id, type.version, "bytes", "lastModifiedAt", "createdAt", "$mock"];
  const textsOf = (name: string) => items.map((item) => item[name] ?? "").filter((each) => each !== "");
  const isShort = (value: unknown) => typeof value !== "object" && String(value).length <= MAX_TEXT;
  const known = Object.keys(properties).sort((a, b) => Number(required.includes(b)) - Number(required.includes(a)));
  const candidates = [...new Set([...known, ...items.flatMap((item) => Object.keys(item))])].filter((name) => {
    const texts = textsOf(name);
    return !own.includes(name) && texts.length > 0 && texts.every(isShort);
  });
  const isDifferent = (name: string) => new Set(textsOf(name)).size > 1;
  const best = candidates.toSorted((a, b) => Number(isDifferent(b)) - Number(isDifferent(a))).slice(0, MAX_COLUMNS);
  return candidates.filter((name) => best.includes(name));
}
