import type { Contract } from "../../contract/index.ts";
import { bodyChecks } from "./checks/bodies.ts";
import { operationChecks } from "./checks/operations.ts";
import { otherChecks } from "./checks/others.ts";
import { queryChecks } from "./checks/queries.ts";
import { resourceChecks } from "./checks/resources.ts";
import type { Check } from "./run.ts";

/** Returns all checks of a contract. */
export function checksOf(contract: Contract): readonly Check[] {
  return [operationChecks, resourceChecks, queryChecks, bodyChecks, otherChecks].flatMap((checks) => checks(contract));
}
