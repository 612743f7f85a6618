import type { ControlOperation, DefinedOperation } from "./define-operation.ts";

type Operations = Readonly<Record<string, DefinedOperation>>;

/** Operations that load together. */
interface Subject<Loaded> {
  /** The first segments of all their paths, below `/__admin`. A `*` is any project key. */
  readonly paths: readonly string[];
  load(): Promise<Loaded>;
}

/** The operations by id, with their tag. They load with their first call, because most processes call few of them. */
const table: readonly (Subject<Operations> & { readonly tag: string })[] = [
  {
    tag: "server",
    paths: ["/health", "/ca.pem", "/contract.json", "/openapi.json", "/reset"],
    load: async () => (await import("./server-operations.ts")).serverOperations,
  },
  { tag: "server", paths: ["/ui", "/docs"], load: async () => (await import("./page-operations.ts")).pageOperations },
  {
    tag: "projects",
    paths: ["/projects", "/projects/*", "/projects/*/reset"],
    load: async () => (await import("./project-operations.ts")).projectOperations,
  },
  {
    tag: "archive",
    paths: ["/projects/*/archive"],
    load: async () => (await import("./archive-operations.ts")).archiveOperations,
  },
  {
    tag: "state",
    paths: ["/projects/*/state", "/projects/*/rewind"],
    load: async () => (await import("./state-operations.ts")).stateOperations,
  },
  {
    tag: "state",
    paths: ["/projects/*/namespace-action"],
    load: async () => (await import("./namespace-action-operations.ts")).namespaceActionOperations,
  },
  {
    tag: "resources",
    paths: ["/projects/*/resources"],
    load: async () => (await import("./resource-operations.ts")).resourceOperations,
  },
  {
    tag: "images",
    paths: ["/projects/*/images"],
    load: async () => (await import("./image-operations.ts")).imageOperations,
  },
  {
    tag: "snapshots",
    paths: ["/projects/*/snapshots"],
    load: async () => (await import("./snapshot-operations.ts")).snapshotOperations,
  },
  {
    tag: "scenarios",
    paths: ["/scenarios", "/projects/*/scenarios", "/projects/*/rules"],
    load: async () => (await import("./scenario-operations.ts")).scenarioOperations,
  },
  {
    tag: "settings",
    paths: ["/projects/*/settings"],
    load: async () => (await import("./settings-operations.ts")).settingsOperations,
  },
  {
    tag: "clock",
    paths: ["/projects/*/clock"],
    load: async () => (await import("./clock-operations.ts")).clockOperations,
  },
  {
    tag: "tokens",
    paths: ["/projects/*/tokens"],
    load: async () => (await import("./token-operations.ts")).tokenOperations,
  },
  {
    tag: "journal",
    paths: ["/requests", "/projects/*/requests"],
    load: async () => (await import("./request-operations.ts")).findOperations,
  },
  {
    tag: "journal",
    paths: ["/requests/timeline", "/projects/*/requests/timeline"],
    load: async () => (await import("./timeline-operations.ts")).timelineOperations,
  },
  {
    tag: "journal",
    paths: ["/projects/*/requests/verify", "/projects/*/requests/wait"],
    load: async () => (await import("./verify-requests.ts")).verifyOperations,
  },
  {
    tag: "journal",
    paths: ["/coverage", "/projects/*/coverage"],
    load: async () => (await import("./coverage-operations.ts")).coverageOperations,
  },
  {
    tag: "events",
    paths: ["/events", "/projects/*/events"],
    load: async () => (await import("./event-operations.ts")).eventOperations,
  },
  {
    tag: "pact",
    paths: ["/projects/*/pact"],
    load: async () => (await import("./pact-operations.ts")).pactOperations,
  },
  {
    tag: "pact",
    paths: ["/provider-states"],
    load: async () => (await import("./provider-states.ts")).providerStateOperations,
  },
];

/** The subjects of the control API. */
export const subjects: readonly Subject<readonly ControlOperation[]>[] = table.map(({ tag, paths, load }) => ({
  paths,
  load: async () => Object.entries(await load()).map(([id, operation]) => Object.assign(operation, { id, tag })),
}));

/** Loads all operations of the control API. */
export async function loadOperations(): Promise<readonly ControlOperation[]> {
  return (await Promise.all(subjects.map(({ load }) => load()))).flat();
}
