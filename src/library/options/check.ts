import { isObject, loadCheck, shown, unknownName } from "../../contract/index.ts";
import { defaultSettings, type Settings, SettingsSchema } from "../../state/index.ts";
import type { Flag } from "./flag.ts";
import { type CreateOptions, mockFlags, type StartOptions } from "./options.ts";
import { combinationProblem, mockFlagsOf, type NamedFlag } from "./read.ts";

type Checks = Readonly<Record<string, Pick<Flag<unknown>, "check">>>;

const { cors } = mockFlags.create;

/** The options of both functions. Some allow values that a flag cannot have. */
const createChecks: Checks = {
  ...mockFlags.create,
  now: { check: (value) => (typeof value === "function" ? undefined : `expected a function, found ${shown(value)}`) },
  cors: {
    check: (value) => (value === false ? undefined : cors.check?.(value)?.replace(", found", ", or false, found")),
  },
};

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

/** Validates the options of `createResourceMock`. Throws a TypeError that lists every problem. */
export function checkCreateOptions(options: CreateOptions): Promise<void> {
  return check("createResourceMock", options, createChecks);
}

/** Validates the options of `startResourceMock`. Throws a TypeError that lists every problem. */
export function checkStartOptions(options: StartOptions): Promise<void> {
  return check("startResourceMock", options, startChecks);
}

async function check(caller: string, options: unknown, checks: Checks): Promise<void> {
  if (!isObject(options)) throw new TypeError(`${caller}: expected an object of options, found ${shown(options)}`);
  const { settings, ...others } = options;
  const problems = [...problemsOf(others, checks, misplaced), ...(await settingsProblems(settings))];
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

function misplaced(name: string, known: readonly string[]): string {
  if (Object.hasOwn(SettingsSchema.properties, name)) return `is a setting; pass it as { settings: { ${name}: … } }`;
  if (Object.hasOwn(startChecks, name)) return "is an option of startResourceMock; createResourceMock opens no socket";
  return unknownName("option", name, ["settings", ...known]);
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

function withoutDefaults(settings: Readonly<Record<string, unknown>>): Partial<Settings> {
  const defaults: Readonly<Record<string, unknown>> = defaultSettings;
  const entries = Object.entries(settings);
  return Object.fromEntries(entries.filter(([name, value]) => value !== undefined && value !== defaults[name]));
}
