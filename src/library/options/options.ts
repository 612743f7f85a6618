import {
  isObject,
  loadCheck,
  MAX_CERTIFICATE_NAMES,
  MAX_DELAY_MS,
  type Scalar,
  scalarProblem,
  shown,
  unknownName,
} from "../../contract/index.ts";
import { defaultSettings, type Settings, SettingsSchema } from "../../state/index.ts";
import type { MockOptions } from "../mock.ts";

export interface CreateOptions extends MockOptions {
  /**
   * The origin whose pages may call the service and the control API, such as `http://localhost:3000`; `*` for every
   * origin, false for none. By default every origin may call the service, and origins of this machine the control API.
   */
  cors?: string | false;
  /** The folder that `close()` writes the coverage and the journals to; none by default. */
  report?: string;
}

export interface StartOptions extends CreateOptions {
  /** The port to listen on; 0, the default, picks a free port. */
  port?: number;
  /** The address to listen on; 127.0.0.1 by default, so that only this machine can reach the mock. */
  host?: string;
  /** The bearer token that the control API requires; none by default. The methods of this mock send it. */
  adminToken?: string;
  /** Also serves HTTPS, with HTTP/2; false by default. `true` creates a CA and a certificate for this machine. */
  https?: boolean | HttpsOptions;
}

/** The options of HTTPS. By default, the mock creates a CA and a certificate. */
export interface HttpsOptions {
  /** The port to listen on; 0, the default, picks a free port. */
  port?: number;
  /** Host names and IP addresses of the created certificate, besides those of this machine. */
  names?: readonly string[];
  /** The folder that keeps the created CA. The next start uses it again. */
  dir?: string;
  /** The path of your own certificate as PEM, with its chain. Needs `key`. */
  cert?: string;
  /** The path of the private key of `cert` as PEM. */
  key?: string;
  /** The path of a CA as PEM. The mock then requires client certificates that this CA has signed. */
  clientCa?: string;
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
    description: "Largest state of all projects together, in characters of JSON and bytes of images.",
  },
  maxProjects: {
    type: "integer",
    minimum: 1,
    // About the maximum size of a Map in V8.
    maximum: 16_000_000,
    description: "Number of projects that may exist.",
  },
  projects: { ...folder, description: "Folder that keeps the projects between runs, one file for each project." },
  projectsReadOnly: {
    type: "boolean",
    description: "Use the files of --projects as initial state, and write nothing.",
  },
  upstream: {
    type: "string",
    format: "service-url",
    title: "an http or https URL without a query, such as https://api.example.com",
    description: "Real service for the setting upstreamMode.",
  },
  upstreamCa: {
    type: "string",
    minLength: 1,
    title: "the path of a PEM file",
    description: "CA as PEM that has signed the certificate of --upstream.",
  },
  upstreamTimeout: {
    type: "integer",
    minimum: 1,
    maximum: MAX_DELAY_MS,
    description: "Longest time to wait for the upstream, in milliseconds; 30000 by default.",
  },
  recordTo: { ...folder, description: "Folder for the fixtures that upstreamMode record writes." },
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
} as const satisfies { [Name in Exclude<keyof StartOptions, keyof CreateOptions | "https">]-?: Scalar };

const file = { type: "string", minLength: 1, title: "the path of a PEM file" } as const;

/** Schemas of the options of HTTPS, and of one of the `names`. Each of them is also a flag of the command line. */
export const httpsSchemas = {
  port: { ...socketSchemas.port, description: "Port for HTTPS; 0 picks a free port." },
  names: {
    type: "string",
    format: "certificate-name",
    title: "a host name such as api.shop.test, or an IP address",
    description: "Further host name or IP address of the created certificate.",
  },
  dir: { ...folder, description: "Folder that keeps the created CA." },
  cert: { ...file, description: "Certificate for HTTPS as PEM, instead of a created one." },
  key: { ...file, description: "Private key of --tls-cert as PEM." },
  clientCa: { ...file, description: "CA as PEM; clients need a certificate that it has signed." },
} as const satisfies { [Name in keyof HttpsOptions]-?: Scalar };

/** Returns the problem of options that cannot be combined, with the name of each option from `label`. */
export function httpsProblem(
  { names, dir, cert, key }: HttpsOptions,
  label: (option: keyof HttpsOptions) => string,
): string | undefined {
  if (names !== undefined && names.length > MAX_CERTIFICATE_NAMES)
    return `${label("names")}: expected at most ${MAX_CERTIFICATE_NAMES}, found ${names.length}`;
  if (cert === undefined && key === undefined) return undefined;
  if (key === undefined) return `${label("cert")}: expected together with ${label("key")}, found alone`;
  if (cert === undefined) return `${label("key")}: expected together with ${label("cert")}, found alone`;
  const other = names !== undefined ? "names" : dir !== undefined ? "dir" : undefined;
  return other && `${label(other)}: expected without ${label("cert")}, found both; only created certificates use it`;
}

/** Returns the problem of options that lack another one, with the name of each option from `label`. */
export function projectsProblem(
  { projects, projectsReadOnly }: Pick<MockOptions, "projects" | "projectsReadOnly">,
  label: (option: "projects" | "projectsReadOnly") => string,
): string | undefined {
  if (!projectsReadOnly || projects !== undefined) return undefined;
  return `${label("projectsReadOnly")}: expected together with ${label("projects")}, found alone`;
}

/** The options about the upstream, with the setting that needs them. */
export type UpstreamOptions = Pick<MockOptions, "upstream" | "upstreamCa" | "upstreamTimeout" | "recordTo"> & {
  readonly upstreamMode?: Settings["upstreamMode"];
};

/** Returns the problem of options that lack another one, with the name of each option from `label`. */
export function upstreamProblem(
  options: UpstreamOptions,
  label: (option: keyof UpstreamOptions) => string,
): string | undefined {
  const { upstream, recordTo, upstreamMode = "off" } = options;
  if (upstreamMode === "record" && recordTo === undefined) {
    return `${label("upstreamMode")}: expected ${label("recordTo")} with record, found none`;
  }
  if (upstream !== undefined) return undefined;
  if (upstreamMode !== "off")
    return `${label("upstreamMode")}: expected ${label("upstream")} with ${upstreamMode}, found none`;
  const alone = (["upstreamCa", "upstreamTimeout", "recordTo"] as const).find((name) => options[name] !== undefined);
  return alone && `${label(alone)}: expected together with ${label("upstream")}, found alone`;
}

/** Schema of the flag `--cors`. The option of the libraries also allows false. */
export const corsSchema = {
  type: "string",
  format: "allowed-origin",
  title: "* or an origin such as http://localhost:3000",
  description:
    "Origin whose pages may call the service and the control API. * means every origin for the service; for the control API, pages of this machine, or every origin with an admin token.",
} as const satisfies Scalar;

/** Schema of the folder for the reports at the stop. It is also a flag of the command line. */
export const reportSchema = {
  ...folder,
  description: "Folder for the coverage and the journals, written when the server stops.",
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
  report: (value) => scalarProblem(reportSchema, value),
  cors: (value) =>
    value === false ? undefined : scalarProblem({ ...corsSchema, title: `${corsSchema.title}, or false` }, value),
};

/** Validates the options of `createResourceMock`. Throws a TypeError that lists every problem. */
export function checkMockOptions(options: CreateOptions): Promise<void> {
  return check("createResourceMock", options, { ...mockSchemas, ...otherChecks });
}

/** Validates the options of `startResourceMock`. Throws a TypeError that lists every problem. */
export async function checkStartOptions(options: StartOptions): Promise<void> {
  await check("startResourceMock", options, { ...mockSchemas, ...otherChecks, ...socketSchemas, https: checkHttps });
}

const { names: nameSchema, ...httpsScalars } = httpsSchemas;
const httpsChecks: Readonly<Record<string, Scalar | OptionCheck>> = {
  ...httpsScalars,
  names(value) {
    if (!Array.isArray(value)) return `expected an array of host names and IP addresses, found ${shown(value)}`;
    return value.map((name) => scalarProblem(nameSchema, name)).find(Boolean);
  },
};

function checkHttps(value: unknown): string | undefined {
  if (typeof value === "boolean") return undefined;
  if (!isObject(value)) return `expected true, false or an object of options, found ${shown(value)}`;
  const [problem] = Object.entries(value).flatMap(([name, each]) => problemOf(name, each, httpsChecks));
  return problem ?? httpsProblem(value, (name) => name);
}

async function check(
  caller: string,
  options: unknown,
  known: Readonly<Record<string, Scalar | OptionCheck>>,
): Promise<void> {
  if (!isObject(options)) throw new TypeError(`${caller}: expected an object of options, found ${shown(options)}`);
  const { settings, ...others } = options;
  const problems = Object.entries(others).flatMap(([name, value]) =>
    Object.hasOwn(known, name) ? problemOf(name, value, known) : [`${name}: ${unknownOption(name, known)}`],
  );
  problems.push(...(await settingsProblems(settings)));
  const { upstreamMode } = isObject(settings) ? (settings as Partial<Settings>) : {};
  const problem =
    problems.length === 0
      ? (upstreamProblem({ ...others, upstreamMode }, optionName) ?? projectsProblem(others, optionName))
      : undefined;
  if (problem) problems.push(problem);
  if (problems.length > 0) throw new TypeError(problems.map((problem) => `${caller}: ${problem}`).join("\n"));
}

function optionName(option: string): string {
  return option === "upstreamMode" ? "settings.upstreamMode" : option;
}

/** Returns the problem of an option with its name, or an empty array. */
function problemOf(name: string, value: unknown, known: Readonly<Record<string, Scalar | OptionCheck>>): string[] {
  const problem = Object.hasOwn(known, name)
    ? problemWith(known[name], value)
    : unknownName("option", name, Object.keys(known));
  return problem ? [`${name}: ${problem}`] : [];
}

function problemWith(known: Scalar | OptionCheck | undefined, value: unknown): string | undefined {
  if (value === undefined || known === undefined) return undefined;
  return typeof known === "function" ? known(value) : scalarProblem(known, value);
}

function unknownOption(name: string, known: object): string {
  if (Object.hasOwn(SettingsSchema.properties, name)) return `is a setting; pass it as { settings: { ${name}: … } }`;
  if (Object.hasOwn(socketSchemas, name) || name === "https")
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
