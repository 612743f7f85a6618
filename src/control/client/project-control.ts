import type { RequestEntry, Verdict, Verification } from "../../journal/index.ts";
import type { AddAnyFunction } from "../../rules/index.ts";
import {
  NAME_RULE,
  type RecordDraft,
  type ResourceRecord,
  SANDBOX_NAME,
  type StateDocument,
  sandboxKey,
} from "../../state/index.ts";
import type { Clock, Generate, ResourceVersion } from "../index.ts";
import { type Connection, type ControlRequest, callControl, control, controlList, path } from "./connection.ts";
import { openEvents } from "./event-stream.ts";
import type { Condition, ProjectControl, SandboxControl } from "./project-types.ts";
import { requestSearch } from "./request-search.ts";

/** A failed verification. The message shows the nearest requests and their differences. */
export class VerificationError extends Error {
  override readonly name = "VerificationError";
  readonly verdict: Verdict & { pass: false };

  constructor(verdict: Verdict & { pass: false }) {
    super(verdict.message);
    this.verdict = verdict;
  }
}

/** A project and the connection to its mock. Each call reads both again, so they may change between calls. */
export interface Target {
  readonly connection: Connection;
  readonly key: string;
}

/** Returns the controls of a sandbox of this project. Throws TypeError for an invalid name. */
function sandboxControl(project: Target, name: string): SandboxControl {
  // Without types, a missing name would otherwise become the sandbox "undefined", which all such tests share.
  if (typeof name !== "string" || !SANDBOX_NAME.test(name)) {
    throw new TypeError(`sandbox: expected a name of ${NAME_RULE}, found ${JSON.stringify(name)}`);
  }
  const target: Target = {
    get connection() {
      return project.connection;
    },
    get key() {
      return sandboxKey(project.key, name);
    },
  };
  return Object.assign(projectControl(target, project), {
    name,
    headers: { "Mock-Sandbox": name },
    baggage: { baggage: `mock-sandbox=${name}` },
  });
}

/**
 * Returns the controls of a project.
 *
 * @param plain the project whose key is in the path of requests; another one if `target` is its sandbox
 */
export function projectControl(target: Target, plain = target): ProjectControl {
  type Method = ControlRequest["method"];
  type Rest = Omit<ControlRequest, "method" | "path">;
  const pathOf = (below: string) => path`/projects/${target.key}` + below;
  const call = <T>(method: Method, below: string, rest?: Rest): Promise<T> =>
    control<T>(target.connection, { ...rest, method, path: pathOf(below) });
  const get = <T>(below: string) => call<T>("GET", below);
  const list = <T>(name: string, query?: ControlRequest["query"]): Promise<T[]> =>
    controlList<T>(target.connection, pathOf(`/${name}`), name, query);
  const setClock = (body: object) => call<Clock>("PUT", "/clock", { body });

  function seed(resource: RecordDraft): Promise<ResourceRecord>;
  function seed(resources: readonly RecordDraft[] | Generate): Promise<ResourceRecord[]>;
  async function seed(body: object): Promise<unknown> {
    const response = await call<{ resources?: unknown }>("POST", "/resources", { body });
    return Array.isArray(body) || "generate" in body ? response.resources : response;
  }

  const verify = (expectation: Verification) =>
    call<Verdict>("POST", "/requests/verify", { body: expectation, accept: [422] });
  const deleteProject = () => call<void>("DELETE", "");

  return {
    get key() {
      return target.key;
    },
    get baseUrl() {
      return plain.connection.url + path`/${plain.key}`;
    },
    sandbox: (name) => sandboxControl(plain, name),
    summary: () => get(""),

    seed,
    resources: {
      list: ({ key, q, where, sort } = {}) => list("resources", { key, q, where, sort }),
      get: (id) => get(path`/resources/${id}`),
      async getTagged(id) {
        const response = await callControl(target.connection, { method: "GET", path: pathOf(path`/resources/${id}`) });
        return { resource: (await response.json()) as ResourceRecord, tag: response.headers.get("ETag") ?? "" };
      },
      async history(id) {
        const { versions } = await get<{ versions: ResourceVersion[] }>(path`/resources/${id}/history`);
        return versions;
      },
      put: (id, body, condition) => call("PUT", path`/resources/${id}`, { body, headers: headersOf(condition) }),
      delete: (id, condition) => call("DELETE", path`/resources/${id}`, { headers: headersOf(condition) }),
    },
    images: {
      list: () => list("images"),
      async get(id) {
        const response = await callControl(target.connection, { method: "GET", path: pathOf(path`/images/${id}`) });
        return response.blob();
      },
      add: (body) => call("POST", "/images", { body }),
      delete: (id) => call("DELETE", path`/images/${id}`),
    },
    namespaceAction: {
      get: () => get("/namespace-action"),
      set: (body) => call("PUT", "/namespace-action", { body: { body } }),
      clear: () => call("DELETE", "/namespace-action"),
    },
    state: {
      export: () => get("/state"),
      at: (request, side = "before") => call("GET", "/state", { query: { [side]: request } }),
      import: (state) => call("PUT", "/state", documentOrLines(state)),
      fork: (from) => call("PUT", "/state", { body: { from } }),
    },
    snapshot: (name) => call("POST", "/snapshots", { body: { name } }),
    restore: (name) => call("POST", path`/snapshots/${name}/restore`),
    snapshots: {
      list: () => list("snapshots"),
      delete: (name) => call("DELETE", path`/snapshots/${name}`),
    },
    rewind(to, side) {
      if (typeof to === "number") return call("POST", "/rewind", { body: { moment: to } });
      return call("POST", path`/requests/${to}/rewind`, { body: { to: side } });
    },

    use: (scenario, body) => call("PUT", path`/scenarios/${scenario}`, { body }),
    rule: (body) => call("POST", "/rules", { body }),
    handle(...added: Parameters<AddAnyFunction>) {
      const { addFunction } = target.connection;
      if (addFunction) return addFunction(target.key, ...added);
      throw new Error(
        "handle: expected a mock in this process (startResourceMock, createResourceMock), found one over HTTP. Use rule() instead.",
      );
    },
    scenarios: {
      list: ({ forAll } = {}) => list("scenarios", { forAll }),
      off: (name) => call("DELETE", path`/scenarios/${name}`),
    },
    rules: {
      list: () => list("rules"),
      remove: (id) => call("DELETE", path`/rules/${id}`),
      clear: () => call("DELETE", "/rules"),
    },
    settings: {
      get: () => get("/settings"),
      set: (body) => call("PATCH", "/settings", { body }),
    },
    clock: {
      get: () => get("/clock"),
      set: (now) => setClock({ now }),
      freeze: (now) => setClock({ now, frozen: true }),
      resume: () => setClock({ frozen: false }),
      advance: (milliseconds) => setClock({ advance: milliseconds }),
    },
    token: (body) => call("POST", "/tokens", { body }),
    tokens: {
      list: () => list("tokens"),
      revoke: (token) => call("DELETE", path`/tokens/${token}`),
    },

    requests: {
      ...requestSearch(target, () => pathOf("/requests")),
      get: (id) => get(path`/requests/${id}`),
      async wait(match, { count, timeout, signal } = {}) {
        const body = { match, count, timeout };
        const { requests } = await call<{ requests: RequestEntry[] }>("POST", "/requests/wait", { body, signal });
        return requests;
      },
      clear: () => call("DELETE", "/requests"),
    },
    verify,
    async assertReceived(match, times) {
      const verdict = await verify({ match, ...times });
      if (!verdict.pass) throw new VerificationError(verdict);
    },
    coverage: () => get("/coverage"),
    pact({ consumer, provider, as }) {
      const request = { method: "GET", path: pathOf("/pact"), query: { consumer, provider, as } } as const;
      return control(target.connection, request);
    },
    events: (options) => openEvents(target.connection, pathOf("/events"), options),

    archive: async () => (await callControl(target.connection, { method: "GET", path: pathOf("/archive") })).text(),
    restoreArchive: (archive) => call("PUT", "/archive", documentOrLines(archive)),
    fork: (from) => call("PUT", "/archive", { body: { from } }),
    reset: () => call("POST", "/reset"),
    delete: deleteProject,
    [Symbol.asyncDispose]: deleteProject,
  };
}

/** Without types, a test can confuse a state and an archive. The mock names the call that takes it. */
function documentOrLines(value: StateDocument | string): Pick<ControlRequest, "body" | "lines"> {
  return typeof value === "string" ? { lines: value } : { body: value };
}

function headersOf({ ifMatch }: Condition = {}): Record<string, string> {
  return ifMatch === undefined ? {} : { "If-Match": ifMatch };
}
