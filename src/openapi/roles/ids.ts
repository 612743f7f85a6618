import type { MemberPath } from "../../contract/index.ts";
import type { Shapes } from "./shapes.ts";
import { plain } from "./words.ts";

/** A parameter that names an item: its name, the text of its segment, the type of the item as a word, and the item's schema. */
export interface Naming {
  readonly parameter: string;
  readonly segment: string;
  readonly word: string;
  readonly schema: unknown;
}

/** Names of members that identify an item, by the end of a parameter. */
const usual: readonly [parameter: RegExp, members: readonly string[]][] = [
  [/(user|owner|org|login|actor|assignee|member)(name)?$/, ["login", "username", "handle", "name", "slug"]],
  [/slug$/, ["slug", "key", "handle", "name"]],
  [/(name|key|code|repo|title|tag)$/, ["name", "key", "code", "slug", "tag", "title"]],
  [/(id|identifier|ref)$/, ["id", "uuid", "guid", "uid", "sid", "gid", "identifier"]],
  [/(identifier|ref)$/, ["slug", "key", "code", "name"]],
];

/** How the name of a parameter leads to a member. The first row that leads to one decides. */
const ways: readonly ((naming: Naming, own: string, last: string) => readonly string[])[] = [
  ({ segment }) => [/([\w.-]+)=\{/.exec(segment)?.[1] ?? ""],
  (_naming, own) => [own],
  ({ word }, own, last) => (last === "id" || own === `${word}id` ? ["id", "_id"] : []),
  ({ word }, _own, last) => [`${word}id`, word + last, word],
  (_naming, own, last) => (last === own ? [] : [last]),
  ({ word }, own) => usual.flatMap(([end, members]) => (end.test(own) ? [...members, `${word}name`] : [])),
  ({ word }, own) => (own === word ? ["id", "key", "slug", "code", "symbol", "name"] : []),
];

/** Returns the member of an item that has the value of a path parameter, if none of the `used` ones. */
export function memberOf(naming: Naming, shapes: Shapes, used: readonly MemberPath[]): MemberPath | undefined {
  const { parameter, schema } = naming;
  const members = [...shapes.members(schema)];
  const isFree = (path: MemberPath) => !used.some((each) => each.join() === path.join());
  const find = (names: readonly string[], within: readonly [string, unknown][], above: MemberPath) => {
    for (const wanted of names.map(plain).filter(Boolean)) {
      const found = within.find(([name, member]) => plain(name) === wanted && shapes.isScalar(member));
      if (found && isFree([...above, found[0]])) return [...above, found[0]];
    }
    return undefined;
  };
  const own = plain(parameter);
  const last = plain(parameter.split(/[_-]|(?<=[a-z])(?=[A-Z])/).at(-1) ?? "");
  // A parameter can be named after an object: `owner` for `owner.login`.
  const holder = members.find(([name, member]) => plain(name) === own && shapes.typeOf(member) === "object");
  if (holder) {
    const names = ["login", "username", "key", "slug", "name", "id"];
    const inside = find(names, [...shapes.members(holder[1])], [holder[0]]);
    if (inside) return inside;
  }
  for (const way of ways) {
    const found = find(way(naming, own, last), members, []);
    if (found) return found;
  }
  const metadata = members.find(([name]) => name === "metadata");
  const inMetadata = metadata && find([own, last], [...shapes.members(metadata[1])], ["metadata"]);
  return inMetadata;
}
