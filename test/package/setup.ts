import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import manifest from "../../package.json" with { type: "json" };
import { repository, run } from "../setup/run.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of the packed package. */
    tarball: string;
    /** Path of a folder in which npm has installed the packed package. */
    installed: string;
    /** Name of the container image, which exists if there is a container engine. */
    image: string;
  }
}

/** Builds, packs and installs the package and builds the image from the current sources, once for all tests of this folder. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "resource-mock-"));
  const tarball = join(folder, `${manifest.name}-${manifest.version}.tgz`);
  const installed = join(folder, "installed");
  const hasEngine = project.getProvidedContext().containerEngine;
  const image = `resource-mock-test:${process.pid}`;

  async function install(): Promise<void> {
    // npm runs the build before it packs.
    await run("npm", ["pack", "--pack-destination", folder]);
    await mkdir(installed);
    await writeFile(join(installed, "package.json"), "{}");
    await run("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball], installed);
  }
  async function buildImage(): Promise<void> {
    if (hasEngine) await run("docker", ["build", "--network", "host", "--tag", image, repository]);
  }
  await Promise.all([install(), buildImage()]);
  // The tests of all projects inherit this variable, because their processes start after the set-up.
  process.env.MOCK_TEST_BIN = join(repository, "dist/bin.mjs");
  project.provide("tarball", tarball);
  project.provide("installed", installed);
  project.provide("image", image);

  return async () => {
    await rm(folder, { recursive: true, force: true });
    if (hasEngine) await run("docker", ["image", "rm", "--force", image]);
  };
}
