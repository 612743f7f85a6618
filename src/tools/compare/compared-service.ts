import { randomUUID } from "node:crypto";
import { loadCheck, type OperationId, type Schema, type ServiceOperation } from "../../contract/index.ts";
import type { CompareOptions } from "./compare.ts";
import type { Secrets, Tokens } from "./credentials.ts";
import { type Content, type Draft, doSomeThing, draftOf, images, sampleOf } from "./samples.ts";
import {
  createRequests,
  errorIn,
  idIn,
  isRead,
  needs,
  type Reply,
  type Sent,
  Skip,
  versionIn,
} from "./service-requests.ts";

/** A resource of this run. */
interface Owned {
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

/** The parts of a request that differ from a valid one. `draft`: the content of a new draft in the body. */
export interface Change extends Sent {
  readonly draft?: Content;
}

/** The service that a run compares with the mock: requests, and the resources that checks need. */
export type ComparedService = ReturnType<typeof createService>;

export function createService(options: CompareOptions, tokens: Tokens, secrets: Secrets) {
  const { contract, upstream, project, readOnly } = options;
  // Every resource of a run has this prefix in its content, followed by a number.
  const prefix = `resource-mock-compare-${randomUUID().slice(0, 8)}`;
  const { observations, sendTo, resume } = createRequests(options, tokens, secrets);
  const results = new Map<string, Promise<unknown>>();
  let numbers = 0;
  /** The ids of the resources of this run. */
  const ids = new Set<string>();
  /** The names in drafts whose resources are unknown, as no reply arrived or it showed no id. */
  const unknown: string[] = [];
  /** The kinds of requests whose replies show no id of a new resource. */
  const hiding = new Set<string>();

  /** Returns a name of this run that no other resource has. */
  function newName(): string {
    return `${prefix}-${++numbers}`;
  }

  /** Returns the draft of a new resource. Its texts are a name of this run, and then the labels. */
  function draft(content: Content = {}, ...labels: string[]): Draft {
    return draftOf([newName(), ...labels], content);
  }

  /** Returns the result of a function that runs once in the run, at the first call with this name. */
  function once<T>(name: string, load: () => Promise<T>): Promise<T> {
    const result = (results.get(name) as Promise<T> | undefined) ?? load();
    results.set(name, result);
    return result;
  }

  function operationOf(id: OperationId): ServiceOperation {
    const operation = contract.find(id);
    if (!operation) throw new Error(`unknown operation ${id}`);
    return operation;
  }

  const ofFresh = async () => {
    const resource = await fresh();
    return { resource, path: { id: resource.id } };
  };
  // PUT and PATCH overwrite the last written resource, so that it has to be one of this run.
  const overwriting = async () => ({ resource: await fresh(), json: draft() });

  /** Valid requests to the operations that need more than their path. */
  const preparing: { readonly [Id in OperationId]?: () => Promise<Prepared> | Prepared } = {
    getResourceById: async () => ({ path: { id: await known("id", options.resourceId) } }),
    getResourceByKey: async () => ({ path: { key: await known("key", options.resourceKey) } }),
    checkResourceExists: async () => {
      await known("id", options.resourceId);
      return {};
    },
    createResource: () => ({ json: draft() }),
    overwriteResource: overwriting,
    createOrOverwriteResource: overwriting,
    runComplexOperation: () => ({
      path: { uriParameterOne: "one", uriParameterTwo: "two" },
      json: sampleOf(operationOf("runComplexOperation").body?.schema ?? {}),
    }),
    updateResource: async () => {
      const { resource, path } = await ofFresh();
      return { resource, path, json: { version: await versionOf(resource), actions: [doSomeThing] } };
    },
    deleteResource: ofFresh,
    uploadImage: () => ({ body: images["image/png"], type: "image/png", query: [["filename", `${newName()}.png`]] }),
  };

  /** Prepares a valid request to an operation. Throws Skip without the resource that it needs. */
  async function prepared(id: OperationId): Promise<Prepared> {
    return (await preparing[id]?.()) ?? {};
  }

  /** Sends a valid request to an operation. The change overrides its parts, and its query parameters by name. */
  async function sendValid(id: OperationId, { draft: content, ...changed }: Change = {}): Promise<Exchange> {
    const { body, json, query = [], resource, ...valid } = await prepared(id);
    const change: Sent = content ? { ...changed, json: draft(content) } : changed;
    const own = "json" in change || "body" in change ? {} : { body, json };
    const added = change.query ?? [];
    const kept = query.filter(([name]) => !added.some(([other]) => other === name));
    const sent = { ...valid, ...own, ...change, query: [...kept, ...added] };
    return { ...sent, resource, reply: await send(id, sent) };
  }

  /** Returns a valid request to an operation and its response, which many checks judge. Sent once. Throws Skip. */
  function valid(id: OperationId): Promise<Exchange> {
    return once(`valid ${id}`, async () => {
      if (id === "updateResource") return await update(await fresh(), [doSomeThing]);
      if (id !== "createResource") return await sendValid(id);
      const json = draft();
      return { json, reply: await sendOnce(operationOf(id), { json }) };
    });
  }

  /** Sends a request to an operation. Throws Skip if the response is missing or is not JSON. */
  async function send(id: OperationId, sent: Sent = {}): Promise<Reply> {
    const operation = operationOf(id);
    if (isDraft(operation)) {
      // The first valid draft decides whether the run creates further resources.
      await valid("createResource").catch(ignoreSkip);
      const kind = kindOf(operation, sent);
      if (hiding.has(kind))
        throw new Skip(`${kind} showed no id of its new resource, so the run creates no others with it`);
    }
    return await sendOnce(operation, sent);
  }

  async function sendOnce(operation: ServiceOperation, sent: Sent): Promise<Reply> {
    const { path = {}, query = [] } = sent;
    const filled = operation.path.replace(/\{(\w+)\}/g, (_match, name: string) =>
      encodeURIComponent(name === "projectKey" ? project : (path[name] ?? "")),
    );
    const text = query.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join("&");
    const target = text === "" ? filled : `${filled}?${text}`;
    return await sendTo(operation.method, target, sent, (reply) => note(operation, sent, reply));
  }

  /** Notes the resource that a request has created or deleted. `reply`: undefined if no reply arrived. */
  function note(operation: ServiceOperation, sent: Sent, reply?: Reply): void {
    const { id } = sent.path ?? {};
    if (isDraft(operation)) {
      const found = reply && idIn(reply);
      // A version above 1 belongs to an overwritten resource, whose id is known since its creation.
      const isNew = reply?.isOk && (operation.method === "POST" || !((versionIn(reply) ?? 1) > 1));
      const isHidden = isNew && found === undefined;
      if (isHidden) hiding.add(kindOf(operation, sent));
      if (isHidden || (!reply && !sent.isInvalid)) unknown.push(nameIn(sent));
      if (reply?.isOk && found !== undefined) ids.add(found);
    }
    if (id === undefined || !reply?.isOk) return;
    // Some services create a resource at the first use of its id.
    if (operation.method === "DELETE") ids.delete(id);
    else if (id.startsWith(prefix)) ids.add(id);
  }

  /** Creates a resource. Any 2xx counts. Throws Skip if other operations do not find it by its id. */
  async function fresh(content: Draft = draft()): Promise<Owned> {
    const reply = await send("createResource", { json: content });
    needs(reply.isOk, `a resource; ${reply.seen}`);
    const id = idIn(reply);
    needs(id !== undefined && (await find()).reply.isOk, "createResource to return an id that operations find");
    return { id, version: versionIn(reply), draft: content };
  }

  /**
   * Reads the first resource by its id. If the response does not have its content, updates and then deletes it, as
   * these responses may do so. Returns the first response with the content, or else the first success.
   */
  function find(): Promise<Exchange> {
    return once("find", async () => {
      const { reply, json } = await valid("createResource");
      const path = { id: idIn(reply) ?? "" };
      needs(path.id !== "", `the id of a resource; ${reply.seen}`);
      const update = { path, json: { version: versionIn(reply), actions: [doSomeThing] } };
      let found: Reply | undefined;
      for (const [id, sent] of [["getResourceById"], ["updateResource", update], ["deleteResource"]] as const) {
        const next = await send(id, sent ?? { path }).catch(ignoreSkip);
        if (next && containsName(next, json)) return { json, reply: next };
        if (!found?.isOk) found = next ?? found;
      }
      needs(found !== undefined, "a response");
      return { json, reply: found };
    });
  }

  /** Returns the id or key of a resource for reads: a given one, a new one, or that of the contract. */
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
    const named = errorIn(first.reply)?.currentVersion;
    const current = typeof named === "number" ? named : ((await readVersion(resource.id)) ?? version);
    return current === version ? first : await attempt(current);
  }

  /** Returns the version of a resource. Throws Skip if the service says it neither at its creation nor in a read. */
  async function versionOf(resource: Owned): Promise<number> {
    const version = resource.version ?? (await readVersion(resource.id));
    needs(version !== undefined, "the version of a resource");
    return version;
  }

  async function readVersion(id: string): Promise<number | undefined> {
    return versionIn(await send("getResourceById", { path: { id } }));
  }

  /** Deletes a resource. Returns why it remains, or undefined. */
  async function whyLeft(id: string): Promise<string | undefined> {
    try {
      const { isOk, status, seen } = await send("deleteResource", { path: { id } });
      return isOk || status === 404 ? undefined : seen;
    } catch (error) {
      ignoreSkip(error);
      return `${secrets.redact(id)}: ${(error as Skip).message}`;
    }
  }

  /** Deletes the resources of this run. Returns those that remain, with the reason. */
  async function cleanUp(): Promise<string[]> {
    resume();
    const left = unknown.map((name) => `${name}: the service returned no id`);
    for (const id of [...ids]) {
      // The second attempt is for a failure that passes, such as 503.
      const why = (await whyLeft(id)) && (await whyLeft(id));
      if (why !== undefined) left.push(why);
    }
    return left;
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
    ...{ contract, tokens, secrets, observations, sendTo, newName, draft, once, prepared, sendValid, valid, send },
    ...{ fresh, find, update, versionOf, readVersion, cleanUp, problemOf },
    projectKey: project,
    /** The path before the project key, encoded. */
    project: `/${encodeURIComponent(project)}`,
    basePath: upstream.pathname.replace(/\/$/, ""),
  };
}

/** Returns whether the operation writes a draft of a resource. */
function isDraft(operation: ServiceOperation): boolean {
  return operation.path === "/{projectKey}/resource" && !isRead(operation);
}

/** A service that hides the id of a valid draft can still reject invalid ones, which create nothing. */
function kindOf({ id }: ServiceOperation, { isInvalid }: Sent): string {
  return isInvalid ? `${id} with an invalid request` : id;
}

/** Returns the name of this run in a draft. */
function nameIn({ json }: Sent): string {
  const { arrayOfStringExample: texts } = (json as Partial<Draft> | undefined)?.objectTypeProperty ?? {};
  return Array.isArray(texts) && typeof texts[0] === "string" ? texts[0] : "a resource without a name of the run";
}

/** Returns whether a response contains the name in the content of a draft. */
export function containsName(reply: Reply, json: unknown): boolean {
  return reply.isOk && (JSON.stringify(reply.json)?.includes(JSON.stringify(nameIn({ json }))) ?? false);
}

function ignoreSkip(error: unknown): undefined {
  if (!(error instanceof Skip)) throw error;
}
