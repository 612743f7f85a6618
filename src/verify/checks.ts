import type { Contract } from "../contract/contract.ts";
import type { Check } from "./check.ts";
import { authChecks } from "./checks/auth.ts";
import { bodyChecks } from "./checks/bodies.ts";
import { everyOperationChecks } from "./checks/every-operation.ts";
import { otherChecks } from "./checks/other-operations.ts";
import { overwriteChecks } from "./checks/overwrites.ts";
import { parameterChecks } from "./checks/parameters.ts";
import { queryChecks } from "./checks/queries.ts";
import { resourceChecks } from "./checks/resources.ts";
import { responseChecks } from "./checks/responses.ts";

/** Returns all checks of a contract. A check needs only checks that run before it. */
export function checksOf(contract: Contract): readonly Check[] {
  return [
    ...responseChecks(contract),
    ...resourceChecks(contract),
    ...overwriteChecks(contract),
    ...queryChecks(contract),
    ...parameterChecks(contract),
    ...bodyChecks(contract),
    ...otherChecks(contract),
    ...authChecks(contract),
    ...everyOperationChecks,
  ];
}
