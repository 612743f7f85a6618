import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import manifest from "../../package.json" with { type: "json" };
import { repository, run } from "../setup/run.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Path of the packed package. */
    tarball: string;
    /** Name of the container image, which exists if there is a container engine. */
    image: string;
  }
}

/** Packs the package and builds the image from the current sources, once for all tests of this folder. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), "resource-mock-"));
  await run("npm", ["pack", "--pack-destination", folder]);
  project.provide("tarball", join(folder, `${manifest.name}-${manifest.version}.tgz`));

  const hasEngine = project.getProvidedContext().containerEngine;
  const image = `resource-mock-test:${process.pid}`;
  if (hasEngine) await run("docker", ["build", "--network", "host", "--tag", image, repository]);
  project.provide("image", image);

  return async () => {
    await rm(folder, { recursive: true, force: true });
    if (hasEngine) await run("docker", ["image", "rm", "--force", image]);
  };
}
