import type { Schema } from "../contract/index.ts";
import type { StateForm } from "../state/index.ts";
import type { ControlOperation, DefinedOperation } from "./define-operation.ts";
import type { ProviderStateSetup } from "./provider-states.ts";

/** A group of control operations, by id. Their module is loaded with the first call, because most processes call few groups. */
export type Subject = readonly [
  tag: string,
  /** The first segments of all their paths, below `/__admin`. A `*` is any project key. */
  paths: readonly string[],
  load: () => Promise<{ readonly operations: Readonly<Record<string, DefinedOperation>> }>,
];

/** What a service adds to the control API: its subjects, and what loads with the first call that needs it. */
export interface ServiceControls {
  readonly subjects: readonly Subject[];
  load(): Promise<Controls>;
}

/** What a service adds to the calls of the control API. */
export interface Controls {
  /** The provider states of the service, by name. */
  readonly providerStates?: Readonly<Record<string, ProviderStateSetup>>;
  /** The form of a whole state, if the service has one of its own. */
  readonly stateForm?: StateForm;
  /** What the operations of each further tag are about. */
  readonly tags?: Readonly<Record<string, string>>;
  /** The schemas of these additions, for the document of the control API. */
  readonly schemas?: Readonly<Record<string, Schema>>;
}

const table: readonly Subject[] = [
  [
    "server",
    ["/health", "/ca.pem", "/contract.json", "/openapi.json", "/reset", "/ui", "/docs"],
    () => import("./server-operations.ts"),
  ],
  ["contract", ["/contract/operations", "/contract/security"], () => import("./contract-operations.ts")],
  ["projects", ["/projects", "/projects/*", "/projects/*/reset"], () => import("./project-operations.ts")],
  ["archive", ["/projects/*/archive"], () => import("./archive-operations.ts")],
  ["state", ["/state", "/rewind"].map(inProject), () => import("./state-operations.ts")],
  ["resources", ["/types", "/resources"].map(inProject), () => import("./resource-operations.ts")],
  [
    "snapshots",
    ["/projects/*/snapshots"],
    async () => ({ operations: (await import("./state-operations.ts")).snapshotOperations }),
  ],
  ["scenarios", ["/scenarios", ...["/scenarios", "/rules"].map(inProject)], () => import("./scenario-operations.ts")],
  ["settings", ["/projects/*/settings"], () => import("./settings-operations.ts")],
  [
    "clock",
    ["/projects/*/clock"],
    async () => ({ operations: (await import("./settings-operations.ts")).clockOperations }),
  ],
  ["tokens", ["/projects/*/tokens"], () => import("./token-operations.ts")],
  ["journal", ["/requests", "/projects/*/requests"], () => import("./request-operations.ts")],
  ["journal", ["/requests/verify", "/verifications"].map(inProject), () => import("./verify-requests.ts")],
  ["journal", ["/projects/*/requests/wait"], () => import("./wait-for-requests.ts")],
  ["journal", ["/coverage", "/projects/*/coverage"], () => import("./coverage-operations.ts")],
  ["events", ["/events", "/projects/*/events"], () => import("./event-operations.ts")],
  ["pact", ["/projects/*/pact"], () => import("./pact-operations.ts")],
  ["pact", ["/provider-states"], () => import("./provider-states.ts")],
];

function inProject(path: string): string {
  return `/projects/*${path}`;
}

/** Returns the subjects of the control API, and those that a service adds. */
export function subjectsOf({ subjects = [] }: Partial<Pick<ServiceControls, "subjects">>) {
  return [...table, ...subjects].map(([tag, paths, load]) => ({
    paths,
    async load(): Promise<readonly ControlOperation[]> {
      const { operations } = await load();
      return Object.entries(operations).map(([id, operation]) => Object.assign(operation, { id, tag }));
    },
  }));
}

export async function loadOperations(controls: Partial<Pick<ServiceControls, "subjects">>) {
  return (await Promise.all(subjectsOf(controls).map(({ load }) => load()))).flat();
}
