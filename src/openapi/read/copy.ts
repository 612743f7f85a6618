import { dirname, parse, resolve } from "node:path";
import {
  isObject,
  join,
  MAX_DOCUMENT_DEPTH,
  MAX_DOCUMENT_VALUES,
  percentDecoded,
  segmentsOf,
  shown,
  valueAt,
} from "../../contract/index.ts";
import { type Node, referenceTo, targetOf, textOf } from "../references.ts";
import { forms, knownFormats, type Part, sectionFor } from "./forms.ts";
import { prepared, repaired } from "./repair.ts";
import { DocumentError, type Source, type Sources } from "./sources.ts";

/** A location in a file. */
interface Place {
  readonly source: Source;
  readonly pointer: string;
  /** The last segment of the pointer: the name of a member or the index of an item. */
  readonly key: string;
}

/** A location in an object or array. Large documents have a million of them, and nearly none needs its pointer. */
class Below implements Place {
  readonly source: Source;
  readonly key: string;
  readonly #around: Place;

  constructor(around: Place, key: string) {
    this.source = around.source;
    this.key = key;
    this.#around = around;
  }

  get pointer(): string {
    return join(this.#around.pointer, this.key);
  }
}

interface Target extends Place {
  readonly value: unknown;
}

export type Version = "2.0" | "3.0" | "3.1";

const IGNORED = /^(?:\$(?:id|schema|anchor|vocabulary|recursive\w+|dynamic\w+)|id)$/;

/**
 * Copies a document from its files into one object without shared parts, and converts its schemas to OpenAPI 3.1. Targets in
 * other files, or at locations that the specification does not know, become components. Invalid members are repaired or left
 * out.
 */
export class Copier {
  readonly warnings: { readonly source: Source; readonly pointer: string; readonly message: string }[] = [];
  /** Whether no reference had the name of a file. */
  isSelfContained = true;
  /** How many characters the values have. */
  characters = 0;
  readonly #sources: Sources;
  readonly #main: Source;
  readonly #version: Version;
  /** The locations of the objects of the copy. */
  readonly #places = new Map<Node, { readonly kind: string; readonly place: Place }>();
  /** The names of components by kind, file and pointer of the target. */
  readonly #names = new Map<string, string>();
  readonly #taken = new Set<string>();
  /** Components of the main file that only refer to another file. The copy has the target instead. */
  readonly #replaced = new Set<unknown>();
  /** The references to set when all parts of the main file have been copied. */
  readonly #references: { holder: Node; name: string; kind: string; target: Target }[] = [];
  readonly #found = new Map<Source, Map<string, Target | string>>();
  /** The locations whose content is being copied into other locations. */
  readonly #inlining = new Set<string>();
  readonly #warnedOnce = new Set<string>();
  #depth = 0;
  #values = 0;

  constructor(sources: Sources, main: Source, version: Version) {
    this.#sources = sources;
    this.#main = main;
    this.#version = version;
  }

  copy(): Node {
    // The names of components must be known before parts of other files get names.
    const { components, definitions, parameters, responses, ...others } = this.#main.value as Node;
    const ordered = { components, definitions, parameters, responses, ...others };
    const document = this.#object("document", ordered, { source: this.#main, pointer: "", key: "" });
    // New components can refer to others.
    for (const { holder, name, kind, target } of this.#references) {
      holder[name] = this.#referenceTo(document, kind, target);
    }
    for (const [copy, { place }] of this.#places) if (copy.$ref !== undefined) this.#endChain(document, copy, place);
    for (const { holder, name } of this.#version === "2.0" ? this.#references : []) {
      const reference = holder[name];
      if (reference !== undefined) holder[name] = textOf(reference).replace("#/definitions/", "#/components/schemas/");
    }
    return document;
  }

  warn(copy: Node, message: string): void {
    this.#warn(this.#places.get(copy)?.place ?? { source: this.#main, pointer: "" }, message);
  }

  #warn({ source, pointer }: Pick<Place, "source" | "pointer">, message: string): void {
    this.warnings.push({ source, pointer, message });
  }

  #warnOnce(place: Place, message: string): void {
    if (!this.#warnedOnce.has(message)) this.#warn(place, message);
    this.#warnedOnce.add(message);
  }

  #invalid(place: Place, expected: string, value: unknown): undefined {
    this.#warn(place, `${place.key}: expected ${expected}, found ${shown(value)}; ignored`);
  }

  /** Returns an object or array with the results of `copyMember`. Undefined ones are left out. */
  #each(value: object, place: Place, copyMember: (value: unknown, place: Place) => unknown): Node {
    const list: unknown[] | undefined = Array.isArray(value) ? [] : undefined;
    const copy: Node = {};
    for (const name of this.#namesIn(value, place)) {
      const member = name === "__proto__" ? undefined : copyMember((value as Node)[name], below(place, name));
      if (member === undefined) continue;
      if (list) list.push(member);
      else copy[name] = member;
    }
    this.#depth--;
    return (list ?? copy) as Node;
  }

  /** Returns the names of the members of a value whose parts follow. Throws `DocumentError` for too many parts. */
  #namesIn(value: object, { source }: Place): string[] {
    const names = Object.keys(value);
    this.#depth++;
    this.#values += names.length;
    const isDeep = this.#depth > MAX_DOCUMENT_DEPTH;
    if (!isDeep && this.#values <= MAX_DOCUMENT_VALUES) return names;
    const most = isDeep ? `${MAX_DOCUMENT_DEPTH} levels` : `${MAX_DOCUMENT_VALUES} values with all aliases`;
    throw new DocumentError({ file: source.file, message: `expected at most ${most}, found more` });
  }

  /**
   * Returns a value that has no parts of the specification, such as an example, without the members that JSON does not have.
   * Values of files are returned as they are, because nothing else has them: large documents are mostly examples.
   */
  #data(value: unknown, place: Place): unknown {
    if (typeof value === "number" && !Number.isFinite(value)) return null;
    if (typeof value === "string") this.characters += value.length;
    if (typeof value !== "object" || value === null) return value;
    let isSame = place.source.path !== "";
    const members = this.#namesIn(value, place).map((name): [string, unknown] => {
      const member = (value as Node)[name];
      const data = name === "__proto__" ? undefined : this.#data(member, place);
      isSame &&= data === member && data !== undefined;
      return [name, data];
    });
    this.#depth--;
    if (isSame) return value;
    const defined = members.filter(([, member]) => member !== undefined);
    return Array.isArray(value) ? defined.map(([, member]) => member) : Object.fromEntries(defined);
  }

  #object(kind: string, value: Node, place: Place): Node {
    const parts = forms.get(kind);
    const copy = this.#each(value, place, (member, from) => {
      const part = parts?.get(from.key) ?? parts?.get("*");
      if (member === undefined) return undefined;
      if (part) return this.#member(part, member, from, kind);
      if (kind !== "schema" || from.key.startsWith("x-")) return this.#data(member, from);
      if (!IGNORED.test(from.key)) this.#warnOnce(from, `unknown keyword ${shown(from.key)}: ignored`);
    });
    this.#places.set(copy, { kind, place });
    return copy;
  }

  #member(part: Part, value: unknown, place: Place, parent: string): unknown {
    const { kind, many } = part;
    if (part.check) return this.#checked(part, value, place);
    if (many === "") return this.#one(kind, value, place);
    return this.#inline(value, place, (found, from) => {
      if (many === "[]" && !Array.isArray(found)) return this.#invalid(place, "an array", found);
      if (many === "{}" && !isObject(found)) return this.#invalid(place, "an object", found);
      const isSection = parent === "components" || (parent === "document" && kind !== "pathItem");
      if (isSection && many === "{}") this.#claimNames(kind, found as Node, from);
      const isExtensible = kind === "pathItem" || parent === "operation";
      return this.#each(found as object, from, (member, inside) => {
        if (isExtensible && /^x-/i.test(inside.key)) return this.#data(member, inside);
        return this.#one(kind, member, inside);
      });
    });
  }

  /** Takes the names of components. One that only refers to another file names its target. */
  #claimNames(kind: string, members: Node, place: Place): void {
    for (const [name, member] of Object.entries(members)) {
      this.#taken.add(`${kind} ${name}`);
      if (place.source !== this.#main) this.#names.set(`${kind} ${idOf(below(place, name))}`, name);
      if (!isObject(member) || typeof member.$ref !== "string") continue;
      const isOnlyReference = this.#version !== "3.1" || Object.keys(member).length === 1;
      const target = isOnlyReference ? this.#find(member.$ref, place) : "";
      if (typeof target === "string" || target.source === this.#main) continue;
      if (this.#names.has(`${kind} ${idOf(target)}`)) continue;
      this.#names.set(`${kind} ${idOf(target)}`, name);
      this.#replaced.add(member);
    }
  }

  #checked({ kind, check: [expected, read] = ["", String] }: Part, given: unknown, place: Place): unknown {
    if (kind === "sample") {
      return this.#inline(given, place, (found, from) => {
        const isExample = from !== place && /\/examples\/[^/]+$/.test(from.pointer) && isObject(found);
        return this.#data(isExample ? (found.value ?? found) : found, from);
      });
    }
    const value = read(given);
    if (value === undefined) return this.#invalid(place, expected, given);
    if (value !== given && kind !== "text") {
      this.#warn(place, `${place.key}: expected ${expected}, found ${shown(given)}; read as ${JSON.stringify(value)}`);
    }
    if (place.key === "format" && !knownFormats.has(textOf(value))) {
      this.#warnOnce(place, `unknown format ${shown(value)}: ignored`);
    }
    return this.#data(value, place);
  }

  #one(kind: string, given: unknown, place: Place): unknown {
    const value = prepared(kind, given, place.key);
    if (typeof value === "boolean" && kind === "schema") return value;
    if (!isObject(value)) {
      this.#invalid(place, kind === "schema" ? "a schema" : "an object", value);
      return kind === "schema" ? this.#object(kind, {}, place) : undefined;
    }
    if (typeof value.$ref === "string") {
      const isReference = sectionFor(kind, this.#version) && !this.#replaced.has(given);
      if (isReference) return this.#referring(kind, value, value.$ref, place);
      return this.#inline(value, place, (target, from) => this.#one(kind, target, from));
    }
    const copy = this.#object(kind, value, place);
    const result = repaired(kind, copy, place, (key, message) => {
      this.#warn(below(place, key), `${key}: ${message}`);
    });
    if (kind === "discriminator") this.#mapTargets(copy, place);
    if (result !== copy) this.#places.delete(copy);
    if (result) this.#places.set(result, { kind, place });
    return result;
  }

  /** Calls `use` with the value, or with the target if the value is a reference. */
  #inline(value: unknown, place: Place, use: (value: unknown, place: Place) => unknown): unknown {
    if (!isObject(value) || typeof value.$ref !== "string") return use(value, place);
    const target = this.#find(value.$ref, place);
    if (typeof target === "string") return this.#invalid(below(place, "$ref"), target, value.$ref);
    const id = idOf(target);
    if (this.#inlining.has(id)) return this.#invalid(below(place, "$ref"), "no cycle of references", value.$ref);
    this.#inlining.add(id);
    const result = this.#inline(target.value, target, use);
    this.#inlining.delete(id);
    return result;
  }

  #referring(kind: string, value: Node, reference: string, place: Place): unknown {
    const isSchema = kind === "schema";
    const target = this.#find(reference, place);
    if (typeof target === "string") {
      const effect = isSchema ? "any value is valid" : "ignored";
      this.#warn(place, `$ref: expected ${target}, found ${shown(reference)}; ${effect}`);
      return isSchema ? this.#object(kind, {}, place) : undefined;
    }
    // Only schemas of OpenAPI 3.1 have other keywords beside a reference.
    const { $ref: _, ...siblings } = value;
    const copy = this.#object(kind, isSchema && this.#version === "3.1" ? siblings : {}, place);
    copy.$ref = reference;
    this.#references.push({ holder: copy, name: "$ref", kind, target });
    return copy;
  }

  #mapTargets(discriminator: Node, place: Place): void {
    const mapping = { ...(discriminator.mapping as Node) };
    if (discriminator.mapping) discriminator.mapping = mapping;
    for (const [value, name] of Object.entries(mapping)) {
      const isName = this.#taken.has(`schema ${name}`);
      const target = this.#find(isName ? referenceTo(["components", "schemas", textOf(name)]) : textOf(name), place);
      if (typeof target !== "string") this.#references.push({ holder: mapping, name: value, kind: "schema", target });
      else this.#invalid(below(below(place, "mapping"), value), target, name);
      if (typeof target === "string") delete mapping[value];
    }
  }

  /** Returns the target of a reference, or what was expected. Documents refer to the same targets again and again. */
  #find(reference: string, { source }: Pick<Place, "source">): Target | string {
    const known = this.#found.get(source) ?? new Map<string, Target | string>();
    this.#found.set(source, known);
    const target = known.get(reference) ?? this.#search(reference, source);
    known.set(reference, target);
    return target;
  }

  #search(reference: string, source: Source, level = 0): Target | string {
    const [, file = "", fragment = ""] = /^([^#]*)#?(.*)$/s.exec(reference) ?? [];
    if (/^(?:[a-z][a-z\d+.-]*:|\/\/)/i.test(file)) return "a local file, as URLs are not read";
    if (file !== "") this.isSelfContained = false;
    const from = file === "" ? source : this.#sources.open(resolve(dirname(source.path), percentDecoded(file)));
    if (!from) return "an existing file";
    const pointer = percentDecoded(fragment);
    const isPointer = pointer.startsWith("/") || (pointer === "" && from !== this.#main);
    // Files often refer to components of the main file as if these were their own.
    const [target] = [from, ...(file === "" ? [this.#main] : [])].flatMap(
      (base) => (isPointer && this.#targetIn(base, segmentsOf(pointer), level)) || [],
    );
    return target ?? "an existing target";
  }

  /** Returns the target at a location in a file. References on the way to it are followed. */
  #targetIn(source: Source, segments: readonly string[], level: number): Target | undefined {
    let value = source.value;
    for (const [index, segment] of segments.entries()) {
      if (isObject(value) && typeof value.$ref === "string" && level < MAX_DOCUMENT_DEPTH) {
        const target = this.#search(value.$ref, source, level + 1);
        if (typeof target === "string") return undefined;
        return this.#targetIn(target.source, [...segmentsOf(target.pointer), ...segments.slice(index)], level + 1);
      }
      value = valueAt(value, [segment]);
    }
    const pointer = segments.reduce<string>(join, "");
    return value === undefined ? undefined : { source, pointer, key: segments.at(-1) ?? "", value };
  }

  /** Returns the reference to a target in the copy. Becomes a component if the copy does not have it. */
  #referenceTo(document: Node, kind: string, target: Target): string {
    // The copy has targets in the main file at their location if they are parts of the specification.
    const reference = referenceTo(segmentsOf(target.pointer));
    const copied = this.#places.get(targetOf(document, reference) as Node);
    const isKept =
      this.#version !== "2.0" || /^#\/(?:definitions|parameters\/[^/]+$|responses\/[^/]+$)/.test(reference);
    if (target.source === this.#main && copied?.kind === kind && isKept) return reference;
    const path = [...(this.#version === "2.0" ? [] : ["components"]), sectionFor(kind, this.#version) ?? ""];
    const id = `${kind} ${idOf(target)}`;
    const known = this.#names.get(id);
    if (known !== undefined) return referenceTo([...path, known]);
    const base = (target.key || parse(target.source.path).name).replace(/[^\w.-]+/g, "_");
    let name = base;
    for (let number = 2; this.#taken.has(`${kind} ${name}`); number++) name = `${base}${number}`;
    this.#taken.add(`${kind} ${name}`);
    this.#names.set(id, name);
    let holder = document;
    for (const key of path) {
      holder[key] ??= {};
      holder = holder[key] as Node;
    }
    holder[name] = this.#one(kind, target.value, target);
    if (holder[name] === undefined) delete holder[name];
    return referenceTo([...path, name]);
  }

  /** Removes the reference of an object that does not lead to another object in the end. */
  #endChain(document: Node, copy: Node, place: Place): void {
    const seen = new Set<unknown>();
    let target: unknown = copy;
    while (isObject(target) && typeof target.$ref === "string" && !seen.has(target)) {
      seen.add(target);
      target = targetOf(document, target.$ref);
    }
    if (isObject(target) && !seen.has(target)) return;
    const expected = target === undefined ? "a valid target" : "no cycle of references";
    this.#invalid(below(place, "$ref"), expected, copy.$ref);
    delete copy.$ref;
  }
}

function below(place: Place, key: string): Place {
  return new Below(place, key);
}

function idOf({ source, pointer }: Place): string {
  return `${source.path}#${pointer}`;
}
