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
 * A resource-mock in a container. Without an image's name it is the one that `RESOURCE_MOCK_IMAGE` names, else the one of
 * this package's version, `resource-mock:x.y.z`; where the engine has none of that tag but one without a tag, as built
 * by hand, it is that.
 */
export class ResourceMockContainer extends GenericContainer {
  readonly #isDefaultImage: boolean;
  readonly #scenarios: string[] = [];
  #adminToken: string | undefined;

  constructor(image = process.env.RESOURCE_MOCK_IMAGE || undefined) {
    super(image ?? `${IMAGE}:${version}`);
    this.#isDefaultImage = image === undefined;
    this.withExposedPorts(PORT);
    // Not the image's own health check: the engine probes seconds apart. A file or flag that stops the start is told.
    this.withWaitStrategy(Wait.forHttp("/__admin/health", PORT, { abortOnContainerExit: true }));
  }

  /** Lays a folder of fixtures over the shipped ones, file by file. It is copied, so the engine may be a remote one. */
  withFixtures(folder: string): this {
    return this.#withFolder(folder, "/fixtures");
  }

  /** Lays a folder of scenarios over the shipped ones, file by file. */
  withScenarios(folder: string): this {
    return this.#withFolder(folder, "/scenarios");
  }

  /** Turns a scenario on for all projects; may be called again for another. */
  withScenario(name: string): this {
    this.#scenarios.push(name);
    return this;
  }

  /** Which tokens requests need; `lenient` when not called. */
  withAuth(mode: Settings["auth"]): this {
    return this.withEnvironment({ RESOURCE_MOCK_AUTH: mode });
  }

  /** The seed of ids, chance and generated data: a whole number; 0 when not called. */
  withSeed(seed: number): this {
    return this.withEnvironment({ RESOURCE_MOCK_SEED: String(seed) });
  }

  /** Lets only those use the control API that have this token; `project()` and `control` have it. */
  withAdminToken(token: string): this {
    this.#adminToken = token;
    return this.withEnvironment({ RESOURCE_MOCK_ADMIN_TOKEN: token });
  }

  /** Starts the container and waits until it answers. Throws with its last lines when it does not come up. */
  override async start(): Promise<StartedResourceMockContainer> {
    if (this.#isDefaultImage) await this.#preferLocalImage();
    return new StartedResourceMockContainer(await super.start(), this.#adminToken);
  }

  protected override async beforeContainerCreated(): Promise<void> {
    if (this.#scenarios.length > 0) this.withEnvironment({ RESOURCE_MOCK_SCENARIO: this.#scenarios.join(",") });
  }

  #withFolder(source: string, target: string): this {
    // Testcontainers would go on without it.
    if (!statSync(source, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`there is no folder ${source}`);
    // The container's user is not the one who made the files.
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

/** A container that is up. Its port, and so `url`, is another one after a restart. */
export class StartedResourceMockContainer extends AbstractStartedContainer {
  readonly #adminToken: string | undefined;

  constructor(container: StartedTestContainer, adminToken?: string) {
    super(container);
    this.#adminToken = adminToken;
  }

  /** Where the mock is for this process: `http://host:port`. */
  get url(): string {
    return `http://${this.getHost()}:${this.getMappedPort(PORT)}`;
  }

  /** The control API of the whole mock. */
  get control(): ResourceMockClient {
    return connectResourceMock(this.url, { adminToken: this.#adminToken });
  }

  /** One project's sandbox. */
  project(key: string): ProjectControl {
    return this.control.project(key);
  }

  /** Where the project's operations are: `{baseUrl}/resource`. */
  baseUrl(project: string): string {
    return this.project(project).baseUrl;
  }
}
