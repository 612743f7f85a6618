import { globSync, readFileSync } from "node:fs";
import { join, posix, relative } from "node:path";
import { pathToFileURL } from "node:url";
import type { Rolldown } from "tsdown";
import type { Schema } from "../src/contract/json-schema.ts";
import { declaredStatuses, type Operation, type Parameter } from "../src/contract/operation-table.ts";
import { withNames } from "../src/rules/matching/match-schema.ts";
import { contract as serviceContract } from "../src/services/generic-resource/contract.ts";
import { Image, ImageDraft } from "../src/services/generic-resource/control/image-operations.ts";
import { StateDocument } from "../src/services/generic-resource/control/state-form.ts";
import { ObjectTestTypeDraft } from "../src/services/generic-resource/schemas.ts";

/**
 * Names the types of schemas in the declarations of the package. In the sources, a type is derived from its schema
 * (docs/decisions/0005-types-from-schemas.md). Users get an interface with this name and the descriptions of the schema
 * instead, so that editors show names, and the declarations do not contain the schemas.
 */

const source = join(import.meta.dirname, "../src");

/** Returns a path with slashes, as imports have them. */
const slashed = (path: string) => path.replaceAll("\\", "/");

/** A type that is derived from a schema with the same name. */
interface NamedType {
  readonly name: string;
  /** The file in `src`. */
  readonly file: string;
}

const derived = /FromSchema<typeof (\w+)>/g;
const alias = /^export type (\w+) = FromSchema<typeof \1>/gm;

/** The exported values of the files that derive types. */
const modules = new Map<string, Readonly<Record<string, Schema>>>();
/** The named types by their schema. */
const named = new Map<Schema, NamedType>();
for (const file of globSync("**/*.ts", { cwd: source, exclude: ["page/**"] }).map(slashed)) {
  const text = readFileSync(join(source, file), "utf8");
  if (!/FromSchema<typeof \w+>/.test(text)) continue;
  const module = await import(pathToFileURL(join(source, file)).href);
  modules.set(file, module);
  for (const [, name = ""] of text.matchAll(alias)) if (module[name]) named.set(module[name], { name, file });
}

/** The statuses that all operations have. */
const everyStatus = serviceContract.operations
  .map(declaredStatuses)
  .reduce((common, statuses) => common.filter((status) => statuses.includes(status)));

/** Returns the build plugin that rewrites the declarations of each source file before they are bundled. */
export function namedTypes(): Rolldown.Plugin {
  return {
    name: "named-types",
    transform: {
      order: "pre",
      filter: { id: /\/src\/.*\.d\.[mc]?ts$/ },
      handler(code, id) {
        const file = slashed(relative(source, id)).replace(/\.d\.([mc]?ts)$/, ".$1");
        const types = new TypeText(file);
        const text =
          file === "contract/known-service.ts" ? types.ofService(types.rewritten(code)) : types.rewritten(code);
        return { code: types.imports() + text, map: null };
      },
    },
  };
}

/** Writes the types of one file, and collects the names that they need from other files. */
class TypeText {
  readonly #file: string;
  readonly #imported = new Map<string, NamedType>();

  constructor(file: string) {
    this.#file = file;
  }

  imports(): string {
    return Array.from(this.#imported.values(), ({ name, file }) => {
      const path = posix.relative(posix.dirname(this.#file), file);
      return `import type { ${name} as $${name} } from "${path.startsWith(".") ? path : `./${path}`}";\n`;
    }).join("");
  }

  /** Returns the declarations of a file with the derived types as interfaces, and without their schemas. */
  rewritten(code: string): string {
    const values = modules.get(this.#file) ?? {};
    const own = [...named].filter(([, { file }]) => file === this.#file);
    let text = code;
    for (const [schema, { name }] of own) {
      const type = this.of(schema, true);
      const statement = new RegExp(`export type ${name} = FromSchema<typeof ${name}>(;?)`);
      const isInterface = /^\{.*\}$/s.test(type) && schema.properties;
      text = text.replace(statement, (_all, end) =>
        isInterface && end ? `export interface ${name} ${type}` : `export type ${name} = ${type}${end}`,
      );
      text = withoutConstant(text, name);
    }
    // Editors show the members of the service beside the others.
    const members = () =>
      this.of(ObjectTestTypeDraft, true)
        .slice(1, -1)
        .replace(/^ +(?=\w)/gm, "  readonly ");
    text = text.replace(" extends Readonly<KnownMembers> {", () => ` {${members()}`);
    text = text.replace(derived, (all, name: string) => {
      const schema = values[name];
      return schema ? this.of(schema) : all;
    });
    // Entries export the type and the constant of this name as one.
    for (const [, name = ""] of text.matchAll(/^export interface (\w+) /gm)) text = withoutConstant(text, name);
    return text;
  }

  /** Returns the type of the values that a schema allows. */
  of(schema: Schema, isTop = false): string {
    const type = named.get(schema);
    if (type && !isTop) return this.#reference(type);
    const { type: types, const: constant, enum: values, anyOf, oneOf = anyOf, items, not } = this.#withNames(schema);
    if (constant !== undefined) return JSON.stringify(constant);
    // Completed by editors. A contract of the user has other operations.
    if (values && values !== schema.enum) return `${union(values)} | (string & {})`;
    if (values) return union(values);
    if (oneOf) return oneOf.map((each) => this.of(each)).join(" | ");
    if (Array.isArray(types)) return types.map((each) => this.of({ ...schema, type: each })).join(" | ");
    if (types === "array") return items ? `(${this.of(items)})[]` : "unknown[]";
    if (types === "object") return this.#object(schema);
    if (types === "integer") return "number";
    return (types as string | undefined) ?? (not ? "undefined" : "unknown");
  }

  #withNames(schema: Schema): Schema {
    return withNames(schema, serviceContract.ids) as Schema;
  }

  #object({ properties, required = [], additionalProperties }: Schema): string {
    const values = typeof additionalProperties === "object" ? this.of(additionalProperties) : "unknown";
    if (!properties) return `Record<string, ${values}>`;
    const members = Object.entries(properties).map(([name, member]) => {
      const optional = required.includes(name) ? "" : "?";
      return `${comment(member.description)}  ${nameOf(name)}${optional}: ${indented(this.of(member))};\n`;
    });
    const others = typeof additionalProperties === "object" ? ` & Record<string, ${values}>` : "";
    return `{\n${members.join("")}}${others}`;
  }

  #reference(type: NamedType): string {
    if (type.file === this.#file) return type.name;
    this.#imported.set(type.name, type);
    return `$${type.name}`;
  }

  /** Returns the declarations of `known-service.ts` with the members that the built-in service adds to its interfaces. */
  ofService(code: string): string {
    const forms = { State: StateDocument, Image, ImageDraft };
    const members: Readonly<Record<string, string>> = {
      KnownOperations: `{\n${serviceContract.operations.map((each) => this.#operation(each)).join("")}}`,
      KnownMembers: this.of(ObjectTestTypeDraft, true),
      KnownForms: `{ ${Object.entries(forms)
        .map(([name, schema]) => `${name}: ${this.of(schema)}`)
        .join("; ")} }`,
      KnownStatuses: `{ ${everyStatus.map((status) => `${status}: unknown`).join("; ")} }`,
    };
    return code.replace(/(export interface (\w+)) \{\s*\}/g, (_all, start, name) => `${start} ${members[name]}`);
  }

  #operation({ id, method, parameters, body, responses }: Operation): string {
    const inPath = parameters
      .filter((each) => each.in === "path")
      .map(({ name }) => `readonly ${nameOf(name)}: string`);
    const inQuery = parameters.filter((each) => each.in === "query").map((each) => this.#parameter(each));
    const bodyType = body ? (body.schema ? this.of(body.schema) : "Uint8Array") : "undefined";
    const bodies = Object.entries(responses).map(([status, { schema }]) => {
      return `readonly ${status}: ${schema && method !== "HEAD" ? this.of(schema) : "never"}`;
    });
    return `  ${id}: {
    path: { ${inPath.join("; ")} };
    query: { ${[...inQuery, "readonly [other: string]: unknown"].join("; ")} };
    body: ${bodyType}${body && !body.required ? " | undefined" : ""};
    responses: { ${bodies.join("; ")} };
  };\n`;
  }

  #parameter({ name, pattern, repeatable, schema }: Parameter): string {
    const value = this.of(schema);
    const values = repeatable ? `(${value})[]` : value;
    if (pattern) return `readonly [name: \`${name}.\${string}\`]: ${values} | undefined`;
    return `readonly ${nameOf(name)}?: ${values}`;
  }
}

function union(values: readonly unknown[]): string {
  return values.map((value) => JSON.stringify(value)).join(" | ");
}

function nameOf(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

function comment(description: string | undefined): string {
  return description === undefined ? "" : `  /** ${description.replaceAll("*/", "*\\/")} */\n`;
}

function indented(text: string): string {
  return text.replaceAll("\n", "\n  ");
}

/** Returns declarations without the declaration of a constant. */
function withoutConstant(text: string, name: string): string {
  const start = text.search(new RegExp(`^export declare const ${name}: `, "m"));
  if (start === -1) return text;
  let depth = 0;
  for (const match of text.slice(start).matchAll(/"(?:[^"\\]|\\.)*"|\/\*.*?\*\/|[{}()[\];]/gs)) {
    if (/^[{([]$/.test(match[0])) depth++;
    else if (/^[})\]]$/.test(match[0])) depth--;
    else if (match[0] === ";" && depth === 0) return text.slice(0, start) + text.slice(start + match.index + 1);
  }
  return text;
}
