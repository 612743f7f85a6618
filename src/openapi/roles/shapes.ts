import { isObject } from "../../contract/index.ts";
import { follow, type Node } from "../references.ts";
import { identifying, itemMembers, listHolders, listMembers, otherMembers, plain, singular } from "./words.ts";

/** Where a part of a value is, with its schema. */
export interface Part {
  readonly at: readonly string[];
  readonly schema: unknown;
}

/** The most schemas that are looked at to find the members of one. */
const MOST = 300;

/** From how many common members on, two schemas resemble each other; a share of the smaller one. */
const RESEMBLING = 0.6;

/** The schemas of a document, as far as roles depend on them: their members, and which ones are alike. */
export class Shapes {
  readonly #document: Node;
  readonly #targets = new Map<unknown, Node>();
  readonly #parts = new Map<Node, ReadonlySet<Node>>();
  readonly #members = new Map<unknown, ReadonlyMap<string, unknown>>();

  constructor(document: Node) {
    this.#document = document;
  }

  /** Returns the schema that another one refers to, or consists of; else the schema itself. */
  of(schema: unknown): Node {
    const known = this.#targets.get(schema);
    if (known) return known;
    const node = follow(this.#document, schema);
    const { allOf } = node;
    const isWrapper = Array.isArray(allOf) && allOf.length === 1 && !node.properties;
    const isReference = isWrapper && isObject(allOf[0]) && allOf[0].$ref !== undefined;
    const target = isReference ? follow(this.#document, allOf[0]) : node;
    this.#targets.set(schema, target);
    return target;
  }

  /** Returns the schemas that a schema consists of: itself, those that it extends, and its options. */
  #partsOf(schema: unknown): ReadonlySet<Node> {
    const node = this.of(schema);
    const known = this.#parts.get(node);
    if (known) return known;
    const parts = new Set([node]);
    this.#parts.set(node, parts);
    for (const { allOf, oneOf, anyOf } of parts) {
      for (const each of [allOf, oneOf, anyOf].flat())
        if (each !== undefined && parts.size < MOST) parts.add(this.of(each));
    }
    return parts;
  }

  /** Returns the members that a value of the schema can have. */
  members(schema: unknown): ReadonlyMap<string, unknown> {
    const node = this.of(schema);
    const known = this.#members.get(node);
    if (known) return known;
    const members = new Map<string, unknown>();
    for (const { properties } of this.#partsOf(node)) {
      for (const [name, member] of isObject(properties) ? Object.entries(properties) : []) {
        if (!members.has(name)) members.set(name, member);
      }
    }
    this.#members.set(node, members);
    return members;
  }

  /** Returns the type of the values besides null; undefined if the schema allows any. */
  typeOf(schema: unknown): string | undefined {
    for (const { type, properties, items, additionalProperties } of schema === undefined ? [] : this.#partsOf(schema)) {
      const named = [type].flat().find((each) => typeof each === "string" && each !== "null");
      if (named !== undefined) return named as string;
      if (properties || additionalProperties) return "object";
      if (items) return "array";
    }
    return undefined;
  }

  isScalar(schema: unknown): boolean {
    const type = this.typeOf(schema);
    return type !== "object" && type !== "array";
  }

  itemsOf(schema: unknown): unknown {
    return [...this.#partsOf(schema)].find(({ items }) => items)?.items;
  }

  actionsIn(body: unknown): string[] {
    const action = this.itemsOf(this.members(body).get("actions"));
    const named = [...this.#partsOf(action)].flatMap((part) => {
      const { mapping } = (isObject(part.discriminator) ? part.discriminator : {}) as Node;
      const { properties } = part;
      const member = this.of(isObject(properties) ? properties.action : undefined);
      return [...Object.keys(Object(mapping)), ...[member.enum ?? member.const ?? []].flat()];
    });
    return [...new Set(named.filter((name) => typeof name === "string"))];
  }

  isReadOnly(schema: unknown): boolean {
    return this.of(schema).readOnly === true || (isObject(schema) && schema.readOnly === true);
  }

  /** Returns the share of the members of the smaller schema that the other one has too. */
  resemblance(a: unknown, b: unknown): number {
    if (a === undefined || b === undefined) return 0;
    if (this.of(a) === this.of(b)) return 1;
    const [small, large] = [this.members(a), this.members(b)].sort((x, y) => x.size - y.size) as [Names, Names];
    return small.size === 0 ? 0 : [...small.keys()].filter((name) => large.has(name)).length / small.size;
  }

  resemble(a: unknown, b: unknown): boolean {
    return this.resemblance(a, b) >= RESEMBLING;
  }

  /** Returns whether two schemas describe the same values: one schema, or nearly the same members. */
  areAlike(a: unknown, b: unknown): boolean {
    if (a === undefined || b === undefined) return false;
    if (this.of(a) === this.of(b)) return true;
    const [small = 0, large = 0] = [this.members(a).size, this.members(b).size].sort((x, y) => x - y);
    return small / large > RESEMBLING && this.resemblance(a, b) > 0.8;
  }

  /**
   * Returns the item in an envelope around it, such as `data` or the name of its type; else the value itself. An object like
   * one of `known`, schemas of items, is the item whatever is beside it.
   */
  itemIn(schema: unknown, word: string, known: readonly unknown[] = []): Part {
    const like = known.length > 0 ? this.#memberLike(schema, known, 2) : undefined;
    if (like) return like;
    const members = [...this.members(schema)];
    const isItem = ([name, member]: readonly [string, unknown]) =>
      (itemMembers.has(plain(name)) || plain(name) === word) && this.members(member).size > 0;
    const rest = members.filter(([name]) => !otherMembers.has(plain(name)));
    const isOnly = ([, member]: readonly [string, unknown]) =>
      rest.length === 1 && [...this.members(member).keys()].some((name) => identifying.has(plain(name)));
    const found = members.length > 5 ? undefined : (members.find(isItem) ?? rest.find(isOnly));
    const isEnvelope = found && rest.every((each) => each === found || each[0] === found[0]);
    return isEnvelope ? { at: [found[0]], schema: found[1] } : { at: [], schema };
  }

  /** Returns the member, or one of a member, that is an object like one of `known`. The value itself is more like none. */
  #memberLike(schema: unknown, known: readonly unknown[], depth: number): Part | undefined {
    const likeness = (part: unknown) => Math.max(0, ...known.map((each) => this.#likeness(part, each)));
    const own = likeness(schema);
    for (const [name, member] of depth > 0 && own < 1 ? this.members(schema) : []) {
      if (this.typeOf(member) !== "object") continue;
      const below = this.#memberLike(member, known, depth - 1);
      if (below) return { ...below, at: [name, ...below.at] };
      if (likeness(member) > Math.max(own, 0.7)) return { at: [name], schema: member };
    }
    return undefined;
  }

  /** Returns which share of the members of the second schema the first one has; of less than two members, none. */
  #likeness(a: unknown, b: unknown): number {
    const [own, wanted] = [this.members(a), this.members(b)];
    if (wanted.size < 2) return wanted.size > 0 && this.of(a) === this.of(b) ? 1 : 0;
    return [...wanted.keys()].filter((name) => own.has(name)).length / wanted.size;
  }

  /** Returns the list in a response; undefined if the response has no list. `word` is the last literal segment of the path. */
  listIn(schema: unknown, word: string, known: readonly unknown[] = []): Part | undefined {
    if (schema === undefined) return undefined;
    if (this.typeOf(schema) === "array") return { at: [], schema: this.itemsOf(schema) };
    const members = [...this.members(schema)];
    const isNamed = (name: string) => {
      const [own, wanted] = [plain(name), plain(word)];
      return wanted.length > 2 && (own.endsWith(wanted) || wanted.endsWith(own) || singular(name) === singular(word));
    };
    const scored = members.flatMap(([name, member]) => {
      if (this.typeOf(member) !== "array") return [];
      const items = this.itemsOf(member);
      const isItem = known.some((each) => this.of(items) === this.of(each));
      const isList = listMembers.has(plain(name)) || isNamed(name);
      const score = Number(isItem) * 9 + Number(isList) * 3 + Number(!this.isScalar(items)) * 2;
      return [{ at: [name], schema: items, score }];
    });
    const [best] = scored.sort((a, b) => b.score - a.score);
    const others = members.filter(([name]) => name !== best?.at[0] && !otherMembers.has(plain(name))).length;
    const isItemItself = members.some(([name]) => plain(name) === "id" || plain(name) === "uuid");
    if (best && (best.score >= 9 || (best.score >= 5 && (others <= 2 || !isItemItself)))) return best;
    if (best && best.score >= 2 && others === 0 && members.length > 1) return best;
    const isUnion = ({ oneOf, anyOf }: Node) => oneOf !== undefined || anyOf !== undefined;
    const options = isUnion(this.of(schema)) ? [...this.#partsOf(schema)].filter((each) => !isUnion(each)) : [];
    for (const each of options) {
      const list = this.listIn(each, word, known);
      if (list) return list;
    }
    if (best || members.length > 8) return undefined;
    for (const [name, member] of members) {
      const below =
        listHolders.has(plain(name)) && this.typeOf(member) === "object" && this.listIn(member, word, known);
      if (below) return { ...below, at: [name, ...below.at] };
    }
    return undefined;
  }
}

type Names = ReadonlyMap<string, unknown>;
