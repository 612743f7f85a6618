import type { ControlOperation, DefinedOperation } from "./operation.ts";

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
    load: async () => (await import("./server.ts")).serverOperations,
  },
  { tag: "server", paths: ["/ui", "/docs"], load: async () => (await import("./pages.ts")).pageOperations },
  {
    tag: "projects",
    paths: ["/projects", "/projects/*", "/projects/*/reset"],
    load: async () => (await import("./projects.ts")).projectOperations,
  },
  {
    tag: "archive",
    paths: ["/projects/*/archive"],
    load: async () => (await import("./archive.ts")).archiveOperations,
  },
  {
    tag: "state",
    paths: ["/projects/*/state", "/projects/*/rewind"],
    load: async () => (await import("./state.ts")).stateOperations,
  },
  {
    tag: "state",
    paths: ["/projects/*/namespace-action"],
    load: async () => (await import("./namespace-action.ts")).namespaceActionOperations,
  },
  {
    tag: "resources",
    paths: ["/projects/*/resources"],
    load: async () => (await import("./resources.ts")).resourceOperations,
  },
  { tag: "images", paths: ["/projects/*/images"], load: async () => (await import("./images.ts")).imageOperations },
  {
    tag: "snapshots",
    paths: ["/projects/*/snapshots"],
    load: async () => (await import("./snapshots.ts")).snapshotOperations,
  },
  {
    tag: "scenarios",
    paths: ["/scenarios", "/projects/*/scenarios", "/projects/*/rules"],
    load: async () => (await import("./scenarios.ts")).scenarioOperations,
  },
  {
    tag: "settings",
    paths: ["/projects/*/settings"],
    load: async () => (await import("./settings.ts")).settingsOperations,
  },
  { tag: "clock", paths: ["/projects/*/clock"], load: async () => (await import("./clock.ts")).clockOperations },
  { tag: "tokens", paths: ["/projects/*/tokens"], load: async () => (await import("./tokens.ts")).tokenOperations },
  {
    tag: "journal",
    paths: ["/requests", "/projects/*/requests"],
    load: async () => (await import("./find-requests.ts")).findOperations,
  },
  {
    tag: "journal",
    paths: ["/requests/timeline", "/projects/*/requests/timeline"],
    load: async () => (await import("./timeline.ts")).timelineOperations,
  },
  {
    tag: "journal",
    paths: ["/projects/*/requests/verify", "/projects/*/requests/wait"],
    load: async () => (await import("./verify-requests.ts")).verifyOperations,
  },
  {
    tag: "journal",
    paths: ["/coverage", "/projects/*/coverage"],
    load: async () => (await import("./coverage.ts")).coverageOperations,
  },
  {
    tag: "events",
    paths: ["/events", "/projects/*/events"],
    load: async () => (await import("./events.ts")).eventOperations,
  },
  {
    tag: "pact",
    paths: ["/projects/*/pact"],
    load: async () => (await import("./pact.ts")).pactOperations,
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
