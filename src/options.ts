import { loadCheck } from "./contract/validator.ts";
import type { MockOptions } from "./mock.ts";
import { defaultSettings, SettingsSchema } from "./settings/settings.ts";
import { isObject } from "./text/json.ts";
import { unknownName } from "./text/nearest.ts";
import { shown } from "./text/shown.ts";

export interface StartOptions extends MockOptions {
  /** 0, the default, picks a free one. */
  port?: number;
  /** 127.0.0.1 by default: a mock inside a test is nobody else's to call. */
  host?: string;
  /** What other callers of the control API must send as their bearer token; without it, anybody may call. */
  adminToken?: string;
  /** The origin whose pages may call; `*` for every one. None by default. */
  cors?: string;
}

/** What an option may be. */
export interface Rule {
  /** In words that a message has after "expected". */
  readonly expected: string;
  fits(value: unknown): boolean;
  /** How a message shows what does not fit; `shown` when it is not said. */
  readonly found?: (value: unknown) => string;
}

/** What is wrong with a value, or nothing when it fits. */
export function problemWith(rule: Rule, value: unknown): string | undefined {
  if (rule.fits(value)) return undefined;
  return `expected ${rule.expected}, found ${(rule.found ?? shown)(value)}`;
}

/** A number as a schema asks for it. */
export function numberRule(schema: { type: string; minimum: number; maximum?: number }): Rule {
  const { type, minimum, maximum = Number.POSITIVE_INFINITY } = schema;
  const isWhole = type === "integer";
  const bounds = schema.maximum === undefined ? `of at least ${minimum}` : `from ${minimum} to ${maximum}`;
  return {
    expected: `a ${isWhole ? "whole " : ""}number ${bounds}`,
    fits: (value) =>
      (isWhole ? Number.isInteger(value) : Number.isFinite(value)) &&
      (value as number) >= minimum &&
      (value as number) <= maximum,
  };
}

const wholeNumber = (maximum: number) => numberRule({ type: "integer", minimum: 0, maximum });

const folder: Rule = { expected: "a folder's path", fits: isFilledText };

/** What the options that a command line has too may be, besides the settings. */
export const rules = {
  fixtures: folder,
  scenarios: folder,
  port: wholeNumber(65_535),
  host: { expected: "an address, such as 127.0.0.1, or a host's name", fits: isFilledText },
  seed: wholeNumber(Number.MAX_SAFE_INTEGER),
  adminToken: {
    // What a client can send in a header, and cannot be torn apart there.
    expected: "printable ASCII without spaces",
    fits: (value) => typeof value === "string" && /^[\x21-\x7e]+$/.test(value),
    // No more of it than must be: it is a secret, if a broken one.
    found: (value) => (isFilledText(value) ? `${shown(/[^\x21-\x7e]/u.exec(value)?.[0])} in it` : shown(value)),
  },
  cors: {
    expected: "* or an origin such as http://localhost:3000",
    fits: (value) => typeof value === "string" && (value === "*" || URL.parse(value)?.origin === value),
  },
} as const satisfies Record<string, Rule>;

/** What the options of a mock without a socket may be, besides the settings. */
const mockRules: { readonly [Name in Exclude<keyof MockOptions, "settings">]-?: Rule } = {
  fixtures: rules.fixtures,
  scenarios: rules.scenarios,
  scenario: {
    expected: "an array of the names of scenarios",
    fits: (value) => Array.isArray(value) && value.every((name) => typeof name === "string"),
    found: shownList,
  },
  seed: rules.seed,
  clients: {
    expected: "a Map of the clients' secrets by their ids, all of them text",
    fits: (value) => isMap(value) && [...value].flat().every((text) => typeof text === "string"),
    found: (value) => (isMap(value) ? "others in it" : shown(value)),
  },
  now: { expected: "a function", fits: (value) => typeof value === "function" },
};

/** What the options that only a mock on a socket has may be. */
const socketRules: { readonly [Name in Exclude<keyof StartOptions, keyof MockOptions>]-?: Rule } = {
  port: rules.port,
  host: rules.host,
  adminToken: rules.adminToken,
  cors: rules.cors,
};

/** Holds the options of `createResourceMock` against what they may be. Throws a TypeError that lists every problem. */
export function checkMockOptions(options: MockOptions): Promise<void> {
  const elsewhere = (name: string) =>
    Object.hasOwn(socketRules, name) ? "is for startResourceMock: there is no socket here" : undefined;
  return check("createResourceMock", options, mockRules, elsewhere);
}

/** Holds the options of `startResourceMock` against what they may be. Throws a TypeError that lists every problem. */
export function checkStartOptions(options: StartOptions): Promise<void> {
  return check("startResourceMock", options, { ...mockRules, ...socketRules });
}

async function check(
  caller: string,
  options: unknown,
  known: Readonly<Record<string, Rule>>,
  elsewhere: (name: string) => string | undefined = () => undefined,
): Promise<void> {
  if (!isObject(options)) throw new TypeError(`${caller}: expected an object of options, found ${shown(options)}`);
  const { settings, ...others } = options;
  const problems: string[] = [];
  for (const [name, value] of Object.entries(others)) {
    const rule = Object.hasOwn(known, name) ? known[name] : undefined;
    const problem = rule
      ? value !== undefined && problemWith(rule, value)
      : (elsewhere(name) ?? unknownOption(name, Object.keys(known)));
    if (problem) problems.push(`${name}: ${problem}`);
  }
  problems.push(...(await settingsProblems(settings)));
  if (problems.length > 0) throw new TypeError(problems.map((problem) => `${caller}: ${problem}`).join("\n"));
}

function unknownOption(name: string, known: readonly string[]): string {
  if (Object.hasOwn(SettingsSchema.properties, name)) return `is a setting: pass it as { settings: { ${name}: … } }`;
  return unknownName(name, ["settings", ...known]);
}

/** What is wrong with settings, in the words of the control API. */
async function settingsProblems(settings: unknown): Promise<string[]> {
  if (settings === undefined) return [];
  // The check loads a validator, which settings as they are anyhow have no use for.
  const told = isObject(settings) ? differing(settings) : settings;
  if (isObject(told) && Object.keys(told).length === 0) return [];
  const problems = (await loadCheck(SettingsSchema))(told, true);
  return problems.map(({ pointer, message }) => `settings: ${pointer}${pointer && ": "}${message}`);
}

function differing(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const defaults: Readonly<Record<string, unknown>> = defaultSettings;
  const entries = Object.entries(settings);
  return Object.fromEntries(entries.filter(([name, value]) => value !== undefined && value !== defaults[name]));
}

function isFilledText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** Whether it does what a Map does: one of another realm, as test runners have them, is no instance of this one's. */
function isMap(value: unknown): value is ReadonlyMap<unknown, unknown> {
  return isObject(value) && typeof value.get === "function" && Symbol.iterator in value;
}

function shownList(value: unknown): string {
  if (!Array.isArray(value)) return shown(value);
  return `${shown(value.find((item) => typeof item !== "string"))} in it`;
}
