import { type OperationId, shown } from "../../contract/index.ts";
import { error, type Fact, type Group, group, type Judge, type Sender, same, sameBody, twice } from "./check-rows.ts";
import { type ComparedService, containsName, type Exchange } from "./compared-service.ts";
import { type Draft, doSomeThing } from "./samples.ts";
import { idIn, locatedId, needs, type Reply, versionIn } from "./service-requests.ts";

const isValid = "the body is valid for ObjectTestType";
const raisesVersion = "updateResource: raises the version by 1";
const reads = "getResourceById: a valid request succeeds";
const readsSame = "getResourceById: reading does not change the version";
const readsContent = "getResourceById: returns the content of the draft";
const deletes = "deleteResource: a valid request succeeds";
const deleted = "getResourceById: a deleted resource is 404";
const locates = "createResource: Location names the new resource";
const locatesSame = "Location is the path of the overwritten resource";

const ownFields = { version: 41, id: "resource-mock-compare", createdAt: "2001-01-01T00:00:00Z" };
const unknownAction = { action: "resourceMockCompare" };
const change = (someProperty: string) => ({ action: "changeSomeProperty", someProperty });
const expand = twice("", "expand=objectTypeProperty");

const longId = (path: "id" | "key"): Sender => {
  return ({ newName }) => ({ path: { [path]: newName().padEnd(300, "x") } });
};

/** The life of a resource: create, overwrite, read, update, delete. */
export const resourceChecks: readonly Group[] = [
  group("createResource", { assumption: "location" })({
    "Location is the path of the new resource": { expects: locatesPath },
    "Location names the new resource": { sends: ({ find }) => find(), expects: isFound },
  }),
  group("createResource", { assumption: "written-resource", needs: [isValid] })({
    "returns the content of the draft": { kind: "behaviour", assumption: undefined, expects: content },
    "the new resource has the version 1": { expects: { version: 1 } },
    "keeps unknown fields of a draft": {
      assumption: "unknown-names",
      sends: ({ draft }) => ({ json: { ...draft(), resourceMockCompare: "a text" } }),
      expects: { resourceMockCompare: "a text" },
    },
  }),
  group("createResource", { assumption: "written-resource" })({
    "creates another resource each time": { sends: createTwice, expects: isOther },
    "ignores the version, id and times in a draft": {
      assumption: "own-fields",
      needs: ["the new resource has the version 1"],
      sends: ({ draft }) => ({ json: { ...draft(), ...ownFields } }),
      expects: setsOwnFields,
    },
  }),
  ...(["overwriteResource", "createOrOverwriteResource"] as const).flatMap((id) => [
    group(id, { needs: [isValid] })({ "returns the content of the draft": { expects: content } }),
    group(id, { assumption: "written-resource" })({
      [locatesSame]: { assumption: "location", needs: [locates], expects: isSame },
      "raises the version of the last written resource by 1": { expects: raises(1) },
      "replaces the whole content": {
        needs: ["returns the content of the draft", locatesSame, readsContent],
        sends: replaceContent,
        expects: content,
      },
      "creates a resource if the last written one was deleted": {
        needs: [locatesSame, deleted],
        sends: overwriteDeleted,
        expects: isOther,
      },
    }),
  ]),
  group("getResourceById")({
    "returns the content of the draft": {
      needs: [locates, "createResource: returns the content of the draft", isValid],
      sends: readAround(),
      expects: content,
    },
    "reading does not change the version": { sends: readAround(), expects: raises(0) },
    "returns the new version after an update": {
      needs: ["updateResource: a valid request succeeds", raisesVersion, readsSame],
      sends: readAround([doSomeThing], true),
      expects: raises(1),
    },
    "a deleted resource is 404": { needs: [deletes], sends: deletedPath },
    "an unknown id is 404, or is created at its first use": {
      assumption: "unknown-ids",
      expected: "An unknown id returns 404 (setting unknownIds: not-found), or 200 (setting unknownIds: fixture).",
      sends: ({ newName }) => ({ path: { id: newName() } }),
      expects: [404, "2xx"],
    },
  }),
  group("getResourceById")({
    "an id of more than 256 characters is 404": { assumption: "unknown-ids", sends: longId("id") },
    "a literal path segment is not an id": {
      kind: "contract",
      sends: ({ send }) => send("readNamespaceAction"),
      expects: isNoResource,
    },
    "expand has no effect": { assumption: "expand", needs: [readsSame], sends: expand, expects: sameBody },
  }),
  group("getResourceByKey")({
    "the = before the key can be encoded": { assumption: "encoded-key", sends: encodeKey },
    "a key of more than 256 characters is 404": { assumption: "unknown-ids", sends: longId("key") },
  }),
  group("updateResource")({
    "raises the version by 1": { expects: raises(1) },
    "keeps the other content": { needs: [readsContent, isValid], expects: content },
    "a stale version is 409": { kind: "contract", sends: updateTwice },
    "409 names the current version": {
      assumption: "errors",
      sends: (service) => updateStale(service),
      given: 409,
      expects: error({
        currentVersion: (version: unknown, { resource }: Exchange) => version === resource?.version,
      }),
    },
    "actions apply in the given order": {
      kind: "contract",
      needs: ["changeSomeProperty stores someProperty"],
      sends: update(change("first"), change("last")),
      expects: { someProperty: "last" },
    },
    "a deleted resource is 404": { needs: [deletes], sends: deletedPath },
  }),
  group("updateResource", { assumption: "actions", needs: [raisesVersion] })({
    "several actions raise the version by 1": { sends: update(doSomeThing, change("a")), expects: raises(1) },
    "an empty list of actions changes nothing": { sends: update(), expects: raises(0) },
  }),
  group("updateResource", { assumption: "actions" })({
    "an unknown action is 400": { sends: update(unknownAction) },
    "applies all actions or none": {
      needs: ["an unknown action is 400", reads, readsSame],
      sends: readAround([doSomeThing, unknownAction], false),
      expects: raises(0),
    },
    "changeSomeProperty stores someProperty": {
      needs: [isValid],
      sends: update(change("a text")),
      expects: { someProperty: "a text" },
    },
  }),
  group("deleteResource")({
    "returns the deleted resource": { needs: [readsContent, isValid], expects: lastState },
    "a deleted resource is 404": { sends: deletedPath },
    "the other resources stay": { needs: [reads, deleted], sends: deleteAnother },
  }),
];

/** Updates a new resource. */
function update(...actions: readonly unknown[]) {
  return async ({ update, fresh }: ComparedService) => await update(await fresh(), actions);
}

/** Updates a new resource with a version that is higher than the current one, or lower with a negative number. */
export async function updateStale({ fresh, send, versionOf }: ComparedService, by = 100): Promise<Exchange> {
  const resource = await fresh();
  const version = await versionOf(resource);
  const json = { version: version + by, actions: [doSomeThing] };
  const reply = await send("updateResource", { path: { id: resource.id }, json });
  return { resource: { ...resource, version }, reply };
}

/** Updates with an older version and, if it is rejected, with a newer one. */
async function updateTwice(service: ComparedService): Promise<Exchange> {
  const older = await updateStale(service, -1);
  return older.reply.status === 409 ? await updateStale(service) : older;
}

/** Reads a new resource twice, and updates it in between. The service has to accept or to reject the update. */
function readAround(actions?: readonly unknown[], isAccepted?: boolean) {
  return async ({ fresh, readVersion, update, send }: ComparedService): Promise<Exchange> => {
    const resource = await fresh();
    const version = await readVersion(resource.id);
    const reply = actions && (await update(resource, actions)).reply;
    needs(reply?.isOk === isAccepted, `${isAccepted ? "an" : "a rejected"} update; ${reply?.seen}`);
    const path = { id: resource.id };
    return { resource: { ...resource, version }, reply: await send("getResourceById", { path }) };
  };
}

function isFound({ reply, json }: Exchange): Fact {
  const isTrue = containsName(reply, json);
  return { isTrue, seen: `${reply.seen}${isTrue ? "" : " without the content of the draft"}` };
}

function setsOwnFields({ reply }: Exchange): Fact {
  const [version, isOwnId] = [versionIn(reply), idIn(reply) === ownFields.id];
  const isTrue = (version ?? 1) === 1 && !isOwnId;
  return { isTrue, seen: `the version ${shown(version)}${isOwnId ? " and the id of the draft" : ""}` };
}

/** Returns the id of a written resource. Throws Skip without it. */
function ownedIn(reply: Reply): string {
  const id = idIn(reply);
  needs(id !== undefined, `the id of a resource; ${reply.seen}`);
  return id;
}

async function createTwice({ fresh, draft, send }: ComparedService): Promise<Exchange> {
  const json = draft();
  return { resource: await fresh(json), reply: await send("createResource", { json }) };
}

function isOther({ reply, resource }: Exchange): Fact {
  const isTrue = ownedIn(reply) !== resource?.id;
  return { isTrue, seen: isTrue ? "another resource" : "the same resource" };
}

function isSame({ reply, resource }: Exchange, { secrets }: ComparedService): Fact {
  const seen = `Location ${secrets.shown(reply.header("location"))} for the resource ${secrets.shown(resource?.id)}`;
  return { isTrue: locatedId(reply) === resource?.id, seen };
}

async function replaceContent({ sendValid, send, newName }: ComparedService, id: OperationId): Promise<Exchange> {
  const json = { objectTypeProperty: { arrayOfStringExample: [newName()] } };
  const { reply, resource } = await sendValid(id, { json });
  needs(reply.isOk, `an overwritten resource; ${reply.seen}`);
  return { json, reply: await send("getResourceById", { path: { id: resource?.id ?? "" } }) };
}

async function overwriteDeleted({ prepared, send }: ComparedService, id: OperationId): Promise<Exchange> {
  const { resource, ...sent } = await prepared(id);
  const { isOk, seen } = await send("deleteResource", { path: { id: resource?.id ?? "" } });
  needs(isOk, `a deleted resource; ${seen}`);
  return { resource, reply: await send(id, sent) };
}

/** Returns the path of a deleted resource. */
async function deletedPath({ valid }: ComparedService) {
  const { reply, path } = await valid("deleteResource");
  needs(reply.isOk, `a deleted resource; ${reply.seen}`);
  return { path };
}

async function deleteAnother({ fresh, send }: ComparedService): Promise<Reply> {
  const [stays, goes] = [await fresh(), await fresh()];
  await send("deleteResource", { path: { id: goes.id } });
  return await send("getResourceById", { path: { id: stays.id } });
}

/** Expects the content of the draft in the request, or else of the draft that created the resource. */
function content({ reply, json, resource }: Exchange): Fact {
  needs(reply.json !== undefined, `a resource; ${reply.seen}`);
  const { objectTypeProperty = resource?.draft.objectTypeProperty } = (json ?? {}) as Partial<Draft>;
  return same(reply.members.objectTypeProperty, objectTypeProperty, "content");
}

/** Expects the version of the resource before the request, raised by a number. */
function raises(by: number): Judge {
  return ({ reply, resource }) => {
    const [before, after] = [resource?.version, versionIn(reply)];
    needs(before !== undefined && after !== undefined, `a version; ${reply.seen}`);
    return { isTrue: after === before + by, seen: `the version ${before}, and ${after} after it` };
  };
}

/** Expects the `Location: /{projectKey}/resource/{id}`. */
function locatesPath({ reply }: Exchange, { basePath, project, secrets }: ComparedService): Fact {
  const location = reply.header("location");
  const paths = [`${project}/resource/`, `${basePath}${project}/resource/`];
  const isTrue = paths.some((path) => location?.startsWith(path) && /^[^/?#]+$/.test(location.slice(path.length)));
  return { isTrue, seen: `${reply.seen} with Location ${secrets.shown(location)}` };
}

function lastState(deletion: Exchange): Fact {
  const [version, last] = [deletion.resource?.version, versionIn(deletion.reply)];
  if (version === undefined || last === version) return content(deletion);
  return { isTrue: false, seen: `the version ${shown(last)} instead of ${version}` };
}

async function encodeKey({ sendTo, project, prepared }: ComparedService, id: OperationId): Promise<Reply> {
  const key = encodeURIComponent((await prepared(id)).path?.key ?? "");
  return await sendTo("GET", `${project}/resource/key%3D${key}`);
}

async function isNoResource({ reply: { json, seen } }: Exchange, service: ComparedService): Promise<Fact> {
  needs(json !== undefined, `the custom action; ${seen}`);
  const isTrue = (await service.problemOf(service.contract.schemas.ObjectTestType ?? {}, json)) !== undefined;
  return { isTrue, seen: isTrue ? "the custom action" : "a resource instead of the custom action" };
}
