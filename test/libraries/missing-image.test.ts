// @module-tag isolated
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { beforeAll, expect, test, vi } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { ResourceMockContainer } from "../../src/library/testcontainers.ts";

/** Starts a container engine that has no images, and whose registry rejects every download. */
beforeAll(async () => {
  const engine = createServer((request, response) => {
    const path = request.url ?? "";
    const [status, body] = path.startsWith("/info")
      ? [200, { OperatingSystem: "Linux", OSType: "linux", Architecture: "x86_64", ServerVersion: "28.0.0" }]
      : path.startsWith("/images/create")
        ? [404, { message: "pull access denied for resource-mock" }]
        : [404, { message: "No such image" }];
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));
  });
  await once(engine.listen(0, "127.0.0.1"), "listening");
  const { port } = engine.address() as AddressInfo;
  vi.stubEnv("DOCKER_HOST", `tcp://127.0.0.1:${port}`);
  vi.stubEnv("TESTCONTAINERS_RYUK_DISABLED", "true");
  return () => engine.close();
});

test.each([
  ["the default image", undefined, `resource-mock:${manifest.version}`],
  ["another image", "registry.example.com/resource-mock:7", "registry.example.com/resource-mock:7"],
])("a container without %s names the image and the ways to get it", async (_name, image, expected) => {
  const start = new ResourceMockContainer(image).start();
  await expect(start).rejects.toThrow(
    `image ${expected}: not found. Either build it in a clone of resource-mock (docker build -t resource-mock .), or load it from a file (docker load -i resource-mock.tar). RESOURCE_MOCK_IMAGE names another image.`,
  );
  await expect(start).rejects.toMatchObject({ cause: { message: expect.stringContaining("pull access denied") } });
});
