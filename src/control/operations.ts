import { clockOperations } from "./clock.ts";
import { coverageOperations } from "./coverage.ts";
import { eventOperations } from "./events.ts";
import { findOperations } from "./find-requests.ts";
import { imageOperations } from "./images.ts";
import { namespaceActionOperations } from "./namespace-action.ts";
import type { ControlOperation, DefinedOperation } from "./operation.ts";
import { pageOperations } from "./pages.ts";
import { projectOperations } from "./projects.ts";
import { providerStateOperations } from "./provider-states.ts";
import { requestOperations } from "./requests.ts";
import { resourceOperations } from "./resources.ts";
import { scenarioOperations } from "./scenarios.ts";
import { serverOperations } from "./server.ts";
import { settingsOperations } from "./settings.ts";
import { snapshotOperations } from "./snapshots.ts";
import { stateOperations } from "./state.ts";
import { tokenOperations } from "./tokens.ts";

/** The operations of the control API, by tag and operation id. */
const table: Readonly<Record<string, Readonly<Record<string, DefinedOperation>>>> = {
  server: { ...serverOperations, ...pageOperations },
  projects: projectOperations,
  state: { ...stateOperations, ...namespaceActionOperations },
  resources: resourceOperations,
  images: imageOperations,
  snapshots: snapshotOperations,
  scenarios: scenarioOperations,
  settings: settingsOperations,
  clock: clockOperations,
  tokens: tokenOperations,
  journal: { ...findOperations, ...requestOperations, ...coverageOperations },
  events: eventOperations,
  "provider states": providerStateOperations,
};

/** Every operation of the control API. */
export const controlOperations: readonly ControlOperation[] = Object.entries(table).flatMap(([tag, operations]) =>
  Object.entries(operations).map(([id, operation]) => Object.assign(operation, { id, tag })),
);
