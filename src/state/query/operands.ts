import { MAX_QUERY_VALUES, type QueryValues, shown } from "../../contract/index.ts";
import type { Cursor, QueryToken } from "./cursor.ts";
import { readValue, typeNames, type Value, type ValueType } from "./typed-values.ts";

/** The values of the variables of a predicate, by name: `:name` has the values of the parameter `var.name`. */
export type Variables = Readonly<Record<string, readonly string[]>>;

/** The context for reading the values that a predicate compares with fields. */
export interface OperandContext {
  readonly cursor: Cursor;
  readonly variables: Variables;
  /** The number of values read so far, in all predicates. */
  readonly listed: { count: number };
}

/** Returns the variables among the query values: `var.name` as `name`. */
export function variablesOf(values: QueryValues): Variables {
  const variables: Record<string, readonly string[]> = Object.create(null);
  for (const [name, value] of Object.entries(values)) {
    if (name.startsWith("var.")) variables[name.slice("var.".length)] = [value].flat().map(String);
  }
  return variables;
}

/** Reads a list: `(value, …)`, or a variable without parentheses. Each value has the field's type. */
export function readList(context: OperandContext, type: ValueType): readonly Value[] {
  const { cursor } = context;
  if (cursor.token.kind === "variable") return readValues(context, type);
  cursor.expect("(", 'a list such as "(1, 2)" or a variable');
  const lists = [readValues(context, type)];
  while (cursor.accept(",")) lists.push(readValues(context, type));
  cursor.expect(")", '"," or ")"');
  return lists.flat();
}

/** Reads a single value of the field's type. Throws if it is a variable whose parameter was passed several times. */
export function readOne(context: OperandContext, type: ValueType): Value {
  const { column, text } = context.cursor.token;
  const [value, ...others] = readValues(context, type);
  if (value === undefined || others.length > 0) {
    throw context.cursor.errorAt(column, `expected one value, found ${others.length + 1} in ${shown(`var.${text}`)}`);
  }
  return value;
}

/** Reads the value of a literal, or all values of a variable (at least one). */
function readValues(context: OperandContext, type: ValueType): readonly Value[] {
  const { cursor, listed } = context;
  const { token } = cursor;
  const values = token.kind === "variable" ? boundValues(context, token, type) : [readLiteral(cursor, type)];
  listed.count += values.length;
  if (listed.count > MAX_QUERY_VALUES) {
    throw cursor.errorAt(token.column, `expected at most ${MAX_QUERY_VALUES} values in all predicates, found more`);
  }
  cursor.take();
  return values;
}

const literalKinds: Readonly<Record<ValueType, QueryToken["kind"]>> = {
  integer: "number",
  number: "number",
  string: "string",
  boolean: "word",
  "date-time": "string",
};

function readLiteral(cursor: Cursor, type: ValueType): Value {
  const { kind, text } = cursor.token;
  const isLiteral = kind === "string" || kind === "number" || cursor.at("true") || cursor.at("false");
  if (!isLiteral) throw cursor.unexpected("a value");
  const value = kind === literalKinds[type] ? readValue(type, text) : undefined;
  if (value === undefined) throw cursor.unexpected(typeNames[type]);
  return value;
}

function boundValues(context: OperandContext, { text: name, column }: QueryToken, type: ValueType): Value[] {
  const { variables } = context;
  const { errorAt } = context.cursor;
  const texts = Object.hasOwn(variables, name) ? variables[name] : undefined;
  const parameter = shown(`var.${name}`);
  if (!texts?.length) throw errorAt(column, `expected the query parameter ${parameter} for this variable, found none`);
  return texts.map((text) => {
    const value = readValue(type, text);
    if (value === undefined) throw errorAt(column, `expected ${typeNames[type]} in ${parameter}, found ${shown(text)}`);
    return value;
  });
}
