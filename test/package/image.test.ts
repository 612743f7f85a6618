// @module-tag container
import { globSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, it } from "vitest";
import manifest from "../../package.json" with { type: "json" };
import { describeWithEngine } from "../setup/requirements.ts";
import { repository, run } from "../setup/run.ts";

const docker = (...parameters: string[]) => run("docker", parameters);

const BASE = "gcr.io/distroless/nodejs24-debian12:nonroot";
const MiB = 1024 * 1024;

/** Returns the paths of all files and folders of a container. Those of folders end with a slash. */
async function filesIn(container: string): Promise<string[]> {
  return (await run("sh", ["-c", `docker export ${container} | tar -t`])).split("\n");
}

/** A program that prints the files of the projects. */
const FILES = 'require("node:fs").readdirSync("/projects").join()';

describeWithEngine("the container image", () => {
  const image = inject("image");
  let folder: string;
  let container: string;
  let address: string;

  const inspect = (field: string) => docker("inspect", "--format", `{{${field}}}`, container);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "resource-mock-image-"));
    await write("fixtures/readNamespaceAction/200.json", { mounted: true });
    await write("scenarios/teapot.json", {
      description: "The cart is away.",
      rules: [{ operation: "getCart", respond: { status: 404 } }],
    });
    // The user of the image does not own the folder, so every user must be able to read it.
    await chmod(folder, 0o755);

    const limits = ["--read-only", "--cap-drop", "ALL", "--security-opt", "no-new-privileges", "--memory", "256m"];
    const mounts = ["fixtures", "scenarios"].flatMap((name) => ["--volume", `${folder}/${name}:/${name}:ro`]);
    const flags = ["--seed", "7", "--scenario", "teapot"];
    container = await docker("run", "--detach", ...limits, ...mounts, "--publish", "127.0.0.1::8080", image, ...flags);
    address = `http://${await docker("port", container, "8080/tcp")}`;
  });
  afterAll(async () => {
    if (container) await docker("rm", "--force", "--volumes", container);
    await rm(folder, { recursive: true, force: true });
  });

  async function write(path: string, content: object) {
    await mkdir(join(folder, path, ".."), { recursive: true });
    await writeFile(join(folder, path), JSON.stringify(content));
  }

  it("is healthy without root, with a read-only file system, no capabilities and 256 MiB of memory", async () => {
    expect(await inspect(".Config.User")).toBe("65532:65532");
    await expect.poll(() => inspect(".State.Health.Status"), { timeout: 30_000, interval: 200 }).toBe("healthy");
  });

  it("serves an operation, the control API and its pages", async () => {
    expect((await fetch(`${address}/demo/resource`)).status).toBe(200);
    expect(await (await fetch(`${address}/__admin/health`)).json()).toMatchObject({ version: manifest.version });
    for (const page of ["ui", "docs"])
      expect(await (await fetch(`${address}/__admin/${page}`)).text()).toMatch(/^<!doctype html>/);
  });

  it("overrides bundled fixtures with a mounted folder", async () => {
    const response = await fetch(`${address}/demo/resource/namespace-action`);
    expect(await response.json()).toEqual({ mounted: true });
  });

  it("writes the reports into a mounted folder when it stops", async () => {
    const reports = join(folder, "reports");
    await mkdir(reports);
    // The user of the image does not own the folder.
    await chmod(reports, 0o777);
    const parameters = ["--read-only", "--volume", `${reports}:/reports`, "--publish", "127.0.0.1::8080"];
    const reporting = await docker("run", "--detach", ...parameters, image, "--report", "/reports");
    try {
      const url = `http://${await docker("port", reporting, "8080/tcp")}`;
      await expect.poll(() => docker("logs", reporting)).toContain("listening");
      await fetch(`${url}/demo/resource`);
      await docker("stop", reporting);
      expect((await readdir(reports)).sort()).toEqual([
        "coverage.json",
        "coverage.junit.xml",
        "coverage.md",
        "journal.har",
      ]);
      expect(JSON.parse(await readFile(join(reports, "coverage.json"), "utf8"))).toMatchObject({ requests: 1 });
    } finally {
      await docker("rm", "--force", reporting);
    }
  });

  it("keeps projects in a volume, also after a kill", async () => {
    const volume = await docker("volume", "create");
    const start = async () => {
      const mounted = ["--read-only", "--volume", `${volume}:/projects`, "--publish", "127.0.0.1::8080"];
      const started = await docker("run", "--detach", ...mounted, image, "--projects", "/projects");
      await expect.poll(() => docker("logs", started)).toContain("listening");
      return { started, url: `http://${await docker("port", started, "8080/tcp")}` };
    };
    const first = await start();
    await fetch(`${first.url}/demo/resource/kept`);
    await expect.poll(() => docker("exec", first.started, "/nodejs/bin/node", "-p", FILES)).toContain("demo.ndjson");
    await docker("kill", first.started);
    const second = await start();
    try {
      const resources = await (await fetch(`${second.url}/__admin/projects/demo/resources?q=kept`)).json();
      expect(resources).toMatchObject({ total: 1 });
    } finally {
      await docker("rm", "--force", first.started, second.started);
      await docker("volume", "rm", volume);
    }
  });

  it("starts without its shared store, and is unavailable until the store is there", async () => {
    const parameters = ["--read-only", "--publish", "127.0.0.1::8080"];
    const sharing = await docker("run", "--detach", ...parameters, image, "--share", "redis://127.0.0.1:1");
    try {
      await expect.poll(() => docker("logs", sharing)).toContain("listening");
      const health = await fetch(`http://${await docker("port", sharing, "8080/tcp")}/__admin/health`);
      expect(health.status).toBe(503);
      expect(await health.json()).toMatchObject({ status: "unavailable" });
    } finally {
      await docker("rm", "--force", sharing);
    }
  });

  it("passes arguments to the command", async () => {
    expect(JSON.parse(await docker("run", "--rm", image, "openapi"))).toMatchObject({ openapi: "3.1.0" });
  });

  it("contains the built code and the served files", async () => {
    const listed = (await filesIn(container)).filter((path) => path.startsWith("app/") && !path.endsWith("/"));
    const files = listed.map((path) => path.slice(4));
    const served = globSync("{fixtures,scenarios}/**/*.json", { cwd: repository });

    const code = files.filter((path) => /^dist\/[\w-]+\.mjs$/.test(path));
    expect(code).toContain("dist/resource-mock.mjs");
    const others = files.filter((path) => !code.includes(path) && !path.startsWith("compiled/"));
    expect(others.sort()).toEqual(
      [
        "LICENSE",
        "compile-image.js",
        "dist/THIRD-PARTY.md",
        "dist/dashboard.html",
        "dist/bundled.json",
        ...served,
      ].sort(),
    );
  });

  it.each([
    ["the command", ["openapi"], ["start.mjs"]],
    ["the reader of documents", ["check", "--contract", "/nothing.yaml"], ["openapi.mjs", "js-yaml.mjs"]],
  ])("contains the compiled code of %s", async (_what, args, files) => {
    const command = `docker run --rm --env NODE_DEBUG_NATIVE=COMPILE_CACHE ${image} ${args.join(" ")} 2>&1 || true`;
    const lines = (await run("sh", ["-c", command])).split("\n");
    for (const file of files)
      expect(lines.filter((line) => line.includes(`/app/dist/${file} was accepted`))).not.toEqual([]);
  });

  it("contains nothing else that its base does not have: no packages, no package manager", async () => {
    const base = await docker("create", BASE);
    try {
      const ofBase = new Set(await filesIn(base));
      const added = (await filesIn(container)).filter((path) => !ofBase.has(path) && !path.startsWith("app/"));
      expect(added.sort()).toEqual(["fixtures/", "projects/", "scenarios/"]);
    } finally {
      await docker("rm", base);
    }
  });

  it("is at most 8 MiB larger than its base", async () => {
    const size = async (name: string) => Number(await docker("image", "inspect", "--format", "{{.Size}}", name));
    expect((await size(image)) - (await size(BASE))).toBeLessThanOrEqual(8 * MiB);
  });

  it("stops within two seconds", async () => {
    // After two seconds the engine kills the container, and the exit code is not 0.
    await docker("stop", "--time", "2", container);
    expect(await inspect(".State.ExitCode")).toBe("0");
  });
});
