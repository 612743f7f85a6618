import { findProblems, fromBase64, isObject, type Problem, shown } from "../../contract/index.ts";
import type { SavedRulesHeader } from "../../rules/index.ts";
import { nameParts } from "./builder.ts";
import { NOT_THERE } from "./lines.ts";
import { lineSchemas, type Table } from "./schema.ts";

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
  return problem ?? (await contentProblem(table, path, value));
}

/** Returns what no schema says about a value: whether it has the id in the name of the line, and its base64. */
async function contentProblem(table: Table, id: string, value: unknown): Promise<Problem | undefined> {
  const [pointer, found] = idIn(table, value);
  if (pointer !== "" && String(found) !== id) {
    return { pointer, message: `expected ${shown(id)} as in the name, found ${shown(found)}` };
  }
  if (table === "rules") {
    const { rules } = value as SavedRulesHeader;
    const index = rules.findIndex((rule, at) => rules.indexOf(rule) < at);
    if (index !== -1) return { pointer: `/rules/${index}`, message: `expected a unique id, found ${rules[index]}` };
  }
  for (const [at, base64] of base64In(table, value)) {
    if (!fromBase64(base64)) return { pointer: at, message: "expected base64 with padding" };
  }
  return undefined;
}

/** Returns the id in a value and its pointer, which is empty for values without an id. */
function idIn(table: Table, value: unknown): readonly [pointer: string, id: unknown] {
  if (table === "rule") return ["/id", (value as { id: string }).id];
  if (table === "change") return ["/number", (value as { number: number }).number];
  if (table !== "resource" && table !== "image") return ["", undefined];
  return ["/1/id", (value as readonly [number, { id: string }])[1].id];
}

function base64In(table: Table, value: unknown): (readonly [pointer: string, base64: string])[] {
  if (table === "image") return [["/1/base64", (value as readonly [number, { base64: string }])[1].base64]];
  if (table !== "request") return [];
  return ["requestBody", "responseBody"].flatMap((name) => {
    const body = (value as Record<string, unknown>)[name];
    return isObject(body) ? [[`/${name}/base64`, body.base64 as string] as const] : [];
  });
}
