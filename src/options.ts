import { type Scalar, scalarProblem } from "./contract/scalar.ts";
import { loadCheck } from "./contract/validator.ts";
import type { MockOptions } from "./mock.ts";
import { defaultSettings, SettingsSchema } from "./settings/settings.ts";
import { isObject } from "./text/json.ts";
import { unknownName } from "./text/nearest.ts";
import { shown } from "./text/shown.ts";

export interface CreateOptions extends MockOptions {
  /**
   * The pages of other origins that may call: those of one origin, such as `http://localhost:3000`, `*` for all of them,
   * false for none. By default all of them may call the service, and those of this machine the control API.
   */
  cors?: string | false;
}

export interface StartOptions extends CreateOptions {
  /** 0, the default, picks a free port. */
  port?: number;
  /** 127.0.0.1 by default, so that only this machine reaches a mock inside a test. */
  host?: string;
  /** The bearer token that the control API requires of other callers; none by default. */
  adminToken?: string;
}

const folder = { type: "string", minLength: 1, title: "a folder's path" } as const;

/** The options of a mock that are one text or number; the command has a flag for each of these and of the next. */
export const mockSchemas = {
  fixtures: { ...folder, description: "Folder of fixtures that override the bundled ones, file by file." },
  scenarios: { ...folder, description: "Folder of scenarios that override the bundled ones, file by file." },
  seed: {
    type: "integer",
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    description: "Seed of ids, randomness and generated data.",
  },
  maxStateBytes: {
    type: "integer",
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: "Memory that the state of all projects may take, in bytes.",
  },
  maxProjects: {
    type: "integer",
    minimum: 1,
    // What a Map of V8 can hold.
    maximum: 16_000_000,
    description: "Number of projects that may exist.",
  },
} as const satisfies { [Name in keyof MockOptions]: Scalar };

/** The options that only a mock on a socket has. */
export const socketSchemas = {
  port: { type: "integer", minimum: 0, maximum: 65_535, description: "Port to listen on; 0 picks a free port." },
  host: {
    type: "string",
    minLength: 1,
    title: "an address, such as 127.0.0.1, or a host's name",
    description: "Address to listen on.",
  },
  adminToken: {
    type: "string",
    // Every character that an HTTP header carries unchanged.
    pattern: "^[\\x21-\\x7e]+$",
    title: "printable ASCII without spaces",
    writeOnly: true,
    description: "Bearer token that the control API requires.",
  },
} as const satisfies { [Name in Exclude<keyof StartOptions, keyof CreateOptions>]-?: Scalar };

/** The flag of the command; the option of the libraries may be false too. */
export const corsSchema = {
  type: "string",
  format: "allowed-origin",
  title: "* or an origin such as http://localhost:3000",
  description: "Origin whose pages may call the service and the control API; * for every origin.",
} as const satisfies Scalar;

/** Returns what is wrong with the value of an option, or nothing. */
type OptionCheck = (value: unknown) => string | undefined;

const otherChecks: { [Name in Exclude<keyof CreateOptions, "settings" | keyof typeof mockSchemas>]-?: OptionCheck } = {
  scenario(value) {
    const expected = "expected an array of the names of scenarios, found";
    if (!Array.isArray(value)) return `${expected} ${shown(value)}`;
    const others = value.filter((name) => typeof name !== "string");
    return others.length === 0 ? undefined : `${expected} ${shown(others[0])} in it`;
  },
  clients(value) {
    const expected = "expected a Map of the clients' secrets by their ids, all of them text, found";
    if (!isMap(value)) return `${expected} ${shown(value)}`;
    return [...value].flat().every((text) => typeof text === "string") ? undefined : `${expected} others in it`;
  },
  now: (value) => (typeof value === "function" ? undefined : `expected a function, found ${shown(value)}`),
  cors: (value) =>
    value === false ? undefined : scalarProblem({ ...corsSchema, title: `${corsSchema.title}, or false` }, value),
};

/** Validates the options of `createResourceMock`. Throws a TypeError that lists every problem. */
export function checkMockOptions(options: CreateOptions): Promise<void> {
  return check("createResourceMock", options, { ...mockSchemas, ...otherChecks });
}

/** Validates the options of `startResourceMock`. Throws a TypeError that lists every problem. */
export function checkStartOptions(options: StartOptions): Promise<void> {
  return check("startResourceMock", options, { ...mockSchemas, ...otherChecks, ...socketSchemas });
}

async function check(
  caller: string,
  options: unknown,
  known: Readonly<Record<string, Scalar | OptionCheck>>,
): Promise<void> {
  if (!isObject(options)) throw new TypeError(`${caller}: expected an object of options, found ${shown(options)}`);
  const { settings, ...others } = options;
  const problems = Object.entries(others).flatMap(([name, value]) => {
    const problem = Object.hasOwn(known, name) ? problemWith(known[name], value) : unknownOption(name, known);
    return problem ? [`${name}: ${problem}`] : [];
  });
  problems.push(...(await settingsProblems(settings)));
  if (problems.length > 0) throw new TypeError(problems.map((problem) => `${caller}: ${problem}`).join("\n"));
}

function problemWith(known: Scalar | OptionCheck | undefined, value: unknown): string | undefined {
  if (value === undefined || known === undefined) return undefined;
  return typeof known === "function" ? known(value) : scalarProblem(known, value);
}

function unknownOption(name: string, known: object): string {
  if (Object.hasOwn(SettingsSchema.properties, name)) return `is a setting: pass it as { settings: { ${name}: … } }`;
  if (Object.hasOwn(socketSchemas, name)) return "is for startResourceMock: there is no socket here";
  return unknownName(name, ["settings", ...Object.keys(known)]);
}

/** Returns what is wrong with settings, in the words of the control API. */
async function settingsProblems(settings: unknown): Promise<string[]> {
  if (settings === undefined) return [];
  // Defaults need no check, which would load a validator.
  const changed = isObject(settings) ? withoutDefaults(settings) : settings;
  if (isObject(changed) && Object.keys(changed).length === 0) return [];
  const problems = (await loadCheck(SettingsSchema))(changed);
  return problems.map(({ pointer, message }) => `settings: ${pointer}${pointer && ": "}${message}`);
}

function withoutDefaults(settings: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const defaults: Readonly<Record<string, unknown>> = defaultSettings;
  const entries = Object.entries(settings);
  return Object.fromEntries(entries.filter(([name, value]) => value !== undefined && value !== defaults[name]));
}

/** Whether the value works as a Map; test runners have Maps of another realm, which `instanceof` does not know. */
function isMap(value: unknown): value is ReadonlyMap<unknown, unknown> {
  return isObject(value) && typeof value.get === "function" && Symbol.iterator in value;
}
