import { parseArgs } from "node:util";
import { didYouMean } from "../text/nearest.ts";
import { shown } from "../text/shown.ts";
import { environmentName, type Flag, flagList, flags, PREFIX, type ServeOptions } from "./flags.ts";
import { Misuse } from "./values.ts";

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
