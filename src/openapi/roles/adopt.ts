import type { Kept } from "../../contract/index.ts";
import { type Candidate, keptBy } from "./candidates.ts";
import type { Group } from "./groups.ts";
import { returnedBy } from "./locations.ts";
import type { Shapes } from "./shapes.ts";
import { isVerb, singular } from "./words.ts";

/**
 * Lets creates of collections without items of their own belong to the type whose items have the same schema, or nearly the
 * same and the same name: `POST /user/repos` to `/repos/{owner}/{repo}`. The lists of these collections follow them. A list
 * alone follows if its parameters are members of the items: `GET /posts/{postId}/comments` to `/comments/{id}`.
 */
export function adopted(
  candidates: readonly Candidate[],
  groups: ReadonlyMap<string, Group>,
  shapes: Shapes,
): Candidate[] {
  const adoptions = new Map<Group, Group>();
  for (const candidate of candidates) {
    const { group, role } = candidate;
    if (group.items.length > 0 || (role.does !== "create" && role.does !== "list")) continue;
    const likeness = likenessOf(candidate, shapes);
    const possible = [...groups.values()].filter((each) => each !== group && isWithin(group, each) && likeness(each));
    const [nearest] = possible.sort((a, b) => nearness(b, group) - nearness(a, group));
    if (nearest && (role.does === "create" || (!adoptions.has(group) && isFiltered(candidate, nearest, shapes))))
      adoptions.set(group, nearest);
  }
  return candidates.flatMap((candidate) => {
    const group = adoptions.get(candidate.group);
    if (!group) return [candidate];
    const { role, documented, because } = candidate;
    const isList = role.does === "list" && shapes.resemble(candidate.location.list?.schema, group.schema);
    if (role.does !== "create" && !isList) return [];
    const scope = documented.parameters.slice(0, group.scope);
    const keeps = [
      ...keptBy(scope, group, shapes).filter(({ member }) => member && !isList),
      ...keptOf(candidate, group, shapes),
    ];
    const item = group.items[0]?.written ?? group.shape;
    const { scope: _own, ...rest } = role;
    const own = { ...rest, ...(scope.length > 0 && { scope }), ...(keeps.length > 0 && { keeps }) };
    return [{ ...candidate, group, role: own, because: `${because}, whose items are those of ${item}` }];
  });
}

/** Returns whether the items that an operation creates or lists are like those of another group. */
function likenessOf({ documented, group, role, location }: Candidate, shapes: Shapes): (other: Group) => boolean {
  const { returned, body, hasBody, path, status } = documented;
  const schema = role.does === "list" ? location.list?.schema : shapes.itemIn(returned, group.word).schema;
  const own = shapes.of(schema);
  // Not such as `merges`, or `sub_issues`, which takes the id of an issue.
  const isSent = hasBody && !isVerb(singular(path.word)) && (body === undefined || shapes.resemble(body, own));
  if (role.does === "create" && !isSent) return () => false;
  return ({ items, word }) =>
    items.some((item) => {
      const read = shapes.itemIn(returnedBy(item.path, "GET"), word).schema;
      const [isSame, isNamesake] = [shapes.of(read) === own, word === group.word];
      if (role.does === "list") return isSame;
      return status === 201 ? isSame || (isNamesake && shapes.resemblance(read, own) > 0.8) : isSame && isNamesake;
    });
}

/** Returns whether the parameters of a list besides the scope are members of the items. */
function isFiltered({ documented }: Candidate, group: Group, shapes: Shapes): boolean {
  const others = documented.parameters.slice(group.scope);
  return others.length > 0 && keptBy(others, group, shapes).every(({ member }) => member);
}

/** Returns whether the scope of a type is a start of the path of a group. */
export function isWithin(group: Pick<Group, "shape">, { shape }: Pick<Group, "shape">): boolean {
  const scope = shape.slice(0, shape.lastIndexOf("{}") + 2);
  return !shape.includes("{}") || `${group.shape}/`.startsWith(`${scope}/`);
}

/** Returns how many segments two groups have in common at their start. */
function nearness(a: Group, b: Group): number {
  const [one, other] = [a.shape.split("/"), b.shape.split("/")];
  const end = one.findIndex((segment, index) => segment !== other[index]);
  return end === -1 ? one.length : end;
}

/** Returns the members for the parameters besides the scope: those of their names, else parts of the id that no client sends. */
function keptOf({ documented }: Candidate, group: Group, shapes: Shapes): Kept[] {
  const sent = shapes.members(documented.body);
  const open = (group.parts.length > 1 ? group.parts : [])
    .filter(({ member }) => member && !sent.has(member.at(-1) ?? ""))
    .map(({ member }) => member);
  const kept = keptBy(documented.parameters.slice(group.scope), group, shapes);
  return kept.map(({ parameter, member = open.shift() }) => ({ parameter, ...(member && { member }) }));
}
