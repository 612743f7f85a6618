import type { Ajv2020 as Ajv, Options } from "ajv/dist/2020.js";
import {
  contentOf,
  formats,
  isObject,
  lazily,
  mapValues,
  regExpFor,
  TimeSlice,
  type Validate,
} from "../contract/index.ts";
import { forms, type Part } from "./read/forms.ts";
import { follow, type Node, targetOf } from "./references.ts";
import type { Schemas } from "./schemas.ts";
import { tagsOf } from "./tags.ts";

/** The keywords of schemas. The others of a document, and those with examples, have no effect on validity. */
const keywords = forms.get("schema") as ReadonlyMap<string, Part>;

/**
 * Compiles schemas of a document with Ajv, each when it is first needed. Ajv gets a copy of the schema and of those that it
 * refers to, instead of the whole document, which can be large: its references name the copies.
 */
export class Validators {
  readonly #document: Node;
  readonly #schemas: Schemas;
  readonly #names = new Map<unknown, string>();
  /** The names of schemas that get a validator of their own. */
  readonly #pending = new Set<string>();
  readonly #compiled = new Map<string, Validate>();
  readonly #ajv = lazily(() => loadAjv((name) => this.#validatorOf(name)));
  #loading: Promise<unknown> = Promise.resolve();

  constructor(document: Node, schemas: Schemas) {
    this.#document = document;
    this.#schemas = schemas;
  }

  /** Returns the validator of values to which all these schemas apply. Loads one after another. */
  load(nodes: readonly unknown[]): Promise<Validate> {
    const loading = this.#loading.then(() => this.#load(nodes));
    this.#loading = loading;
    return loading;
  }

  async #load(nodes: readonly unknown[]): Promise<Validate> {
    const ajv = await this.#ajv();
    const slice = new TimeSlice();
    const added: [name: string, node: unknown][] = [];
    const nameOf = (node: unknown) => {
      const known = this.#names.get(node);
      if (known !== undefined) return known;
      const name = `s${this.#names.size}`;
      this.#names.set(node, name);
      added.push([name, node]);
      return name;
    };
    const names = nodes.map(nameOf);
    for (const name of names) this.#pending.add(name);
    // Copies can refer to further schemas.
    for (const [name, node] of added) {
      ajv.addSchema(this.#copy(node, nameOf) as object, name);
      if (slice.isOver) await slice.next();
    }
    for (const name of this.#pending) {
      if (!this.#compiled.has(name)) this.#compiled.set(name, compiled(ajv, name));
      this.#pending.delete(name);
      if (slice.isOver) await slice.next();
    }
    const all = names.map((name) => this.#validatorOf(name));
    return (value) => all.every((validate) => validate(value));
  }

  /** Returns the validator with this name, which is compiled before the first value. */
  #validatorOf(name: string): Validate {
    let validate: Validate | undefined;
    return (value) => {
      validate ??= this.#compiled.get(name) as Validate;
      return validate(value);
    };
  }

  /**
   * Returns whether the schema of a part of a value gets a validator of its own. So each takes a short time to compile, also
   * in a circle of schemas, and other requests are served in between.
   */
  #isCompiledAlone(part: unknown): part is Node {
    if (!isObject(part) || part.$ref === undefined) return false;
    const target = targetOf(this.#document, part.$ref);
    return isObject(target) && ["properties", "allOf", "oneOf", "anyOf"].some((keyword) => keyword in target);
  }

  /** Returns a copy of a schema whose references are the names of their targets. Members in `optional` are not required. */
  #copy(node: unknown, nameOf: (node: unknown) => string, optional: ReadonlySet<string> = new Set()): unknown {
    if (!isObject(node)) return typeof node === "boolean" ? node : {};
    const { required, allOf } = node;
    // A member that only the other side sends is not required, whichever part of an `allOf` requires it.
    const own = required || allOf ? new Set([...optional, ...this.#schemas.foreignMembers(node)]) : optional;
    const copyOf = (part: unknown) => this.#copy(part, nameOf);
    const partOf = (part: unknown) => {
      if (!this.#isCompiledAlone(part)) return copyOf(part);
      const reference = nameOf(targetOf(this.#document, part.$ref));
      this.#pending.add(reference);
      return { reference };
    };
    const copy: Record<string, unknown> = {};
    for (const [keyword, value] of Object.entries(node)) {
      const { kind, many } = keywords.get(keyword) ?? {};
      if (keyword === "$ref") copy.$ref = nameOf(targetOf(this.#document, value) ?? {});
      else if (keyword === "required" && Array.isArray(value)) copy.required = value.filter((name) => !own.has(name));
      else if (keyword === "allOf" && Array.isArray(value))
        copy.allOf = value.map((part) => this.#copy(part, nameOf, own));
      else if (kind !== "schema") {
        if (kind !== undefined) copy[keyword] = value;
      } else if (many === "[]") copy[keyword] = [value].flat().map(keyword === "prefixItems" ? partOf : copyOf);
      else if (many === "{}" && isObject(value))
        copy[keyword] = mapValues(value, keyword === "dependentSchemas" ? copyOf : partOf);
      else copy[keyword] = (appliesBelow.has(keyword) ? partOf : copyOf)(value);
    }
    return this.#narrowed(copy, node, nameOf);
  }

  /** The value of the discriminator decides which option of a union applies, and only this one does. */
  #narrowed(copy: Record<string, unknown>, node: Node, nameOf: (node: unknown) => string): Node {
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

/** Keywords whose schema applies to parts of a value. */
const appliesBelow: ReadonlySet<string> = new Set(["items", "additionalProperties", "contains"]);

/** Compiles a schema. One that cannot be compiled accepts any value. */
function compiled(ajv: Ajv, name: string): Validate {
  try {
    return safe(ajv.getSchema(name) as Validate);
  } catch (error) {
    const { message } = error as Error;
    process.emitWarning(`a schema of the contract accepts any value, as it cannot be used: ${message}`);
    return () => true;
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

/** `validatorOf` returns the validator that a schema refers to with the keyword `reference`. */
async function loadAjv(validatorOf: (name: string) => Validate): Promise<Ajv> {
  const { Ajv2020 } = await import("ajv/dist/2020.js");
  const ajv = new Ajv2020({
    // Optimizing takes a third of the time of the first request of an operation, and makes no later request faster.
    code: { optimize: false, regExp: Object.assign((pattern: string) => regExpFor(pattern) ?? /(?!)/, { code: "" }) },
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
  ajv.addKeyword({ keyword: "reference", compile: validatorOf });
  ajv.addKeyword({ keyword: "const", compile: (value) => isAmong([value]) });
  ajv.addKeyword({ keyword: "enum", compile: isAmong });
  ajv.addKeyword({ keyword: "uniqueItems", type: "array", compile: (isSet) => (isSet ? areUnique : () => true) });
  return ajv;
}
