import type { ResourceRecord } from "../../../control/client/index.ts";

/** The path of a member of a resource: `key`, or `objectTypeProperty.arrayOfIntExample`. */
export type Column = string;

/** The columns that every resource can have, and those that the mock can sort by. */
const known = ["id", "key", "version", "createdAt", "lastModifiedAt", "createdBy"];
const sortable = new Set(["id", "key", "version", "createdAt", "lastModifiedAt"]);
const initial = { wide: ["id", "key", "version", "lastModifiedAt"], narrow: ["id", "key", "version"] };

/** The members of this object are columns of their own. */
const NESTED = "objectTypeProperty";

/** The most columns of a table. */
const MAX_COLUMNS = 50;

/** Returns the columns that the URL names, or the initial ones. The id always comes first, as it is the link. */
export function columnsOf(text: string | undefined, isNarrow: boolean): Column[] {
  const chosen = text ? text.split(",").map(decoded) : isNarrow ? initial.narrow : initial.wide;
  return ["id", ...new Set(chosen.filter((column) => column !== "id" && column !== ""))].slice(0, MAX_COLUMNS);
}

/** Returns the text of the URL for these columns. */
export function textOf(columns: readonly Column[]): string {
  return columns.map((column) => column.replaceAll("%", "%25").replaceAll(",", "%2C")).join(",");
}

/** Returns the columns to choose from: the known ones, and the members of these resources. */
export function choicesOf(resources: readonly ResourceRecord[], chosen: readonly Column[]): Column[] {
  const found = new Set([...known, ...chosen]);
  for (const resource of resources) {
    for (const name of Object.keys(resource)) if (name !== NESTED) found.add(name);
    for (const name of Object.keys(resource[NESTED])) found.add(`${NESTED}.${name}`);
  }
  return [...found];
}

/** Returns the name of a column for its heading. */
export function headingOf(column: Column): string {
  const [first = "", ...rest] = column.split(".");
  return first === NESTED && rest.length > 0 ? rest.join(".") : column;
}

export function isSortable(column: Column): boolean {
  return sortable.has(column);
}

/** Returns the value of a column; undefined if the resource has none. */
export function memberOf(resource: ResourceRecord, column: Column): unknown {
  if (Object.hasOwn(resource, column)) return resource[column];
  const name = column.startsWith(`${NESTED}.`) ? column.slice(NESTED.length + 1) : undefined;
  const nested: Readonly<Record<string, unknown>> = resource[NESTED];
  return name !== undefined && Object.hasOwn(nested, name) ? nested[name] : undefined;
}

/** The longest text in a cell, in UTF-16 units. */
const MAX_TEXT = 200;

/** Returns a value as a text for a cell: texts as they are, other values as JSON, cut to a short length. */
export function brief(value: unknown): string {
  if (value === undefined) return "";
  const text = typeof value === "string" ? value.slice(0, MAX_TEXT + 1) : shortJson(value, MAX_TEXT + 1);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}

/** Returns at least the first `limit` characters of a JSON text, without writing the rest of a large value. */
function shortJson(value: unknown, limit: number): string {
  if (typeof value === "string") return JSON.stringify(value.slice(0, limit));
  if (typeof value !== "object" || value === null) return String(value);
  const isArray = Array.isArray(value);
  let text = "";
  for (const [name, item] of Object.entries(value)) {
    if (text.length > limit) break;
    const begin = `${text === "" ? "" : ", "}${isArray ? "" : `${JSON.stringify(name.slice(0, limit))}: `}`;
    text += begin + shortJson(item, limit - text.length);
  }
  return isArray ? `[${text}]` : `{${text}}`;
}

function decoded(text: string): string {
  return text.replaceAll("%2C", ",").replaceAll("%25", "%");
}
