import { parseArgs } from "node:util";
import { didYouMean, shown } from "../contract/index.ts";
import { Misuse, PREFIX, readOptions, textsIn } from "../library/index.ts";
import { type CommandName, commandNames, flagsOf, type Options } from "./flags.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the options of a command. A flag overrides its environment variable. Throws Misuse. */
export async function readFlags<Name extends CommandName>(
  command: Name,
  args: readonly string[],
  environment: Environment,
): Promise<Options<Name>> {
  const given = parse(command, args);
  const options = await readOptions(flagsOf(command), (flag) => {
    const [argument, texts] = [given.get(flag.name), textsIn(environment, flag)];
    return argument ? [`--${flag.name}`, argument] : texts && [flag.variable, texts];
  });
  return options as Options<Name>;
}

/** Returns the texts of each flag in the arguments, by the name of the flag. */
function parse(command: CommandName, args: readonly string[]): Map<string, string[]> {
  const known = new Map(flagsOf(command).map((flag) => [flag.name, flag]));
  const seeHelp = `; see resource-mock ${command === "serve" ? "" : `${command} `}--help`;
  const { tokens } = parseArgs({
    args: [...args],
    strict: false,
    tokens: true,
    options: Object.fromEntries([...known].map(([name, { value }]) => [name, { type: value ? "string" : "boolean" }])),
  });
  const given = new Map<string, string[]>();
  /** The values of the flag before, if it takes further arguments. */
  let rest: string[] | undefined;
  for (const token of tokens) {
    if (token.kind === "option-terminator") continue;
    if (token.kind === "positional" && rest) {
      rest.push(token.value);
      continue;
    }
    if (token.kind === "positional") throw new Misuse(`unknown argument ${shown(token.value)}${seeHelp}`);
    const { name, rawName, value } = token;
    const flag = known.get(name);
    if (!flag) throw new Misuse(unknownFlag(command, name, [...known.keys()]) || `unknown flag ${rawName}${seeHelp}`);
    if (flag.value && value === undefined) throw new Misuse(`${rawName}: expected ${flag.value}, found nothing`);
    const before = given.get(name);
    if (before && !flag.repeatable) throw new Misuse(`${rawName}: expected once, found several times`);
    const values = [...(before ?? []), value ?? "true"];
    given.set(name, values);
    rest = flag.takesRest ? values : undefined;
  }
  return given;
}

/** Returns an error message if another command has the flag or its name is mistyped, or else an empty string. */
function unknownFlag(command: CommandName, name: string, known: readonly string[]): string {
  if (commandNames.some((other) => flagsOf(other).some((flag) => flag.name === name))) {
    return `--${name}: not used by ${command}; flags of ${command}: ${known.map((each) => `--${each}`).join(", ")}`;
  }
  const hint = didYouMean(name, known, "--");
  return hint && `unknown flag --${name}.${hint}`;
}

/** Variables with our prefix that the libraries and `compose.yaml` read. */
const readByOthers = ["URL", "IMAGE", "PUBLISH", "SWEEP", "ARCHIVE_FAILURES"];

/** Variables that Kubernetes and Docker links set in other containers, for a service with the name `resource-mock`. */
const setByOthers = /^(SERVICE_|NAME$|PORT_\d+_|ENV_)/;

export function unknownVariables(environment: Environment): string[] {
  const set = Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && environment[name])
    .map((name) => name.slice(PREFIX.length));
  // The names of all flags take two milliseconds of the start.
  if (set.length === 0) return [];
  const ours = commandNames.flatMap((command) => flagsOf(command).map(({ variable }) => variable.slice(PREFIX.length)));
  const known = [...ours, ...readByOthers];
  return set
    .filter((name) => !known.includes(name) && !setByOthers.test(name))
    .map((name) => {
      const hint = didYouMean(name, ours, PREFIX) || " See resource-mock --help.";
      return `unknown environment variable ${PREFIX}${name} is ignored.${hint}`;
    });
}
