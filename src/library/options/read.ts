import { findProblems, isObject, isTime, LAST_INSTANT, shown, unknownName } from "../../contract/index.ts";
import { defaultSettings, SettingsSchema } from "../../state/index.ts";
import { type Flag, isMap, Misuse } from "./flag.ts";
import { mockFlags, type StartOptions } from "./options.ts";

type Flags = Readonly<Record<string, Flag<unknown>>>;

/** A flag with its option, its name and its environment variable. */
export interface NamedFlag extends Flag<unknown> {
  readonly option: string;
  /** The member of the options that is the object with this option. */
  readonly group?: "https" | "settings";
  readonly name: string;
  readonly variable: string;
}

export const PREFIX = "RESOURCE_MOCK_";

export function named(flags: Flags, group?: NamedFlag["group"]): NamedFlag[] {
  return Object.entries(flags).map(([option, flag]) => {
    const name = flag.name ?? option.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
    return { ...flag, option, group, name, variable: variableOf(name) };
  });
}

export function variableOf(name: string): string {
  return PREFIX + name.toUpperCase().replaceAll("-", "_");
}

/** Returns the flags of a mock: all of them, or those that do not belong to its sockets and to the command. */
export function mockFlagsOf(part: "all" | "tests"): NamedFlag[] {
  const { socket, https, create, settings, command } = mockFlags;
  const both = [...named(create), ...named(settings, "settings")];
  const { adminToken, allowedHosts } = socket;
  if (part === "tests") return [...named({ adminToken, allowedHosts }), ...both];
  return [...named(socket), ...named(https, "https"), ...both, ...named(command)];
}

/** Kubernetes sets `RESOURCE_MOCK_PORT` to such an address, for example `tcp://10.0.0.1:8080`. */
const addressOfService = /^(tcp|udp|sctp):\/\//;

export function textsIn(
  environment: Readonly<Record<string, string | undefined>>,
  { variable, repeatable, isProtection }: NamedFlag,
): string[] | undefined {
  const text = environment[variable];
  // Compose files and shells set an empty variable to mean "not set". A missing secret must not open the mock.
  const isUnset = text === "" || addressOfService.test(text ?? "");
  if (text === undefined || (isUnset && !isProtection)) return undefined;
  return repeatable ? text.split(",").map((part) => part.trim()) : [text];
}

/**
 * Returns the options that the flags have. Throws Misuse for an invalid value, and for options that cannot be combined.
 *
 * @param textsOf returns where a flag is set, and its texts; undefined if it is not set
 */
export async function readOptions(
  flags: readonly NamedFlag[],
  textsOf: (flag: NamedFlag) => readonly [label: string, texts: readonly string[]] | undefined,
): Promise<Record<string, unknown>> {
  const options: Record<string, unknown> = {};
  const given = new Set<NamedFlag>();
  for (const flag of flags) {
    const [label, texts] = textsOf(flag) ?? [];
    try {
      const value = texts ? await flag.read(texts) : flag.default;
      if (texts && value !== false) given.add(flag);
      if (flag.group === undefined) options[flag.option] = value;
      // A setting that is not set has the default of the contract.
      else if (texts || flag.group !== "settings")
        options[flag.group] = { ...(options[flag.group] as object), [flag.option]: value };
    } catch (error) {
      const hint = label === flag.variable && texts?.join() === "" ? ". Unset the variable to start without it" : "";
      throw error instanceof Misuse ? new Misuse(`${label}: ${error.message}${hint}`) : error;
    }
  }
  const https = flags.filter(({ group }) => group === "https" && options.https);
  const port = https.find(({ option }) => option === "port");
  if (port && !given.has(port)) {
    const alone = https.find((flag) => given.has(flag));
    if (alone) throw new Misuse(`--${alone.name}: expected together with --${port.name}, found alone`);
    options.https = undefined;
  }
  const label = (flag: NamedFlag) => `--${flag.name}`;
  const problem = combinationProblem(flags, options, (flag) => given.has(flag), label);
  if (problem) throw new Misuse(problem);
  return options;
}

/**
 * Returns the problem of options that cannot be combined.
 *
 * @param isSet returns whether an option has been set, and not by default
 * @param label returns an option as the user has written it
 */
function combinationProblem(
  flags: readonly NamedFlag[],
  { settings, upstream, recordTo, port, https }: StartOptions,
  isSet: (flag: NamedFlag) => boolean,
  label: (flag: NamedFlag) => string,
): string | undefined {
  const labelOf = (option: string, group?: string) =>
    flags.filter((flag) => flag.option === option && flag.group === group).map(label)[0];
  if (typeof https === "object" && https.port && https.port === port)
    return `${labelOf("port", "https")}: expected another port than ${labelOf("port")}, found ${port} for both`;
  const mode = settings?.upstreamMode ?? "off";
  if (mode === "record" && recordTo === undefined)
    return `${labelOf("upstreamMode", "settings")}: expected ${labelOf("recordTo")} with record, found none`;
  if (mode !== "off" && upstream === undefined)
    return `${labelOf("upstreamMode", "settings")}: expected ${labelOf("upstream")} with ${mode}, found none`;
  for (const flag of flags.filter(isSet)) {
    const { group, needs, without } = flag;
    const others = (names: readonly string[]) =>
      flags.filter((other) => other.group === group && names.includes(other.option));
    const missing = needs && others([needs]).find((other) => !isSet(other));
    if (missing) return `${label(flag)}: expected together with ${label(missing)}, found alone`;
    const clashing = without && others(without.options).find(isSet);
    if (clashing) return `${label(flag)}: expected without ${label(clashing)}, found both; ${without.because}`;
  }
  return undefined;
}

type Checks = Readonly<Record<string, Pick<Flag<unknown>, "check">>>;

const { cors } = mockFlags.create;

/** The options of both functions. Some allow values that a flag cannot have. */
const createChecks: Checks = {
  ...mockFlags.create,
  now: { check: nowProblem },
  cors: {
    check: (value) => (value === false ? undefined : cors.check?.(value)?.replace(", found", ", or false, found")),
  },
};

function nowProblem(now: unknown): string | undefined {
  if (typeof now !== "function") return `expected a function, found ${shown(now)}`;
  const expected = `expected a function that returns milliseconds since 1970, from 0 to ${LAST_INSTANT}`;
  try {
    const time: unknown = now();
    return isTime(time) ? undefined : `${expected}, found one that returns ${shown(time)}`;
  } catch (error) {
    return `${expected}, found one that throws ${shown(String(error))}`;
  }
}

const startChecks: Checks = {
  ...createChecks,
  ...mockFlags.socket,
  https: {
    check(value) {
      if (typeof value === "boolean") return undefined;
      if (!isObject(value)) return `expected true, false or an object of options, found ${shown(value)}`;
      return problemsOf(value, mockFlags.https)[0];
    },
  },
};

/** The options of `startResourceMock` for the clock, ports and files of this machine. */
const localOptions = [
  "now",
  "port",
  "host",
  "https",
  "projects",
  "projectsReadOnly",
  "upstreamCa",
  "recordTo",
  "report",
] as const;

/** The options of a mock in a container, which `startResourceMock` has too. */
export type ContainerOptions = Omit<StartOptions, (typeof localOptions)[number]>;

const containerChecks: Checks = Object.fromEntries(
  Object.entries(startChecks).filter(([name]) => !localOptions.some((local) => local === name)),
);

const checks = { createResourceMock: createChecks, startResourceMock: startChecks };

/** Validates the options of a function. Throws a TypeError that lists every problem. */
export async function checkOptions(caller: keyof typeof checks, options: unknown): Promise<void> {
  if (!isObject(options)) throw new TypeError(`${caller}: expected an object of options, found ${shown(options)}`);
  const { settings, ...others } = options;
  const problems = [
    ...problemsOf(others, checks[caller], misplaced("createResourceMock opens no socket")),
    ...(await settingsProblems(settings)),
  ];
  if (problems.length === 0) {
    const valueIn = ({ group, option }: NamedFlag) =>
      (group === undefined ? options : (options[group] as typeof options | undefined))?.[option];
    const isSet = (flag: NamedFlag) => ![undefined, false].includes(valueIn(flag) as undefined);
    const label = ({ group, option }: NamedFlag) => (group ? `${group}.${option}` : option);
    const problem = combinationProblem(mockFlagsOf("all"), options, isSet, label);
    if (problem) problems.push(problem);
  }
  if (problems.length > 0) throw new TypeError(problems.map((problem) => `${caller}: ${problem}`).join("\n"));
}

/** Returns the problems of options, each with its name. `hint`: a message for an unknown option that has another place. */
function problemsOf(
  options: Readonly<Record<string, unknown>>,
  checks: Checks,
  hint?: (name: string, known: readonly string[]) => string,
): string[] {
  const known = Object.keys(checks);
  return Object.entries(options).flatMap(([name, value]) => {
    const problem = !Object.hasOwn(checks, name)
      ? (hint ?? ((each, names) => unknownName("option", each, names)))(name, known)
      : value === undefined
        ? undefined
        : checks[name]?.check?.(value);
    return problem ? [`${name}: ${problem}`] : [];
  });
}

/** Returns the hint for an unknown option. `why`: the reason why the mock lacks an option of `startResourceMock`. */
function misplaced(why: string) {
  return (name: string, known: readonly string[]): string => {
    if (Object.hasOwn(SettingsSchema.properties, name)) return `is a setting; pass it as { settings: { ${name}: … } }`;
    if (Object.hasOwn(startChecks, name)) return `is an option of startResourceMock; ${why}`;
    return unknownName("option", name, ["settings", ...known]);
  };
}

/** Returns the problems with settings, with the same messages as the control API. */
async function settingsProblems(settings: unknown): Promise<string[]> {
  if (settings === undefined) return [];
  // Default values need no validation. Loading the validator takes time.
  const defaults: Readonly<Record<string, unknown>> = defaultSettings;
  const isChanged = ([name, value]: [string, unknown]) => value !== undefined && value !== defaults[name];
  const changed = isObject(settings) ? Object.fromEntries(Object.entries(settings).filter(isChanged)) : settings;
  if (isObject(changed) && Object.keys(changed).length === 0) return [];
  const problems = await findProblems(SettingsSchema, changed);
  return problems.map(({ pointer, message }) => `settings: ${pointer}${pointer && ": "}${message}`);
}

/**
 * Returns the variables that set these options in a container. Leaves out those that are undefined or false. Throws a
 * TypeError that lists every problem, except those in settings that are objects, which the container finds.
 */
export function variablesFor(caller: string, { settings, ...others }: ContainerOptions): Record<string, string> {
  const problems = [
    ...problemsOf(others, containerChecks, misplaced("a container has its own clock, ports and files")),
    ...(isObject(settings ?? {}) ? [] : [`settings: expected an object, found ${shown(settings)}`]),
    ...problemsOf({ ...settings }, mockFlags.settings).map((problem) => `settings: /${problem}`),
  ];
  const values: Readonly<Record<string, unknown>> = { ...settings, ...others };
  const variables: Record<string, string> = {};
  for (const flag of problems.length > 0 ? [] : mockFlagsOf("tests")) {
    const value = values[flag.option];
    if (value === undefined || value === false) continue;
    const texts = textsOf(value);
    variables[flag.variable] = texts.join();
    // Commas and outer spaces do not reach the container, nor does the difference between no client and every client.
    const isSame = JSON.stringify(textsIn(variables, flag) ?? []) === JSON.stringify(texts);
    const isSameMap = !isMap(value) || (value.size > 0 && [...value.keys()].every((id) => /^[^:]+$/.test(id)));
    if (isSame && isSameMap) continue;
    const allowed = "one or more items without commas and without spaces at their ends, and ids without colons";
    problems.push(`${flag.option}: expected what ${flag.variable} can hold: ${allowed}; found others`);
  }
  if (problems.length > 0) throw new TypeError(problems.map((problem) => `${caller}: ${problem}`).join("\n"));
  return variables;
}

/** Returns the texts of a value, as its flag reads them. */
function textsOf(value: unknown): string[] {
  if (isMap(value)) return [...value].map(([id, secret]) => `${id}:${secret}`);
  if (Array.isArray(value)) return value;
  return [typeof value === "object" ? JSON.stringify(value) : String(value)];
}
