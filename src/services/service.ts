import type { Contract } from "../contract/index.ts";
import type { ServiceControls } from "../control/index.ts";
import type { Handler } from "../engine/index.ts";
import type { FileProblem } from "../state/index.ts";
import type { OwnChecks } from "../tools/compare/index.ts";

/** A service that the mock can run: its contract, and what only this service does. */
export interface Service {
  readonly contract: Contract;
  /** The handlers of operations that their roles do not describe, by the ids of the operations. */
  readonly handlers?: Readonly<Record<string, Handler>>;
  /** What was repaired or ignored in the document that the contract comes from. */
  readonly warnings?: readonly FileProblem[];
  /** The files of this document, the given one first. */
  readonly sources?: readonly string[];
  /** Whether the files of the package were made for it. Other services have only those bundled scenarios that fit them. */
  readonly isBuiltIn?: boolean;
  /** Scenarios beside those of the package that fit the service, by the names of files. */
  readonly ownScenarios?: Readonly<Record<string, string>>;
  /** What the service adds to the control API. */
  readonly controls?: ServiceControls;
  /** Loads the checks of `compare` that only this service has. */
  readonly comparison?: () => Promise<OwnChecks>;
}
