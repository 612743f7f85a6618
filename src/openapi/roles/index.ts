import type { Operation, ResourceType } from "../../contract/index.ts";
import type { Node } from "../references.ts";
import type { Schemas } from "../schemas.ts";
import { adopted } from "./adopt.ts";
import { type Candidate, candidateFor } from "./candidates.ts";
import { groupsOf } from "./groups.ts";
import { locationsOf } from "./locations.ts";
import { pathsOf } from "./paths.ts";
import { Shapes } from "./shapes.ts";
import { typesOf } from "./types.ts";

/**
 * What the operations of a document do with items, by its paths and schemas. `locations` says what each path is, `groups` which
 * paths have the items of one type, and `rules` what the operations do there.
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
export function inferRoles(operations: readonly Operation[], source: Source): ResourceType[] {
  const { document, nodes, project, schemas } = source;
  const shapes = new Shapes(document);
  const locations = locationsOf(pathsOf(document, operations, nodes, project), shapes);
  const groups = groupsOf(locations, shapes);
  const reasons = new Map<Operation, string>();
  const found: Candidate[] = [];
  for (const location of locations.values()) {
    const group = groups.get(location.collection);
    for (const documented of location.path.operations.values()) {
      const candidate = group && candidateFor(documented, location, group, shapes);
      if (candidate?.role) found.push(candidate as Candidate);
      const because = candidate?.because ?? location.because ?? "nothing reads or writes items there";
      reasons.set(documented.operation, because);
    }
  }
  const candidates = adopted(found, groups, shapes);
  const isKept = stateful(candidates);
  const kept = candidates.filter((each) => isKept.has(each.group));
  for (const { documented, role, because, group } of candidates) {
    const missing =
      role.does === "list" || role.does === "read" ? "nothing changes such items" : "nothing reads such items";
    reasons.set(documented.operation, isKept.has(group) ? because : `${because}, but ${missing}`);
  }
  const { types, nameOf } = typesOf(document, kept, schemas, shapes, project);
  for (const { documented, role, group } of kept)
    Object.assign(documented.operation, { role: { ...role, type: nameOf(group) } });
  for (const operation of operations)
    Object.assign(operation, { reason: reasons.get(operation) ?? "another operation has its method and path" });
  return types;
}

/** Returns the groups whose items are both written and read, or both listed and read. */
function stateful(candidates: readonly Candidate[]): ReadonlySet<Candidate["group"]> {
  const byGroup = Map.groupBy(candidates, ({ group }) => group);
  const kept = [...byGroup].filter(([, all]) => {
    const does = new Set(all.map(({ role }) => role.does));
    const isRead = does.has("read") || does.has("list");
    const isWritten = does.has("create") || does.has("replace") || does.has("merge") || does.has("delete");
    return isRead && (isWritten || (does.has("read") && does.has("list")));
  });
  return new Set(kept.map(([group]) => group));
}
