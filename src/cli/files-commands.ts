import { counted, serviceContract } from "../contract/index.ts";
import { mockFlags, readFiles, version } from "../library/index.ts";
import { FilesError, problemLine } from "../state/index.ts";
import type { Options } from "./flags.ts";
import { print } from "./terminal.ts";

/** Validates all files and lists every problem. Sets the exit code to 2 if there are problems. */
export async function check(folders: Options<"check">): Promise<void> {
  try {
    const { fixtures, scenarios } = await readFiles(folders);
    const counts = `${[...fixtures.all()].length} fixtures, ${fixtures.seed.length} seeded resources`;
    await print(`${counts} and ${scenarios.size} scenarios are valid\n`);
  } catch (error) {
    if (!(error instanceof FilesError)) throw error;
    for (const problem of error.problems) process.stderr.write(`${problemLine(problem)}\n`);
    process.stderr.write(`${counted(error.problems.length, "problem")}\n`);
    process.exitCode = 2;
  }
}

/** The default address of `resource-mock serve`, because this command starts no server. */
const url = `http://localhost:${mockFlags.socket.port.default}`;

/** Prints the contract as an OpenAPI document with the fixtures as examples. Throws FilesError for invalid fixtures. */
export async function openapi(folders: Options<"openapi">): Promise<void> {
  const { contractDocument } = await import("../state/openapi/index.ts");
  const document = contractDocument(serviceContract, (await readFiles(folders)).fixtures, version, url);
  await print(`${JSON.stringify(document, undefined, 2)}\n`);
}
