import type { OperationId } from "../contract/contract.ts";
import type { Schema } from "../contract/schema.ts";
import { loadCheck } from "../contract/validator.ts";
import { createCreated, isDraft } from "./created.ts";
import { needs, orSkipped, Skip } from "./outcome.ts";
import { currentVersionIn, idIn, type Reply, resultsIn, versionIn } from "./reply.ts";
import { createRequests, operationOf, type RequestsOptions, type Sent } from "./requests.ts";
import { type Draft, doSomeThing, draftOf, images, sampleOf } from "./samples.ts";

/** Every resource of a run has this prefix in its content, followed by the run and a number. */
const PREFIX = "resource-mock-verify";

export interface ServiceOptions extends Omit<RequestsOptions, "onSent"> {
  /** The id and the key of a resource that exists already, for reads. */
  readonly resourceId?: string;
  readonly resourceKey?: string;
  /** Distinguishes the resources of this run. */
  readonly run: string;
}

/** A resource of this run, with a known id. */
export interface Owned {
  readonly id: string;
  /** The version after its creation; undefined if the service does not say it. */
  readonly version: number | undefined;
  /** The draft that created it; undefined if the service created the resource by itself when it was read. */
  readonly draft: Draft | undefined;
}

/** A valid request, and the resource that it changes. */
interface Prepared extends Sent {
  readonly resource?: Owned;
}

/** A response, with its request if a check judges both. `resource`: the resource before the request. */
export interface Exchange extends Prepared {
  readonly reply: Reply;
}

/** The service that a run verifies: requests, and the resources that checks need. */
export type Service = ReturnType<typeof createService>;

export function createService(options: ServiceOptions) {
  const { contract, target, projectKey, tokens, secrets, readOnly, run } = options;
  const prefix = `${PREFIX}-${run}`;
  const created = createCreated(prefix, secrets);
  const requests = createRequests({ ...options, onSent: created.note });
  const valids = new Map<OperationId, Promise<Exchange>>();
  let numbers = 0;

  /** Returns a name of this run that no other resource has. */
  function newName(): string {
    return `${prefix}-${++numbers}`;
  }

  /** Returns the draft of a new resource. Its texts are a name of this run, and then the labels. */
  function draft(more: Readonly<Record<string, unknown>> = {}, ...labels: string[]): Draft {
    return draftOf([newName(), ...labels], more);
  }

  /** Prepares a valid request to each operation that needs more than its path. Throws Skip. */
  const prepare: { readonly [Id in OperationId]?: () => Promise<Prepared> | Prepared } = {
    getResourceById: async () => ({ path: { id: (await shared()).id } }),
    getResourceByKey: async () => ({ path: { key: await knownKey() } }),
    checkResourceExists: async () => {
      await shared();
      return {};
    },
    createResource: () => ({ json: draft() }),
    overwriteResource: overwrite,
    createOrOverwriteResource: overwrite,
    runComplexOperation: () => ({
      path: { uriParameterOne: "one", uriParameterTwo: "two" },
      json: sampleOf(operationOf(contract, "runComplexOperation").body?.schema ?? {}),
    }),
    updateResource: async () => {
      const resource = await fresh();
      const version = await versionOf(resource);
      return { resource, path: { id: resource.id }, json: { version, actions: [doSomeThing] } };
    },
    deleteResource: async () => {
      const resource = await fresh();
      return { resource, path: { id: resource.id } };
    },
    uploadImage: () => ({
      body: images["image/png"],
      type: "image/png",
      query: [["filename", `${newName()}.png`]],
    }),
  };

  /** PUT and PATCH overwrite the last written resource. Creates one first, so that they overwrite no other resource. */
  async function overwrite(): Promise<Prepared> {
    const content = draft();
    const reply = await send("createResource", { json: content });
    needs(reply.isOk, `a resource of its own to overwrite; ${reply.seen}`);
    const id = idIn(reply);
    needs(id !== undefined, "createResource to return an id");
    return { json: draft(), resource: { id, version: versionIn(reply), draft: content } };
  }

  /** Prepares a valid request to an operation. */
  async function prepared(id: OperationId): Promise<Prepared> {
    return (await prepare[id]?.()) ?? {};
  }

  /** Sends a valid request to an operation. `more` overrides its parts, and its query parameters by name. Throws Skip. */
  async function sendValid(id: OperationId, more: Sent = {}): Promise<Exchange> {
    const { body, json, query = [], resource, ...valid } = await prepared(id);
    const own = "json" in more || "body" in more ? {} : { body, json };
    const added = more.query ?? [];
    const kept = query.filter(([name]) => !added.some(([other]) => other === name));
    const sent = { ...valid, ...own, ...more, query: [...kept, ...added] };
    return { ...sent, resource, reply: await send(id, sent) };
  }

  /** Returns a valid request to an operation and its response, which many checks judge. It is sent once. Throws Skip. */
  function valid(id: OperationId): Promise<Exchange> {
    const known = valids.get(id) ?? newValid(id);
    valids.set(id, known);
    return known;
  }

  async function newValid(id: OperationId): Promise<Exchange> {
    if (id === "updateResource") return await update(await fresh(), [doSomeThing]);
    if (id !== "createResource") return await sendValid(id);
    const json = draft();
    return { json, reply: await requests.send(id, { json }) };
  }

  /** Sends a request to an operation. The first valid draft decides whether the run creates further resources. Throws Skip. */
  async function send(id: OperationId, sent: Sent = {}): Promise<Reply> {
    const operation = operationOf(contract, id);
    if (isDraft(operation)) await orSkipped(valid("createResource"), () => undefined);
    created.ensureIdsShown(operation, sent);
    return await requests.send(id, sent);
  }

  /**
   * Creates a resource with a known id. Any 2xx counts. If the response contains no id, reads an unknown id, because some
   * services create the resource then. Throws Skip if neither works.
   */
  async function fresh(content: Draft = draft()): Promise<Owned> {
    let reason = "needs createResource to return an id";
    if (!readOnly) {
      const reply = await orSkipped(send("createResource", { json: content }), (why) => why);
      if (typeof reply === "string") reason = reply;
      else if (!reply.isOk) reason = `needs a resource; ${reply.seen}`;
      else {
        const id = idIn(reply);
        if (id !== undefined && (await areIdsUsable())) return { id, version: versionIn(reply), draft: content };
        if (id !== undefined) reason = "needs createResource to return an id that other operations find";
      }
      const id = newName();
      const read = await send("getResourceById", { path: { id } });
      if (read.isOk) return { id, version: versionIn(read), draft: undefined };
    }
    throw new Skip(reason);
  }

  /** Whether another operation finds a resource by the id in the response to its creation. */
  const areIdsUsable = once(async (): Promise<boolean> => {
    const { reply } = await valid("createResource");
    const id = idIn(reply);
    if (!reply.isOk || id === undefined) return false;
    const path = { id };
    const json = { version: versionIn(reply), actions: [doSomeThing] };
    const attempts = [["getResourceById"], ["updateResource", json], ["deleteResource"]] as const;
    for (const [operation, body] of attempts) {
      const found = await orSkipped(send(operation, { path, json: body }), () => undefined);
      if (found?.isOk) return true;
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
    if ((await hasKey(key)) === true && (await hasKey(`${prefix}-absent`)) === false) return key;
    if ((await send("getResourceByKey", { path: { key } })).isOk) return key;
    throw new Skip("needs the key of a resource: pass --resource-key");
  });

  /** Returns whether a query finds a resource with this key; undefined if the service does not say it. */
  async function hasKey(key: string): Promise<boolean | undefined> {
    const query = [["where", `key = ${JSON.stringify(key)}`]] as const;
    const reply = await orSkipped(send("queryWithSortedParameters", { query }), () => undefined);
    const results = reply && resultsIn(reply);
    return results && results.length > 0;
  }

  function exampleOf(id: OperationId, name: string): string {
    return contract.find(id)?.parameters.find((parameter) => parameter.name === name)?.example ?? "";
  }

  /**
   * Updates a resource with its version, and again if the service names another version as the current one. Returns the last
   * response, and the resource with the version of the request.
   */
  async function update(resource: Owned, actions: readonly unknown[]): Promise<Exchange> {
    const attempt = async (version: number): Promise<Exchange> => {
      const sent = { path: { id: resource.id }, json: { version, actions } };
      return { ...sent, resource: { ...resource, version }, reply: await send("updateResource", sent) };
    };
    const version = await versionOf(resource);
    const first = await attempt(version);
    if (first.reply.status !== 409) return first;
    const current = currentVersionIn(first.reply) ?? (await readVersion(resource.id)) ?? version;
    return current === version ? first : await attempt(current);
  }

  /** Returns the version of a resource. Throws Skip if the service says it neither at its creation nor when it is read. */
  async function versionOf(resource: Owned): Promise<number> {
    const version = resource.version ?? (await readVersion(resource.id));
    needs(version !== undefined, "the version of a resource");
    return version;
  }

  /** Returns the version of a resource when it is read; undefined if the service does not say it. */
  async function readVersion(id: string): Promise<number | undefined> {
    return versionIn(await send("getResourceById", { path: { id } }));
  }

  /** Deletes the resources of this run. Returns those that remain, with the reason. */
  function cleanUp(): Promise<string[]> {
    requests.resume();
    return created.cleanUp((id) => send("deleteResource", { path: { id } }));
  }

  /** Returns the first problem of a value by a schema, without secrets. */
  async function problemOf(schema: Schema, value: unknown): Promise<string | undefined> {
    const check = await loadCheck(schema);
    if (check(value).length === 0) return undefined;
    // The messages contain parts of values, so they come from a value without secrets.
    const [first] = check(secrets.redactValue(value));
    return first ? `${first.pointer || "the body"}: ${first.message}` : "the body";
  }

  return {
    contract,
    projectKey,
    tokens,
    secrets,
    observations: requests.observations,
    prefix,
    /** The path before the project key, encoded. */
    project: `/${encodeURIComponent(projectKey)}`,
    basePath: target.url.pathname.replace(/\/$/, ""),
    newName,
    send,
    sendTo: requests.sendTo,
    prepared,
    sendValid,
    valid,
    draft,
    fresh,
    knownKey,
    update,
    versionOf,
    readVersion,
    cleanUp,
    problemOf,
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
