import { statSync } from "node:fs";
import {
  AbstractStartedContainer,
  GenericContainer,
  getContainerRuntimeClient,
  ImageName,
  type StartedTestContainer,
  Wait,
} from "testcontainers";
import { connectResourceMock, type ResourceMockClient } from "./client/mock-client.ts";
import type { ProjectControl } from "./client/project.ts";
import type { Settings } from "./settings/settings.ts";
import { version } from "./version.ts";

const IMAGE = "resource-mock";
const PORT = 8080;

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
  readonly #scenarios: string[] = [];
  #adminToken: string | undefined;

  constructor(image = process.env.RESOURCE_MOCK_IMAGE || undefined) {
    super(image ?? `${IMAGE}:${version}`);
    this.#isDefaultImage = image === undefined;
    this.withExposedPorts(PORT);
    // The health check of the image is slower: the engine probes it only every few seconds. If the container exits, for
    // example because of an invalid flag, `start` throws with its output.
    this.withWaitStrategy(Wait.forHttp("/__admin/health", PORT, { abortOnContainerExit: true }));
  }

  /** Copies a folder of fixtures into the container. Its files override the bundled fixtures. */
  withFixtures(folder: string): this {
    return this.#withFolder(folder, "/fixtures");
  }

  /** Copies a folder of scenarios into the container. Its files override the bundled scenarios. */
  withScenarios(folder: string): this {
    return this.#withFolder(folder, "/scenarios");
  }

  /** Activates a scenario for all projects. Call it again to activate another scenario. */
  withScenario(name: string): this {
    this.#scenarios.push(name);
    return this;
  }

  /** Sets which tokens requests need; `lenient` by default. */
  withAuth(mode: Settings["auth"]): this {
    return this.withEnvironment({ RESOURCE_MOCK_AUTH: mode });
  }

  /** Sets the seed of ids, randomness and generated data: a whole number, 0 by default. */
  withSeed(seed: number): this {
    return this.withEnvironment({ RESOURCE_MOCK_SEED: String(seed) });
  }

  /** Sets the bearer token that the control API requires. `project()` and `control` send it. */
  withAdminToken(token: string): this {
    this.#adminToken = token;
    return this.withEnvironment({ RESOURCE_MOCK_ADMIN_TOKEN: token });
  }

  /** Starts the container and waits until it is healthy. Throws with the last lines of its output if the start fails. */
  override async start(): Promise<StartedResourceMockContainer> {
    if (this.#isDefaultImage) await this.#preferLocalImage();
    return new StartedResourceMockContainer(await super.start(), this.#adminToken);
  }

  protected override async beforeContainerCreated(): Promise<void> {
    if (this.#scenarios.length > 0) this.withEnvironment({ RESOURCE_MOCK_SCENARIO: this.#scenarios.join(",") });
  }

  #withFolder(source: string, target: string): this {
    // Testcontainers ignores a missing folder.
    if (!statSync(source, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`folder not found: ${source}`);
    // The user of the container does not own the files, so they must be readable by every user.
    return this.withCopyDirectoriesToContainer([{ source, target, mode: 0o755 }]);
  }

  async #preferLocalImage(): Promise<void> {
    const { image } = await getContainerRuntimeClient();
    const untagged = ImageName.fromString(IMAGE);
    if ((await image.exists(this.imageName)) || !(await image.exists(untagged))) return;
    this.imageName = untagged;
    this.createOpts.Image = untagged.string;
  }
}

/** A running container. Its port, and therefore `url`, changes at a restart. */
export class StartedResourceMockContainer extends AbstractStartedContainer {
  readonly #adminToken: string | undefined;

  constructor(container: StartedTestContainer, adminToken?: string) {
    super(container);
    this.#adminToken = adminToken;
  }

  /** Address of the mock for this process: `http://host:port`. */
  get url(): string {
    return `http://${this.getHost()}:${this.getMappedPort(PORT)}`;
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
