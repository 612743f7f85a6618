import type { ServiceControls } from "../../../control/index.ts";

/** The calls of the control API that only this service has. */
export const subjects: ServiceControls["subjects"] = [
  ["state", ["/projects/*/namespace-action"], () => import("./namespace-action.ts")],
  ["images", ["/projects/*/images"], () => import("./image-operations.ts")],
];
