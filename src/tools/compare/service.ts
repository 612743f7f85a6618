import { randomUUID } from "node:crypto";
import { loadCheck, type OperationId, type Schema } from "../../contract/index.ts";
import { createCreated, isDraft } from "./created.ts";
import { currentVersionIn, idIn, type Reply, type Sent, versionIn } from "./messages.ts";
import type { VerifyOptions } from "./options.ts";
import { needs, orSkipped } from "./outcome.ts";
import { createRequests, operationOf } from "./requests.ts";
import { type Draft, doSomeThing, draftOf, images, sampleOf } from "./samples.ts";
import type { Secrets } from "./secrets.ts";
import type { Tokens } from "./tokens.ts";

/** A resource of this run. */
export interface Owned {
  readonly id: string;
  /** The version after its creation; undefined if the service does not say it. */
  readonly version: number | undefined;
  readonly draft: Draft;
}

/** A valid request, and the resource that it changes. */
interface Prepared extends Sent {
  readonly resource?: Owned;
}

/** A response, with its request if a check judges both. `resource`: the resource before the request. */
export interface Exchange extends Prepared {
  readonly reply: Reply;
  /** An earlier response, to compare with. */
  readonly before?: Reply;
}

/** The service that a run verifies: requests, and the resources that checks need. */
export type Service = ReturnType<typeof createService>;

export function createService(options: VerifyOptions, tokens: Tokens, secrets: Secrets) {
  const { contract, upstream, project, readOnly } = options;
  // Every resource of a run has this prefix in its content, followed by a number.
  const prefix = `resource-mock-verify-${randomUUID().slice(0, 8)}`;
  const created = createCreated(prefix, secrets);
  const requests = createRequests(options, tokens, secrets, created);
  const results = new Map<string, Promise<unknown>>();
  let numbers = 0;

  /** Returns a name of this run that no other resource has. */
  function newName(): string {
    return `${prefix}-${++numbers}`;
  }

  /** Returns the draft of a new resource. Its texts are a name of this run, and then the labels. */
  function draft(more: Readonly<Record<string, unknown>> = {}, ...labels: string[]): Draft {
    return draftOf([newName(), ...labels], more);
  }

  /** Returns the result of a function that runs once in the run, at the first call with this name. */
  function once<T>(name: string, load: () => Promise<T>): Promise<T> {
    const result = (results.get(name) as Promise<T> | undefined) ?? load();
    results.set(name, result);
    return result;
  }

  /** Valid requests to the operations that need more than their path. */
  const preparing: { readonly [Id in OperationId]?: () => Promise<Prepared> | Prepared } = {
    getResourceById: async () => ({ path: { id: await known("id", options.resourceId) } }),
    getResourceByKey: async () => ({ path: { key: await known("key", options.resourceKey) } }),
    checkResourceExists: async () => {
      await known("id", options.resourceId);
      return {};
    },
    createResource: () => ({ json: draft() }),
    // PUT and PATCH overwrite the last written resource, so that it has to be one of this run.
    overwriteResource: async () => ({ resource: await fresh(), json: draft() }),
    createOrOverwriteResource: async () => ({ resource: await fresh(), json: draft() }),
    runComplexOperation: () => ({
      path: { uriParameterOne: "one", uriParameterTwo: "two" },
      json: sampleOf(operationOf(contract, "runComplexOperation").body?.schema ?? {}),
    }),
    updateResource: async () => {
      const resource = await fresh();
      return {
        resource,
        path: { id: resource.id },
        json: { version: await versionOf(resource), actions: [doSomeThing] },
      };
    },
    deleteResource: async () => {
      const resource = await fresh();
      return { resource, path: { id: resource.id } };
    },
    uploadImage: () => ({ body: images["image/png"], type: "image/png", query: [["filename", `${newName()}.png`]] }),
  };

  /** Prepares a valid request to an operation. Throws Skip without the resource that it needs. */
  async function prepared(id: OperationId): Promise<Prepared> {
    return (await preparing[id]?.()) ?? {};
  }

  /**
   * Sends a valid request to an operation. `more` overrides its parts, and its query parameters by name. Throws Skip.
   */
  async function sendValid(id: OperationId, more: Sent = {}): Promise<Exchange> {
    const { body, json, query = [], resource, ...valid } = await prepared(id);
    const own = "json" in more || "body" in more ? {} : { body, json };
    const added = more.query ?? [];
    const kept = query.filter(([name]) => !added.some(([other]) => other === name));
    const sent = { ...valid, ...own, ...more, query: [...kept, ...added] };
    return { ...sent, resource, reply: await send(id, sent) };
  }

  /**
   * Returns a valid request to an operation and its response, which many checks judge. It is sent once. Throws Skip.
   */
  function valid(id: OperationId): Promise<Exchange> {
    return once(`valid ${id}`, async () => {
      if (id === "updateResource") return await update(await fresh(), [doSomeThing]);
      if (id !== "createResource") return await sendValid(id);
      const json = draft();
      return { json, reply: await requests.send(id, { json }) };
    });
  }

  /**
   * Sends a request to an operation. The first valid draft decides whether the run creates further resources. Throws
   * Skip.
   */
  async function send(id: OperationId, sent: Sent = {}): Promise<Reply> {
    const operation = operationOf(contract, id);
    if (isDraft(operation)) await orSkipped(valid("createResource"), () => undefined);
    created.ensureIdsShown(operation, sent);
    return await requests.send(id, sent);
  }

  /** Creates a resource. Any 2xx counts. Throws Skip if other operations do not find it by its id. */
  async function fresh(content: Draft = draft()): Promise<Owned> {
    const reply = await send("createResource", { json: content });
    needs(reply.isOk, `a resource; ${reply.seen}`);
    const id = idIn(reply);
    needs(id !== undefined && (await once("ids", areIdsUsable)), "createResource to return an id that operations find");
    return { id, version: versionIn(reply), draft: content };
  }

  /** Whether another operation finds the first resource by the id in the response to its creation. */
  async function areIdsUsable(): Promise<boolean> {
    const { reply } = await valid("createResource");
    const path = { id: idIn(reply) ?? "" };
    const json = { version: versionIn(reply), actions: [doSomeThing] };
    for (const [operation, body] of [["getResourceById"], ["updateResource", json], ["deleteResource"]] as const) {
      const found = await orSkipped(send(operation, { path, json: body }), () => undefined);
      if (found?.isOk) return true;
    }
    return false;
  }

  /**
   * Returns the id or the key of a resource for reads, which checks share: a given one, a new one, or that of the
   * contract.
   */
  function known(name: "id" | "key", given: string | undefined): Promise<string> {
    return once(name, async () => {
      if (given !== undefined) return given;
      if (name === "id" && !readOnly) return (await fresh()).id;
      const reader = contract.readerBy(name);
      const example = reader?.parameters.find((parameter) => parameter.name === name)?.example ?? "";
      const reply = reader && (await send(reader.id, { path: { [name]: example } }));
      needs(reply !== undefined && reply.status !== 404, `the ${name} of a resource: pass --resource-${name}`);
      return example;
    });
  }

  /**
   * Updates a resource with its version, and again if the service names another version as the current one. Returns the
   * last response, and the resource with the version of the request.
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

  /**
   * Returns the version of a resource. Throws Skip if the service says it neither at its creation nor when it is read.
   */
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
    ...{ contract, tokens, secrets, prefix, observations: requests.observations, sendTo: requests.sendTo },
    ...{
      newName,
      draft,
      once,
      prepared,
      sendValid,
      valid,
      send,
      fresh,
      known,
      update,
      readVersion,
      cleanUp,
      problemOf,
    },
    versionOf,
    projectKey: project,
    /** The path before the project key, encoded. */
    project: `/${encodeURIComponent(project)}`,
    basePath: upstream.pathname.replace(/\/$/, ""),
  };
}
