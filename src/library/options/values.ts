import {
  type FromSchema,
  isObject,
  jsonValue,
  loadCheck,
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

const spellings: Readonly<Record<string, string>> = { "1": "true", yes: "true", "0": "false", no: "false" };

/** Parses a value of the schema. Throws Misuse. */
export function readValue<S extends Scalar>(schema: S, text: string): FromSchema<S> {
  const value = readScalar(schema, (schema.type === "boolean" && spellings[text]) || text);
  if (value === undefined) throw new Misuse(scalarProblem(schema, text));
  return value as FromSchema<S>;
}

/**
 * Parses JSON of the schema, which loads a validator. Throws Misuse. The error for a text that is not JSON of an object
 * or null lists `short`, a description of the allowed short forms, and the examples of the schema.
 */
export async function readStructure<S extends Schema>(schema: S, text: string, short: string): Promise<FromSchema<S>> {
  const value = jsonValue(text);
  if (value !== null && !isObject(value)) {
    const examples = schema.examples?.map((example) => JSON.stringify(example)).join(", ");
    throw new Misuse(`expected ${short}, or JSON such as ${examples}, found ${shown(text)}`);
  }
  const [problem] = (await loadCheck(schema))(value);
  if (problem) throw new Misuse(`${problem.pointer}${problem.pointer && ": "}${problem.message}`);
  return value as FromSchema<S>;
}

/** Parses `ID:SECRET` pairs. Throws Misuse. */
export function readClients(texts: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    texts.map((text) => {
      const colon = text.indexOf(":");
      // The message does not repeat the text, which contains a secret.
      if (colon < 1) throw new Misuse(`expected ID:SECRET, found ${colon === 0 ? "no id" : "no colon"}`);
      return [text.slice(0, colon), text.slice(colon + 1)];
    }),
  );
}

/** Parses the URL of a Valkey or Redis server. Throws Misuse, whose message does not repeat a password. */
export function readStoreUrl(text: string): string {
  const url = URL.parse(text.replace(/^valkey(s?):/, (_scheme, s) => `redis${s}:`));
  const isStore = url && /^rediss?:$/.test(url.protocol) && url.hostname !== "" && /^(\/\d*)?$/.test(url.pathname);
  if (isStore && url.search === "" && url.hash === "") return url.href;
  const found = url ? shown(`${url.protocol}//…`) : "no URL";
  throw new Misuse(
    `expected a URL such as redis://HOST:PORT or rediss://USER:PASSWORD@HOST:PORT/DATABASE, found ${found}`,
  );
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/**
 * Parses a time: milliseconds, or with a unit, such as `90s` or `5m`. Returns milliseconds. Throws Misuse.
 *
 * @param maximum in milliseconds
 */
export function readDuration(text: string, maximum: number): number {
  const [, number = "", unit = "ms"] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? [];
  const milliseconds = Math.round(Number(number) * (units[unit] ?? Number.NaN));
  if (milliseconds > 0 && milliseconds <= maximum) return milliseconds;
  throw new Misuse(`expected milliseconds up to ${maximum}, or a time such as 90s or 5m, found ${shown(text)}`);
}

export interface Client {
  readonly id: string;
  readonly secret: string;
}

/** Parses one `ID:SECRET` pair. Throws Misuse. */
export function readClient([text = ""]: readonly string[]): Client {
  const [pair = ["", ""]] = readClients([text]);
  return { id: pair[0], secret: pair[1] };
}

/** Parses an http or https URL. Throws Misuse, also for a URL with credentials, because URLs are part of reports. */
export function readUrl(text: string): URL {
  const url = URL.parse(text);
  if (url?.username || url?.password) {
    throw new Misuse("expected a URL without credentials, found one with credentials; use --token or --client");
  }
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new Misuse(`expected an http or https URL, such as https://api.example.com, found ${shown(text)}`);
}
