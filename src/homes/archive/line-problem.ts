import { findProblems, fromBase64, type Problem, shown } from "../../contract/index.ts";
import type { SavedRulesHeader } from "../../rules/index.ts";
import { nameParts } from "./build-project.ts";
import { lineSchemas, type Table } from "./line-schemas.ts";
import { NOT_THERE } from "./lines.ts";

const name = /^.{1,256}$/s;

/** The names of lines after the first `/`. The others have no such part. */
const ids: { readonly [Name in Table]?: RegExp } = {
  scenario: /^(0|[1-9]\d{0,2})$/,
  rule: /^r-/,
  change: /^[1-9]\d{0,14}$/,
  request: /^[1-9]\d{0,14}$/,
  resource: name,
  image: name,
  deletedId: name,
  deletedKey: name,
  snapshot: /^(?:[^/%]|%25|%2F)+(?:\/(?:(?:resource|image|deletedId|deletedKey)\/.{1,256}|action))?$/s,
};

/** The pointers to the id in the name of a line. */
const idPointers: { readonly [Name in Table]?: string } = {
  rule: "/id",
  change: "/number",
  resource: "/1/id",
  image: "/1/id",
};

/** The pointers to values in base64. */
const base64Pointers: { readonly [Name in Table]?: readonly string[] } = {
  image: ["/1/base64"],
  request: ["/requestBody/base64", "/responseBody/base64"],
};

function isName(table: Table, name: string): boolean {
  const pattern = ids[table];
  return pattern ? pattern.test(name.slice(table.length + 1)) : name === table;
}

/** Returns the first problem of a line with this name, with its pointer into the value. */
export async function lineProblem(name: string, value: unknown): Promise<Problem | undefined> {
  const [table, path] = nameParts(name);
  if (!Object.hasOwn(lineSchemas, table) || !isName(table, name)) {
    return { pointer: "", message: "expected the name of a line, such as core, settings or resource/{id}" };
  }
  if (value === undefined) return undefined;
  const slash = table === "snapshot" ? path.indexOf("/") : -1;
  if (slash !== -1) return value === NOT_THERE ? undefined : lineProblem(path.slice(slash + 1), value);
  const [problem] = await findProblems(lineSchemas[table], value);
  return problem ?? contentProblem(table, path, value);
}

/** Returns what no schema says about a value: whether it has the id in the name of the line, and its base64. */
function contentProblem(table: Table, id: string, value: unknown): Problem | undefined {
  const idPointer = idPointers[table];
  const found = idPointer === undefined ? id : String(valueAt(value, idPointer));
  if (found !== id) {
    return { pointer: idPointer ?? "", message: `expected ${shown(id)} as in the name, found ${shown(found)}` };
  }
  if (table === "rules") {
    const { rules } = value as SavedRulesHeader;
    const index = rules.findIndex((rule, at) => rules.indexOf(rule) < at);
    if (index !== -1) return { pointer: `/rules/${index}`, message: `expected a unique id, found ${rules[index]}` };
  }
  const pointer = base64Pointers[table]?.find((each) => fromBase64(String(valueAt(value, each) ?? "")) === undefined);
  return pointer === undefined ? undefined : { pointer, message: "expected base64 with padding" };
}

function valueAt(value: unknown, pointer: string): unknown {
  const names = pointer.slice(1).split("/");
  return names.reduce((part, name) => (part as Record<string, unknown> | null | undefined)?.[name], value);
}
