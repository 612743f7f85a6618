import {
  DEFAULT_MAX_PROJECTS,
  DEFAULT_MAX_STATE_BYTES,
  isObject,
  MAX_CERTIFICATE_NAMES,
  MAX_DELAY_MS,
  MAX_NAME,
  MAX_TTL_MS,
  shown,
} from "../../contract/index.ts";
import type { CommonOptions } from "../../engine/index.ts";
import type { TlsOptions } from "../../http/tls/index.ts";
import { type Settings, SettingsSchema } from "../../state/index.ts";
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
  storeUrl,
  structure,
  text,
  toggle,
} from "./flag.ts";

/** The options of `createResourceMock`. */
export interface CreateOptions extends CommonOptions {
  /**
   * The service that the mock behaves like: the path of an OpenAPI document, or the parsed document. By default, the
   * built-in Generic Resource Service.
   */
  contract?: string | object;
  /**
   * Corrections of what the mock has found out about `contract`: the path of a file, or its parsed content. By default, the
   * paths and schemas of the document decide which operations change which items.
   */
  behaviour?: string | object;
  /** Whether to read a large contract again that was read before, and keep no copy of it; false by default. */
  noCache?: boolean;
  /** The folder of fixtures that override the bundled ones, file by file. */
  fixtures?: string;
  /** The folder of scenarios that override the bundled ones, file by file. */
  scenarios?: string;
  /**
   * The folder that keeps the projects: each is an archive in a file there, restored at the start and saved after changes.
   * Without it, projects end with the mock.
   */
  projects?: string;
  /** Whether the files in `projects` are only the initial state of their projects; false by default. */
  projectsReadOnly?: boolean;
  /** The URL of the real service for the setting `upstreamMode`, such as `https://api.example.com`. */
  upstream?: string;
  /** The path of a CA as PEM, which has signed the certificate of `upstream`. */
  upstreamCa?: string;
  /** The longest time to wait for the upstream, in milliseconds; 30,000 by default. */
  upstreamTimeout?: number;
  /** The folder for the fixtures that `upstreamMode: record` writes. */
  recordTo?: string;
  /**
   * The origin whose pages may call the service and the control API, such as `http://localhost:3000`; `*` for every
   * origin, false for none. By default every origin may call the service, and origins of this machine the control API.
   */
  cors?: string | false;
  /** The folder that `close()` writes the coverage and the journals to; none by default. */
  report?: string;
}

/** The options of `startResourceMock`. */
export interface StartOptions extends CreateOptions {
  /** The port to listen on; 0, the default, picks a free port. */
  port?: number;
  /** The address to listen on; 127.0.0.1 by default, so that only this machine can reach the mock. */
  host?: string;
  /** The bearer token that the control API requires; none by default. The methods of this mock send it. */
  adminToken?: string;
  /**
   * Host names that browsers may use for the control API and the dashboard, such as `mock.shop.test`. Without `adminToken`,
   * browsers may use only IP addresses, `localhost`, names without a dot and these names.
   */
  allowedHosts?: readonly string[];
  /** Also serves HTTPS, with HTTP/2; false by default. `true` creates a CA and a certificate for this machine. */
  https?: boolean | HttpsOptions;
}

/** The options of HTTPS. By default, the mock creates a CA and a certificate. */
export interface HttpsOptions extends TlsOptions {
  /** The port to listen on; 0, the default, picks a free port. */
  port?: number;
}

/** The options of `resource-mock serve`: those of `startResourceMock`, with other defaults, and some of its own. */
export interface ServeOptions extends Omit<StartOptions, "cors">, ValuesOf<typeof commandFlags> {
  port: number;
  host: string;
  https?: HttpsOptions;
  cors?: string;
  settings: Settings;
  maxProjects: number;
}

/** The options that these flags have. */
export type ValuesOf<Flags> = {
  readonly [Option in keyof Flags]: Flags[Option] extends Flag<infer Value> ? Value : never;
};

type FlagsOf<Options> = { readonly [Name in keyof Options]-?: Flag<Options[Name]> };

const socketFlags: FlagsOf<Pick<ServeOptions, "port" | "host" | "adminToken" | "allowedHosts">> = {
  port: integer("Port to listen on; 0 picks a free port", [0, 65_535], 8080),
  host: {
    ...text(
      "Address to listen on; :: means every IPv6 and IPv4 address",
      "ADDRESS",
      "an address, such as 127.0.0.1, or a host name",
    ),
    default: "::",
  } as Flag<string>,
  adminToken: flag(
    "Bearer token that the control API requires",
    // The characters that an HTTP header transmits unchanged.
    { type: "string", pattern: "^[\\x21-\\x7e]+$", title: "printable ASCII without spaces", writeOnly: true },
    { value: "TOKEN", isProtection: true },
  ),
  allowedHosts: list(
    "Host name that browsers may use for the control API and the dashboard, besides names without a dot",
    { type: "string", pattern: "^[\\w-]+(\\.[\\w-]+)*$", title: "a host name such as mock.shop.test" },
    { name: "allowed-host", value: "NAME" },
  ),
};

const pem = "the path of a PEM file";
const created = { options: ["cert"], because: "only created certificates use it" };

const httpsFlags: FlagsOf<HttpsOptions> = {
  port: { ...integer("Port for HTTPS; 0 picks a free port", [0, 65_535]), name: "https-port" },
  names: list(
    "Additional host name or IP address in the certificate that the server creates",
    { type: "string", format: "certificate-name", title: "a host name such as api.shop.test, or an IP address" },
    { name: "tls-name", value: "NAME", maxItems: MAX_CERTIFICATE_NAMES, without: created },
  ),
  dir: folder("Folder for the CA that the server creates", { name: "tls-dir", without: created }),
  cert: file("Your own certificate for HTTPS, as a PEM file", pem, { name: "tls-cert", needs: "key" }),
  key: file("Private key of --tls-cert, as a PEM file", pem, { name: "tls-key", needs: "cert" }),
  clientCa: file("CA, as a PEM file; clients need a certificate signed by this CA", pem, {
    name: "tls-client-ca",
    isProtection: true,
  }),
};

/** Returns the flag of a file. In process, its parsed content is allowed too. */
function fileOrContent(help: string, needs?: string): Flag<string | object | undefined> {
  return {
    ...file(help, undefined, { needs }),
    check: (value) => {
      if (isObject(value) || (typeof value === "string" && value !== "")) return undefined;
      return `expected the path of a file or its parsed content, found ${shown(value)}`;
    },
  };
}

const createFlags: FlagsOf<Omit<CreateOptions, "settings" | "now" | "cors">> & Pick<FlagsOf<ServeOptions>, "cors"> = {
  contract: fileOrContent("OpenAPI document of the service to mock, as JSON or YAML; by default, the built-in service"),
  behaviour: fileOrContent("Corrections of the mock's decisions about the contract, as JSON or YAML", "contract"),
  noCache: toggle("Disable the cache of large contracts"),
  fixtures: folder("Folder of fixtures that override the bundled fixtures"),
  scenarios: folder("Folder of scenarios that override the bundled scenarios"),
  scenario: list(
    "Scenario that is active for all projects",
    { type: "string", minLength: 1, title: "the name of a scenario" },
    { value: "NAME" },
  ),
  clients: clients("Client that the token endpoint accepts; by default, every client"),
  seed: integer("Seed for ids, randomness and generated data", [0, Number.MAX_SAFE_INTEGER], 0),
  maxStateBytes: integer(
    "Largest state of all projects together, in bytes",
    [1, Number.MAX_SAFE_INTEGER],
    DEFAULT_MAX_STATE_BYTES,
  ),
  // At most about the maximum size of a Map in V8.
  maxProjects: integer("Largest number of projects", [1, 16_000_000], DEFAULT_MAX_PROJECTS),
  projects: folder("Folder that keeps the projects between runs", {
    without: { options: ["share"], because: "the shared store keeps the projects" },
  }),
  projectsReadOnly: toggle("Use the files of --projects as initial state, and write nothing", { needs: "projects" }),
  upstream: flag(
    "Address of the real service for the setting upstreamMode",
    {
      type: "string",
      format: "service-url",
      title: "an http or https URL without a query, such as https://api.example.com",
    },
    { value: "URL" },
  ),
  upstreamCa: file("CA, as a PEM file, that signed the certificate of --upstream", pem, { needs: "upstream" }),
  upstreamTimeout: duration("Longest wait for a response of --upstream; by default, 30s", {
    maximum: MAX_DELAY_MS,
    needs: "upstream",
  }),
  recordTo: folder("Folder for the fixtures that --upstream-mode record writes", { needs: "upstream" }),
  cors: flag(
    "Origin whose web pages may call the mock and the control API",
    { type: "string", format: "allowed-origin", title: "* or an origin such as http://localhost:3000" },
    { value: "ORIGIN" },
  ),
  report: folder("Folder for the coverage and journals that the server writes when it stops"),
};

const { latency, rateLimit, ...scalars } = SettingsSchema.properties;

const settingFlags = {
  ...Object.fromEntries(
    Object.entries(scalars).map(([name, schema]) => [name, flag(firstSentence(schema.description), schema)]),
  ),
  latency: structure(firstSentence(latency.description), latency, "MS|JSON", ["fixed"]),
  rateLimit: structure(
    "Limit of the requests to operations of a project in a window of milliseconds",
    rateLimit,
    "LIMIT/MS|JSON",
    ["limit", "window"],
  ),
} as FlagsOf<Settings>;

function firstSentence(description: string): string {
  return description.replace(/\.( .*)?$/, "");
}

const commandFlags = {
  open: files("Project archive to restore when the server starts", {
    options: ["share", "projects"],
    because: "to restore an archive in a running server, send it to PUT /__admin/projects/{projectKey}/archive",
  }),
  share: storeUrl("Valkey or Redis server in which several processes share their projects"),
  sharePrefix: flag(
    "Prefix of all keys in the shared store",
    {
      type: "string",
      pattern: `^[\\w.-]{1,${MAX_NAME}}$`,
      title: `1 to ${MAX_NAME} letters, digits, _, . and -`,
      default: "resource-mock",
    },
    { value: "NAME", needs: "share" },
  ),
  shareTtl: duration("Time after which unused projects expire in the shared store", {
    maximum: MAX_TTL_MS,
    default: 86_400_000,
    needs: "share",
  }),
  dynamic: toggle("Return generated data instead of examples; the same as --responses generated"),
  watch: toggle("Reload the contract, fixtures and scenarios when their files change"),
  log: flag("Format of the log", { type: "string", enum: ["pretty", "json", "off"], default: "pretty" }),
};

/**
 * The table of all options of a mock, by the object that they are members of. Flags, environment variables, `--help`, the
 * documentation, the options of the libraries and their checks, and the variables of a container follow from it.
 */
export const mockFlags = {
  socket: socketFlags,
  https: httpsFlags,
  create: createFlags,
  settings: settingFlags,
  command: commandFlags,
};
