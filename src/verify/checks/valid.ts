import type { Contract, OperationId, ServiceOperation } from "../../contract/contract.ts";
import { successStatus } from "../../contract/operation.ts";
import type { Schema } from "../../contract/schema.ts";
import { needs } from "../outcome.ts";
import type { Reply } from "../reply.ts";
import type { Sent } from "../requests.ts";
import type { Service } from "../service.ts";

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

/** A valid body of `runComplexOperation`. */
export const complexBody = {
  id: "one",
  version: "1",
  key: "two",
  custom: "three",
  createdAt: "2024-05-17T09:30:00.000Z",
  lastModifiedAt: "2024-05-17T09:30:00.000Z",
  createdBy: { firstName: "Ada", lastName: "Lovelace" },
  lastModifiedBy: { firstName: "Grace", lastName: "Hopper" },
  eigthProperty: "8",
  ninthProperty: "9",
  tenthProperty: "10",
  eleventhPropery: "11",
  twelthProperty: "12",
  thirteenthProperty: "13",
  fourteenthProperty: "14",
  fifteenthProperty: "15",
};

/** Prepares a valid request to each operation, with the resources that it needs. May throw Skip. */
const prepare: Readonly<Record<OperationId, (service: Service) => Promise<Sent> | Sent>> = {
  queryResources: () => ({}),
  getResourceById: async ({ shared }) => ({ path: { id: (await shared()).id } }),
  getResourceByKey: async ({ knownKey }) => ({ path: { key: await knownKey() } }),
  searchResources: () => ({}),
  checkResourceExists: async ({ shared }) => {
    await shared();
    return {};
  },
  createResource: ({ draft }) => ({ json: draft() }),
  overwriteResource: overOwn,
  createOrOverwriteResource: overOwn,
  runComplexOperation: () => ({ path: { uriParameterOne: "one", uriParameterTwo: "two" }, json: complexBody }),
  updateResource: async ({ fresh, readVersion }) => {
    const { id, version } = await fresh();
    const current = Number.isNaN(version) ? await readVersion(id) : version;
    needs(!Number.isNaN(current), "the version of a resource");
    return { path: { id }, json: { version: current, actions: [{ action: "doSomeThing" }] } };
  },
  deleteResource: async ({ fresh }) => ({ path: { id: (await fresh()).id } }),
  queryWithSortedParameters: () => ({}),
  uploadImage: ({ newName }) => ({
    body: images["image/png"],
    type: "image/png",
    query: [["filename", `${newName()}.png`]],
  }),
  writeNamespaceAction: () => ({}),
  readNamespaceAction: () => ({}),
  getCart: () => ({}),
};

/** PUT and PATCH overwrite the last written resource. Creates one first, so that they overwrite no other resource. */
async function overOwn({ send, draft }: Service): Promise<Sent> {
  const { isOk, seen } = await send("createResource", { json: draft() });
  needs(isOk, `a resource of its own to overwrite; ${seen}`);
  return { json: draft() };
}

/** Sends a valid request to an operation. `more` overrides its parts, and its query parameters by name. Throws Skip. */
export async function sendValid(service: Service, id: OperationId, more: Sent = {}): Promise<Reply> {
  const { body, json, query = [], ...valid } = await prepare[id](service);
  const own = "json" in more || "body" in more ? {} : { body, json };
  const added = more.query ?? [];
  const kept = query.filter(([name]) => !added.some(([other]) => other === name));
  return await service.send(id, { ...valid, ...own, ...more, query: [...kept, ...added] });
}

/**
 * Returns the name of the check that a valid request to the operation succeeds, with any 2xx. Most other checks need it. The
 * status has a check of its own, so that a service with another 2xx is still verified.
 */
export function successOf(id: OperationId): string {
  return `${id}: a valid request succeeds`;
}

/** Returns the name of the check that the body of a successful response is valid. */
export function bodyOf({ schemas, find }: Contract, id: OperationId): string {
  const operation = find(id);
  const schema = operation && successSchema(operation);
  const name = Object.entries(schemas).find(([, each]) => each === schema)?.[0];
  if (id === "queryResources") return `${id}: the body is valid for ArrayTestType or PagedQueryResult`;
  return name === undefined ? `${id}: the response has a JSON body` : `${id}: the body is valid for ${name}`;
}

/** Returns the schema of the body of a successful response. */
export function successSchema(operation: ServiceOperation): Schema {
  return operation.responses[successStatuses(operation)[0] ?? 200]?.schema ?? {};
}

/** Returns the statuses of success: the lowest 2xx, or every 2xx if the interface does not choose one. */
export function successStatuses(operation: ServiceOperation): number[] {
  const all = Object.keys(operation.responses).map(Number);
  return operation.id === "runComplexOperation" ? all.filter((status) => status < 300) : [successStatus(operation)];
}

export function shownStatuses(operation: ServiceOperation): string {
  return successStatuses(operation)
    .join(", ")
    .replace(/, (\d+)$/, " or $1");
}

/** The operations that change the service. */
export function writesOf({ method }: ServiceOperation): { writes?: true } {
  return method === "GET" || method === "HEAD" ? {} : { writes: true };
}

/** PUT and PATCH depend on the resource that was written last, so their checks run alone. */
export function orderOf({ id }: ServiceOperation): { inOrder?: true } {
  return id === "overwriteResource" || id === "createOrOverwriteResource" ? { inOrder: true } : {};
}
