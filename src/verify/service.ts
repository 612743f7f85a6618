import type { OperationId } from "../contract/contract.ts";
import type { Schema } from "../contract/schema.ts";
import { loadCheck } from "../contract/validator.ts";
import { createCreated } from "./created.ts";
import { Skip } from "./outcome.ts";
import { currentVersionIn, idIn, type Reply, resultsIn, versionIn } from "./reply.ts";
import { createRequests, type RequestsOptions } from "./requests.ts";

/** Every resource of a run has this prefix in its content, followed by the run and a number. */
const PREFIX = "resource-mock-verify";

export interface ServiceOptions extends Omit<RequestsOptions, "onSent"> {
  /** The id and the key of a resource that exists already, for reads. */
  readonly resourceId?: string;
  readonly resourceKey?: string;
  /** Distinguishes the resources of this run. */
  readonly run: string;
}

/** The response to an update, with the version in the request. */
export interface Updated extends Reply {
  readonly sentVersion: number;
}

/** A resource of this run, with a known id. */
export interface Owned {
  readonly id: string;
  /** The version after its creation; NaN if the service does not say it. */
  readonly version: number;
  /** The draft that created it; undefined if the service created the resource by itself when it was read. */
  readonly draft: Draft | undefined;
}

export interface Draft {
  readonly objectTypeProperty: { readonly arrayOfStringExample: readonly string[]; readonly [name: string]: unknown };
}

/** The service that a run verifies: requests, and the resources that checks need. */
export type Service = ReturnType<typeof createService>;

export function createService(options: ServiceOptions) {
  const { contract, target, projectKey, tokens, secrets, readOnly, run } = options;
  const prefix = `${PREFIX}-${run}`;
  const created = createCreated(prefix, secrets);
  const { observations, send, sendTo, head, resume } = createRequests({ ...options, onSent: created.note });
  let numbers = 0;

  /** Returns a name of this run that no other resource has. */
  function newName(): string {
    return `${prefix}-${++numbers}`;
  }

  /** Returns the draft of a new resource. Its strings begin with a name of this run, and then have the labels. */
  function draft(more: Readonly<Record<string, unknown>> = {}, ...labels: string[]): Draft {
    return {
      objectTypeProperty: {
        arrayOfIntExample: [3, 1, 2],
        arrayOfUniqueIntExample: [1, 2],
        arrayOfTwonumbersExample: [0.5, 1.5],
        arrayOfFloatExample: [0.25],
        arrayOfNumberNoDefaultsExample: [1],
        arrayOfObjectType: [{ integerExample: 1, integerExampleInt32: 2 }],
        ...more,
        arrayOfStringExample: [newName(), ...labels],
      },
    };
  }

  /**
   * Creates a resource with a known id. Any 2xx counts. If the response contains no id, reads an unknown id, because some
   * services create the resource then. Throws Skip if neither works.
   */
  async function fresh(content: Draft = draft()): Promise<Owned> {
    let reason = "createResource to return an id";
    if (!readOnly) {
      try {
        const reply = await send("createResource", { json: content });
        const id = idIn(reply);
        if (!reply.isOk) reason = `a resource; ${reply.seen}`;
        else if (id !== undefined) {
          if (await areIdsUsable()) return { id, version: versionIn(reply), draft: content };
          reason = "createResource to return an id that other operations find";
        }
      } catch (error) {
        if (!(error instanceof Skip)) throw error;
      }
      const id = newName();
      const reply = await send("getResourceById", { path: { id } });
      if (reply.isOk) return { id, version: versionIn(reply), draft: undefined };
    }
    throw new Skip(`needs ${reason}`);
  }

  /** Whether another operation finds a resource by the id in the response to its creation. */
  const areIdsUsable = once(async (): Promise<boolean> => {
    const created = await send("createResource", { json: draft() });
    const id = idIn(created);
    if (!created.isOk || id === undefined) return false;
    const path = { id };
    const json = { version: versionIn(created), actions: [{ action: "doSomeThing" }] };
    for (const [operation, sent] of [
      ["getResourceById", { path }],
      ["updateResource", { path, json }],
      ["deleteResource", { path }],
    ] as const) {
      try {
        if ((await send(operation, sent)).isOk) return true;
      } catch (error) {
        if (!(error instanceof Skip)) throw error;
      }
    }
    return false;
  });

  /** Returns a resource for reads only. The checks share it. */
  const shared = once(async (): Promise<Pick<Owned, "id">> => {
    if (options.resourceId !== undefined) return { id: options.resourceId };
    if (!readOnly) return await fresh();
    const id = exampleOf("getResourceById", "id");
    if ((await send("getResourceById", { path: { id } })).isOk) return { id };
    throw new Skip("needs the id of a resource: pass --resource-id");
  });

  /** Returns the key of a resource that exists. */
  const knownKey = once(async (): Promise<string> => {
    if (options.resourceKey !== undefined) return options.resourceKey;
    const key = exampleOf("getResourceByKey", "key");
    if ((await countOf(key)) > 0 && (await countOf(`${prefix}-absent`)) === 0) return key;
    if ((await send("getResourceByKey", { path: { key } })).isOk) return key;
    throw new Skip("needs the key of a resource: pass --resource-key");
  });

  /** Returns the number of resources with this key on the first page; NaN if the service does not say it. */
  async function countOf(key: string): Promise<number> {
    const where = `key = ${JSON.stringify(key)}`;
    try {
      const results = resultsIn(await send("queryWithSortedParameters", { query: [["where", where]] }));
      return results?.length ?? Number.NaN;
    } catch (error) {
      if (error instanceof Skip) return Number.NaN;
      throw error;
    }
  }

  function exampleOf(id: OperationId, name: string): string {
    return contract.find(id)?.parameters.find((parameter) => parameter.name === name)?.example ?? "";
  }

  /**
   * Updates a resource with its current version, as far as the service says it: in the response to its creation, when it is
   * read, or in the response to a stale version.
   */
  async function update(resource: Owned, actions: readonly unknown[]): Promise<Updated> {
    const attempt = async (version: number) => {
      const reply = await send("updateResource", { path: { id: resource.id }, json: { version, actions } });
      return { ...reply, sentVersion: version };
    };
    const tried = new Set<number>();
    let last: Updated | undefined;
    const versions = [() => resource.version, () => readVersion(resource.id), () => currentVersionIn(last)];
    for (const next of versions) {
      const version = await next();
      if (Number.isNaN(version) || tried.has(version)) continue;
      tried.add(version);
      last = await attempt(version);
      if (last.status !== 409) return last;
    }
    if (!last) throw new Skip("needs the version of a resource");
    return last;
  }

  /** Returns the version of a resource when it is read; NaN if the service does not say it. */
  async function readVersion(id: string): Promise<number> {
    return versionIn(await send("getResourceById", { path: { id } }));
  }

  /** Deletes the resources of this run. Returns those that remain, with the reason. */
  function cleanUp(): Promise<string[]> {
    resume();
    return created.cleanUp((id) => send("deleteResource", { path: { id } }));
  }

  /** Returns the problems of a value by a schema, without secrets. */
  async function problems(schema: Schema, value: unknown): Promise<string[]> {
    const check = await loadCheck(schema);
    if (check(value).length === 0) return [];
    // The messages contain parts of values, so they come from a value without secrets.
    const found = check(secrets.redactValue(value));
    return found.length > 0
      ? found.map(({ pointer, message }) => `${pointer || "the body"}: ${message}`)
      : ["the body"];
  }

  return {
    contract,
    projectKey,
    tokens,
    secrets,
    observations,
    prefix,
    /** The path before the project key, encoded. */
    project: `/${encodeURIComponent(projectKey)}`,
    basePath: target.url.pathname.replace(/\/$/, ""),
    newName,
    send,
    sendTo,
    head,
    draft,
    fresh,
    shared,
    knownKey,
    update,
    readVersion,
    cleanUp,
    problems,
  };
}

/** Returns the function's result. It runs once, at the first call. */
function once<T>(load: () => Promise<T>): () => Promise<T> {
  let loaded: Promise<T> | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
}
