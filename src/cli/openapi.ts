import { serviceContract } from "../contract/index.ts";
import { mockFlags, readFiles, version } from "../library/index.ts";
import { contractDocument } from "../state/openapi/index.ts";
import type { Options } from "./flags.ts";
import { print } from "./terminal.ts";

/** The default address of `resource-mock serve`, because this command starts no server. */
const url = `http://localhost:${mockFlags.socket.port.default}`;

/** Prints the contract as an OpenAPI document with the fixtures as examples. Throws FilesError for invalid fixtures. */
export async function run(folders: Options<"openapi">): Promise<void> {
  const document = contractDocument(serviceContract, (await readFiles(folders)).fixtures, version, url);
  await print(`${JSON.stringify(document, undefined, 2)}\n`);
}
