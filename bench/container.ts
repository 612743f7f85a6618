import { execFile, spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { get } from "node:http";
import { tmpdir } from "node:os";
import { text } from "node:stream/consumers";
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { collection, sample } from "./against-bare.ts";
import { milliseconds, type Row, ratio } from "./figures.ts";
import { inTurn, withServer } from "./measuring.ts";
import { freePort, repository, startMock } from "./servers.ts";

/** The names of the rows. */
const rows = {
  plain: "container: docker run to first response",
  few: "container: with six files mounted",
  all: "container: with all bundled files mounted",
};

const ROUNDS = 15;
/** Milliseconds between two requests to a container that does not respond yet. */
const INTERVAL = 1;
/** The longest wait for the first response, in milliseconds. */
const TIMEOUT = 60_000;

const images = {
  // Older engines keep the build stage as an image. It has a name, so that the bench can remove it.
  stage: `resource-mock-bench-stage:${process.pid}`,
  mock: `resource-mock-bench:${process.pid}`,
  bare: `resource-mock-bench-bare:${process.pid}`,
};
const containerName = `resource-mock-bench-${process.pid}`;

/** The fixture that every variant sends for the collection. */
const ownCollection = "fixtures/queryResources/200.json";

/** Pairs of a file in the repository and its path in a user's folder. */
const fewFiles = [
  ["fixtures/queryResources/200.empty.json", ownCollection],
  ["fixtures/getResourceById/200.json", "fixtures/getResourceById/200.json"],
  ["fixtures/createResource/201.json", "fixtures/createResource/201.json"],
  ["fixtures/getCart/404.json", "fixtures/getCart/404.json"],
  ["scenarios/conflict.json", "scenarios/my-conflict.json"],
  ["scenarios/rate-limited.json", "scenarios/my-rate-limit.json"],
] as const;

/** An image with its options for `docker run`, and the expected body of its response. */
interface Variant {
  image: string;
  options: readonly string[];
  body: string;
}

/** Measures the start of the container image, compared with a bare server on the same base image, and with mounts. */
export async function* container(): AsyncGenerator<Row> {
  const reason = missing();
  if (reason !== undefined) {
    for (const what of Object.values(rows)) yield { what, reason };
    return;
  }
  const folder = mkdtempSync(`${tmpdir()}/resource-mock-mounts-`);
  const remove = () => {
    spawnSync("docker", ["rm", "--force", containerName], { stdio: "ignore" });
    spawnSync("docker", ["image", "rm", "--force", ...Object.values(images)], { stdio: "ignore" });
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", remove);
  try {
    await docker("build", "--network", "host", "--target", "build", "--tag", images.stage, repository);
    await docker("build", "--network", "host", "--tag", images.mock, repository);
    await docker("build", "--network", "host", "--tag", images.bare, `${repository}bench`);
    const { bare, plain, few, all } = await variants(folder);
    const times = await inTurn(
      { bare: () => runTime(bare), plain: () => runTime(plain), few: () => runTime(few), all: () => runTime(all) },
      ROUNDS,
    );
    yield ratio(rows.plain, { atMost: 1.3 }, [times.plain, times.bare], milliseconds);
    yield ratio(rows.few, { atMost: 1.1 }, [times.few, times.plain], milliseconds);
    yield ratio(rows.all, { atMost: 1.1 }, [times.all, times.plain], milliseconds);
  } finally {
    remove();
    process.off("exit", remove);
  }
}

/** Returns the reason why this machine cannot measure these rows, or undefined. */
function missing(): string | undefined {
  const hasEngine = spawnSync("docker", ["info"], { stdio: "ignore", timeout: 10_000 }).status === 0;
  if (!hasEngine) return "no container engine (`docker info` fails)";
  return process.platform === "linux" ? undefined : "containers share the network of the host on Linux only";
}

async function variants(folder: string): Promise<Record<"bare" | "plain" | "few" | "all", Variant>> {
  // The user of the image must be able to read the folder.
  chmodSync(folder, 0o755);
  for (const [file, own] of fewFiles) cpSync(`${repository}${file}`, `${folder}/few/${own}`);
  for (const name of ["fixtures", "scenarios"]) cpSync(repository + name, `${folder}/all/${name}`, { recursive: true });

  const GET = await withServer(startMock, (server) => sample(server, collection));
  const plain = { image: images.mock, options: [], body: GET.body };
  return {
    bare: { ...plain, image: images.bare, options: ["--env", `BARE_RESPONSES=${JSON.stringify({ GET })}`] },
    plain,
    // The expected response comes from a mounted file, so the row fails if the container ignores the mount.
    few: { ...plain, options: mounts(`${folder}/few`), body: dense(`${folder}/few/${ownCollection}`) },
    all: { ...plain, options: mounts(`${folder}/all`) },
  };
}

function mounts(folder: string): string[] {
  return ["fixtures", "scenarios"].flatMap((name) => ["--volume", `${folder}/${name}:/${name}:ro`]);
}

function dense(file: string): string {
  return JSON.stringify(JSON.parse(readFileSync(file, "utf8")));
}

/** Returns the milliseconds from `docker run` to the expected response. */
async function runTime({ image, options, body }: Variant): Promise<number> {
  const port = await unassignedPort();
  // The host network, because the first connections to a published port may take a second.
  const network = ["--network", "host", "--env", `RESOURCE_MOCK_PORT=${port}`, "--env", `BARE_PORT=${port}`];
  const started = performance.now();
  try {
    const run = docker("run", "--detach", "--name", containerName, ...network, ...options, image);
    // If `docker run` fails, `Promise.all` ends the wait for the response.
    const [time] = await Promise.all([responds(port, body).then(() => performance.now() - started), run]);
    return time;
  } finally {
    await docker("rm", "--force", containerName);
  }
}

/** Returns a free port that systems do not assign, so that no other process takes it before the container does. */
async function unassignedPort(): Promise<number> {
  for (;;) {
    const port = 20_000 + Math.floor(Math.random() * 10_000);
    if (await freePort(port).catch(() => 0)) return port;
  }
}

/** Sends requests until a response has this body. Throws after the timeout. */
async function responds(port: number, body: string): Promise<void> {
  const deadline = performance.now() + TIMEOUT;
  let found = "no response";
  while (performance.now() < deadline) {
    found = await bodyOf(`http://127.0.0.1:${port}${collection}`).catch(() => found);
    if (found === body) return;
    await wait(INTERVAL);
  }
  throw new Error(`container: expected the fixture within ${TIMEOUT / 1000} s, found ${found.slice(0, 300)}`);
}

function bodyOf(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, signal: AbortSignal.timeout(TIMEOUT) }, (response) =>
      text(response).then(resolve, reject),
    ).on("error", reject);
  });
}

async function docker(...parameters: string[]): Promise<void> {
  await promisify(execFile)("docker", parameters);
}
