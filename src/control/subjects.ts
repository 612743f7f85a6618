import type { ControlOperation, DefinedOperation } from "./define-operation.ts";

/** A module with operations by id, which load with their first call, because most processes call few of them. */
type Subject = readonly [
  tag: string,
  /** The first segments of all their paths, below `/__admin`. A `*` is any project key. */
  paths: readonly string[],
  load: () => Promise<{ readonly operations: Readonly<Record<string, DefinedOperation>> }>,
];

const table: readonly Subject[] = [
  [
    "server",
    ["/health", "/ca.pem", "/contract.json", "/openapi.json", "/reset", "/ui", "/docs"],
    () => import("./server-operations.ts"),
  ],
  ["projects", ["/projects", "/projects/*", "/projects/*/reset"], () => import("./project-operations.ts")],
  ["archive", ["/projects/*/archive"], () => import("./archive-operations.ts")],
  ["state", ["/state", "/rewind", "/namespace-action"].map(inProject), () => import("./state-operations.ts")],
  ["resources", ["/types", "/resources"].map(inProject), () => import("./resource-operations.ts")],
  ["images", ["/projects/*/images"], () => import("./image-operations.ts")],
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
  ["journal", ["/projects/*/requests/verify"], () => import("./verify-requests.ts")],
  ["journal", ["/projects/*/requests/wait"], () => import("./wait-for-requests.ts")],
  ["journal", ["/coverage", "/projects/*/coverage"], () => import("./coverage-operations.ts")],
  ["events", ["/events", "/projects/*/events"], () => import("./event-operations.ts")],
  ["pact", ["/projects/*/pact"], () => import("./pact-operations.ts")],
  ["pact", ["/provider-states"], () => import("./provider-states.ts")],
];

function inProject(path: string): string {
  return `/projects/*${path}`;
}

/** The subjects of the control API. */
export const subjects = table.map(([tag, paths, load]) => ({
  paths,
  async load(): Promise<readonly ControlOperation[]> {
    const { operations } = await load();
    return Object.entries(operations).map(([id, operation]) => Object.assign(operation, { id, tag }));
  },
}));

/** Loads all operations of the control API. */
export async function loadOperations(): Promise<readonly ControlOperation[]> {
  return (await Promise.all(subjects.map(({ load }) => load()))).flat();
}
