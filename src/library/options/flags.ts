import {
  DEFAULT_MAX_PROJECTS,
  DEFAULT_MAX_STATE_BYTES,
  type FromSchema,
  MAX_DELAY_MS,
  MAX_INT32,
  MAX_JOBS,
  MAX_NAME,
  MAX_TTL_MS,
  readScalar,
  type Scalar,
  type Schema,
} from "../../contract/index.ts";
import { Limit, Milliseconds, type Settings, SettingsSchema, Window } from "../../state/index.ts";
import { corsSchema, httpsSchemas, mockSchemas, reportSchema, socketSchemas } from "./options.ts";
import {
  type Client,
  readClient,
  readClients,
  readDuration,
  readStoreUrl,
  readStructure,
  readUrl,
  readValue,
} from "./values.ts";

/** A flag of the command line and its environment variable. */
export interface Flag<Value> {
  /** Name in kebab case; derived from the option by default. */
  readonly name?: string;
  /** Placeholder of the value in `--help`; undefined for a switch. */
  readonly value?: string;
  readonly help: string;
  /** The value if neither the flag nor the variable is set. */
  readonly default: Value;
  readonly repeatable?: boolean;
  /** Whether further arguments after the value are values too, such as the files of a shell pattern. */
  readonly takesRest?: boolean;
  /** Parses the texts of the flag: several if it is repeatable, otherwise one. Throws Misuse. */
  readonly read: (texts: readonly string[]) => Value | Promise<Value>;
}

type FlagsOf<Options> = { readonly [Option in keyof Options]: Flag<Options[Option]> };

const placeholders = { string: "TEXT", number: "N", integer: "N", boolean: undefined };

/** Returns the flag for an option with a single string, number or boolean. */
function flag<const S extends Scalar>(
  schema: S,
  value: string | undefined = schema.enum?.join("|") ?? placeholders[schema.type],
): Flag<FromSchema<S> | (S extends { default: unknown } ? never : undefined)> {
  return {
    value,
    help: firstSentence(schema),
    default: schema.default as FromSchema<S>,
    read: ([text = ""]) => readValue(schema, text),
  };
}

function firstSentence({ description = "" }: Schema): string {
  return description.replace(/\.( .*)?$/, "");
}

const { latency, rateLimit, ...scalars } = SettingsSchema.properties;

const scalarSettings = Object.fromEntries(
  Object.entries(scalars).map(([name, schema]) => [name, flag(schema)]),
) as FlagsOf<Pick<Settings, keyof typeof scalars>>;

/** One flag for each setting. Settings that are not scalars define here how to parse their text. */
const settings: FlagsOf<Settings> = {
  ...scalarSettings,
  latency: {
    value: "MS|JSON",
    help: firstSentence(latency),
    default: null,
    read([text = ""]) {
      const fixed = readScalar(Milliseconds, text);
      if (typeof fixed === "number") return { fixed };
      return readStructure(latency, text, `milliseconds from 0 to ${Milliseconds.maximum}`);
    },
  },
  rateLimit: {
    value: "LIMIT/MS|JSON",
    help: "Limit of the requests to operations of a project in a window of milliseconds",
    default: null,
    read([text = ""]) {
      const [requests = "", milliseconds = "", ...rest] = text.split("/");
      const limit = readScalar(Limit, requests);
      const window = readScalar(Window, milliseconds);
      if (typeof limit === "number" && typeof window === "number" && rest.length === 0) return { limit, window };
      const short = `LIMIT/MS with ${Limit.minimum} to ${Limit.maximum} requests and ${Window.minimum} to ${Window.maximum} ms`;
      return readStructure(rateLimit, text, short);
    },
  },
};

/** Returns a flag that can be repeated. */
function repeatable<Value>(flag: Pick<Flag<Value>, "name" | "value" | "help" | "read">): Flag<Value | undefined> {
  return { ...flag, default: undefined, repeatable: true };
}

/** Returns a flag for a list, with commas between the items. It can also be repeated. */
function list(value: string, help: string): Flag<readonly string[] | undefined> {
  const read = (texts: readonly string[]) => texts.flatMap((text) => text.split(",").map((part) => part.trim()));
  return repeatable({ value, help, read });
}

/** Returns a flag for a time. Its value is in milliseconds. */
function duration(help: string, maximum = MAX_INT32): Flag<number | undefined> {
  return {
    value: "TIME",
    help: `${help}, such as 90s or 5m`,
    default: undefined,
    read: ([text = ""]) => readDuration(text, maximum),
  };
}

/** Returns the flag for the address of a running mock. */
function mockUrl(description: string) {
  const title = "an address such as http://localhost:8080";
  return flag({ type: "string", format: "mock-url", title, description }, "URL");
}

const fixtures = flag(mockSchemas.fixtures, "DIR");
const scenarios = flag(mockSchemas.scenarios, "DIR");

const reportFile = { type: "string", minLength: 1, title: "the path of a file" } as const;

/** The flags of each command by option. Parsing, environment variables, `--help` and the docs are derived from them. */
export const flags = {
  serve: {
    port: flag({ ...socketSchemas.port, default: 8080 }),
    host: flag({ ...socketSchemas.host, default: "0.0.0.0" }, "ADDRESS"),
    httpsPort: flag(httpsSchemas.port),
    tlsNames: repeatable<readonly string[]>({
      name: "tls-name",
      value: "NAME",
      help: firstSentence(httpsSchemas.names),
      read: (texts) => texts.map((text) => readValue(httpsSchemas.names, text)),
    }),
    tlsDir: flag(httpsSchemas.dir, "DIR"),
    tlsCert: flag(httpsSchemas.cert, "FILE"),
    tlsKey: flag(httpsSchemas.key, "FILE"),
    tlsClientCa: flag(httpsSchemas.clientCa, "FILE"),
    fixtures,
    scenarios,
    scenario: repeatable<readonly string[]>({
      value: "NAME",
      help: "Scenario that is active for all projects",
      read: (texts) => texts,
    }),
    ...settings,
    clients: repeatable({
      name: "client",
      value: "ID:SECRET",
      help: "Client that the token endpoint accepts; every client by default",
      read: readClients,
    }),
    seed: flag({ ...mockSchemas.seed, default: 0 }),
    maxStateBytes: flag({ ...mockSchemas.maxStateBytes, default: DEFAULT_MAX_STATE_BYTES }),
    maxProjects: flag({ ...mockSchemas.maxProjects, default: DEFAULT_MAX_PROJECTS }),
    projects: flag(mockSchemas.projects, "DIR"),
    projectsReadOnly: flag({ ...mockSchemas.projectsReadOnly, default: false }),
    upstream: flag(mockSchemas.upstream, "URL"),
    upstreamCa: flag(mockSchemas.upstreamCa, "FILE"),
    upstreamTimeout: duration("Longest time to wait for the upstream; 30s by default", MAX_DELAY_MS),
    recordTo: flag(mockSchemas.recordTo, "DIR"),
    open: {
      ...repeatable<readonly string[]>({
        value: "FILE",
        help: "Archive of a project to open; several files can follow",
        read: (texts) => texts,
      }),
      takesRest: true,
    },
    share: {
      value: "URL",
      help: "Valkey or Redis server that holds the projects, so that several processes share them",
      default: undefined,
      read: ([text = ""]) => readStoreUrl(text),
    } satisfies Flag<string | undefined>,
    sharePrefix: flag(
      {
        type: "string",
        pattern: `^[\\w.-]{1,${MAX_NAME}}$`,
        title: `1 to ${MAX_NAME} letters, digits, _, . and -`,
        description: "Start of all keys in the shared store; resource-mock by default.",
      },
      "NAME",
    ),
    shareTtl: duration("Time after which untouched projects expire in the shared store; 24h by default", MAX_TTL_MS),
    adminToken: flag(socketSchemas.adminToken, "TOKEN"),
    cors: flag(corsSchema, "ORIGIN"),
    watch: flag({ type: "boolean", default: false, description: "Load changed files while running." }),
    report: flag(reportSchema, "DIR"),
    log: flag({
      type: "string",
      enum: ["pretty", "json", "off"],
      default: "pretty",
      description: "Format of the log.",
    }),
  },
  check: { fixtures, scenarios },
  coverage: {
    url: mockUrl("Address of the mock."),
    project: flag({ type: "string", minLength: 1, description: "Project; all projects by default." }, "KEY"),
    adminToken: flag(socketSchemas.adminToken, "TOKEN"),
    require: flag(
      {
        type: "string",
        title: "requirements",
        description: "Requirements, such as survived=100,operations=80,failures=50,violations=0.",
      },
      "LIST",
    ),
    merge: {
      ...repeatable<readonly string[]>({
        value: "FILE",
        help: "Report of another mock or process to merge; several files can follow",
        read: (texts) => texts,
      }),
      takesRest: true,
    },
    sweepReport: flag(
      { ...reportFile, description: "Report of a sweep (sweep.json), for the requirement survived." },
      "FILE",
    ),
    report: flag({ ...reportFile, description: "File for the report as JSON." }, "FILE"),
    markdown: flag({ ...reportFile, description: "File for the report as Markdown." }, "FILE"),
    junit: flag({ ...reportFile, description: "File for the report as JUnit XML." }, "FILE"),
  },
  openapi: { fixtures },
  mcp: {
    url: mockUrl("Address of a running mock; by default, the command starts a mock of its own."),
    adminToken: flag(socketSchemas.adminToken, "TOKEN"),
    port: flag({ ...socketSchemas.port, default: 0, description: "Port of the own mock; 0 picks a free port." }),
    host: flag({ ...socketSchemas.host, default: "127.0.0.1", description: "Address of the own mock." }, "ADDRESS"),
    fixtures,
    scenarios,
  },
  pact: {
    url: mockUrl("Address of the mock."),
    project: flag({ type: "string", minLength: 1, description: "Project with the requests." }, "KEY"),
    consumer: flag({ type: "string", minLength: 1, description: "Name of the consumer." }, "NAME"),
    provider: flag(
      { type: "string", minLength: 1, description: "Name of the provider; generic-resource-service by default." },
      "NAME",
    ),
    as: flag(
      { type: "string", minLength: 1, description: "Project key in the pact; that of the requests by default." },
      "KEY",
    ),
    out: flag({ ...reportFile, description: "File for the pact; standard output by default." }, "FILE"),
    adminToken: flag(socketSchemas.adminToken, "TOKEN"),
  },
  sweep: {
    failures: list("NAME,…", "Failures to apply; all by default"),
    only: list("NAME,…", "Operations and failures to run; all by default"),
    jobs: flag({
      type: "integer",
      minimum: 1,
      maximum: MAX_JOBS,
      default: 1,
      description: "Number of runs at the same time.",
    }),
    require: flag(
      {
        type: "number",
        minimum: 0,
        maximum: 100,
        description: "Percent of the runs that must survive; below, the exit code is 1.",
      },
      "PERCENT",
    ),
    timeout: duration("Time limit of a run; three times the base run and 10 s by default"),
    maxTime: duration("Time limit of the whole sweep"),
    out: flag(
      {
        type: "string",
        minLength: 1,
        title: "the path of a folder",
        default: "resource-mock-sweep",
        description: "Folder for the reports and the output of failed runs.",
      },
      "DIR",
    ),
    strict: flag({
      type: "boolean",
      default: false,
      description: "Runs that wrote twice count as not survived, and set exit code 1.",
    }),
    resume: flag({ type: "boolean", default: false, description: "Continue the sweep in the folder of --out." }),
    inProcess: flag({
      type: "boolean",
      default: false,
      description: "Start no servers and set no RESOURCE_MOCK_URL; the tests start their mocks.",
    }),
    allTests: flag({
      type: "boolean",
      default: false,
      description: "Run all tests each time, not only the test files that call the operation.",
    }),
    dryRun: flag({
      type: "boolean",
      default: false,
      description: "Run the command without failures, and print the planned runs.",
    }),
  },
  verify: {
    upstream: {
      value: "URL",
      help: "Base address of the real service; required",
      default: undefined,
      read: ([text = ""]) => readUrl(text),
    } as Flag<URL | undefined>,
    project: flag(
      { type: "string", minLength: 1, title: "a project key", description: "Project key; required." },
      "KEY",
    ),
    token: flag({ ...socketSchemas.adminToken, description: "Bearer token for the service." }, "TOKEN"),
    client: {
      value: "ID:SECRET",
      help: "Client that requests tokens from --token-url",
      default: undefined,
      read: readClient,
    } as Flag<Client | undefined>,
    tokenUrl: {
      value: "URL",
      help: "Token endpoint for --client",
      default: undefined,
      read: ([text = ""]) => readUrl(text),
    } as Flag<URL | undefined>,
    upstreamCa: flag(
      { type: "string", minLength: 1, description: "CA that signed the certificate of the service, as PEM." },
      "FILE",
    ),
    readOnly: flag({ type: "boolean", default: false, description: "Send no writes." }),
    only: list("OPERATION,…", "Operations to check; all by default"),
    resourceId: flag({ type: "string", minLength: 1, description: "Id of a resource that exists, for reads." }, "ID"),
    resourceKey: flag(
      { type: "string", minLength: 1, description: "Key of a resource that exists, for reads." },
      "KEY",
    ),
    jobs: flag({
      type: "integer",
      minimum: 1,
      maximum: MAX_JOBS,
      default: 4,
      description: "Number of checks at a time.",
    }),
    timeout: { ...duration("Time limit of each response"), default: 10_000 } as Flag<number>,
    strict: flag({ type: "boolean", default: false, description: "Exit with code 1 also if an assumption differs." }),
    report: flag({ type: "string", minLength: 1, description: "Write the results as JSON." }, "FILE"),
    junit: flag({ type: "string", minLength: 1, description: "Write the results as JUnit XML." }, "FILE"),
    log: flag({ type: "boolean", default: false, description: "Print one line for each check." }),
  },
};

export type CommandName = keyof typeof flags;

/** The options of a command, read from its flags and the environment. */
export type Options<Name extends CommandName> = {
  readonly [Option in keyof (typeof flags)[Name]]: (typeof flags)[Name][Option] extends Flag<infer Value>
    ? Value
    : never;
};

/** A flag with its option, its name and its environment variable. */
export interface NamedFlag extends Flag<unknown> {
  readonly option: string;
  readonly name: string;
  readonly variable: string;
}

export const PREFIX = "RESOURCE_MOCK_";

/** The flags with the same meaning in all commands, so that they share one environment variable. */
const shared = ["url", "admin-token", "project", "fixtures", "scenarios", "upstream", "upstream-ca"];

/** Returns the flags of a command in the order of `--help`. */
export function flagsOf(command: CommandName): NamedFlag[] {
  return Object.entries<Flag<unknown>>(flags[command]).map(([option, each]) => {
    const name = nameOf(option, each);
    // Otherwise a variable for the server, such as the folder of its reports, would break another command.
    const isAmbiguous = command !== "serve" && !shared.includes(name) && commandsWith(name) > 1;
    const words = isAmbiguous ? `${command}-${name}` : name;
    return { ...each, option, name, variable: PREFIX + words.toUpperCase().replaceAll("-", "_") };
  });
}

function nameOf(option: string, { name }: Flag<unknown>): string {
  return name ?? option.replaceAll(/[A-Z]/g, (capital) => `-${capital.toLowerCase()}`);
}

/** Returns the number of commands that have a flag with this name. */
function commandsWith(name: string): number {
  return Object.values(flags).filter((own) =>
    Object.entries<Flag<unknown>>(own).some(([option, flag]) => nameOf(option, flag) === name),
  ).length;
}

/** Description of a repeatable flag in `--help` and the docs. */
export const REPEATABLE = "repeatable; comma-separated in the environment variable";

/** Returns the list of flags in the `--help` of a command. */
export function flagHelp(command: CommandName): string {
  const rows = flagsOf(command).map(({ name, value, help, repeatable, default: fallback }) => {
    const notes = [...(fallback === undefined ? [] : [`default ${fallback}`]), ...(repeatable ? [REPEATABLE] : [])];
    return [`  --${name} ${value ?? ""}`, `${help}${notes.length > 0 ? ` (${notes.join("; ")})` : ""}`] as const;
  });
  const width = Math.max(...rows.map(([left]) => left.length)) + 2;
  return rows.map(([left, right]) => `${left.padEnd(width)}${right}`).join("\n");
}
