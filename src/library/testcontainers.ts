import { readFileSync, statSync } from "node:fs";
import {
  AbstractStartedContainer,
  GenericContainer,
  getContainerRuntimeClient,
  ImageName,
  type RestartOptions,
  type StartedTestContainer,
  Wait,
} from "testcontainers";
import { MAX_INT32 } from "../contract/index.ts";
import { connectResourceMock, type ProjectControl, type ResourceMockClient } from "../control/client/index.ts";
import { importInProcess } from "./open-mock.ts";
import { type ContainerOptions, variablesFor } from "./options/read.ts";
import { version } from "./version.ts";

const IMAGE = "resource-mock";
const PORT = 8080;
const HTTPS_PORT = 8443;
/** The paths of the contract and of its corrections in the container. */
const CONTRACT = "/contract/openapi.json";
const BEHAVIOUR = "/contract/behaviour.yaml";

export type { ContainerOptions };

/**
 * A resource-mock container. The image is the first of these:
 *
 * 1. the `image` argument
 * 2. `RESOURCE_MOCK_IMAGE`
 * 3. `resource-mock:x.y.z` with the version of this package
 * 4. `resource-mock` without a tag, as `docker build` creates it, if the container engine lacks image 3
 */
export class ResourceMockContainer extends GenericContainer {
  readonly #isDefaultImage: boolean;
  #adminToken: string | undefined;
  #names: readonly string[] | undefined;
  #contract: string | object | undefined;

  constructor(image = process.env.RESOURCE_MOCK_IMAGE || undefined) {
    super(image ?? `${IMAGE}:${version}`);
    this.#isDefaultImage = image === undefined;
    this.withExposedPorts(PORT);
    // The health check of the image is slower: the engine probes it only every few seconds. If the container exits, for
    // example because of an invalid flag, `start` throws with its output.
    this.withWaitStrategy(Wait.forHttp("/__admin/health", PORT, { abortOnContainerExit: true }));
  }

  /**
   * Sets the options, as `startResourceMock` has them. Later calls override the same options. Throws for an unknown
   * option and an invalid value. The contract, `behaviour`, and the folders `fixtures` and `scenarios` are copied into the
   * container.
   * The container must reach `upstream`: for a service on this machine, call `TestContainers.exposeHostPorts(port)` of
   * Testcontainers first, and use `http://host.testcontainers.internal:port`.
   */
  withOptions(options: ContainerOptions): this {
    const { contract, behaviour, fixtures, scenarios, adminToken } = options;
    const others = { ...options, contract: undefined, behaviour: undefined, fixtures: undefined, scenarios: undefined };
    const variables = variablesFor("withOptions", others);
    if (contract !== undefined) this.withContract(contract);
    if (behaviour !== undefined) {
      const content = typeof behaviour === "string" ? readFileSync(behaviour, "utf8") : JSON.stringify(behaviour);
      this.withCopyContentToContainer([{ content, target: BEHAVIOUR, mode: 0o644 }]);
      this.withEnvironment({ RESOURCE_MOCK_BEHAVIOUR: BEHAVIOUR });
    }
    if (fixtures !== undefined) this.#withFolder(fixtures, "/fixtures");
    if (scenarios !== undefined) this.#withFolder(scenarios, "/scenarios");
    this.#adminToken = adminToken ?? this.#adminToken;
    return this.withEnvironment(variables);
  }

  /**
   * Sets the service that the mock behaves like: the path of an OpenAPI document on this machine, or the parsed document. The
   * start copies it into the container, as one file.
   */
  withContract(contract: string | object): this {
    this.#contract = contract;
    return this;
  }

  /**
   * Also serves HTTPS, with HTTP/2. The certificate is valid for the host of the container engine, for the network aliases
   * of the container, and for `names`.
   */
  withHttps(...names: string[]): this {
    if (this.#names === undefined) this.withExposedPorts(HTTPS_PORT);
    this.#names = [...(this.#names ?? []), ...names];
    return this.withEnvironment({ RESOURCE_MOCK_HTTPS_PORT: String(HTTPS_PORT) });
  }

  /**
   * Starts the container and waits until it is healthy. Throws with the last lines of its output if the start fails, and
   * with the ways to get the image if it is missing.
   */
  override async start(): Promise<StartedResourceMockContainer> {
    if (this.#isDefaultImage) await this.#preferLocalImage();
    const started = await keepsRunning(super.start()).catch(async (cause: unknown) => {
      throw (await this.#missingImage(cause)) ?? cause;
    });
    const caCertificate = this.#names === undefined ? undefined : await caCertificateOf(started);
    return new StartedResourceMockContainer(started, this.#adminToken, caCertificate);
  }

  protected override async beforeContainerCreated(): Promise<void> {
    if (this.#contract !== undefined) await this.#copyContract(this.#contract);
    if (this.#names === undefined) return;
    const { info } = await getContainerRuntimeClient();
    const names = [info.containerRuntime.host, ...this.networkAliases, ...this.#names];
    this.withEnvironment({ RESOURCE_MOCK_TLS_NAME: names.join(",") });
  }

  async #copyContract(contract: string | object): Promise<void> {
    const { textOfContract } = await importInProcess();
    this.withCopyContentToContainer([{ content: await textOfContract(contract), target: CONTRACT, mode: 0o644 }]);
    this.withEnvironment({ RESOURCE_MOCK_CONTRACT: CONTRACT });
  }

  #withFolder(source: string, target: string): this {
    // Testcontainers ignores a missing folder.
    if (!statSync(source, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`folder not found: ${source}`);
    // The user of the container does not own the files, so they must be readable by every user.
    return this.withCopyDirectoriesToContainer([{ source, target, mode: 0o755 }]);
  }

  /** Returns an error with the ways to get the image, if the container engine lacks it. */
  async #missingImage(cause: unknown): Promise<Error | undefined> {
    const { image } = await getContainerRuntimeClient();
    if (await image.exists(this.imageName).catch(() => true)) return undefined;
    const build = `build it in a clone of resource-mock (docker build -t ${IMAGE} .)`;
    const load = `load it from a file (docker load -i ${IMAGE}.tar)`;
    const other = "RESOURCE_MOCK_IMAGE names another image.";
    return new Error(`image ${this.imageName.string}: not found. Either ${build}, or ${load}. ${other}`, { cause });
  }

  async #preferLocalImage(): Promise<void> {
    const { image } = await getContainerRuntimeClient();
    const untagged = ImageName.fromString(IMAGE);
    if ((await image.exists(this.imageName)) || !(await image.exists(untagged))) return;
    this.imageName = untagged;
    this.createOpts.Image = untagged.string;
  }
}

/** Keeps this process running. Testcontainers does not, while it reads the output of a container that has exited. */
function keepsRunning<T>(work: Promise<T>): Promise<T> {
  const timer = setInterval(() => {}, MAX_INT32);
  return work.finally(() => clearInterval(timer));
}

async function caCertificateOf(container: StartedTestContainer): Promise<string> {
  const response = await fetch(`${addressOf(container)}/__admin/ca.pem`);
  const text = await response.text();
  if (!response.ok) throw new Error(`ca.pem: expected the CA certificate, found ${response.status} ${text}`);
  return text;
}

function addressOf(container: StartedTestContainer, port = PORT): string {
  return `${port === PORT ? "http" : "https"}://${container.getHost()}:${container.getMappedPort(port)}`;
}

/** A running container. A restart changes its ports, and therefore `url`, and creates another CA. */
export class StartedResourceMockContainer extends AbstractStartedContainer {
  readonly #adminToken: string | undefined;
  #caCertificate: string | undefined;

  constructor(container: StartedTestContainer, adminToken?: string, caCertificate?: string) {
    super(container);
    this.#adminToken = adminToken;
    this.#caCertificate = caCertificate;
  }

  override async restart(options?: Partial<RestartOptions>): Promise<void> {
    await keepsRunning(super.restart(options));
    if (this.#caCertificate !== undefined) this.#caCertificate = await caCertificateOf(this);
  }

  /** Address of the mock for this process: `http://host:port`. */
  get url(): string {
    return addressOf(this);
  }

  /** Address of the mock for this process: `https://host:port`. Throws without `withHttps()`. */
  get httpsUrl(): string {
    requireHttps(this.#caCertificate, "httpsUrl");
    return addressOf(this, HTTPS_PORT);
  }

  /** The CA that signed the certificate of `httpsUrl`, as PEM. Throws without `withHttps()`. */
  get caCertificate(): string {
    return requireHttps(this.#caCertificate, "caCertificate");
  }

  /** Client for the whole mock. */
  get control(): ResourceMockClient {
    return connectResourceMock(this.url, { adminToken: this.#adminToken });
  }

  /** Returns the controls of a project. */
  project(key: string): ProjectControl {
    return this.control.project(key);
  }

  /** Returns the base URL of a project: its operations are at `{baseUrl}/resource`. */
  baseUrl(project: string): string {
    return this.project(project).baseUrl;
  }
}

function requireHttps(caCertificate: string | undefined, member: string): string {
  if (caCertificate !== undefined) return caCertificate;
  throw new Error(`${member}: expected a container with HTTPS, found one without; call withHttps() before start()`);
}
