// @module-tag container
import { expect, inject, it } from "vitest";
import { runCompose } from "../setup/compose.ts";
import { describeWithCompose } from "../setup/requirements.ts";
import { repository, run } from "../setup/run.ts";

describeWithCompose("compose.yaml", () => {
  it("starts a healthy demo", async () => {
    const environment = {
      RESOURCE_MOCK_IMAGE: inject("image"),
      // A free port avoids a conflict with a demo that is already running.
      RESOURCE_MOCK_PUBLISH: "127.0.0.1:0",
      COMPOSE_PROJECT_NAME: `resource-mock-demo-${process.pid}`,
    };
    const compose = (...parameters: string[]) => runCompose(repository, parameters, environment);
    try {
      await compose("up", "--detach", "--no-build");
      const address = `http://${await compose("port", "resource-mock", "8080")}`;
      const container = await compose("ps", "--quiet", "resource-mock");
      const health = () => run("docker", ["inspect", "--format", "{{.State.Health.Status}}", container]);

      await expect.poll(health, { timeout: 30_000, interval: 200 }).toBe("healthy");
      expect((await fetch(`${address}/demo/resource`)).status).toBe(200);
    } finally {
      await compose("down", "--volumes");
    }
  });
});
