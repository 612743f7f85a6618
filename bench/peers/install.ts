import { execFile } from "node:child_process";
import { lstatSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { promisify } from "node:util";

/** An npm package that was installed into its own folder. */
export interface Installed {
  /** The path of the package's command. */
  bin: string;
  version: string;
  /** The number of installed packages, dependencies included. */
  packages: number;
  /** The size of all files, in bytes. */
  size: number;
}

/** `--ignore-scripts`, because the packages are third-party code and none of them needs its install scripts. */
const options = ["--omit=dev", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];

/** Installs the package `name` from the npm specifier `spec`. Throws with the message of npm if the install fails. */
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

/** Packs the repository as npm would publish it. Returns the path of the archive. */
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
