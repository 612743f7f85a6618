// @module-tag container
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type RequestOptions, request } from "node:http";
import { get } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { getContainerRuntimeClient, Network } from "testcontainers";
import { afterAll, beforeAll, expect, inject, it, onTestFinished } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import {
  type ContainerOptions,
  ResourceMockContainer,
  type StartedResourceMockContainer,
} from "../../src/library/testcontainers.ts";
import { describeWithEngine } from "../setup/requirements.ts";
import { repository, run } from "../setup/run.ts";

describeWithEngine("ResourceMockContainer", () => {
  const image = inject("image");
  let folder: string;
  let container: StartedResourceMockContainer;

  beforeAll(async () => {
    // Ryuk removes containers of killed test runs. It is disabled because its image would have to be downloaded.
    process.env.TESTCONTAINERS_RYUK_DISABLED = "true";
    folder = mkdtempSync(join(tmpdir(), "resource-mock-testcontainers-"));
    write("fixtures/readNamespaceAction/200.json", { mine: true });
    write("scenarios/empty-cart.json", {
      description: "The cart is gone.",
      rules: [{ operation: "getCart", respond: { status: 404 } }],
    });
    container = await new ResourceMockContainer(image)
      .withOptions({ fixtures: join(folder, "fixtures"), scenarios: join(folder, "scenarios") })
      .withOptions({ scenario: ["empty-cart", "paged-query"], seed: 7, settings: { auth: "strict" } })
      .withOptions({ settings: { latency: { fixed: 1 }, start: "empty" }, clients: new Map([["shop", "secret"]]) })
      .start();
  });
  afterAll(async () => {
    await container?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  function write(path: string, content: object) {
    mkdirSync(join(folder, path, ".."), { recursive: true });
    writeFileSync(join(folder, path), JSON.stringify(content));
  }

  /** Calls an operation with a token, which the setting `auth` requires. */
  async function call(key: string, path = ""): Promise<Response> {
    const { access_token } = await container.project(key).token();
    return fetch(`${container.baseUrl(key)}/resource${path}`, { headers: { Authorization: `Bearer ${access_token}` } });
  }

  it("is healthy after the start, on a mapped port", async () => {
    expect(await container.control.health()).toMatchObject({ status: "ok", version: manifest.version });
    expect(container.url).toBe(`http://${container.getHost()}:${container.getFirstMappedPort()}`);
    expect(container.baseUrl("my project")).toBe(`${container.url}/my%20project`);
  });

  it("serves the copied fixtures and scenarios", async () => {
    expect(await (await call("files", "/namespace-action")).json()).toEqual({ mine: true });
    expect((await call("files", "/namespace-action-with-example")).status).toBe(404);
    expect(await (await call("files")).json()).toMatchObject({ limit: 20, offset: 0 });
  });

  it("has the options of withOptions", async () => {
    expect((await fetch(`${container.baseUrl("auth")}/resource`)).status).toBe(401);
    expect((await call("auth")).status).toBe(200);
    expect(await container.project("auth").settings.get()).toMatchObject({ auth: "strict", latency: { fixed: 1 } });
    expect(await container.project("start").resources.list()).toEqual([]);
  });

  it.each<[options: object, problem: string]>([
    [{ sed: 1 }, 'sed: unknown option. Did you mean "seed"?'],
    [{ port: 9000 }, "port: is an option of startResourceMock; a container has its own clock, ports and files"],
    [{ auth: "off" }, "auth: is a setting; pass it as { settings: { auth: … } }"],
    [{ settings: { auht: "off" } }, 'settings: /auht: unknown option. Did you mean "auth"?'],
    [{ settings: 5 }, "settings: expected an object, found 5"],
    [{ seed: "x" }, 'seed: expected a whole number from 0 to 9007199254740991, found "x"'],
  ])("rejects the options %o", (options, problem) => {
    expect(() => new ResourceMockContainer(image).withOptions(options)).toThrow(
      new TypeError(`withOptions: ${problem}`),
    );
  });

  it.each<[options: ContainerOptions, variable: string]>([
    [{ clients: new Map([["id", "a,b"]]) }, "clients: expected what RESOURCE_MOCK_CLIENT can hold: "],
    [{ clients: new Map([["a:b", "c"]]) }, "clients: expected what RESOURCE_MOCK_CLIENT can hold: "],
    [{ clients: new Map([["", "c"]]) }, "clients: expected what RESOURCE_MOCK_CLIENT can hold: "],
    [{ clients: new Map() }, "clients: expected what RESOURCE_MOCK_CLIENT can hold: "],
    [{ scenario: ["slow", " conflict"] }, "scenario: expected what RESOURCE_MOCK_SCENARIO can hold: "],
  ])("rejects values that a variable cannot hold: %o", (options, problem) => {
    expect(() => new ResourceMockContainer(image).withOptions(options)).toThrow(`withOptions: ${problem}`);
  });

  it("throws for a missing folder, and with the output of a failed start", async () => {
    expect(() => new ResourceMockContainer(image).withOptions({ fixtures: "./nowhere" })).toThrow(
      "folder not found: ./nowhere",
    );
    await expect(
      new ResourceMockContainer(image).withOptions({ scenario: ["no-such-scenario"] }).start(),
    ).rejects.toThrow("no-such-scenario");
  });

  it("throws with the output of a failed start if the engine sends the output late", async () => {
    const { modem } = (await getContainerRuntimeClient()).container.dockerode;
    const { socketPath, host, port } = modem as RequestOptions;
    const engine = createServer((incoming, outgoing) => {
      const { method, url: path, headers } = incoming;
      const forwarded = request({ socketPath, host, port, method, path, headers }, async (response) => {
        outgoing.writeHead(response.statusCode ?? 502, response.headers).flushHeaders();
        if (path?.includes("/logs?")) await setTimeout(500);
        response.pipe(outgoing);
      });
      incoming.pipe(forwarded);
    }).listen(0, "127.0.0.1");
    await once(engine, "listening");
    onTestFinished(() => engine.closeAllConnections());
    onTestFinished(() => void engine.close());
    const program = `import { ResourceMockContainer } from "./src/library/testcontainers.ts";
const start = new ResourceMockContainer("${image}").withOptions({ scenario: ["no-such-scenario"] }).start();
await start.catch(({ message }) => console.log(message));`;
    const environment = { ...process.env, DOCKER_HOST: `tcp://127.0.0.1:${(engine.address() as AddressInfo).port}` };
    const output = await run("node", ["--input-type=module", "--eval", program], repository, environment);
    expect(output).toContain('scenario "no-such-scenario" not found');
  });

  it("names a missing image and the ways to get it", async () => {
    // No registry listens on this port.
    const missing = "127.0.0.1:1/resource-mock:7";
    const start = new ResourceMockContainer(missing).start();
    await expect(start).rejects.toThrow(
      `image ${missing}: not found. Either build it in a clone of resource-mock (docker build -t resource-mock .), or load it from a file (docker load -i resource-mock.tar). RESOURCE_MOCK_IMAGE names another image.`,
    );
    await expect(start).rejects.toMatchObject({ cause: expect.any(Error) });
  });

  it("requires and sends the admin token", async () => {
    const guarded = await new ResourceMockContainer(image).withOptions({ adminToken: "let-me-in" }).start();
    try {
      await guarded.project("guarded").reset();
      expect((await fetch(`${guarded.url}/__admin/projects`)).status).toBe(401);
    } finally {
      await guarded.stop();
    }
  });

  it("serves HTTPS for the host of the engine, its network aliases and further names", async () => {
    expect(() => container.httpsUrl).toThrow("call withHttps() before start()");
    expect(() => container.caCertificate).toThrow("call withHttps() before start()");
    const network = await new Network().start();
    const secure = await new ResourceMockContainer(image)
      .withOptions({ adminToken: "let-me-in" })
      .withNetwork(network)
      .withNetworkAliases("service")
      .withHttps("api.shop.test")
      .start();
    try {
      const statusOf = async (servername?: string) => {
        const options = { ca: secure.caCertificate, servername, agent: false };
        const request = get(`${secure.httpsUrl}/p/resource`, options);
        const [response] = (await once(request, "response")) as [IncomingMessage];
        response.resume();
        return response.statusCode;
      };
      for (const name of [undefined, "service", "api.shop.test"]) expect(await statusOf(name)).toBe(200);
      await expect(statusOf("other.test")).rejects.toThrow("other.test");
      expect((await fetch(`${secure.url}/p/resource`)).status).toBe(200);

      const { caCertificate } = secure;
      await secure.restart();
      expect(secure.caCertificate).not.toBe(caCertificate);
      expect(await statusOf("service")).toBe(200);
    } finally {
      await secure.stop();
      await network.stop();
    }
  });

  it("forwards requests to a service in its network", async () => {
    const network = await new Network().start();
    const service = await new ResourceMockContainer(image).withNetwork(network).withNetworkAliases("real").start();
    const spy = await new ResourceMockContainer(image)
      .withNetwork(network)
      .withOptions({ upstream: "http://real:8080", settings: { upstreamMode: "spy" } })
      .start();
    try {
      const response = await fetch(`${spy.baseUrl("p")}/resource`);
      expect([response.status, response.headers.get("Mock-Source")]).toEqual([200, "upstream"]);
      expect(await service.project("p").requests.list()).toHaveLength(1);
    } finally {
      await spy.stop();
      await service.stop();
      await network.stop();
    }
  });
});
