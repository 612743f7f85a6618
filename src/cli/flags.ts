import type { LogFormat } from "../http/access-log.ts";
import { rules } from "../options.ts";
import { type Settings, SettingsSchema } from "../settings/settings.ts";
import { choices, clientSecrets, latencySetting, number, numberOf, oneOf, text, yesOrNo } from "./values.ts";

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

/** A flag of the command line, and its environment twin. */
export interface Flag<Value> {
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

export const flagList: readonly Flag<unknown>[] = Object.values(flags);

export const PREFIX = "RESOURCE_MOCK_";

/** The name of a flag's environment twin. */
export function environmentName(flag: { readonly name: string }): string {
  return `${PREFIX}${flag.name.toUpperCase().replaceAll("-", "_")}`;
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
