import { type Scalar, scalarProblem } from "./contract/scalar.ts";
import { loadCheck } from "./contract/validator.ts";
import type { MockOptions } from "./mock.ts";
import { defaultSettings, SettingsSchema } from "./settings/settings.ts";
import { isObject } from "./text/json.ts";
import { unknownName } from "./text/nearest.ts";
import { shown } from "./text/shown.ts";

export interface CreateOptions extends MockOptions {
  /**
   * The origin whose pages may call the service and the control API, such as `http://localhost:3000`; `*` for every
   * origin, false for none. By default every origin may call the service, and origins of this machine the control API.
   */
  cors?: string | false;
}

export interface StartOptions extends CreateOptions {
  /** The port to listen on; 0, the default, picks a free port. */
  port?: number;
  /** The address to listen on; 127.0.0.1 by default, so that only this machine can reach the mock. */
  host?: string;
  /** The bearer token that the control API requires; none by default. The methods of this mock send it. */
  adminToken?: string;
}

const folder = { type: "string", minLength: 1, title: "the path of a folder" } as const;

/** Schemas of the options with a single string or number. Each of them is also a flag of the command line. */
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
    // About the maximum size of a Map in V8.
    maximum: 16_000_000,
    description: "Number of projects that may exist.",
  },
} as const satisfies { [Name in keyof MockOptions]: Scalar };

/** Schemas of the options of `startResourceMock` only. Each of them is also a flag of the command line. */
export const socketSchemas = {
  port: { type: "integer", minimum: 0, maximum: 65_535, description: "Port to listen on; 0 picks a free port." },
  host: {
    type: "string",
    minLength: 1,
    title: "an address, such as 127.0.0.1, or a host name",
    description: "Address to listen on.",
  },
  adminToken: {
    type: "string",
    // The characters that an HTTP header transmits unchanged.
    pattern: "^[\\x21-\\x7e]+$",
    title: "printable ASCII without spaces",
    writeOnly: true,
    description: "Bearer token that the control API requires.",
  },
} as const satisfies { [Name in Exclude<keyof StartOptions, keyof CreateOptions>]-?: Scalar };

/** Schema of the flag `--cors`. The option of the libraries also allows false. */
export const corsSchema = {
  type: "string",
  format: "allowed-origin",
  title: "* or an origin such as http://localhost:3000",
  description: "Origin whose pages may call the service and the control API; * for every origin.",
} as const satisfies Scalar;

/** Returns the problem with the value of an option, or undefined if the value is valid. */
type OptionCheck = (value: unknown) => string | undefined;

const otherChecks: { [Name in Exclude<keyof CreateOptions, "settings" | keyof typeof mockSchemas>]-?: OptionCheck } = {
  scenario(value) {
    const expected = "expected an array of scenario names, found";
    if (!Array.isArray(value)) return `${expected} ${shown(value)}`;
    const others = value.filter((name) => typeof name !== "string");
    return others.length === 0 ? undefined : `${expected} the item ${shown(others[0])}`;
  },
  clients(value) {
    const expected = "expected a Map from client ids to secrets, both strings, found";
    if (!isMap(value)) return `${expected} ${shown(value)}`;
    return [...value].flat().every((text) => typeof text === "string") ? undefined : `${expected} other values`;
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
  if (Object.hasOwn(SettingsSchema.properties, name)) return `is a setting; pass it as { settings: { ${name}: … } }`;
  if (Object.hasOwn(socketSchemas, name))
    return "is an option of startResourceMock; createResourceMock opens no socket";
  return unknownName("option", name, ["settings", ...Object.keys(known)]);
}

/** Returns the problems with settings, with the same messages as the control API. */
async function settingsProblems(settings: unknown): Promise<string[]> {
  if (settings === undefined) return [];
  // Default values need no validation. Loading the validator takes time.
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

/** Returns whether the value works as a Map. `instanceof` fails for Maps of another realm, which test runners have. */
function isMap(value: unknown): value is ReadonlyMap<unknown, unknown> {
  return isObject(value) && typeof value.get === "function" && Symbol.iterator in value;
}
