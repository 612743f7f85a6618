import { relative } from "node:path";
import {
  type Contract,
  counted,
  type OperationSummary,
  summaryOf,
  type TypeSummary,
  typeSummariesOf,
} from "../contract/index.ts";
import { mockFlags, readFiles, version } from "../library/index.ts";
import { type FileProblem, FilesError, problemLine } from "../state/index.ts";
import type { Options } from "./flags.ts";
import { print } from "./terminal.ts";

/**
 * Validates all files, and lists every problem, every warning and every ignored file. For a contract of the user, prints what
 * the mock has understood of each operation and type. Sets the exit code to 2 if there are problems.
 */
export async function check(options: Options<"check">): Promise<void> {
  try {
    const { contract, fixtures, scenarios, ignored, own, warnings = [], sources = [] } = await readFiles(options);
    list(warnings, "warning");
    list(ignored, "file", " ignored");
    const part = (noun: string, number: number, ofUser: number, folder: string | undefined) => {
      const more = folder === undefined ? "" : ` (${ofUser} of them in ${folder.replace(/\/+$/, "")})`;
      return counted(number, noun) + more;
    };
    const all = part("fixture", [...fixtures.all()].length, own.fixtures, options.fixtures);
    const seeded = fixtures.seed.values().reduce((sum, { length }) => sum + length, 0);
    const seeds = part("seeded resource", seeded, own.resources, options.fixtures);
    const others = part("scenario", scenarios.size, own.scenarios, options.scenarios);
    const operations = options.contract === undefined ? [] : contract.operations.map(summaryOf);
    // References can lead to any file of this machine.
    const files = sources.map((file) => relative("", file));
    const types = options.contract === undefined ? [] : typeSummariesOf(contract);
    if (options.json) return print(`${JSON.stringify({ files, warnings, operations, types }, undefined, 2)}\n`);
    const lines = [...files.map((file) => `reads ${file}\n`), ...operations.map(lineOf), ...types.map(typeLineOf)];
    await print(lines.join(""));
    if (options.contract !== undefined) await print(addressesOf(contract));
    const known = operations.length > 0 ? `${counted(operations.length, "operation")}; ` : "";
    await print(`${known}${all}, ${seeds} and ${others} are valid\n`);
  } catch (error) {
    if (!(error instanceof FilesError)) throw error;
    list(error.problems, "problem");
    process.exitCode = 2;
  }
}

function addressesOf({ addresses: { project, basePaths }, operations }: Contract): string {
  const base = basePaths.length > 0 ? `; base paths are optional: ${basePaths.join(", ")}` : "";
  if (project !== undefined) return `addresses: all paths start with {${project}}, which is the project${base}\n`;
  const isRequired = operations.some(({ path }) => path.startsWith("/{"));
  const rest = isRequired ? "is required, as some paths start with a parameter" : 'is "default" by default';
  return `addresses: /{project} comes before the path; the project ${rest}${base}\n`;
}

function lineOf({ id, method, path, role, reason }: OperationSummary): string {
  return `${id}  ${method} ${path}  ${role}: ${reason}\n`;
}

function typeLineOf({ name, path, kind, readBack, ...facts }: TypeSummary): string {
  const known = Object.entries(facts).map(([fact, value]) => `${fact}: ${[value].flat().join(", ")}`);
  const created = readBack === undefined ? [] : [`created items can${readBack ? "" : "not"} be read`];
  return `${name}  ${path}  ${[kind, ...known, ...created].join("; ")}\n`;
}

/** Writes the lines of files to the standard error, and their number. */
function list(problems: readonly FileProblem[], noun: string, end = ""): void {
  if (problems.length === 0) return;
  for (const problem of problems) process.stderr.write(`${problemLine(problem)}\n`);
  process.stderr.write(`${counted(problems.length, noun)}${end}\n`);
}

/** The default address of `resource-mock serve`, because this command starts no server. */
const url = `http://localhost:${mockFlags.socket.port.default}`;

/** Prints the contract as an OpenAPI document with the fixtures as examples. Throws FilesError for invalid fixtures. */
export async function openapi(options: Options<"openapi">): Promise<void> {
  const { contractDocument } = await import("../state/openapi/index.ts");
  const { contract, fixtures } = await readFiles(options);
  const document = await contractDocument(contract, fixtures, version, url);
  await print(`${JSON.stringify(document, undefined, 2)}\n`);
}
