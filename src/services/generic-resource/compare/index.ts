/** The comparison of a real Generic Resource Service with the mock. Each check is a row of data. */

import type { Contract } from "../../../contract/index.ts";
import type { Comparison } from "../../../tools/compare/index.ts";
import { type Check, tryCheck } from "./check-rows.ts";
import { createService } from "./compared-service.ts";
import { contractChecks } from "./contract-checks.ts";
import { otherChecks } from "./other-checks.ts";
import { queryChecks } from "./query-checks.ts";
import { resourceChecks } from "./resource-checks.ts";

export function allChecks(contract: Contract): readonly Check[] {
  return [...contractChecks(contract), ...resourceChecks, ...queryChecks, ...otherChecks];
}

export const comparison: Comparison = (options) => {
  const service = createService(options);
  const checks = allChecks(options.contract).map((check) => ({ ...check, tries: () => tryCheck(service, check) }));
  return { ...service, checks };
};
