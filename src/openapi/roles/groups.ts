import type { IdPart, MemberPath } from "../../contract/index.ts";
import { memberOf } from "./ids.ts";
import { type Location, returnedBy } from "./locations.ts";
import type { Documented, Path } from "./paths.ts";
import type { Part, Shapes } from "./shapes.ts";
import { singular } from "./words.ts";

/** The paths of the items of one type. */
export interface Group {
  /** The shape of the collection, or of the path of the only item. */
  readonly shape: string;
  readonly isSingle: boolean;
  readonly collection: Path | undefined;
  /** The paths of items, the one with most operations first. */
  readonly items: readonly Location[];
  /** The singular of its last literal segment. */
  readonly word: string;
  /** The schema of an item. */
  readonly schema: unknown;
  /** Whether only bodies of requests say what the schema is. */
  readonly isSent: boolean;
  /** The operation that creates items in the collection itself. */
  readonly creator: Documented | undefined;
  /** The number of parameters in the path of the collection. */
  readonly scope: number;
  /** The parts of the id. */
  readonly parts: readonly IdPart[];
  /** The member that has the version, if the behaviour file names it. */
  readonly version?: MemberPath;
}

/** Returns the groups of paths whose operations can have a state, by their shapes. */
export function groupsOf(locations: ReadonlyMap<string, Location>, shapes: Shapes): ReadonlyMap<string, Group> {
  const groups = new Map<string, Group>();
  for (const [shape, all] of Map.groupBy(locations.values(), ({ collection }) => collection)) {
    const ofKind = (kind: Location["kind"]) => all.filter((location) => location.kind === kind);
    const items = ofKind("item").sort(mainFirst);
    const [own] = [...ofKind("collection"), ...ofKind("one")];
    if (!own && items.length === 0) continue;
    const word = singular((own ?? items[0])?.path.word ?? "");
    const collection = own?.path;
    const creator = collection?.operations.get("POST");
    const isSingle = own?.kind === "one" && items.length === 0;
    const { schema, isSent } = schemaOf(all, own, word, shapes);
    const isFree = isSent || shapes.members(schema).size === 0;
    const scope = shape.split("{}").length - 1;
    const partsAt = (location: Location) => partsOf(location, { scope, word, schema, isFree }, shapes);
    const parts = items[0] ? partsAt(items[0]) : [];
    const named = items.map((location) => {
      const [, literal] = /(\w[\w-]*)=\{\}$/.exec(location.path.shape) ?? [];
      const member =
        location.parts === 1 && location !== items[0] ? (partsAt(location)[0]?.member?.[0] ?? literal) : undefined;
      const isOther = member !== undefined && member !== parts[0]?.member?.[0];
      return isOther ? { ...location, alternate: member } : location;
    });
    groups.set(shape, { shape, isSingle, collection, items: named, word, creator, schema, isSent, scope, parts });
  }
  return groups;
}

/** Puts the path of an item first that names it by most parameters, without literal text, and has most operations. */
function mainFirst(a: Location, b: Location): number {
  const literal = ({ path }: Location) => (path.segments.at(-1)?.text ?? "").replaceAll("{}", "").length;
  return b.parts - a.parts || literal(a) - literal(b) || b.path.operations.size - a.path.operations.size;
}

interface Naming extends Pick<Group, "scope" | "word" | "schema"> {
  /** Whether no response says which members an item has. */
  readonly isFree: boolean;
}

/** Returns the parts of the id in the path of an item, with the members that have them. */
function partsOf({ path, parts }: Location, { scope, word, schema, isFree }: Naming, shapes: Shapes): IdPart[] {
  const [documented] = path.operations.values();
  const texts = path.segments.flatMap(({ text, parameters }) => Array.from({ length: parameters }, () => text));
  const used: MemberPath[] = [];
  return (documented?.parameters.slice(scope, scope + parts) ?? []).map((parameter, index) => {
    const segment = texts[scope + index] ?? "";
    // Where responses have no schema, nothing speaks against the usual member.
    const usual = isFree && parts === 1 && /id$/i.test(parameter) ? ["id"] : undefined;
    const member = memberOf({ parameter, segment, word, schema }, shapes, used) ?? usual;
    if (member) used.push(member);
    const part = member?.reduce<unknown>((holder, name) => shapes.members(holder).get(name), schema);
    return partWith(member, part ?? documented?.inPath.get(parameter), shapes);
  });
}

/** Returns a part of an id with its member, and the form that its schema says. */
export function partWith(member: MemberPath | undefined, declared: unknown, shapes: Shapes): IdPart {
  const { format } = shapes.of(declared);
  const isNumber = shapes.typeOf(declared) === "integer" || shapes.typeOf(declared) === "number";
  const form = isNumber ? "integer" : format === "uuid" ? "uuid" : undefined;
  return { ...(form && ({ form } as const)), ...(member && { member }) };
}

/** Returns the schema of the items: what reads return, else changes, lists or creates, else what clients send. */
function schemaOf(all: readonly Location[], own: Location | undefined, word: string, shapes: Shapes) {
  const isObject = (schema: unknown) => shapes.typeOf(schema) === "object";
  const ofItems = all.filter(({ kind, path }) => kind === "item" || (kind === "one" && path === own?.path));
  const listed: Part | undefined = own?.list;
  const bodies = [...(own ? [own] : []), ...ofItems].flatMap(({ path }) =>
    ["PUT", "POST", "PATCH"].flatMap((method) => path.operations.get(method)?.body ?? []),
  );
  const known = [listed?.schema ?? [], bodies[0] ?? []].flat();
  const returned = ["GET", "PUT", "PATCH"].flatMap((method) =>
    ofItems.flatMap(({ path, list }) => {
      const returned = method === "GET" && list ? undefined : returnedBy(path, method);
      return returned === undefined || shapes.typeOf(returned) === "array"
        ? []
        : [shapes.itemIn(returned, word, known).schema];
    }),
  );
  const created = own && shapes.itemIn(returnedBy(own.path, "POST"), word, known).schema;
  const shown = returned.find(isObject) ?? listed?.schema ?? [created].find(isObject);
  return { schema: shown ?? bodies.find(isObject) ?? returned[0], isSent: shown === undefined };
}
