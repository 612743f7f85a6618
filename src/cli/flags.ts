import { parseArgs } from "node:util";
import { didYouMean, shown } from "../contract/errors.ts";
import { isObject } from "../contract/json.ts";
import type { LogFormat } from "../http/access-log.ts";
import { numberRule, problemWith, type Rule, rules } from "../options.ts";
import { Milliseconds, type Settings, SettingsSchema } from "../projects/settings.ts";

/** What `resource-mock serve` is told to do. */
export interface ServeOptions {
  port: number;
  host: string;
  fixtures: string | undefined;
  scenarios: string | undefined;
  /** The scenarios that are on for all projects. */
  scenario: readonly string[] | undefined;
  auth: Settings["auth"];
  validation: Settings["validation"];
  unknownIds: Settings["unknownIds"];
  collection: Settings["collection"];
  maxFuzzyLevel: number;
  maxImageBytes: number;
  maxBodyBytes: number;
  journalSize: number;
  clients: ReadonlyMap<string, string> | undefined;
  seed: number;
  /** As it was written: `checkLatency` holds it against the contract. */
  latency: Settings["latency"] | undefined;
  adminToken: string | undefined;
  cors: string | undefined;
  watch: boolean;
  log: LogFormat;
}

interface Flag<Value> {
  /** Without the dashes; the environment twin is `RESOURCE_MOCK_` and this in upper case. */
  readonly name: string;
  /** What stands for the value in `--help`; a flag without one is a switch. */
  readonly value?: string;
  readonly help: string;
  /** As the user would write it. */
  readonly default?: string;
  readonly repeatable?: boolean;
  /** Reads the flag's texts (one, unless it is repeatable), or throws a Misuse that says what was expected. */
  readonly read: (texts: readonly string[]) => Value;
}

/** A command line that cannot be understood; the message says what is wrong and what would do. */
export class Misuse extends Error {
  override readonly name = "Misuse";
}

const { auth, validation, unknownIds, collection, maxFuzzyLevel, maxImageBytes, maxBodyBytes, journalSize } =
  SettingsSchema.properties;

/**
 * The flags of `resource-mock serve`: this one table parses them and their environment twins, prints `--help`, and is
 * what the README's table is tested against.
 */
export const flags: { readonly [Option in keyof ServeOptions]: Flag<ServeOptions[Option]> } = {
  port: {
    name: "port",
    value: "N",
    help: "port to listen on; 0 picks a free one",
    default: "8080",
    read: number(rules.port),
  },
  host: { name: "host", value: "ADDRESS", help: "address to listen on", default: "0.0.0.0", read: text(rules.host) },
  fixtures: {
    name: "fixtures",
    value: "DIR",
    help: "fixtures that lie over the shipped ones, file by file",
    read: text(rules.fixtures),
  },
  scenarios: {
    name: "scenarios",
    value: "DIR",
    help: "scenarios that lie over the shipped ones, file by file",
    read: text(rules.scenarios),
  },
  scenario: {
    name: "scenario",
    value: "NAME",
    help: "a scenario that is on for all projects",
    repeatable: true,
    read: (texts) => texts,
  },
  auth: {
    name: "auth",
    value: choices(auth.enum),
    help: "which tokens requests need",
    default: auth.default,
    read: oneOf(auth.enum),
  },
  validation: {
    name: "validation",
    value: choices(validation.enum),
    help: "what becomes of a request that breaks the contract",
    default: validation.default,
    read: oneOf(validation.enum),
  },
  unknownIds: {
    name: "unknown-ids",
    value: choices(unknownIds.enum),
    help: "what an id or key that nobody created is",
    default: unknownIds.default,
    read: oneOf(unknownIds.enum),
  },
  collection: {
    name: "collection",
    value: choices(collection.enum),
    help: "what operation 1 answers: the interface's sample, or a page of the state",
    default: collection.default,
    read: oneOf(collection.enum),
  },
  maxFuzzyLevel: {
    name: "max-fuzzy-level",
    value: "N",
    help: "the largest fuzzyLevel that operation 4 takes",
    ...numberOf(maxFuzzyLevel),
  },
  maxImageBytes: {
    name: "max-image-bytes",
    value: "N",
    help: "the largest image taken, in bytes",
    ...numberOf(maxImageBytes),
  },
  maxBodyBytes: {
    name: "max-body-bytes",
    value: "N",
    help: "the largest JSON body taken, in bytes",
    ...numberOf(maxBodyBytes),
  },
  journalSize: {
    name: "journal-size",
    value: "N",
    help: "how many requests the journal of a project keeps",
    ...numberOf(journalSize),
  },
  clients: {
    name: "client",
    value: "ID:SECRET",
    help: "a client that the token endpoint accepts, and no others",
    repeatable: true,
    read: clientSecrets,
  },
  seed: {
    name: "seed",
    value: "N",
    help: "seed of ids, chance and generated data",
    default: "0",
    read: number(rules.seed),
  },
  latency: {
    name: "latency",
    value: "MS|JSON",
    help: "how long answers are held back: milliseconds, or the JSON of the setting",
    read: latencySetting,
  },
  adminToken: {
    name: "admin-token",
    value: "TOKEN",
    help: "the bearer token that the control API asks for",
    read: text(rules.adminToken),
  },
  cors: {
    name: "cors",
    value: "ORIGIN",
    help: "the origin whose pages may call the service and the control API; * for every one",
    read: text(rules.cors),
  },
  watch: { name: "watch", help: "load changed files while running", default: "false", read: yesOrNo },
  log: {
    name: "log",
    value: "pretty|json|off",
    help: "how each request is logged",
    default: "pretty",
    read: oneOf(["pretty", "json", "off"] as const),
  },
};

/** How a flag that may be repeated is told. */
export const REPEATABLE = "may be repeated; its twin takes several with commas between them";

const flagList: readonly Flag<unknown>[] = Object.values(flags);

const PREFIX = "RESOURCE_MOCK_";

/** The name of a flag's environment twin. */
export function environmentName(flag: { readonly name: string }): string {
  return `${PREFIX}${flag.name.toUpperCase().replaceAll("-", "_")}`;
}

/** Variables of our prefix that others read: the libraries, `compose.yaml`, the tests of this repository. */
const readByOthers = ["URL", "IMAGE", "PUBLISH", "REQUIRE", "BROWSER", "EFFORT", "REPLAY"];

/** What Kubernetes, and Docker's links, set in containers that may call a service of our name. */
const setByOthers = /^(SERVICE_|NAME$|PORT_\d+_|ENV_)/;

/** `tcp://10.0.0.1:8080`, under the name of our port's twin. */
const addressOfService = /^(tcp|udp|sctp):\/\//;

/** A line for each variable that has our prefix and is nobody's: it may be a twin that was mistyped. */
export function unknownVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  const twins = flagList.map((flag) => environmentName(flag).slice(PREFIX.length));
  const known = [...twins, ...readByOthers];
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && environment[name])
    .map((name) => name.slice(PREFIX.length))
    .filter((name) => !known.includes(name) && !setByOthers.test(name))
    .map((name) => {
      const hint = didYouMean(name, twins, PREFIX) || " See resource-mock --help.";
      return `${PREFIX}${name} is not known and not used.${hint}`;
    });
}

/** The options that the arguments and the environment ask for; an argument wins over its twin. Throws Misuse. */
export function readFlags(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): ServeOptions {
  const given = parse(args);
  const options = Object.entries(flags as Record<string, Flag<unknown>>).map(([option, flag]) => {
    const [texts, label] = textsFor(flag, given, environment);
    if (!texts) return [option, undefined];
    try {
      return [option, flag.read(texts)];
    } catch (error) {
      throw error instanceof Misuse ? new Misuse(`${label}: ${error.message}`) : error;
    }
  });
  return Object.fromEntries(options) as unknown as ServeOptions;
}

function parse(args: readonly string[]): Record<string, string[] | undefined> {
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    options: Object.fromEntries(
      flagList.map(({ name, value }) => [
        name,
        { type: value === undefined ? ("boolean" as const) : ("string" as const) },
      ]),
    ),
  });
  const given: Record<string, string[] | undefined> = {};
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue;
    if (token.kind === "positional")
      throw new Misuse(`unknown argument ${shown(token.value)}; see resource-mock --help`);
    const flag = flagList.find(({ name }) => name === token.name);
    if (!flag) {
      const names = flagList.map(({ name }) => name);
      const hint = didYouMean(token.name, names, "--");
      throw new Misuse(`unknown flag ${token.rawName}${hint ? `.${hint}` : "; see resource-mock --help"}`);
    }
    if (flag.value !== undefined && token.value === undefined)
      throw new Misuse(`--${flag.name}: expected ${flag.value}, found nothing`);
    if (given[flag.name] && !flag.repeatable) throw new Misuse(`--${flag.name}: may be passed once`);
    given[flag.name] = [...(given[flag.name] ?? []), token.value ?? "true"];
  }
  return given;
}

function textsFor(
  flag: Flag<unknown>,
  given: Record<string, string[] | undefined>,
  environment: Readonly<Record<string, string | undefined>>,
): [texts: string[] | undefined, label: string] {
  const argument = given[flag.name];
  if (argument) return [argument, `--${flag.name}`];
  const twin = environmentName(flag);
  // An empty variable is how compose files and shells say "not set".
  const variable = environment[twin];
  if (variable && !addressOfService.test(variable))
    return [flag.repeatable ? variable.split(",").map((part) => part.trim()) : [variable], twin];
  return [flag.default === undefined ? undefined : [flag.default], `--${flag.name}`];
}

/** The flags as `--help` lists them. */
export function flagHelp(): string {
  const rows = flagList.map((flag) => {
    const left = `  --${flag.name}${flag.value === undefined ? "" : ` ${flag.value}`}`;
    const notes = [flag.default && `default ${flag.default}`, flag.repeatable && REPEATABLE].filter(Boolean);
    return [left, `${flag.help}${notes.length > 0 ? ` (${notes.join("; ")})` : ""}`] as const;
  });
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `${left.padEnd(width)}${right}`).join("\n");
}

function last(texts: readonly string[]): string {
  return texts.at(-1) ?? "";
}

/** Reads a text that fits the rule. */
function text(rule: Rule) {
  return (texts: readonly string[]): string => {
    const found = last(texts);
    const problem = problemWith(rule, found);
    if (problem) throw new Misuse(problem);
    return found;
  };
}

/** Reads a number in decimal digits that fits the rule. */
function number(rule: Rule) {
  return (texts: readonly string[]): number => {
    const found = last(texts);
    const value = /^\d+(\.\d+)?$/.test(found) ? Number(found) : Number.NaN;
    if (!rule.fits(value)) throw new Misuse(`expected ${rule.expected}, found ${shown(found)}`);
    return value;
  };
}

/** What the flag of a setting that is a number has from the setting's schema. */
function numberOf(schema: Parameters<typeof numberRule>[0] & { default: number }) {
  return { default: String(schema.default), read: number(numberRule(schema)) };
}

function oneOf<const Choice extends string>(options: readonly Choice[]) {
  return (texts: readonly string[]): Choice => {
    const text = last(texts);
    const choice = options.find((option) => option === text);
    if (choice === undefined) {
      throw new Misuse(`expected ${options.join(", ")}, found ${shown(text)}.${didYouMean(text, options)}`);
    }
    return choice;
  };
}

function choices(options: readonly string[]): string {
  return options.join("|");
}

function yesOrNo(texts: readonly string[]): boolean {
  const text = last(texts);
  if (["true", "1", "yes"].includes(text)) return true;
  if (["false", "0", "no"].includes(text)) return false;
  throw new Misuse(`expected true or false, found ${shown(text)}`);
}

/** `200` is short for `{"fixed":200}`. */
function latencySetting(texts: readonly string[]): Settings["latency"] {
  const found = last(texts);
  const value = jsonIn(found);
  if (numberRule(Milliseconds).fits(value)) return { fixed: value as number };
  if (value === null || isObject(value)) return value as Settings["latency"];
  const forms = '{"fixed":200}, {"uniform":[50,200]} or {"lognormal":{"median":100,"sigma":0.5}}';
  throw new Misuse(`expected milliseconds from 0 to ${Milliseconds.maximum}, or ${forms}, found ${shown(found)}`);
}

function jsonIn(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch {
    return undefined;
  }
}

function clientSecrets(texts: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    texts.map((text) => {
      const colon = text.indexOf(":");
      if (colon < 1) throw new Misuse(`expected ID:SECRET, found ${shown(text)}`);
      return [text.slice(0, colon), text.slice(colon + 1)];
    }),
  );
}
