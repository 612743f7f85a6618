import { randomUUID } from "node:crypto";
import {
  type Contract,
  identifierOf,
  MAX_ID,
  MAX_INT32,
  type MemberPath,
  matches,
  type Operation,
  type ResourceType,
  type Schema,
  valueAt,
} from "../../contract/index.ts";
import { idParts, partSchema, schemaAt, typedText } from "../../state/index.ts";
import type { Owned } from "./compared-service.ts";
import { needs } from "./facts.ts";
import { isSameTemplate, namesIn, templateOf, valuesIn } from "./item-paths.ts";
import { isRead, type Sent } from "./service-requests.ts";
import { combined, requiredParts, schemaToSend, validBody, valueFor } from "./valid-requests.ts";

/** The parts of a valid request. */
export interface ItemRequest extends Sent {
  readonly item?: Owned | undefined;
  /** The path parameters whose values are no known ones. */
  readonly guessed?: readonly string[];
}

interface Run {
  readonly contract: Contract;
  /** Values of path parameters, by their names. */
  readonly given: Readonly<Record<string, string>>;
  /** A valid body, apart from what is known about the item; by default the least. */
  readonly sample?: unknown;
  /** Returns a text of the run. */
  newName(): string;
}

/** Returns a valid request to an operation on the item, or on a new item. */
export function requestFor(operation: Operation, item: Owned | undefined, isNew: boolean, run: Run): ItemRequest {
  const { role, body, method } = operation;
  const { newName, sample } = run;
  const type = role && run.contract.typeOf(role.type);
  const required = requiredParts(operation, newName);
  const named = namedValues(operation, item);
  const { path, guessed } = pathFor(operation, item, isNew, run);
  const parts = {
    ...{ item, path, guessed },
    query: combined(required.query, named.query.map((pair) => pair.join("=")).join("&")),
    headers: { ...required.headers, ...Object.fromEntries(named.header) },
  };
  if (!body || (!body.required && (isRead(operation) || method === "DELETE"))) return parts;
  if (!isNew || !type) return { ...parts, ...validBody(operation, newName, knownMembers(operation, item), sample) };
  const { json } = validBody(operation, newName, [], sample);
  const ids = idParts(type).flatMap((part, index) => {
    const at = [...(role.body ?? []), ...(part.member ?? [])];
    const schema = part.member && schemaAt(schemaToSend(operation) ?? {}, at, json);
    if (!part.member || !schema || valueAt(json, at) === undefined) return [];
    const text = path[identifierOf(role)?.parameters[index] ?? ""];
    const value = text ? typedText(schema, text) : newId(schema, newName, type);
    needs(value !== undefined, "an id that no resource has");
    return [[part.member, value] as const];
  });
  const alternates = (type.alternates ?? []).map((each) => [[each], newName()] as const);
  return { ...parts, ...validBody(operation, newName, [...ids, ...alternates], sample) };
}

function pathFor(operation: Operation, item: Owned | undefined, isNew: boolean, { contract, given, newName }: Run) {
  const template = templateOf(operation, contract);
  const own = namesIn(isSameTemplate(template, item?.type.itemPath) ? template : item?.type.itemPath);
  const type = contract.typeOf(operation.role?.type ?? "");
  const by = identifierOf(operation.role);
  const isAlternate = by !== undefined && by.member !== "id";
  const path: Record<string, string> = item ? valuesIn(template, item.type, item.path) : {};
  if (isAlternate) for (const name of by.parameters) delete path[name];
  const guessed: string[] = [];
  for (const parameter of operation.parameters) {
    const { name, schema } = parameter;
    if (parameter.in !== "path" || name === contract.addresses.project) continue;
    // A path can go on below the collection in another way: /templates/{scope}/{key} beside /templates/{id}.
    if (name in path && (own.includes(name) || [path[name], Number(path[name])].some((each) => matches(schema, each))))
      continue;
    const isId = by?.parameters.includes(name);
    const ofItem = isNew ? newId(schema, newName, type) : isAlternate && valueAt(item?.content, [by.member]);
    const ofOther = isNew && name === by?.parameters.at(-1) ? undefined : given[name];
    const known = (isId && !isNew && ofItem) || ofOther || (isId && ofItem) || undefined;
    if (known === undefined) guessed.push(name);
    path[name] = String(known ?? valueFor(parameter, newName));
  }
  return { path, guessed };
}

/** Returns an id that no item has and that this schema accepts, in the form of the ids of the type if possible. */
export function newId(schema: Schema, newName: () => string, type?: ResourceType): unknown {
  const part = type && idParts(type).at(-1);
  const name = newName();
  const number = MAX_INT32 - Number(/\d+$/.exec(name)?.[0]);
  const { maxLength = MAX_ID } = { ...(type && part && partSchema(type, part)), ...schema };
  const texts = [name.slice(-maxLength), randomUUID()];
  const likely = part?.form === "integer" ? [number, String(number)] : part?.form === "uuid" ? texts.slice(1) : [];
  return [...likely, ...texts, number].find((each) => matches(schema, each));
}

/** Returns the members of a body that are about the item: its id and its version. */
function knownMembers({ role }: Operation, item: Owned | undefined): (readonly [MemberPath, unknown])[] {
  if (!item || item.type.name !== role?.type) return [];
  const places = [...idParts(item.type).map(({ member }) => member), item.type.version];
  return places.flatMap((place) => (place ? [[place, valueAt(item.content, place)] as const] : []));
}

/** Returns what is about the item in the query and in headers: its version, and an id that is not in the path. */
function namedValues({ role, parameters }: Operation, item: Owned | undefined) {
  type Pairs = (readonly [name: string, value: string])[];
  const found: Record<"query" | "header", Pairs> = { query: [], header: [] };
  if (!item) return found;
  const { version = [], itemPath = "" } = item.type;
  const current = version.length > 0 ? valueAt(item.content, version) : undefined;
  const ids = Object.values(valuesIn(itemPath, item.type, item.path));
  const sources = identifierOf(role)?.from ?? [];
  for (const [index, source] of sources.entries()) {
    const value = ids[namesIn(itemPath).length - sources.length + index] ?? "";
    if (source.in === "query" || source.in === "header") found[source.in].push([source.at[0] ?? "", value]);
  }
  for (const { in: place, name } of parameters) {
    if (place === "header" && /^if-match$/i.test(name) && item.etag) found.header.push([name, item.etag]);
    if (place === "query" && name === version.at(-1) && current !== undefined)
      found.query.push([name, String(current)]);
  }
  return found;
}
