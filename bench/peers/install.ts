import { execFile } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";

/** A package from the npm registry in a folder of its own, and what came with it. */
export interface Installed {
  /** The script of the package's command, if it has one. */
  bin: string;
  version: string;
  packages: number;
  /** Bytes of all files. */
  size: number;
}

/** Without the scripts that packages want to run: they are strangers, and nothing measured here needs any. */
const options = ["--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

/** Installs what npm makes of `spec`, which is the package `name`. Throws what npm says when it cannot. */
export async function install(folder: string, name: string, spec: string): Promise<Installed> {
  mkdirSync(folder, { recursive: true });
  await npm(folder, "install", "--prefix", folder, ...options, spec);
  const modules = `${folder}/node_modules`;
  const { version, bin } = readJson(`${modules}/${name}/package.json`);
  const { packages } = readJson(`${modules}/.package-lock.json`);
  return {
    bin: `${modules}/${name}/${typeof bin === "string" ? bin : Object.values(bin ?? {})[0]}`,
    version,
    packages: Object.keys(packages).length,
    size: sizeOf(modules),
  };
}

/** The repository's own package as npm would publish it: the path of the archive. */
export async function pack(repository: string, folder: string): Promise<string> {
  const options = ["--json", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder];
  const [{ filename }] = JSON.parse(await npm(repository, "pack", ...options));
  return `${folder}/${filename}`;
}

const run = promisify(execFile);

async function npm(folder: string, ...args: string[]): Promise<string> {
  try {
    return (await run("npm", args, { cwd: folder, timeout: 300_000 })).stdout;
  } catch (error) {
    const { stderr = "", message } = error as Error & { stderr?: string };
    throw new Error(`npm ${args[0]}: ${/^npm error (?!code|syscall|path|errno)(.+)/m.exec(stderr)?.[1] ?? message}`);
  }
}

function readJson(path: string) {
  return JSON.parse(readFileSync(path, "utf8"));
}

function sizeOf(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: "utf8" }).reduce((sum, path) => {
    const entry = lstatSync(`${folder}/${path}`);
    return entry.isFile() ? sum + entry.size : sum;
  }, 0);
}
