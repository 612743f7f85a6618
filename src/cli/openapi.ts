import { serviceContract } from "../contract/service-contract.ts";
import { contractDocument } from "../fixtures/contract-document.ts";
import { readFixtures } from "../mock.ts";
import { version } from "../version.ts";
import { flags, type Options } from "./flags.ts";
import { print } from "./print.ts";

/** Where `resource-mock serve` listens by default: the command itself serves nothing. */
const url = `http://localhost:${flags.serve.port.default}`;

/** Prints the contract, with the fixtures as examples. */
export async function openapiCommand({ fixtures }: Options<"openapi">): Promise<void> {
  const document = contractDocument(serviceContract, await readFixtures(fixtures), version, url);
  await print(`${JSON.stringify(document, undefined, 2)}\n`);
}
