import {
  isObject,
  MAX_COMPARISONS,
  MAX_NESTING,
  MAX_QUERY_VALUES,
  type QueryValues,
  type ResourceType,
  shown,
} from "../../contract/index.ts";
import type { Item } from "../item.ts";
import { Cursor, type QueryToken, readTexts } from "./cursor.ts";
import {
  compareValues,
  type Field,
  type Fields,
  fieldsOfType,
  heldValue,
  itemMember,
  member,
  takeField,
  type Value,
  type ValueType,
  valueTypes,
} from "./fields.ts";

/** Returns whether a value in an item (`undefined` if absent), or the item itself, passes. */
type Test = (held: unknown) => boolean;

/** The values of the variables of a predicate, by name: `:name` has the values of the parameter `var.name`. */
export type Variables = Readonly<Record<string, readonly string[]>>;

interface PredicateContext {
  readonly cursor: Cursor;
  /** The fields of the items. */
  readonly ofItem: Fields;
  readonly variables: Variables;
  /** The numbers of values and of comparisons read so far, in all predicates. */
  readonly counts: { values: number; comparisons: number };
  nesting: number;
}

/** Returns the variables among the query values: `var.name` as `name`. */
export function variablesOf(values: QueryValues): Variables {
  const variables: Record<string, readonly string[]> = Object.create(null);
  for (const [name, value] of Object.entries(values)) {
    if (name.startsWith("var.")) variables[name.slice("var.".length)] = [value].flat().map(String);
  }
  return variables;
}

/**
 * Compiles predicates on the items of a type to one function that returns whether an item matches all of them. Returns `undefined` if `texts` is empty. The language is that of commercetools' query predicates
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
export function compileWhere(texts: readonly string[], type: ResourceType, variables: Variables) {
  const ofItem = fieldsOfType(type);
  const counts = { values: 0, comparisons: 0 };
  const tests = readTexts("where", texts, (text, errorAt) => {
    const cursor = new Cursor(text, errorAt);
    const test = readPredicate({ cursor, ofItem, variables, counts, nesting: 0 }, ofItem);
    if (cursor.token.kind !== "end") throw cursor.unexpected('"and", "or" or the end');
    return test;
  });
  return tests.length === 0 ? undefined : joined(tests, "every");
}

function readPredicate(context: PredicateContext, fields: Fields): Test {
  const tests = [readAnd(context, fields)];
  while (context.cursor.accept("or")) tests.push(readAnd(context, fields));
  return joined(tests, "some");
}

function readAnd(context: PredicateContext, fields: Fields): Test {
  const tests = [readTerm(context, fields)];
  while (context.cursor.accept("and")) tests.push(readTerm(context, fields));
  return joined(tests, "every");
}

function readTerm(context: PredicateContext, fields: Fields): Test {
  const { cursor } = context;
  if (cursor.accept("not")) return not(readNested(context, fields, '"(" after "not"'));
  if (cursor.at("(")) return readNested(context, fields);
  const { column } = cursor.token;
  const { name, field } = takeField(cursor, fields);
  if (!cursor.at("(") && ++context.counts.comparisons > MAX_COMPARISONS) {
    throw cursor.errorAt(column, `expected at most ${MAX_COMPARISONS} comparisons in all predicates, found more`);
  }
  const test = readCondition(context, name, field);
  if (fields === context.ofItem) return (held) => test(itemMember(held as Item, name));
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
  const isArray = field.kind === "values" || field.kind === "objects";
  const isDefined = cursor.accept("defined");
  if (!isDefined && !(isArray && cursor.accept("empty"))) {
    throw cursor.unexpected(isArray ? '"defined" or "empty"' : '"defined"');
  }
  const test: Test = isDefined ? (held) => held !== undefined : (held) => elements(held).length === 0;
  return opposite ? not(test) : test;
}

function readOperator(context: PredicateContext, field: Field): Test | undefined {
  const { cursor } = context;
  if ("type" in field) {
    if (field.kind === "value") return readComparison(context, field.type);
    return cursor.accept("contains") ? readContains(context, field.type) : undefined;
  }
  if (!cursor.at("(")) return undefined;
  const nested = readNested(context, field.fields);
  const test: Test = (held) => isObject(held) && nested(held);
  return field.kind === "object" ? test : (held) => elements(held).some(test);
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

function joined(tests: readonly Test[], method: "every" | "some"): Test {
  const [first, ...others] = tests;
  return first && others.length === 0 ? first : (held) => tests[method]((test) => test(held));
}

function not(test: Test): Test {
  return (held) => !test(held);
}

function elements(held: unknown): readonly unknown[] {
  return Array.isArray(held) ? held : [];
}

/** Reads a list: `(value, …)`, or a variable without parentheses. Each value has the field's type. */
export function readList(context: PredicateContext, type: ValueType): readonly Value[] {
  const { cursor } = context;
  if (cursor.token.kind === "variable") return readValues(context, type);
  cursor.expect("(", 'a list such as "(1, 2)" or a variable');
  const lists = [readValues(context, type)];
  while (cursor.accept(",")) lists.push(readValues(context, type));
  cursor.expect(")", '"," or ")"');
  return lists.flat();
}

/** Reads a single value of the field's type. Throws if it is a variable whose parameter was passed several times. */
export function readOne(context: PredicateContext, type: ValueType): Value {
  const { column, text } = context.cursor.token;
  const [value, ...others] = readValues(context, type);
  if (value === undefined || others.length > 0) {
    throw context.cursor.errorAt(column, `expected one value, found ${others.length + 1} in ${shown(`var.${text}`)}`);
  }
  return value;
}

/** Reads the value of a literal, or all values of a variable (at least one). */
function readValues(context: PredicateContext, type: ValueType): readonly Value[] {
  const { cursor, counts } = context;
  const { token } = cursor;
  const values = token.kind === "variable" ? boundValues(context, token, type) : [readLiteral(cursor, type)];
  counts.values += values.length;
  if (counts.values > MAX_QUERY_VALUES) {
    throw cursor.errorAt(token.column, `expected at most ${MAX_QUERY_VALUES} values in all predicates, found more`);
  }
  cursor.take();
  return values;
}

function readLiteral(cursor: Cursor, type: ValueType): Value {
  const { kind, text } = cursor.token;
  const isLiteral = kind === "string" || kind === "number" || cursor.at("true") || cursor.at("false");
  if (!isLiteral) throw cursor.unexpected("a value");
  const { literal, name, read } = valueTypes[type];
  const value = kind === literal ? read(text) : undefined;
  if (value === undefined) throw cursor.unexpected(name);
  return value;
}

function boundValues(context: PredicateContext, { text: name, column }: QueryToken, type: ValueType): Value[] {
  const { variables, cursor } = context;
  const { errorAt } = cursor;
  const texts = Object.hasOwn(variables, name) ? variables[name] : undefined;
  const parameter = shown(`var.${name}`);
  if (!texts?.length) throw errorAt(column, `expected the query parameter ${parameter} for this variable, found none`);
  const { name: expected, read } = valueTypes[type];
  return texts.map((text) => {
    const value = read(text);
    if (value === undefined) throw errorAt(column, `expected ${expected} in ${parameter}, found ${shown(text)}`);
    return value;
  });
}
