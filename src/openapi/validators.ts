import type { Options } from "ajv/dist/2020.js";
import { addFormats, contentOf, formats, isObject, lazily, regExpFor, type Validate } from "../contract/index.ts";
import { follow, type Node, targetOf } from "./references.ts";
import type { Schemas } from "./schemas.ts";
import { tagsOf } from "./tags.ts";

/** Keywords that contain names or values instead of schemas. Their content is not converted. */
const values: ReadonlySet<string> = new Set(["enum", "const", "required", "type", "dependentRequired"]);

/** Keywords without effect on validity, which can contain anything, also what looks like a schema. */
const ignored: ReadonlySet<string> = new Set([
  "$id",
  "$schema",
  "$anchor",
  "nullable",
  "example",
  "examples",
  "default",
  "xml",
  "externalDocs",
]);

/**
 * Compiles schemas of a document with Ajv, each when it is first needed. Ajv gets a copy of the schema and of those that it
 * refers to, instead of the whole document, which can be large: its references name the copies.
 */
export class Validators {
  readonly #document: Node;
  readonly #schemas: Schemas;
  readonly #names = new Map<unknown, string>();
  readonly #ajv = lazily(loadAjv);

  constructor(document: Node, schemas: Schemas) {
    this.#document = document;
    this.#schemas = schemas;
  }

  /** Returns the validator of values to which all these schemas apply. */
  async load(nodes: readonly unknown[]): Promise<Validate> {
    const ajv = await this.#ajv();
    const added: [name: string, node: unknown][] = [];
    const nameOf = (node: unknown) => {
      const known = this.#names.get(node);
      if (known !== undefined) return known;
      const name = `s${this.#names.size}`;
      this.#names.set(node, name);
      added.push([name, node]);
      return name;
    };
    const references = nodes.map((node) => ({ $ref: nameOf(node) }));
    // Copies can refer to further schemas.
    for (const [name, node] of added) ajv.addSchema(this.#copy(node, nameOf) as object, name);
    try {
      return safe(ajv.compile(references.length === 1 && references[0] ? references[0] : { allOf: references }));
    } catch (error) {
      process.emitWarning(
        `a schema of the contract accepts any value, as it cannot be used: ${(error as Error).message}`,
      );
      return () => true;
    }
  }

  /** Returns a copy of a schema whose references are the names of their targets. Members in `optional` are not required. */
  #copy(node: unknown, nameOf: (node: unknown) => string, optional: ReadonlySet<string> = new Set()): unknown {
    if (!isObject(node)) return typeof node === "boolean" ? node : {};
    const { required, allOf } = node;
    // A member that only the other side sends is not required, whichever part of an `allOf` requires it.
    const own = required || allOf ? new Set([...optional, ...this.#schemas.foreignMembers(node)]) : optional;
    const copyOf = (part: unknown) => this.#copy(part, nameOf);
    const copy: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(node)) {
      if (ignored.has(keyword) || keyword.startsWith("x-")) continue;
      if (keyword === "$ref") copy.$ref = nameOf(targetOf(this.#document, value) ?? {});
      else if (keyword === "required" && Array.isArray(value)) copy.required = value.filter((name) => !own.has(name));
      else if (keyword === "allOf" && Array.isArray(value))
        copy.allOf = value.map((part) => this.#copy(part, nameOf, own));
      else if (values.has(keyword)) copy[keyword] = value;
      else if (Array.isArray(value)) copy[keyword] = value.map(copyOf);
      else if (!isObject(value)) copy[keyword] = value;
      else if (!namesSchemas.has(keyword)) copy[keyword] = copyOf(value);
      else copy[keyword] = Object.fromEntries(Object.entries(value).map(([name, each]) => [name, copyOf(each)]));
    }
    return this.#narrowed(copy, node, nameOf);
  }

  /** The value of the discriminator decides which option of a union applies, and only this one does. */
  #narrowed({ discriminator, ...copy }: Record<string, unknown>, node: Node, nameOf: (node: unknown) => string): Node {
    const keyword = node.oneOf ? "oneOf" : "anyOf";
    const options = node[keyword];
    const tags = Array.isArray(options) ? tagsOf(this.#document, node) : undefined;
    if (!tags || !Array.isArray(options)) return copy;
    const { propertyName, byTag } = tags;
    const tagged = [...byTag].map(([tag, option]) => ({
      required: [propertyName],
      properties: { [propertyName]: { const: tag } },
      allOf: [{ $ref: nameOf(follow(this.#document, option)) }],
    }));
    // Such as null.
    const others = options.filter((option) => !isObject(option) || option.$ref === undefined);
    delete copy[keyword];
    return { ...copy, anyOf: [...tagged, ...others.map((option) => this.#copy(option, nameOf))] };
  }
}

/** Returns a validator that never throws. Endless schemas are ignored: a union whose option is the union itself. */
function safe(validate: Validate): Validate {
  return (value) => {
    try {
      return validate(value);
    } catch (error) {
      // The comparison of objects calls their member `toString`, which can be any value.
      return error instanceof RangeError;
    }
  };
}

/** Keywords whose members are schemas, by names that the document chooses. */
const namesSchemas: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "dependentSchemas",
  "definitions",
]);

async function loadAjv() {
  const [{ Ajv2020 }, { fullFormats }] = await Promise.all([
    import("ajv/dist/2020.js"),
    import("ajv-formats/dist/formats.js"),
  ]);
  addFormats(fullFormats as Parameters<typeof addFormats>[0]);
  const ajv = new Ajv2020({
    code: { regExp: Object.assign((pattern: string) => regExpFor(pattern) ?? /(?!)/, { code: "" }) },
    formats: formats as Options["formats"],
    logger: false,
    messages: false,
    ownProperties: true,
    strict: false,
    validateSchema: false,
  });
  // Those of Ajv call members of a value that are named valueOf or toString.
  for (const keyword of ["const", "enum", "uniqueItems"]) ajv.removeKeyword(keyword);
  const isAmong = (values: readonly unknown[]) => {
    const known = new Set(values.map(contentOf));
    return (value: unknown) => values.includes(value) || (typeof value === "object" && known.has(contentOf(value)));
  };
  const areUnique = (items: unknown[]) => new Set(items.map(contentOf)).size === items.length;
  ajv.addKeyword({ keyword: "const", compile: (value) => isAmong([value]) });
  ajv.addKeyword({ keyword: "enum", compile: isAmong });
  ajv.addKeyword({ keyword: "uniqueItems", type: "array", compile: (isSet) => (isSet ? areUnique : () => true) });
  return ajv;
}
