import { type Contract, type Operation, percentDecoded, type ResourceType, valueAt } from "../../contract/index.ts";
import { idParts } from "../../state/index.ts";
import type { Reply } from "./node-exchange.ts";

/* The paths of operations and of items, below the project and percent-encoded. */

type Values = Readonly<Record<string, unknown>>;

/** Returns the path of an operation below the project. */
export function templateOf({ path }: Operation, { addresses }: Contract): string {
  return path.replace(`/{${addresses.project}}`, "");
}

/** Returns whether two templates differ at most in the names of their parameters. */
export function isSameTemplate(a: string, b = ""): boolean {
  return unnamed(a) === unnamed(b);
}

function unnamed(template: string): string {
  return template.replace(/\{[^{}]+\}/g, "{}");
}

export function namesIn(template = ""): string[] {
  return Array.from(template.matchAll(/\{([^{}]+)\}/g), ([, name = ""]) => name);
}

/** Returns the path with these values, in their order; undefined if one is missing, or is dots, as URLs drop these. */
export function filledPath(template: string, values: readonly unknown[]): string | undefined {
  const texts = namesIn(template).map((_name, index) => String(values[index] ?? ""));
  if (texts.some((text) => /^\.{0,2}$/.test(text))) return undefined;
  return template.replace(/\{[^{}]+\}/g, () => encodeURIComponent(texts.shift() ?? ""));
}

/** Returns the type of the item in this path that is nearest to its end. */
export function holderOf(template: string, { types }: Contract): ResourceType | undefined {
  const lengthOf = ({ itemPath = "" }: ResourceType) => itemPath.split("/").length;
  return types
    .filter(({ itemPath }) => itemPath && `${unnamed(template)}/`.startsWith(`${unnamed(itemPath)}/`))
    .sort((a, b) => lengthOf(b) - lengthOf(a))[0];
}

/** Returns the parameters of a template that are in the path of an item, decoded. */
export function valuesIn(template: string, { itemPath = "" }: ResourceType, path: string): Record<string, string> {
  const start = template.split("/").slice(0, itemPath.split("/").length).join("/");
  const values = pathPattern(itemPath, "^").exec(path)?.slice(1) ?? [];
  return Object.fromEntries(namesIn(start).map((name, index) => [name, percentDecoded(values[index] ?? "")]));
}

function pathPattern(template: string, start: string): RegExp {
  const parts = template.split(/\{[^{}]+\}/).map((text) => text.replace(/[\\^$.*+?()[\]|/]/g, "\\$&"));
  return new RegExp(`${start}${parts.join("([^/?#]+?)")}/?(?:[?#].*)?$`);
}

/** Returns the path of the item that `Location` names; undefined if it names none of this type. */
export function locatedPath({ itemPath = "" }: ResourceType, reply: Reply): string | undefined {
  const values = pathPattern(itemPath, "")
    .exec(reply.header("location") ?? "")
    ?.slice(1);
  return values && filledPath(itemPath, values.map(percentDecoded));
}

/** Returns the item in a response; undefined if the operation shows none. */
export function shownIn({ role }: Operation, reply: Reply): unknown {
  if (!role || role.does === "list" || role.response === null || role.response === "id") return undefined;
  return valueAt(reply.json, role.response ?? []);
}

/** Returns the path of a new item: by `Location`, or by the members that have its id in the response or in the request. */
export function pathOfNew(operation: Operation, type: ResourceType, path: Values, body: unknown, reply: Reply) {
  const located = locatedPath(type, reply);
  if (located !== undefined || !type.itemPath) return located;
  const { role } = operation;
  const [shown, sent] = [shownIn(operation, reply), valueAt(body, role?.body ?? [])];
  const byPath = role && "by" in role ? role.by.parameters.map((name) => path[name]) : [];
  const ids = idParts(type).map(({ member }, index) => {
    const value = member && (valueAt(shown, member) ?? valueAt(sent, member));
    return byPath[index] ?? (role?.response === "id" && typeof reply.json !== "object" ? reply.json : value);
  });
  const scope = (role?.scope ?? type.scope ?? []).map((name) => path[name]);
  return filledPath(type.itemPath, [...scope, ...ids]);
}
