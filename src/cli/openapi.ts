import { serviceContract } from "../contract/service-contract.ts";
import { contractDocument } from "../fixtures/contract-document.ts";
import { readFixtures } from "../mock.ts";
import { version } from "../version.ts";
import type { Options } from "./flags.ts";
import { print } from "./print.ts";

/** Prints the contract, with the fixtures as examples. */
export async function openapiCommand({ fixtures }: Options<"openapi">): Promise<void> {
  const document = contractDocument(serviceContract, await readFixtures(fixtures), version);
  await print(`${JSON.stringify(document, undefined, 2)}\n`);
}
