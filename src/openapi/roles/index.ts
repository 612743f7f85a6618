import type { Operation, ResourceType } from "../../contract/index.ts";
import type { BehaviourFile } from "../read/index.ts";
import type { Node } from "../references.ts";
import type { Schemas } from "../schemas.ts";
import { adopted } from "./adopt.ts";
import { type Candidate, candidateFor, type Decided } from "./candidates.ts";
import { correctionsIn } from "./corrections.ts";
import { type Group, groupsOf } from "./groups.ts";
import { locationsOf } from "./locations.ts";
import { pathsOf } from "./paths.ts";
import { Shapes } from "./shapes.ts";
import { typesOf } from "./types.ts";

/**
 * What the operations of a document do with items, by its paths and schemas. `locations` says what each path is, `groups` which
 * paths have the items of one type, and `rules` what the operations do there. `corrections` replaces these decisions by those
 * of the behaviour file.
 */

interface Source {
  readonly document: Node;
  readonly schemas: Schemas;
  /** The path items and operations of the document, in the order of the operations. */
  readonly nodes: readonly { readonly item: Node; readonly operation: Node }[];
  /** The parameter of all paths that is the project. */
  readonly project: string | undefined;
}

/** Sets the roles of the operations of a document, and the reason for each. Returns the types of the items. */
export function inferRoles(
  operations: readonly Operation[],
  { document, nodes, project, schemas }: Source,
  behaviour?: BehaviourFile,
): ResourceType[] {
  const shapes = new Shapes(document);
  const locations = locationsOf(pathsOf(document, operations, nodes, project), shapes);

  const setRoles = (groups: ReadonlyMap<string, Group>, wishes: ReadonlyMap<Operation, Decided> = new Map()) => {
    const setRole = (operation: Operation, reason: string, more = {}) =>
      Object.assign(operation, { role: undefined, actions: undefined, reason, ...more });
    for (const operation of operations) setRole(operation, "another operation has its method and path");
    const found: Candidate[] = [];
    for (const location of locations.values()) {
      const group = groups.get(location.collection);
      for (const documented of location.path.operations.values()) {
        const wish = wishes.get(documented.operation);
        const candidate = wish ?? (group && candidateFor(documented, location, group, shapes));
        if (candidate?.role && !wish) found.push(candidate);
        const because = candidate?.because ?? location.because ?? "nothing reads or writes items there";
        setRole(documented.operation, because);
      }
    }
    const wished = [...wishes.values()].filter((each) => each.role !== undefined);
    const candidates = [...adopted(found, groups, shapes), ...wished];
    const isKept = new Set([...stateful(candidates), ...wished.map(({ group }) => group)]);
    const kept = candidates.filter(({ group }) => isKept.has(group));
    const { types, nameOf } = typesOf(document, kept, schemas, shapes, project);
    for (const { documented, role, group, because } of candidates) {
      const isRead = role.does === "list" || role.does === "read";
      const actions = role.does === "update" ? shapes.actionsIn(documented.body) : [];
      const named = { role: { ...role, type: nameOf(group) }, ...(actions.length > 0 && { actions }) };
      if (isKept.has(group)) setRole(documented.operation, because, named);
      else setRole(documented.operation, `${because}, but nothing ${isRead ? "changes" : "reads"} such items`);
    }
    return { types, named: new Map(kept.map(({ group }) => [nameOf(group), group.shape])) };
  };

  const groups = groupsOf(locations, shapes);
  const { types, named } = setRoles(groups);
  if (!behaviour) return types;
  const corrected = correctionsIn(behaviour, locations, groups, named, shapes);
  return setRoles(corrected.groups, corrected.wishes).types;
}

/** Returns the groups whose items are both written and read, or both listed and read. */
function stateful(candidates: readonly Candidate[]): ReadonlySet<Candidate["group"]> {
  const byGroup = Map.groupBy(candidates, ({ group }) => group);
  const kept = [...byGroup].filter(([, all]) => {
    const does = new Set(all.map(({ role }) => role.does));
    return does.size > 1 && (does.has("read") || does.has("list"));
  });
  return new Set(kept.map(([group]) => group));
}
