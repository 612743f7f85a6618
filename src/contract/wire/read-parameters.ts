import { cachedBy } from "../cached.ts";
import { type ErrorDetail, invalidField } from "../errors.ts";
import type { Operation, Parameter, Serialization } from "../operation-table.ts";
import { invalidParameter, type QueryReading, readQuery } from "../read-query.ts";
import type { Awaitable } from "../schedule.ts";
import { loadedCheck } from "../validator.ts";
import { decodeForm, type Fields, fieldsOf, namesIn, pairsOf } from "./sent-fields.ts";
import {
  memberNames,
  type Read,
  readField,
  readMembers,
  type TypedReading,
  typedValue,
  typesOf,
} from "./typed-value.ts";

/** The parts of a request that contain parameters. */
export interface SentParameters {
  /** The decoded values of the path's parameters, by name. */
  readonly path: Readonly<Record<string, string>>;
  /** The query as sent, without `?`. */
  readonly query: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}

type Written = Parameter & { readonly serialization: Serialization };

/** Headers that are no parameters (OpenAPI 3.1, 4.8.12.2). */
const reservedHeaders = ["accept", "content-type", "authorization"];

/** The parameters of an operation by whether they have a serialization; and their names in the query. */
const tableOf = cachedBy(({ parameters }: Operation) => {
  const plain = parameters.filter(({ serialization }) => !serialization);
  const written = parameters.filter((each): each is Written => {
    const isReserved = each.in === "header" && reservedHeaders.includes(each.name.toLowerCase());
    return each.serialization !== undefined && !isReserved;
  });
  const inQuery = written.filter((each) => each.in === "query");
  const declared = new Set(inQuery.map(({ name }) => name));
  const members = inQuery.filter(isExploded).map(({ schema }) => memberNames(schema));
  const taken = new Set([...declared, ...members.flatMap(({ names }) => names)]);
  return { plain, written, declared, taken, isOpen: members.some(({ isOpen }) => isOpen) };
});

/**
 * Reads the parameters of a request (OpenAPI 3.1, 4.8.12; RFC 6570): takes them apart by their serialization, converts
 * them to the types of their schemas, and validates them. `readQuery` reads those without a serialization. The values are
 * those of the query, with the defaults of absent parameters. Returns a promise only if it has to load a check.
 */
export function readParameters(operation: Operation, sent: SentParameters): Awaitable<QueryReading> {
  const { plain, written, declared, taken, isOpen } = tableOf(operation);
  const reading = readQuery(plain, sent.query);
  if (written.length === 0) return reading;
  const rest = new Set(reading.unnamed);
  const pairs = pairsOf(sent.query, "&", decodeForm).filter(([name]) => rest.has(name));
  const query = fieldsOf(pairs, declared, decodeForm);
  const others = [...query.keys()].filter((name) => !taken.has(name));
  const typed = written.map((parameter) => {
    const isQuery = parameter.in === "query";
    if (isQuery ? query.size === 0 : isPlainlyValid(parameter, sent)) return undefined;
    const fields = isQuery ? query : fieldsIn(parameter, sent);
    const read = readerOf(parameter, fields, isQuery ? others : fields.keys());
    return read && typedValue(parameter.schema, read);
  });
  const finish = (readings: readonly (TypedReading | undefined)[]): QueryReading => {
    const values: Record<string, unknown> = Object.assign(Object.create(null), reading.values);
    const violations = [...reading.violations];
    for (const [index, parameter] of written.entries()) {
      const { in: location, name, schema, required, serialization } = parameter;
      const found = readings[index];
      if (found) {
        for (const { pointer, message } of found.problems) violations.push(violation(parameter, pointer, message));
        if (location === "query" && found.problems.length === 0) values[name] = found.value;
      } else if (location === "path") {
        if (isPlainlyValid(parameter, sent)) continue;
        violations.push(invalidParameter(name, `text of the style ${serialization.style}`, sent.path[name]));
      } else if (required) violations.push(invalidField(name, "is required, found nothing"));
      else if (location === "query" && schema.default !== undefined) values[name] = schema.default;
    }
    const isUnnamed = (name: string) => !declared.has(name) && !taken.has(namesIn(name)[0]);
    return { values, violations, unnamed: isOpen ? [] : reading.unnamed.filter(isUnnamed) };
  };
  const isLoaded = (each: (typeof typed)[number]) => !(each instanceof Promise);
  return typed.every(isLoaded)
    ? finish(typed as (TypedReading | undefined)[])
    : Promise.all(typed).then((readings) => finish(readings));
}

/** Whether a parameter of the path is one text or number, without a list or an object. */
const isPlain = cachedBy(({ in: location, schema, serialization }: Written) => {
  const types = typesOf([schema]);
  return location === "path" && serialization.style === "simple" && !types.has("array") && !types.has("object");
});

/** Returns whether a parameter of the path is valid as sent: a quick test, which most values pass. */
function isPlainlyValid(parameter: Written, { path }: SentParameters): boolean {
  const text = path[parameter.name] ?? "";
  const check = isPlain(parameter) ? loadedCheck(parameter.schema) : undefined;
  if (!check || text.length > 15) return false;
  return (/^-?[1-9]\d*$/.test(text) && check(Number(text)).length === 0) || check(text).length === 0;
}

function isExploded({ schema, serialization }: Written): boolean {
  return serialization.explode === true && serialization.style !== "deepObject" && typesOf([schema]).has("object");
}

/** Returns what reads a parameter; undefined if it was not sent. An open object takes the other names. */
function readerOf(parameter: Written, fields: Fields, others: Iterable<string>): Read | undefined {
  const { name, schema, serialization } = parameter;
  const { names, isOpen } = memberNames(schema);
  const members = isExploded(parameter) ? [...names, ...(isOpen ? others : [])].filter((each) => fields.has(each)) : [];
  const own = fields.get(name);
  if (own && !members.includes(name)) return readField([schema], own, serialization);
  return members.length > 0 ? readMembers(members, [schema], fields, () => serialization) : undefined;
}

/** The start of a text, and the separator of its pairs, by style. Cookies have the style `form`. */
const forms: Readonly<Record<string, readonly [start: string, separator: string]>> = {
  form: ["", ";"],
  label: [".", "."],
  matrix: [";", ";"],
};

const decoders: Readonly<Record<string, typeof decodeForm>> = {
  cookie: (text) => decodeForm(text.replace(/^"(.*)"$/, "$1").replaceAll("+", "%2B")),
  header: (text) => text.trim(),
};

/** Returns the fields in a path parameter, a header (RFC 9110, 5.3) or the cookies (RFC 6265, 4.2.1). */
function fieldsIn(parameter: Written, { path, headers }: SentParameters): Fields {
  const { in: location, name, serialization } = parameter;
  const texts: SentParameters["headers"] = location === "path" ? path : headers;
  const key = location === "path" ? name : location === "cookie" ? "cookie" : name.toLowerCase();
  const style = location === "cookie" ? "form" : (serialization.style ?? "simple");
  const [start, separator] = forms[style] ?? ["", ","];
  const text = Object.hasOwn(texts, key) ? [texts[key] ?? []].flat().join(separator) : "";
  if (!Object.hasOwn(texts, key) || !text.startsWith(start)) return new Map();
  const value = text.slice(start.length);
  const isPairs = style === "form" || style === "matrix" || (isExploded(parameter) && value.includes("="));
  const pairs = isPairs ? pairsOf(value, separator, (each) => each.trim()) : [[name, value] as const];
  return fieldsOf(pairs, new Set([name]), decoders[location] ?? ((each) => each));
}

function violation({ name, serialization }: Written, pointer: string, message: string): ErrorDetail {
  const place = name + (serialization.style === "deepObject" ? pointer.replace(/\/([^/]*)/g, "[$1]") : pointer);
  return { ...invalidField(place, message), field: name };
}
