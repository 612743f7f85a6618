import {
  counted,
  join,
  type Operation,
  type Problem,
  type Role,
  summaryOf,
  unknownName,
  type ValueSource,
} from "../../contract/index.ts";
import { type BehaviourFile, type OperationCorrection, refuse } from "../read/index.ts";
import { isWithin } from "./adopt.ts";
import { candidateFor, type Decided } from "./candidates.ts";
import { type Group, partWith } from "./groups.ts";
import type { Location } from "./locations.ts";
import { type Documented, namesIn, shapeOf } from "./paths.ts";
import type { Shapes } from "./shapes.ts";
import { plain } from "./words.ts";

/** What operations can do: with one item, and otherwise. */
const onItem = ["read", "replace", "merge", "update", "delete", "set"];
const verbs = ["list", "create", "stateless", ...onItem];
const expected = `expected one of ${verbs.join(", ")}, with id only for one item, and with type only for set`;

/**
 * Returns the groups, and what operations do, as the file says. `named` has the shapes of groups by the names of their types.
 * Throws `DocumentError` with all problems of the file.
 */
export function correctionsIn(
  file: BehaviourFile,
  locations: ReadonlyMap<string, Location>,
  inferred: ReadonlyMap<string, Group>,
  named: ReadonlyMap<string, string>,
  shapes: Shapes,
) {
  const problems: Problem[] = [];
  const groups = new Map(inferred);
  const wishes = new Map<Operation, Decided>();
  const operations = new Map<string, Documented>();
  for (const location of locations.values()) {
    for (const each of location.path.operations.values()) {
      const { id, method, path } = each.operation;
      operations.set(id, each).set(`${method} ${path}`, each);
    }
  }

  const report = (pointer: string, message: string): undefined => void problems.push({ pointer, message });

  const groupNamed = (name: string, pointer: string) => {
    const shape = named.get(name) ?? locations.get(name.replace(/\{[^{}]*\}/g, "{}"))?.collection;
    return groups.get(shape ?? "") ?? report(pointer, unknownName("type", name, [...named.keys()]));
  };

  /** Returns the type of the item that a path names or is below. */
  const groupAbove = ({ path, operation }: Documented, pointer: string) => {
    const above = path.segments.map((_each, index) => locations.get(shapeOf(path.segments.slice(0, index + 1))));
    const item = above.findLast((each) => /item|one|view/.test(each?.kind ?? ""));
    const message = `expected the path of an item, or type, found ${operation.path}`;
    return groups.get(item?.collection ?? "") ?? report(pointer, message);
  };

  const memberOf = (schema: unknown, name: string, pointer: string) => {
    const known = shapes.members(schema);
    const isOpen = known.size === 0 && (shapes.typeOf(schema) ?? "object") === "object";
    if (!isOpen && !known.has(name)) report(pointer, unknownName("member", name, [...known.keys()]));
    return known.get(name);
  };

  const partAt = (schema: unknown, text: string, pointer: string) => {
    const member = shapes.members(schema).has(text) ? [text] : text.split(".");
    const part = member.reduce((holder, name) => memberOf(holder, name, pointer), schema);
    if (!shapes.isScalar(part)) report(pointer, `expected a member with one value, found ${shapes.typeOf(part)}`);
    return { ...partWith(member, part, shapes), member };
  };

  const correctOperation = (name: string, correction: OperationCorrection, pointer: string) => {
    const found = operations.get(name);
    if (!found) return report(pointer, unknownName("operation", name, [...operations.keys()]));
    const { operation, path, parameters, body } = found;
    const { type, id, set, ...rest } = correction;
    const [verb = "", ...others] = Object.keys({ ...rest, ...(set && { set }) });
    if (!verbs.includes(verb) || others.length > 0 || (type && !set) || (id && !onItem.includes(verb)))
      return report(pointer, `${expected}, found ${Object.keys(correction).join(" and ") || "none"}`);
    const because = `the behaviour file says so; by itself: ${summaryOf(operation).role} (${operation.reason})`;
    const place = `${pointer}/${type ? "type" : verb}`;
    const wanted = type ?? rest[verb as keyof typeof rest];
    if (wanted === true) return wishes.set(operation, { because });
    const group = wanted ? groupNamed(wanted, place) : groupAbove(found, place);
    const location = locations.get(path.shape);
    if (!group || !location) return undefined;
    const written = group.items[0]?.written ?? group.collection?.operations.values().next().value?.written ?? "";
    const names = namesIn(written).slice(0, group.scope);
    const own = (name: string) => parameters.find((each) => plain(each) === plain(name)) ?? [];
    const scope = isWithin(path, group) ? parameters.slice(0, group.scope) : names.flatMap(own);
    if (scope.length < group.scope)
      return report(place, `expected a path with the parameters of ${written}, found ${operation.path}`);
    for (const each of Object.keys(set ?? {})) memberOf(group.schema, each, join(`${pointer}/set`, each));
    const from = (Object.entries(id ?? {}) as [ValueSource["in"], string][]).map(([kind, text]) => {
      return { in: kind, at: kind === "body" ? partAt(body, text, `${pointer}/id/body`).member : [text] };
    });
    const by = id && { parameters: [], member: "id", from };
    const does = (set ? "merge" : verb) as Role["does"];
    const candidate = candidateFor(found, location, group, shapes, { does, because, scope, by, set });
    if (candidate?.role) wishes.set(operation, candidate);
    else report(place, `expected ${candidate?.lacks}, found ${operation.path}`);
  };

  for (const [name, { id, version }] of Object.entries(file.value.types ?? {})) {
    const pointer = join("/types", name);
    const group = groupNamed(name, pointer);
    if (!group) continue;
    const parts =
      id === undefined ? group.parts : [id].flat().map((each) => partAt(group.schema, each, `${pointer}/id`));
    const count = group.parts.length || 1;
    if (id !== undefined && parts.length !== count)
      report(`${pointer}/id`, `expected ${counted(count, "member")}, one for each parameter, found ${parts.length}`);
    const corrected = version === undefined ? undefined : partAt(group.schema, version, `${pointer}/version`).member;
    groups.set(group.shape, { ...group, parts, ...(corrected && { version: corrected }) });
  }
  for (const [name, correction] of Object.entries(file.value.operations ?? {}))
    correctOperation(name, correction, join("/operations", name));
  refuse(file, problems);
  return { groups, wishes };
}
