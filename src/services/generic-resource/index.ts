/**
 * The Generic Resource Service, whole: operations, schemas, types, assumptions, what only this service does, and its checks
 * of `compare`. Its files are in the top-level folders `fixtures` and `scenarios`.
 */

import type { Service } from "../service.ts";
import { contract } from "./contract.ts";
import { subjects } from "./control/subjects.ts";
import { handlers } from "./handlers.ts";

/** The service that the mock runs by default. */
export const defaultService = {
  contract,
  handlers,
  isBuiltIn: true,
  controls: { subjects, load: async () => (await import("./control/index.ts")).controls },
  comparison: async () => (await import("./compare/index.ts")).ownChecks(contract),
} satisfies Service;
