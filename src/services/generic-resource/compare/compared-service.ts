import { randomUUID } from "node:crypto";
import { identifierOf, loadCheck, type Operation, type Schema } from "../../../contract/index.ts";
import { type CompareOptions, needs, type Reply, Skip } from "../../../tools/compare/index.ts";
import { createRequests, idIn, isRead, type Sent, versionIn } from "./service-requests.ts";

export const doSomeThing = { action: "doSomeThing" };

export type Content = Readonly<Record<string, unknown>>;

/** The draft of a resource. The first text in its content is a name of the run. */
export interface Draft {
  readonly objectTypeProperty: Content & { readonly arrayOfStringExample: readonly string[] };
}

export interface Owned {
  readonly id: string;
  /** The version after its creation; undefined if the service does not say it. */
  readonly version: number | undefined;
  readonly draft: Draft;
}

/** A response, with its request if a check judges both. */
export interface Exchange extends Sent {
  /** The resource before the request. */
  readonly resource?: Owned;
  readonly reply: Reply;
  readonly before?: Reply;
}

/** The parts of a request that differ from a valid one. `draft`: the content of a new draft in the body. */
export interface Change extends Sent {
  readonly draft?: Content;
  /** Another operation than that of the check. */
  readonly at?: string;
  /** The query of an earlier request, whose response is compared. */
  readonly first?: string;
  /** A method and a path instead of an operation; `{project}` is the path of the project. */
  readonly to?: string;
}

/** The service that a run compares with the mock: requests, and the resources that checks need. */
export type ComparedService = ReturnType<typeof createService>;

export function createService(options: CompareOptions) {
  const { contract, upstream, project, readOnly } = options;
  // Every resource of a run has this prefix in its content, followed by a number.
  const prefix = `resource-mock-compare-${randomUUID().slice(0, 8)}`;
  const projectPath = `/${encodeURIComponent(project)}`;
  const { sendTo, resume, ...requests } = createRequests(options);
  const { secrets } = requests;
  const results = new Map<string, Promise<unknown>>();
  let numbers = 0;
  const ids = new Set<string>();
  /** The names in drafts whose resources are unknown, as no reply arrived or it showed no id. */
  const unknown: string[] = [];
  /** The kinds of requests whose replies show no id of a new resource. */
  const hiding = new Set<string>();

  const newName = () => `${prefix}-${++numbers}`;

  /** Returns the draft of a new resource. Its texts are a name of this run, and then the labels. */
  function draft(content: Content = {}, ...labels: string[]): Draft {
    const sample = sampleOf(contract.schemas.ArrayTestType ?? {}) as Content;
    return { objectTypeProperty: { ...sample, arrayOfStringExample: [newName(), ...labels], ...content } };
  }

  /** Returns the result of a function that runs once in the run, at the first call with this name. */
  function once<T>(name: string, load: () => Promise<T>): Promise<T> {
    const result = (results.get(name) as Promise<T> | undefined) ?? load();
    results.set(name, result);
    return result;
  }

  const operationOf = (id: string) => contract.find(id) as Operation;

  /** Prepares a valid request to an operation. Throws Skip without the resource that it needs. */
  async function prepared(operation: Operation): Promise<Omit<Exchange, "reply">> {
    const { method, parameters, role, body } = operation;
    const identifier = identifierOf(role);
    // PUT and PATCH overwrite the last written resource, so that it has to be one of this run.
    const isChange = identifier ? role?.does !== "read" : isDraft(operation) && method !== "POST";
    const resource = isChange ? await fresh() : undefined;
    // HEAD succeeds in a project with a resource.
    const name = identifier?.parameters[0] ?? (method === "HEAD" ? "id" : undefined);
    const examples = Object.fromEntries(parameters.map(({ name, example = "" }) => [name, example]));
    const path = { ...examples, ...(name && { [name]: resource?.id ?? (await known(name)) }) };
    if (!body?.required) return { resource, path };
    const { schema } = body;
    if (!schema) return { path, query: `filename=${newName()}.png`, body: images["image/png"], type: "image/png" };
    if (isDraft(operation)) return { resource, path, json: draft() };
    if (!resource) return { path, json: sampleOf(schema) };
    return { resource, path, json: { version: versionOf(resource), actions: [doSomeThing] } };
  }

  /** Sends a valid request to an operation. The change overrides its parts. */
  async function sendValid(ofCheck: string, all: Change = {}): Promise<Exchange> {
    const { draft: content, at: id = ofCheck, first, to, ...changed } = all;
    const before = first === undefined ? undefined : (await sendValid(id, { query: first })).reply;
    if (to !== undefined) {
      const [method = "", path = ""] = to.replace("{project}", projectPath).split(" ");
      return { reply: await sendTo(method, path, changed) };
    }
    const change: Sent = content ? { ...changed, json: draft(content) } : changed;
    // A request has one of both.
    const noJson = "body" in change && { json: undefined };
    const sent = { ...(await prepared(operationOf(id))), ...noJson, ...change };
    return { ...sent, before, reply: await send(id, sent) };
  }

  /** Returns a valid request to an operation and its response, which many checks judge. Sent once. Throws Skip. */
  function valid(id: string): Promise<Exchange> {
    return once(`valid ${id}`, async () => {
      if (id !== "createResource") return await sendValid(id);
      const json = draft();
      return { json, reply: await send(id, { json }, true) };
    });
  }

  /** Sends a request to an operation. Throws Skip if the response is missing or is not JSON. */
  async function send(id: string, sent: Sent = {}, isFirst = false): Promise<Reply> {
    const operation = operationOf(id);
    if (isDraft(operation) && !isFirst) {
      // The first valid draft decides whether the run creates further resources.
      await valid("createResource").catch(ignoreSkip);
      const kind = kindOf(operation, sent);
      const reason = `${kind} showed no id of its new resource, so the run creates no others with it`;
      if (hiding.has(kind)) throw new Skip(reason);
    }
    const path = operation.path.replace(/\{(\w+)\}/g, (_match, name: string) =>
      encodeURIComponent(name === "projectKey" ? project : (sent.path?.[name] ?? "")),
    );
    const pairs = Array.from(new URLSearchParams(sent.query), (pair) => pair.map(encodeURIComponent).join("="));
    const target = pairs.length === 0 ? path : `${path}?${pairs.join("&")}`;
    return await sendTo(operation.method, target, sent, (reply) => note(operation, sent, reply));
  }

  /** Notes the resource that a request has created or deleted. `reply`: undefined if no reply arrived. */
  function note(operation: Operation, sent: Sent, reply?: Reply): void {
    if (reply?.isOk === false) return;
    const { id } = sent.path ?? {};
    if (operation.method === "DELETE" && reply) ids.delete(id ?? "");
    // Some services create a resource at the first use of its id.
    else if (reply && id?.startsWith(prefix)) ids.add(id);
    if (!isDraft(operation)) return;
    const found = reply && idIn(reply);
    // A version above 1 belongs to an overwritten resource, whose id is known since its creation.
    const isKnown = reply ? operation.method !== "POST" && (versionIn(reply) ?? 1) > 1 : sent.isInvalid;
    if (found !== undefined) ids.add(found);
    else if (!isKnown) unknown.push(nameIn(sent));
    if (reply && found === undefined && !isKnown) hiding.add(kindOf(operation, sent));
  }

  /** Creates a resource. Any 2xx counts. Throws Skip if the service shows no id that its operations find. */
  async function fresh(content: Draft = draft()): Promise<Owned> {
    const reply = await send("createResource", { json: content });
    needs(reply.isOk, `a resource; ${reply.seen}`);
    const id = idIn(reply);
    needs(id !== undefined && (await find()).reply.isOk, "createResource to return an id that operations find");
    const version = versionIn(reply) ?? versionIn(await send("getResourceById", { path: { id } }));
    return { id, version, draft: content };
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
      const update = { version: versionIn(reply), actions: [doSomeThing] };
      const replies: Reply[] = [];
      for (const id of ["getResourceById", "updateResource", "deleteResource"] as const) {
        const next = await send(id, { path, ...(id === "updateResource" && { json: update }) }).catch(ignoreSkip);
        if (next && containsName(next, json)) return { json, reply: next };
        if (next) replies.push(next);
      }
      const found = replies.find(({ isOk }) => isOk) ?? replies.at(-1);
      needs(found !== undefined, "a response");
      return { json, reply: found };
    });
  }

  /** Returns the id or key of a resource for reads: a given one, a new one, or that of the contract. */
  function known(name: string): Promise<string> {
    return once(name, async () => {
      const given = name === "id" ? options.resourceId : options.resourceKey;
      if (given !== undefined) return given;
      if (name === "id" && !readOnly) return (await fresh()).id;
      const reader = ({ role }: Operation) => role?.does === "read" && role.by.parameters[0] === name;
      const { id, parameters } = contract.operations.find(reader) as Operation;
      const { example = "" } = parameters.find((parameter) => parameter.name === name) ?? {};
      const reply = await send(id, { path: { [name]: example } });
      needs(reply.status !== 404, `the ${name} of a resource: pass --resource-${name}`);
      return example;
    });
  }

  /** Deletes a resource. Returns the reason if it remains. */
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

  const basePath = upstream.pathname.replace(/\/$/, "");
  const resources = { newName, draft, known, fresh, find, cleanUp };
  return { ...requests, ...resources, contract, projectPath, basePath, once, sendValid, valid, send, problemOf };
}

/** Returns the version of a resource. Throws Skip if the service says it neither at its creation nor in a read. */
export function versionOf({ version }: Owned): number {
  needs(version !== undefined, "the version of a resource");
  return version;
}

function isDraft(operation: Operation): boolean {
  return operation.path === "/{projectKey}/resource" && !isRead(operation);
}

/** A service that hides the id of a valid draft can still reject invalid ones, which create nothing. */
function kindOf({ id }: Operation, { isInvalid }: Sent): string {
  return isInvalid ? `${id} with an invalid request` : id;
}

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

/** A small image of each accepted type. The first bytes are those of real images. */
export const images = {
  "image/png": Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  ),
  "image/gif": Buffer.from("R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7", "base64"),
  "image/jpeg": Buffer.from(
    "/9j/4AAQSkZJRgABAQAAAQABAAD/2wBDAAMCAgICAgMCAgIDAwMDBAYEBAQEBAgGBgUGCQgKCgkICQkKDA8MCgsOCwkJDRENDg8QEBEQCgwSExIQEw8QEBD/yQALCAABAAEBAREA/8wABgAQEAX/2gAIAQEAAD8A0s8g/9k=",
    "base64",
  ),
};

/** Values of numbers, in no order that a service could make. */
const numbers: Readonly<Record<string, readonly number[]>> = { integer: [3, 1, 2], number: [1.5, 0.5] };

/** Returns a value for a schema, with every member. */
export function sampleOf({ type, format, items = {}, properties = {} }: Schema): unknown {
  if (type === "array") return numbers[String(items.type)] ?? [sampleOf(items)];
  if (type !== "object")
    return numbers[String(type)]?.[0] ?? (format === "date-time" ? "2024-05-17T09:30:00.000Z" : "1");
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, sampleOf(schema)]));
}
