import fc from "fast-check";
import { expect, it } from "vitest";
import { ServiceError } from "../../src/contract/errors.ts";
import { MAX_COMPARISONS } from "../../src/contract/limits.ts";
import { compileWhere } from "../../src/state/query/predicate.ts";
import { compileSort, sortItems } from "../../src/state/query/selection.ts";
import type { ResourceRecord } from "../../src/state/resource-record.ts";
import { runs } from "../setup/runs.ts";
import { itemFor, record, resource } from "./records.ts";

/** A predicate as a tree; `path` has the names of the nested objects around the condition's field. */
type Node =
  | { kind: "and" | "or"; nodes: Node[] }
  | { kind: "not"; node: Node }
  | { kind: "inside"; field: string; node: Node }
  | { kind: "compare"; field: string; operator: string; value: unknown }
  | { kind: "list"; field: string; operator: string; values: unknown[] }
  | { kind: "is"; field: string; state: "defined" | "empty"; negated: boolean };

// Few values, so that they are often equal.
const integer = fc.integer({ min: -2, max: 2 });
const text = fc.constantFrom("", "a", "B", 'q"\\\n', "é", "😀");
const instant = fc.constantFrom("2024-01-01T00:00:00Z", "2024-01-01T01:00:00+01:00", "2024-01-01T00:00:00.001Z");

function compare(field: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<Node> {
  const operator = fc.constantFrom("=", "!=", "<>", "<", "<=", ">", ">=");
  return fc.record({ kind: fc.constant("compare"), field: fc.constant(field), operator, value });
}

function list(field: string, value: fc.Arbitrary<unknown>, ...operators: string[]): fc.Arbitrary<Node> {
  const values = fc.array(value, { minLength: 1, maxLength: 3 });
  return fc.record({
    kind: fc.constant("list"),
    field: fc.constant(field),
    operator: fc.constantFrom(...operators),
    values,
  });
}

function is(field: string, ...states: ("defined" | "empty")[]): fc.Arbitrary<Node> {
  const state = fc.constantFrom(...states);
  return fc.record({ kind: fc.constant("is"), field: fc.constant(field), state, negated: fc.boolean() });
}

function inside(field: string, node: fc.Arbitrary<Node>): fc.Arbitrary<Node> {
  return fc.record({ kind: fc.constant("inside"), field: fc.constant(field), node });
}

/** Predicates of these conditions with up to three levels of logic. */
function logic(condition: fc.Arbitrary<Node>): fc.Arbitrary<Node> {
  const { node } = fc.letrec<{ node: Node }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      condition,
      fc.record({
        kind: fc.constantFrom("and", "or"),
        nodes: fc.array(tie("node"), { minLength: 2, maxLength: 3 }),
      }),
      fc.record({ kind: fc.constant("not"), node: tie("node") }),
    ),
  }));
  return node;
}

function scalar(field: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<Node> {
  return fc.oneof(compare(field, value), list(field, value, "in", "not in"), is(field, "defined"));
}

function array(field: string, value: fc.Arbitrary<unknown>): fc.Arbitrary<Node> {
  return fc.oneof(list(field, value, "contains any", "contains all"), is(field, "defined", "empty"));
}

const elementPredicate = logic(fc.oneof(scalar("integerExample", integer), scalar("integerExampleInt32", integer)));
const arraysPredicate = logic(
  fc.oneof(
    array("arrayOfIntExample", integer),
    array("arrayOfStringExample", text),
    inside("arrayOfObjectType", elementPredicate),
    is("arrayOfObjectType", "defined", "empty"),
  ),
);
const predicate = logic(
  fc.oneof(
    scalar("version", integer),
    scalar("key", text),
    scalar("createdAt", instant),
    inside("objectTypeProperty", arraysPredicate),
  ),
);

const anyRecord: fc.Arbitrary<ResourceRecord> = fc
  .record({
    fields: fc.record({ version: integer, key: fc.option(text, { nil: undefined }), createdAt: instant }),
    arrays: fc.record(
      {
        arrayOfIntExample: fc.array(integer, { maxLength: 3 }),
        arrayOfStringExample: fc.array(text, { maxLength: 3 }),
        arrayOfObjectType: fc.array(
          fc.record({ integerExample: integer, integerExampleInt32: integer }, { requiredKeys: [] }),
          { maxLength: 3 },
        ),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ fields, arrays }) => record("r", fields, arrays));

/** Returns the text of the predicate with the fewest parentheses. `seed` selects the spelling. */
function print(node: Node, seed: number, parent?: Node["kind"]): string {
  const word = (keyword: string) => (seed % 2 === 0 ? keyword : keyword.toUpperCase());
  const name = (field: string) => (seed % 3 === 0 ? `\`${field}\`` : field);
  const space = seed % 5 === 0 ? "\n\t " : " ";
  switch (node.kind) {
    case "and":
    case "or": {
      const inner = node.nodes.map((each) => print(each, seed, node.kind)).join(`${space}${word(node.kind)}${space}`);
      return node.kind === "or" && parent === "and" ? `(${inner})` : inner;
    }
    case "not":
      return `${word("not")}${seed % 7 === 0 ? space : ""}(${print(node.node, seed)})`;
    case "inside":
      return `${name(node.field)}(${print(node.node, seed)})`;
    case "compare":
      return `${name(node.field)} ${node.operator}${space}${JSON.stringify(node.value)}`;
    case "list":
      return `${name(node.field)} ${word(node.operator)} (${node.values.map((value) => JSON.stringify(value)).join(",")})`;
    case "is":
      return [name(node.field), word("is"), ...(node.negated ? [word("not")] : []), word(node.state)].join(space);
  }
}

/** Returns whether the predicate matches, by a simple reference implementation. */
function evaluate(node: Node, holder: Record<string, unknown>): boolean {
  switch (node.kind) {
    case "and":
      return node.nodes.every((each) => evaluate(each, holder));
    case "or":
      return node.nodes.some((each) => evaluate(each, holder));
    case "not":
      return !evaluate(node.node, holder);
    case "inside": {
      const inner = holder[node.field];
      const candidates = inner === undefined ? [] : Array.isArray(inner) ? inner : [inner];
      return candidates.some((candidate) => evaluate(node.node, candidate));
    }
    case "compare": {
      const held = comparable(node.field, holder[node.field]);
      const value = comparable(node.field, node.value);
      if (node.operator === "=") return held === value;
      if (node.operator === "!=" || node.operator === "<>") return held !== value;
      if (held === undefined || value === undefined) return false;
      if (node.operator === "<") return held < value;
      if (node.operator === "<=") return held <= value;
      if (node.operator === ">") return held > value;
      return held >= value;
    }
    case "list": {
      const held = holder[node.field];
      const values = node.values.map((value) => comparable(node.field, value));
      if (node.operator === "in") return values.includes(comparable(node.field, held));
      if (node.operator === "not in") return !values.includes(comparable(node.field, held));
      if (!Array.isArray(held)) return false;
      return node.operator === "contains any"
        ? values.some((value) => held.includes(value))
        : values.every((value) => held.includes(value));
    }
    case "is": {
      const held = holder[node.field];
      const state =
        node.state === "defined" ? held !== undefined : held === undefined || (held as unknown[]).length === 0;
      return node.negated ? !state : state;
    }
  }
}

function comparable(field: string, value: unknown): string | number | undefined {
  if (value === undefined) return undefined;
  return field === "createdAt" ? new Date(String(value)).getTime() : (value as string | number);
}

function comparisonsIn(node: Node): number {
  if ("nodes" in node) return node.nodes.reduce((sum, each) => sum + comparisonsIn(each), 0);
  return "node" in node ? comparisonsIn(node.node) : 1;
}

it("a predicate means what its tree means", () => {
  fc.assert(
    fc.property(
      fc.array(predicate, { minLength: 1, maxLength: 2 }),
      fc.nat(1000),
      fc.array(anyRecord),
      (nodes, seed, records) => {
        fc.pre(nodes.reduce((sum, node) => sum + comparisonsIn(node), 0) <= MAX_COMPARISONS);
        const matches = compileWhere(
          nodes.map((node) => print(node, seed)),
          resource,
          {},
        );
        for (const each of records) expect(matches?.(itemFor(each))).toBe(nodes.every((node) => evaluate(node, each)));
      },
    ),
    runs(200, 1000),
  );
});

const anyKey = fc
  .tuple(
    fc.constantFrom(
      ...["id", "key", "version", "createdAt", "objectTypeProperty.arrayOfIntExample"],
      ...["objectTypeProperty.arrayOfStringExample", "objectTypeProperty.arrayOfObjectType.integerExample"],
    ),
    fc.constantFrom("asc", "desc"),
  )
  .map(([path, direction]) => ({ path, direction }));

/** Returns the value that a record is sorted by, by a simple reference implementation: the first in the direction. */
function sortedBy(each: ResourceRecord, { path, direction }: { path: string; direction: string }) {
  const names = path.split(".");
  let held: unknown[] = [each];
  for (const name of names) held = held.flatMap((holder) => (holder as Record<string, unknown>)[name] ?? []);
  const values = held.map((value) => comparable(names.at(-1) ?? "", value)).filter((value) => value !== undefined);
  const ascending = values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return direction === "asc" ? ascending[0] : ascending.at(-1);
}

it("records are sorted as the language sorts them", () => {
  fc.assert(
    fc.property(
      fc.array(anyKey, { minLength: 1, maxLength: 4 }),
      fc.array(anyRecord, { maxLength: 100, size: "max" }),
      (keys, records) => {
        const order =
          compileSort(
            keys.map(({ path, direction }) => `${path} ${direction}`),
            resource,
          ) ?? [];
        const expected = records.toSorted((a, b) => {
          for (const key of keys) {
            const [left, right] = [sortedBy(a, key), sortedBy(b, key)];
            if (left === right) continue;
            if (left === undefined || right === undefined) return left === undefined ? 1 : -1;
            return left < right === (key.direction === "asc") ? -1 : 1;
          }
          return 0;
        });
        const items = records.map(itemFor);
        const positions = sortItems(items, order).map((each) => items.indexOf(each));
        expect(positions).toEqual(expected.map((each) => records.indexOf(each)));
      },
    ),
    runs(100, 300),
  );
});

/** Almost valid predicates. They test more of the parser than random characters. */
const nearly = fc
  .array(
    fc.constantFrom(
      ..."version key createdAt objectTypeProperty arrayOfIntExample arrayOfObjectType integerExample".split(" "),
      ..."constructor __proto__ and or not in is contains any all defined empty true asc desc".split(" "),
      ...'( ( ) ) , = != <> < . :a :b 1 -2.5e3 "x" "\\ ` `version` \\ 😀 \u0000'.split(" "),
    ),
    { maxLength: 20 },
  )
  .map((words) => words.join(" "));
const anyText = fc.oneof(nearly, fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }));

it.each([
  [
    "compileWhere",
    (text: string, each: ResourceRecord) =>
      compileWhere([text], resource, { a: ["1"], b: ["x", "y"] })?.(itemFor(each)),
  ],
  ["compileSort", (text: string) => compileSort([text], resource)],
] as const)("%s refuses by a ServiceError with a column of the text, or takes", (_name, compile) => {
  fc.assert(
    fc.property(anyText, anyRecord, (text, each) => {
      try {
        compile(text, each);
      } catch (error) {
        expect(error).toBeInstanceOf(ServiceError);
        const { details } = error as ServiceError;
        expect(details).toHaveLength(1);
        const column = Number(details[0]?.column);
        expect(column).toBeGreaterThanOrEqual(1);
        expect(column).toBeLessThanOrEqual(text.length + 1);
        expect(details[0]?.message.length).toBeLessThan(400);
      }
    }),
    runs(300, 2000),
  );
});
