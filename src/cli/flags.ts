import { parseArgs } from "node:util";
import { didYouMean, MAX_JOBS, shown } from "../contract/index.ts";
import {
  clients,
  duration,
  type Flag,
  file,
  files,
  flag,
  folder,
  integer,
  list,
  Misuse,
  mockFlags,
  mockFlagsOf,
  type NamedFlag,
  named,
  PREFIX,
  readOptions,
  type ServeOptions,
  text,
  textsIn,
  toggle,
  type ValuesOf,
  variableOf,
} from "../library/index.ts";

const { behaviour, contract, fixtures, scenarios, upstream } = mockFlags.create;
const { adminToken, port } = mockFlags.socket;

function mockUrl(help: string) {
  const title = "an address such as http://localhost:8080";
  return flag(help, { type: "string", format: "mock-url", title }, { value: "URL" });
}

/** Returns the flag for a list, with commas between the items. It can also be repeated. */
function names(help: string, value: string) {
  return list(help, { type: "string" }, { value, commas: true });
}

/** The flags of each command but serve, by option. Parsing, environment variables, `--help` and the docs follow from them. */
const flags = {
  check: {
    contract,
    behaviour,
    fixtures,
    scenarios,
    json: toggle("Print what the mock has understood as JSON", { needs: "contract" }),
  },
  coverage: {
    url: mockUrl("Address of the mock"),
    project: text("Project whose coverage is reported; by default, all projects", "KEY", undefined, { needs: "url" }),
    adminToken,
    require: flag(
      "Required coverage, such as operations=80,failures=50",
      { type: "string", title: "requirements" },
      { value: "LIST" },
    ),
    merge: files("Coverage report of another mock or process to merge"),
    sweepReport: file("Report of a sweep (sweep.json); the requirement `survived` needs this file"),
    report: file("File for the report as JSON"),
    markdown: file("File for the report as Markdown"),
    junit: file("File for the report as JUnit XML"),
  },
  openapi: { contract, behaviour, fixtures },
  mcp: {
    url: mockUrl("Address of a running mock; without --url, the command starts a mock"),
    adminToken,
    port: { ...port, default: 0, help: "Port of the mock that the command starts; 0 picks a free port" },
    host: { ...mockFlags.socket.host, default: "127.0.0.1", help: "Address of the mock that the command starts" },
    contract,
    behaviour,
    fixtures,
    scenarios,
  },
  pact: {
    url: mockUrl("Address of the mock"),
    project: text("Project with the requests for the pact", "KEY"),
    consumer: text("Name of the consumer", "NAME"),
    provider: text("Name of the provider; by default, the title of the contract in lower case, with hyphens", "NAME"),
    as: text("Project key in the pact; by default, the key of --project", "KEY"),
    out: file("File for the pact; standard output by default"),
    adminToken,
  },
  sweep: {
    failures: names("Failures to apply; all by default", "NAME,…"),
    only: names("Operations and failures to test; all by default", "NAME,…"),
    jobs: integer("Number of runs at the same time", [1, MAX_JOBS], 1),
    require: flag(
      "Percentage of the runs that must survive; otherwise the exit code is 1",
      { type: "number", minimum: 0, maximum: 100 },
      { value: "PERCENT" },
    ),
    timeout: duration("Time limit of a run; by default, three times the time of a run without failures, plus 10 s"),
    maxTime: duration("Time limit of the whole sweep"),
    out: {
      ...folder("Folder for the reports and the output of failed runs"),
      default: "resource-mock-sweep",
    } as Flag<string>,
    strict: toggle("Count a run that sent a write twice as failed, with exit code 1"),
    resume: toggle("Continue an interrupted sweep from the folder of --out"),
    inProcess: toggle("Start no servers; the tests start their own mocks"),
    contract,
    behaviour,
    dryRun: toggle("Run the tests only without failures, then print the planned runs"),
  },
  compare: {
    upstream: { ...upstream, help: "Base address of the real service; required" },
    contract,
    behaviour,
    project: text("Project key; required if the paths of the contract contain a project key", "KEY", "a project key"),
    token: {
      ...adminToken,
      help: "Credentials for the service: a token, an API key, or USER:PASSWORD",
      isProtection: false,
      without: { options: ["client"], because: "the run needs one of them" },
    },
    client: { ...clients("Client credentials for tokens from --token-url"), repeatable: false, needs: "tokenUrl" },
    tokenUrl: { ...upstream, help: "Token endpoint for --client", needs: "client" },
    upstreamCa: file("CA, as a PEM file, that signed the certificate of the service"),
    readOnly: toggle("Send only requests that read data"),
    only: names("Operations to check; all by default", "OPERATION,…"),
    parameter: list(
      "Value of a path parameter in the path of an existing item",
      { type: "string" },
      { value: "NAME=VALUE" },
    ),
    resourceId: text("Id of an existing resource that `compare` reads", "ID"),
    resourceKey: text("Key of an existing resource that `compare` reads", "KEY"),
    jobs: integer("Number of checks at the same time", [1, MAX_JOBS], 4),
    timeout: duration("Time limit of each response", { default: 10_000 }),
    allow: names(
      "Assumptions of the mock that are allowed to be false; any other difference sets exit code 1",
      "NAME,…",
    ),
    report: file("Write the results as JSON"),
    junit: file("Write the results as JUnit XML"),
    log: toggle("Print one line for each check"),
  },
};

type Flags = typeof flags;

export type CommandName = "serve" | keyof Flags;

/** The names of the commands but serve, which is the default. */
export const commandNames: readonly CommandName[] = ["serve", ...(Object.keys(flags) as (keyof Flags)[])];

/** The options of a command, read from its flags and the environment. */
export type Options<Name extends CommandName> = Name extends keyof Flags ? ValuesOf<Flags[Name]> : ServeOptions;

/** The flags with the same meaning in all commands, so that they share one environment variable. */
const shared = "url admin-token project contract behaviour fixtures scenarios upstream upstream-ca".split(" ");

/** Returns the flags of a command in the order of `--help`. */
export function flagsOf(command: CommandName): NamedFlag[] {
  if (command === "serve") return mockFlagsOf("all");
  const others = commandNames.filter((other) => other !== command);
  const namesOfOthers = new Set(others.flatMap(unambiguous).map(({ name }) => name));
  return unambiguous(command).map((flag) => {
    // Otherwise a variable for the server, such as the folder of its reports, would break another command.
    const isAmbiguous = namesOfOthers.has(flag.name) && !shared.includes(flag.name);
    return isAmbiguous ? { ...flag, variable: variableOf(`${command}-${flag.name}`) } : flag;
  });
}

function unambiguous(command: CommandName): NamedFlag[] {
  return command === "serve" ? mockFlagsOf("all") : named(flags[command]);
}

const REPEATABLE = "repeatable; comma-separated in the environment variable";

/** Returns the default of a flag as a user would write it; undefined without one. */
export function defaultOf({ value, default: fallback }: NamedFlag): string | undefined {
  if (fallback === undefined || value !== "TIME") return fallback === undefined ? undefined : String(fallback);
  const seconds = Number(fallback) / 1000;
  return seconds % 3600 === 0 ? `${seconds / 3600}h` : `${seconds}s`;
}

export function flagHelp(command: CommandName): string {
  const rows = flagsOf(command).map((flag) => {
    const fallback = defaultOf(flag);
    const notes = [
      ...(flag.value === "TIME" ? ["TIME: such as 90s"] : []),
      ...(fallback === undefined ? [] : [`default ${fallback}`]),
      ...(flag.repeatable ? [REPEATABLE] : []),
    ];
    return [
      `  --${flag.name} ${flag.value ?? ""}`,
      `${flag.help}${notes.length > 0 ? ` (${notes.join("; ")})` : ""}`,
    ] as const;
  });
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `${left.padEnd(width)}${right}`).join("\n");
}

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
  const hint = didYouMean(name, [...known, "help", "version"], "--");
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
