import { isObject, MAX_COMPARISONS, MAX_NESTING } from "../../contract/index.ts";
import type { ResourceRecord } from "../resource-record.ts";
import { type Cursor, openCursor, readTexts } from "./cursor.ts";
import { type OperandContext, readList, readOne, type Variables } from "./operands.ts";
import { type Field, type Fields, member, recordFields, takeField } from "./query-fields.ts";
import { compareValues, heldValue, type Value, type ValueType } from "./typed-values.ts";

/** Returns whether a value in a record (`undefined` if absent) passes. */
type Test = (held: unknown) => boolean;

interface PredicateContext extends OperandContext {
  readonly comparisons: { count: number };
  nesting: number;
}

/**
 * Compiles the predicates of `queryWithSortedParameters` to one function that returns whether a record matches all of
 * them. Returns `undefined` if `texts` is empty. The language is that of commercetools' query predicates
 * (https://docs.commercetools.com/api/predicates/query):
 *
 *     predicate  = and { "or" and }
 *     and        = term { "and" term }
 *     term       = "not" "(" predicate ")" | "(" predicate ")" | condition
 *     condition  = field ( "=" | "!=" | "<>" | "<" | "<=" | ">" | ">=" ) value
 *                | field [ "not" ] "in" list
 *                | field "contains" ( "any" | "all" ) list
 *                | field "is" [ "not" ] ( "defined" | "empty" )
 *                | field "(" predicate ")"
 *     list       = "(" value { "," value } ")" | variable
 *     value      = string | number | "true" | "false" | variable
 *
 * Keywords may have any case. A field name may be in backticks. Strings have the escapes of JSON. The parameter of a
 * variable holds a value of the field's type, without quotes. A predicate in parentheses after a field applies to the
 * fields of an object; in an array of objects, at least one element must match.
 *
 * Our choices where that documentation is silent:
 * - `null` counts as absent. An absent field equals nothing, is in no list, and is neither below nor above any value.
 * - An absent array is empty. An absent object matches no nested predicate.
 * - `!=`, `<>`, `not in` and `is not` are the exact opposites of `=`, `in` and `is`. So `key != "a"` matches a resource
 *   without a key.
 *
 * @throws ServiceError InvalidField with `field: "where"` and `column`: what was expected and what was found.
 */
export function compileWhere(
  texts: readonly string[],
  variables: Variables,
): ((record: ResourceRecord) => boolean) | undefined {
  const [listed, comparisons] = [{ count: 0 }, { count: 0 }];
  const tests = readTexts("where", texts, (text, errorAt) => {
    const context: PredicateContext = { cursor: openCursor(text, errorAt), variables, listed, comparisons, nesting: 0 };
    const test = readPredicate(context, recordFields);
    if (context.cursor.token.kind !== "end") throw context.cursor.unexpected('"and", "or" or the end');
    return test;
  });
  return tests.length === 0 ? undefined : every(tests);
}

function readPredicate(context: PredicateContext, fields: Fields): Test {
  const tests = [readAnd(context, fields)];
  while (context.cursor.accept("or")) tests.push(readAnd(context, fields));
  return some(tests);
}

function readAnd(context: PredicateContext, fields: Fields): Test {
  const tests = [readTerm(context, fields)];
  while (context.cursor.accept("and")) tests.push(readTerm(context, fields));
  return every(tests);
}

function readTerm(context: PredicateContext, fields: Fields): Test {
  const { cursor } = context;
  if (cursor.accept("not")) return not(readNested(context, fields, '"(" after "not"'));
  if (cursor.at("(")) return readNested(context, fields);
  const { column } = cursor.token;
  const { name, field } = takeField(cursor, fields);
  if (!cursor.at("(") && ++context.comparisons.count > MAX_COMPARISONS) {
    throw cursor.errorAt(column, `expected at most ${MAX_COMPARISONS} comparisons in all predicates, found more`);
  }
  const test = readCondition(context, name, field);
  return (held) => test(member(held, name));
}

function readNested(context: PredicateContext, fields: Fields, expected?: string): Test {
  const { cursor } = context;
  const { column } = cursor.token;
  cursor.expect("(", expected);
  context.nesting++;
  if (context.nesting > MAX_NESTING) {
    throw cursor.errorAt(column, `expected at most ${MAX_NESTING} levels of parentheses, found more`);
  }
  const test = readPredicate(context, fields);
  cursor.expect(")", '"and", "or" or ")"');
  context.nesting--;
  return test;
}

/** What error messages expect after a field of each kind. */
const continuations: Readonly<Record<Field["kind"], (name: string) => string>> = {
  value: (name) => `a comparison, "in", "not in" or "is" after "${name}"`,
  values: (name) => `"contains any", "contains all" or "is" after the array "${name}"`,
  object: (name) => `a predicate in parentheses or "is" after the object "${name}"`,
  objects: (name) => `a predicate in parentheses or "is" after the array of objects "${name}"`,
};

function readCondition(context: PredicateContext, name: string, field: Field): Test {
  const { cursor } = context;
  const test = cursor.accept("is") ? readIs(cursor, field) : readOperator(context, field);
  if (!test) throw cursor.unexpected(continuations[field.kind](name));
  return test;
}

function readIs(cursor: Cursor, field: Field): Test {
  const opposite = cursor.accept("not");
  const test = readState(cursor, field);
  return opposite ? not(test) : test;
}

function readState(cursor: Cursor, field: Field): Test {
  const isArray = field.kind === "values" || field.kind === "objects";
  if (cursor.accept("defined")) return (held) => held !== undefined;
  if (isArray && cursor.accept("empty")) return (held) => elements(held).length === 0;
  throw cursor.unexpected(isArray ? '"defined" or "empty"' : '"defined"');
}

function readOperator(context: PredicateContext, field: Field): Test | undefined {
  const { cursor } = context;
  switch (field.kind) {
    case "value":
      return readComparison(context, field.type);
    case "values":
      return cursor.accept("contains") ? readContains(context, field.type) : undefined;
    case "object": {
      if (!cursor.at("(")) return undefined;
      const test = readNested(context, field.fields);
      return (held) => isObject(held) && test(held);
    }
    case "objects": {
      if (!cursor.at("(")) return undefined;
      const test = readNested(context, field.fields);
      return (held) => elements(held).some((element) => isObject(element) && test(element));
    }
  }
}

const orderings: readonly (readonly [string, (order: number) => boolean])[] = [
  ["<", (order) => order < 0],
  ["<=", (order) => order <= 0],
  [">", (order) => order > 0],
  [">=", (order) => order >= 0],
];

function readComparison(context: PredicateContext, type: ValueType): Test | undefined {
  const { cursor } = context;
  if (cursor.accept("=")) return oneOf(type, [readOne(context, type)]);
  if (cursor.accept("!=") || cursor.accept("<>")) return not(oneOf(type, [readOne(context, type)]));
  if (cursor.accept("in")) return oneOf(type, readList(context, type));
  if (cursor.accept("not")) {
    cursor.expect("in");
    return not(oneOf(type, readList(context, type)));
  }
  for (const [symbol, holds] of orderings) {
    if (!cursor.accept(symbol)) continue;
    const bound = readOne(context, type);
    return (held) => {
      const value = heldValue(type, held);
      return value !== undefined && holds(compareValues(value, bound));
    };
  }
  return undefined;
}

function readContains(context: PredicateContext, type: ValueType): Test {
  const { cursor } = context;
  const all = cursor.accept("all");
  if (!all) cursor.expect("any", '"any" or "all"');
  const list = readList(context, type);
  if (!all) {
    const listed = oneOf(type, list);
    return (held) => elements(held).some(listed);
  }
  const wanted = new Set<Value | undefined>(list);
  return (held) => {
    const array = elements(held);
    if (array.length < wanted.size) return false;
    const missing = new Set(wanted);
    return array.some((element) => missing.delete(heldValue(type, element)) && missing.size === 0);
  };
}

function oneOf(type: ValueType, values: readonly Value[]): (held: unknown) => boolean {
  const set = new Set<Value | undefined>(values);
  return (held) => set.has(heldValue(type, held));
}

function every(tests: readonly Test[]): Test {
  const [first, ...others] = tests;
  return first && others.length === 0 ? first : (held) => tests.every((test) => test(held));
}

function some(tests: readonly Test[]): Test {
  const [first, ...others] = tests;
  return first && others.length === 0 ? first : (held) => tests.some((test) => test(held));
}

function not(test: Test): Test {
  return (held) => !test(held);
}

function elements(held: unknown): readonly unknown[] {
  return Array.isArray(held) ? held : [];
}
