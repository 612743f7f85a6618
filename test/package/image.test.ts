import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { describeWithEngine } from "../setup/requirements.ts";
import { repository, run } from "../setup/run.ts";

const docker = (...parameters: string[]) => run("docker", parameters);

describeWithEngine("the container image", () => {
  const image = `resource-mock-test:${process.pid}`;
  let fixtures: string;
  let container: string;
  let address: string;

  const inspect = (field: string) => docker("inspect", "--format", `{{${field}}}`, container);

  beforeAll(async () => {
    fixtures = await mkdtemp(join(tmpdir(), "resource-mock-image-"));
    await mkdir(join(fixtures, "readNamespaceAction"));
    await writeFile(join(fixtures, "readNamespaceAction/200.json"), `{ "mounted": true }`);
    // The image's user is not the one who made the folder.
    await chmod(fixtures, 0o755);

    await docker("build", "--network", "host", "--tag", image, repository);
    const limits = ["--read-only", "--cap-drop", "ALL"];
    const mount = ["--volume", `${fixtures}:/fixtures:ro`];
    container = await docker(
      "run",
      "--detach",
      ...limits,
      ...mount,
      "--publish",
      "127.0.0.1::8080",
      image,
      "--seed",
      "7",
    );
    address = `http://${await docker("port", container, "8080/tcp")}`;
  });
  afterAll(async () => {
    if (container) await docker("rm", "--force", "--volumes", container);
    await docker("image", "rm", "--force", image);
    await rm(fixtures, { recursive: true, force: true });
  });

  it("turns healthy", async () => {
    await expect.poll(() => inspect(".State.Health.Status"), { timeout: 30_000, interval: 200 }).toBe("healthy");
  });

  it("answers an operation, and the control API", async () => {
    expect((await fetch(`${address}/demo/resource`)).status).toBe(200);
    expect(await (await fetch(`${address}/__admin/health`)).json()).toMatchObject({ version: manifest.version });
  });

  it("lays a mounted folder over the shipped fixtures", async () => {
    const response = await fetch(`${address}/demo/resource/namespace-action`);
    expect(await response.json()).toEqual({ mounted: true });
  });

  it("takes the words after its name as the command's", async () => {
    expect(JSON.parse(await docker("run", "--rm", image, "openapi"))).toMatchObject({ openapi: "3.1.0" });
  });

  it("names its version, and does not run as root", async () => {
    expect(await inspect(`index .Config.Labels "org.opencontainers.image.version"`)).toBe(manifest.version);
    expect(await inspect(".Config.User")).toBe("65532:65532");
  });

  it("stops within two seconds when asked to", async () => {
    // After that time the engine kills it, and the exit code says so.
    await docker("stop", "--time", "2", container);
    expect(await inspect(".State.ExitCode")).toBe("0");
  });
});
