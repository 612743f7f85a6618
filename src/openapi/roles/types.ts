import { capitalized, isObject, type MemberPath, type Parent, type ResourceType } from "../../contract/index.ts";
import type { Node } from "../references.ts";
import { lazyMember, type Schemas } from "../schemas.ts";
import type { Candidate } from "./candidates.ts";
import type { Group } from "./groups.ts";
import { writtenPath } from "./paths.ts";
import type { Shapes } from "./shapes.ts";
import { plain, versions } from "./words.ts";

/** Returns the types of the groups that operations have roles in, and their names. */
export function typesOf(
  document: Node,
  candidates: readonly Candidate[],
  schemas: Schemas,
  shapes: Shapes,
  project: string | undefined,
): { readonly types: ResourceType[]; readonly nameOf: (group: Group) => string } {
  const byGroup = Map.groupBy(candidates, ({ group }) => group);
  const paths = new Map([...byGroup].map(([group, all]) => [group, pathOf(group, all, project)]));
  const names = namesOf(document, paths, shapes);
  const nameOf = (group: Group) => names.get(group) ?? group.shape;
  const items = [...byGroup.keys()].flatMap((group) => group.items.map((item) => [item.path.shape, group] as const));
  const byItem = new Map(items.reverse());
  const types = [...byGroup].map(([group, all]) => {
    const { parts, isSingle, schema } = group;
    const path = paths.get(group) ?? "";
    const scope = Array.from(path.matchAll(/\{([^{}]*)\}/g), ([, name = ""]) => name);
    const [part] = parts;
    const member = parts.length === 1 && part?.member?.length === 1 ? part.member[0] : undefined;
    const alternates = [...new Set(group.items.flatMap(({ alternate }) => alternate ?? []))];
    const members = shapes.members(schema);
    const parents = parentsOf(group, byItem, nameOf);
    // The operations for the whole collection of the group, or for an item of it.
    const own = all.filter(({ location: { kind, collection } }) => kind !== "finding" && collection === group.shape);
    const operationThat = (does: string) => own.find(({ role }) => role.does === does);
    const list = operationThat("list")?.documented.operation.id;
    const item = (operationThat("read") ?? operationThat("create"))?.documented.operation.id;
    const version = group.version ?? versionIn(schema, all, shapes);
    const type: ResourceType = {
      name: nameOf(group),
      path,
      kind: isSingle ? "singleton" : "collection",
      ...(scope.length > 0 && { scope }),
      ...(group.items[0] && { itemPath: group.items[0].written }),
      ...(parts.length > 0 && {
        id: { ...(part?.form && parts.length === 1 && { form: part.form }), ...(member ? { member } : { parts }) },
      }),
      ...(alternates.length > 0 && { alternates, showsAlternates: alternates.every((each) => members.has(each)) }),
      ...(version && { version }),
      ...(isSingle &&
        all.some(({ documented, role }) => role.does === "read" && documented.status === 204) && { isAbsent: true }),
      ...(parents.length > 0 && { parents }),
      ...(all.every(({ documented }) => documented.returned === undefined) && { isUndocumented: true }),
      samples: { ...(list && { list }), ...(item && { item }) },
    };
    return schema === undefined ? type : lazyMember(type, "schema", () => schemas.of(schema));
  });
  // The first type is the default of the control API.
  const isDefault = ({ kind, scope }: ResourceType) => kind === "collection" && !scope;
  return { types: types.sort((a, b) => Number(isDefault(b)) - Number(isDefault(a))), nameOf };
}

/** Returns where items have the version that the server raises with each change; undefined if they have none. */
function versionIn(schema: unknown, all: readonly Candidate[], shapes: Shapes): MemberPath | undefined {
  const holders = [[], ["metadata"], ["meta"]].map((path: string[]) => {
    const holder = path.reduce<unknown>((each, name) => shapes.members(each).get(name), schema);
    return { path, members: holder === undefined ? [] : [...shapes.members(holder)] };
  });
  const found = holders.flatMap(({ path, members }) => {
    const own = members.filter(([, member]) => shapes.isScalar(member));
    const [name] =
      own.find(([each]) => versions.test(plain(each))) ??
      own.find(([each, member]) => each === "version" && isKeptByServer(member, all, shapes)) ??
      [];
    return name === undefined ? [] : [[...path, name]];
  });
  return found[0];
}

/** Returns whether a version is a number that clients do not choose for a new item, or that they have to match. */
function isKeptByServer(member: unknown, all: readonly Candidate[], shapes: Shapes): boolean {
  const isNumber = shapes.typeOf(member) === "integer" || shapes.typeOf(member) === "number";
  const isChosen = all.some(({ role, documented }) => {
    return role.does === "create" && shapes.members(documented.body).has("version");
  });
  const isMatched = all.some(({ documented }) => documented.operation.responses[412] !== undefined);
  return isNumber && (!isChosen || isMatched || shapes.isReadOnly(member));
}

/** Returns the path of the collection, or of the single item if there is no collection, without the project key. */
function pathOf(group: Group, [first]: readonly Candidate[], project: string | undefined): string {
  if (group.collection) return writtenPath([...group.collection.operations.values()][0]?.operation.path ?? "", project);
  const written = group.items[0]?.written ?? first?.documented.operation.path ?? "";
  const depth = group.shape.replace(/\/$/, "").split("/").length;
  return written
    .replace(/\([^()]*\)$/, "")
    .split("/")
    .slice(0, depth)
    .join("/");
}

/** Returns the names of types: that of the schema where it is unique, else the path. */
function namesOf(document: Node, paths: ReadonlyMap<Group, string>, shapes: Shapes): ReadonlyMap<Group, string> {
  const { schemas } = (isObject(document.components) ? document.components : {}) as { schemas?: Node };
  const known = new Map(Object.entries(schemas ?? {}).map(([name, schema]) => [shapes.of(schema), name]));
  const short = ({ schema, word, isSent }: Group) =>
    (isSent ? undefined : known.get(shapes.of(schema))) ?? capitalized(word);
  const groups = Map.groupBy(paths.keys(), (group) => plain(short(group)));
  const names = new Map<Group, string>();
  for (const [group, path] of paths) {
    const isUnique = groups.get(plain(short(group)))?.length === 1;
    // A single item and keyed items can have one path.
    const isTaken = [...names.values()].includes(path);
    const long = isTaken ? (group.items[0]?.written ?? group.shape) : path;
    names.set(group, isUnique ? short(group) || group.shape : long);
  }
  return names;
}

/** Returns the types whose items the paths of a group are below. */
function parentsOf(
  { shape }: Group,
  byItem: ReadonlyMap<string, Group>,
  nameOf: (group: Group) => string,
): readonly Parent[] {
  const segments = shape.split("/");
  return segments.flatMap((_segment, index) => {
    const group = byItem.get(segments.slice(0, index).join("/"));
    return group ? [{ type: nameOf(group), scope: group.scope, parts: group.parts.length }] : [];
  });
}
