import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import manifest from "../../package.json" with { type: "json" };
import { repository, run } from "../setup/run.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The packed package, as `npm install` takes it. */
    tarball: string;
    /** The name of the container image, where there is an engine. */
    image: string;
  }
}

/** Packs the package and builds the image, once for all the tests here: both of the sources as they are. */
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
