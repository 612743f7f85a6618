import { counted } from "../contract/index.ts";
import { mockFlags, readFiles, version } from "../library/index.ts";
import { type FileProblem, FilesError, problemLine } from "../state/index.ts";
import type { Options } from "./flags.ts";
import { print } from "./terminal.ts";

/** Validates all files, and lists every problem and every ignored file. Sets the exit code to 2 if there are problems. */
export async function check(folders: Options<"check">): Promise<void> {
  try {
    const { fixtures, scenarios, ignored, own } = await readFiles(folders);
    list(ignored, "file", " ignored");
    const part = (noun: string, number: number, ofUser: number, folder: string | undefined) => {
      const more = folder === undefined ? "" : ` (${ofUser} of them in ${folder.replace(/\/+$/, "")})`;
      return counted(number, noun) + more;
    };
    const all = part("fixture", [...fixtures.all()].length, own.fixtures, folders.fixtures);
    const seeds = part("seeded resource", fixtures.seed.length, own.resources, folders.fixtures);
    const others = part("scenario", scenarios.size, own.scenarios, folders.scenarios);
    await print(`${all}, ${seeds} and ${others} are valid\n`);
  } catch (error) {
    if (!(error instanceof FilesError)) throw error;
    list(error.problems, "problem");
    process.exitCode = 2;
  }
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
export async function openapi(folders: Options<"openapi">): Promise<void> {
  const { contractDocument } = await import("../state/openapi/index.ts");
  const { contract, fixtures } = await readFiles(folders);
  const document = await contractDocument(contract, fixtures, version, url);
  await print(`${JSON.stringify(document, undefined, 2)}\n`);
}
