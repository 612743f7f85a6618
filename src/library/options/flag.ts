import {
  type FromSchema,
  findProblems,
  isObject,
  jsonValue,
  MAX_INT32,
  readScalar,
  type Scalar,
  type Schema,
  scalarProblem,
  shown,
} from "../../contract/index.ts";

/** An invalid command line. The message says what was expected and what was found. */
export class Misuse extends Error {
  override readonly name = "Misuse";
}

/** One option: its flag on the command line, its environment variable, and its value in the libraries. */
export interface Flag<Value> {
  /** Name in kebab case; derived from the option by default. */
  readonly name?: string;
  /** Placeholder of the value in `--help`; undefined for a switch. */
  readonly value?: string;
  readonly help: string;
  /** The value if neither the flag nor the variable is set. */
  readonly default: Value;
  readonly repeatable?: boolean;
  /** Whether further arguments after the value are values too, such as the files of a shell pattern. */
  readonly takesRest?: boolean;
  /** Whether the mock admits fewer clients with the option, so an empty variable is invalid instead of "not set". */
  readonly isProtection?: boolean;
  /** The option without which this one has no effect. */
  readonly needs?: string;
  /** The options that cannot be combined with this one, and the reason. */
  readonly without?: { readonly options: readonly string[]; readonly because: string };
  /** Parses the texts of the flag: several if it is repeatable, otherwise one. Throws Misuse. */
  readonly read: (texts: readonly string[]) => Value | Promise<Value>;
  /** Returns the problem of a value in the libraries, or undefined. Settings have none: their schema validates them. */
  readonly check?: (value: unknown) => string | undefined;
}

/** The members of a flag that its kind does not determine. */
type More = Partial<Pick<Flag<unknown>, "name" | "value" | "isProtection" | "needs" | "without">>;

const placeholders = { string: "TEXT", number: "N", integer: "N", boolean: undefined };

const spellings = new Map(
  Object.entries({ "1": "true", yes: "true", on: "true", "0": "false", no: "false", off: "false" }),
);

/** Returns the flag of a single string, number or boolean. `value`: the placeholder, derived from the schema by default. */
export function flag<const S extends Scalar>(
  help: string,
  schema: S,
  { value = schema.enum?.join("|") ?? placeholders[schema.type], ...more }: More = {},
): Flag<FromSchema<S> | (S extends { default: unknown } ? never : undefined)> {
  return {
    value,
    help,
    default: schema.default as FromSchema<S>,
    read: ([text = ""]) => readValue(schema, text) as FromSchema<S>,
    check: (value) => scalarProblem(schema, value),
    ...more,
  };
}

function readValue(schema: Scalar, text: string): unknown {
  const lower = text.toLowerCase();
  const value = readScalar(schema, schema.type === "boolean" ? (spellings.get(lower) ?? lower) : text);
  if (value === undefined) throw new Misuse(scalarProblem(schema, text));
  return value;
}

export function integer<const Default extends number | undefined = undefined>(
  help: string,
  [minimum, maximum]: readonly [minimum: number, maximum: number],
  fallback?: Default,
): Flag<number | Default> {
  return flag(help, { type: "integer", minimum, maximum, default: fallback }) as Flag<number | Default>;
}

export function text(help: string, value: string, title?: string, more?: More) {
  return flag(help, { type: "string", minLength: 1, title }, { value, ...more });
}

export function folder(help: string, more?: More) {
  return text(help, "DIR", "the path of a folder", more);
}

/** Returns the flag of a file. `title`: the expected value in messages. */
export function file(help: string, title = "the path of a file", more?: More) {
  return text(help, "FILE", title, more);
}

/** Returns the flag of a switch, which is off by default. */
export function toggle(help: string, more?: More) {
  return flag(help, { type: "boolean", default: false }, more);
}

interface ListMore extends More {
  readonly maxItems?: number;
  readonly takesRest?: boolean;
  /** Whether one flag can have several items, with commas between them. */
  readonly commas?: boolean;
}

/** Returns the flag of a list, which can be repeated. */
export function list(
  help: string,
  item: Scalar,
  { maxItems = Infinity, commas, ...more }: ListMore,
): Flag<readonly string[] | undefined> {
  const problemOf = (items: readonly unknown[]) => {
    if (items.length > maxItems) return `expected at most ${maxItems}, found ${items.length}`;
    return items.map((each) => scalarProblem(item, each)).find(Boolean);
  };
  return {
    help,
    default: undefined,
    repeatable: true,
    read(texts) {
      const items = commas ? texts.flatMap((each) => each.split(",").map((part) => part.trim())) : texts;
      const problem = problemOf(items);
      if (problem) throw new Misuse(problem);
      return items;
    },
    check: (value) =>
      Array.isArray(value) ? problemOf(value) : `expected an array, each item ${item.title}, found ${shown(value)}`,
    ...more,
  };
}

/** Returns the flag of several files, such as those of a shell pattern. */
export function files(help: string, without?: More["without"]) {
  const item = { type: "string", minLength: 1, title: "the path of a file" } as const;
  return list(help, item, { value: "FILE…", takesRest: true, without });
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Returns the flag of a time: milliseconds, or with a unit, such as `90s` or `5m`. Its value is in milliseconds. */
export function duration<Default extends number | undefined = undefined>(
  help: string,
  { maximum = MAX_INT32, default: fallback, ...more }: More & { maximum?: number; default?: Default } = {},
): Flag<number | Default> {
  return {
    value: "TIME",
    help,
    default: fallback as Default,
    read([text = ""]) {
      const [, number = "", unit = "ms"] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
      const milliseconds = Math.round(Number(number) * (units[unit] ?? Number.NaN));
      if (milliseconds > 0 && milliseconds <= maximum) return milliseconds;
      throw new Misuse(`expected milliseconds from 1 to ${maximum}, or a time such as 90s or 5m, found ${shown(text)}`);
    },
    check: (value) => scalarProblem({ type: "integer", minimum: 1, maximum }, value),
    ...more,
  };
}

/**
 * Returns the flag of an object: JSON, or in short its members `names` as numbers with slashes between them, such as
 * `10/1000`.
 */
export function structure<S extends Schema>(
  help: string,
  schema: S,
  value: string,
  names: readonly string[],
): Flag<FromSchema<S>> {
  return {
    value,
    help,
    default: schema.default as FromSchema<S>,
    async read([text = ""]) {
      const numbers = text.split("/").map((part) => jsonValue(part));
      const isShort = numbers.length === names.length && numbers.every((number) => typeof number === "number");
      const object = isShort ? Object.fromEntries(names.map((name, index) => [name, numbers[index]])) : jsonValue(text);
      if (object !== null && !isObject(object)) {
        const examples = schema.examples?.map((example) => JSON.stringify(example)).join(", ");
        throw new Misuse(`expected ${value.replace("|JSON", "")}, or JSON such as ${examples}, found ${shown(text)}`);
      }
      // Loading the validator takes time.
      const [problem] = await findProblems(schema, object);
      if (problem) throw new Misuse(`${problem.pointer}${problem.pointer && ": "}${problem.message}`);
      return object as FromSchema<S>;
    },
  };
}

/** Parses an `ID:SECRET` pair. Throws Misuse, whose message does not repeat the text, as it contains a secret. */
function readClient(text: string): [id: string, secret: string] {
  const colon = text.indexOf(":");
  if (colon < 1) throw new Misuse(`expected ID:SECRET, found ${colon === 0 ? "no id" : "no colon"}`);
  return [text.slice(0, colon), text.slice(colon + 1)];
}

/** `instanceof` fails for Maps of another realm, which test runners have. */
export function isMap(value: unknown): value is ReadonlyMap<string, unknown> {
  return isObject(value) && typeof value.get === "function" && Symbol.iterator in value;
}

export function clients(help: string): Flag<ReadonlyMap<string, string> | undefined> {
  return {
    name: "client",
    value: "ID:SECRET",
    help,
    default: undefined,
    repeatable: true,
    read: (texts) => new Map(texts.map(readClient)),
    check(value) {
      const expected = "expected a Map from client ids to secrets, both strings, found";
      if (!isMap(value)) return `${expected} ${shown(value)}`;
      const texts = [...value].flat();
      return texts.every((text) => typeof text === "string") ? undefined : `${expected} other values`;
    },
  };
}

/** Returns the flag of the URL of a Valkey or Redis server. The error does not repeat a password. */
export function storeUrl(help: string): Flag<string | undefined> {
  return {
    value: "URL",
    help,
    default: undefined,
    read([text = ""]) {
      const url = URL.parse(text.replace(/^valkey(s?):/, (_scheme, s) => `redis${s}:`));
      const isStore = url && /^rediss?:$/.test(url.protocol) && url.hostname !== "" && /^(\/\d*)?$/.test(url.pathname);
      if (isStore && url.search === "" && url.hash === "") return url.href;
      const found = url ? shown(`${url.protocol}//…`) : "no URL";
      const forms = "redis://HOST:PORT or rediss://USER:PASSWORD@HOST:PORT/DATABASE";
      throw new Misuse(`expected a URL such as ${forms}, found ${found}`);
    },
  };
}
