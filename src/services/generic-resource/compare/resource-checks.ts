import { type Expectation, MAX_ID } from "../../../contract/index.ts";
import { needs, type Reply } from "../../../tools/compare/index.ts";
import { about, anotherThan, type Check, checksOf, type Judge, type Row, type Rows, sameBody } from "./check-rows.ts";
import {
  type ComparedService,
  containsName,
  type Draft,
  doSomeThing,
  type Exchange,
  type Owned,
  versionOf,
} from "./compared-service.ts";
import { errorIn, idIn, locatedId, type Sent, versionIn } from "./service-requests.ts";

const isValid = "the body is valid for ObjectTestType";
const raisesVersion = "updateResource: raises the version by 1";
const reads = "getResourceById: a valid request succeeds";
const readsSame = "getResourceById: reading does not change the version";
const readsContent = "getResourceById: returns the content of the draft";
const deletes = "deleteResource: a valid request succeeds";
const deleted = "getResourceById: a deleted resource is 404";
const locates = "createResource: Location names the new resource";
const locatesSame = "Location is the path of the overwritten resource";

/** A query without and with `expand`. */
export const expands = {
  source: "expand",
  first: "",
  query: "expand=objectTypeProperty",
  expects: sameBody,
} as const;
const ownFields = { version: 41, id: "resource-mock-compare", createdAt: "2001-01-01T00:00:00Z" };
const unknownAction = { action: "resourceMockCompare" };
const change = (someProperty: string) => ({ action: "changeSomeProperty", someProperty });

type Part = (resource: Owned, service: ComparedService) => Sent | Promise<Sent>;

/** A request to an operation: about the resource of the story, with parts of its own. */
type Step = readonly [id: string, part?: Part];

/** Sends requests about a new resource. Each but the last has to succeed, or to be rejected if it is invalid. */
function story(...steps: readonly Step[]) {
  return async (service: ComparedService): Promise<Exchange> => {
    const resource = await service.fresh();
    let last: (Sent & { readonly reply: Reply }) | undefined;
    for (const [id, part] of steps) {
      if (last) needs(last.reply.isOk !== (last.isInvalid ?? false), `another response; ${last.reply.seen}`);
      const sent = { path: { id: resource.id }, ...(await part?.(resource, service)) };
      last = { json: last?.json, ...sent, reply: await service.send(id, sent) };
    }
    return { ...(last as Exchange), resource };
  };
}

const read: Step = ["getResourceById"];
const remove: Step = ["deleteResource"];
const fewArrays: Part = (_resource, { newName }) => ({
  json: { objectTypeProperty: { arrayOfStringExample: [newName()] } },
});

/** An update with the version of the new resource, or with another one. */
function update(actions: readonly unknown[], by = 0, more: Sent = {}): Step {
  return ["updateResource", (resource) => ({ json: { version: versionOf(resource) + by, actions }, ...more })];
}

function updates(...actions: readonly unknown[]) {
  return story(update(actions));
}

/** Requests an id or key that no resource has, with at least this length. */
function unknown(parameter: "id" | "key", length = 0): Row {
  return {
    source: "unknown-ids",
    sends: ({ newName }) => ({ path: { [parameter]: newName().padEnd(length, "x") } }),
  };
}

/** Updates a new resource with a version that is higher than the current one, or lower with a negative number. */
export function updateStale(by = 100) {
  return story(update([doSomeThing], by));
}

/** Expects the content of the draft in the request, or else of the draft that created the resource. */
const hasContent: Judge = ({ json, resource, reply }) => {
  const { objectTypeProperty } = { ...resource?.draft, ...(json as Partial<Draft> | undefined) };
  return [["objectTypeProperty", reply.members.objectTypeProperty, objectTypeProperty]];
};

const isDeleted: Judge = ({ reply, resource }) => [
  ["objectTypeProperty", reply.members.objectTypeProperty, resource?.draft.objectTypeProperty],
  ["version", reply.members.version, resource?.version],
];

const showsDraft: Judge = ({ reply, json }) => {
  const expected: Expectation = { text: "the content of the draft", accepts: () => containsName(reply, json) };
  return [["the body", reply.json, expected]];
};

const ignoresOwnFields: Judge = ({ reply }) => [
  ["the version", versionIn(reply) ?? 1, 1],
  ["the id", idIn(reply), anotherThan(ownFields.id)],
];

const isOther: Judge = ({ reply, resource }) => {
  const id = idIn(reply);
  needs(id !== undefined, `the id of a resource; ${reply.seen}`);
  return [["the id", id, anotherThan(resource?.id)]];
};

const isSame: Judge = ({ reply, resource }) => [["the id in Location", locatedId(reply), resource?.id]];

/** The checks of the two operations that overwrite the last written resource. */
function overwrites(id: "overwriteResource" | "createOrOverwriteResource"): Rows {
  return about(id, { source: "written-resource" })({
    "returns the content of the draft": { source: "behaviour", needs: [isValid], expects: hasContent },
    [locatesSame]: { source: "location", needs: [locates], expects: isSame },
    "raises the version of the last written resource by 1": { expects: raises(1) },
    "replaces the whole content": {
      needs: ["returns the content of the draft", locatesSame, readsContent],
      sends: story([id, fewArrays], read),
      expects: hasContent,
    },
    "creates a resource if the last written one was deleted": {
      needs: [locatesSame, deleted],
      sends: story(remove, [id, (_resource, { draft }) => ({ json: draft() })]),
      expects: isOther,
    },
  });
}

/** The life of a resource: create, overwrite, read, update, delete. */
export const resourceChecks: readonly Check[] = checksOf({
  ...about("createResource")({
    "Location is the path of the new resource": { source: "location" },
    "Location names the new resource": { source: "location", sends: ({ find }) => find(), expects: showsDraft },
    "returns the content of the draft": { needs: [isValid], expects: hasContent },
    "the new resource has the version 1": { source: "written-resource", needs: [isValid] },
    "keeps unknown fields of a draft": {
      source: "unknown-names",
      needs: [isValid],
      sends: ({ draft }) => ({ json: { ...draft(), resourceMockCompare: "a text" } }),
      expects: { "/resourceMockCompare": "a text" },
    },
    "creates another resource each time": {
      source: "written-resource",
      sends: story(["createResource", ({ draft }) => ({ json: draft })]),
      expects: isOther,
    },
    "ignores the version, id and times in a draft": {
      source: "own-fields",
      needs: ["the new resource has the version 1"],
      sends: ({ draft }) => ({ json: { ...draft(), ...ownFields } }),
      expects: ignoresOwnFields,
    },
  }),
  ...overwrites("overwriteResource"),
  ...overwrites("createOrOverwriteResource"),
  ...about("getResourceById")({
    "returns the content of the draft": {
      needs: [locates, "createResource: returns the content of the draft", isValid],
      sends: story(read),
      expects: hasContent,
    },
    "reading does not change the version": { sends: story(read, read), expects: raises(0) },
    "returns the new version after an update": {
      needs: ["updateResource: a valid request succeeds", raisesVersion, readsSame],
      sends: story(read, update([doSomeThing]), read),
      expects: raises(1),
    },
    "a deleted resource is 404": { needs: [deletes], sends: story(remove, read) },
    "an unknown id is 404, or is created at its first use": {
      ...unknown("id"),
      expected: "An unknown id returns 404 (setting unknownIds: not-found), or 200 (setting unknownIds: fixture).",
      expects: "404 2xx",
    },
    [`an id of more than ${MAX_ID} characters is 404`]: unknown("id", 300),
    "a literal path segment is not an id": {
      source: "contract",
      at: "readNamespaceAction",
      expects: { "/objectTypeProperty": undefined },
    },
    "expand has no effect": { needs: [readsSame], ...expands },
  }),
  ...about("getResourceByKey")({
    "the = before the key can be encoded": {
      source: "encoded-key",
      sends: async ({ known }) => ({ to: `GET {project}/resource/key%3D${encodeURIComponent(await known("key"))}` }),
    },
    [`a key of more than ${MAX_ID} characters is 404`]: unknown("key", 300),
  }),
  ...about("updateResource")({
    "raises the version by 1": { expects: raises(1) },
    "keeps the other content": { needs: [readsContent, isValid], expects: hasContent },
    "a stale version is 409": {
      source: "contract",
      async sends(service) {
        const older = await updateStale(-1)(service);
        return older.reply.status === 409 ? await updateStale()(service) : older;
      },
    },
    "409 names the current version": {
      source: "errors",
      sends: updateStale(),
      given: 409,
      expects: ({ reply, resource }) => [["currentVersion", errorIn(reply).currentVersion, resource?.version]],
    },
    "actions apply in the given order": {
      source: "contract",
      needs: ["changeSomeProperty stores someProperty"],
      sends: updates(change("first"), change("last")),
      expects: { "/someProperty": "last" },
    },
    "a deleted resource is 404": { needs: [deletes], sends: story(remove, update([doSomeThing])) },
  }),
  ...about("updateResource", { source: "actions" })({
    "several actions raise the version by 1": {
      needs: [raisesVersion],
      sends: updates(doSomeThing, change("a")),
      expects: raises(1),
    },
    "an empty list of actions changes nothing": { needs: [raisesVersion], sends: updates(), expects: raises(0) },
    "an unknown action is 400": { sends: updates(unknownAction) },
    "applies all actions or none": {
      needs: ["an unknown action is 400", reads, readsSame],
      sends: story(update([doSomeThing, unknownAction], 0, { isInvalid: true }), read),
      expects: raises(0),
    },
    "changeSomeProperty stores someProperty": {
      needs: [isValid],
      sends: updates(change("a")),
      expects: { "/someProperty": "a" },
    },
  }),
  ...about("deleteResource")({
    "returns the deleted resource": { needs: [readsContent, isValid], expects: isDeleted },
    "a deleted resource is 404": { sends: story(remove, remove) },
    "the other resources stay": {
      needs: [reads, deleted],
      sends: story(["deleteResource", async (_resource, { fresh }) => ({ path: { id: (await fresh()).id } })], read),
    },
  }),
});

/** Expects the version of the resource before the request, raised by a number. */
function raises(by: number): Judge {
  return ({ reply, resource }) => {
    const [before, after] = [resource?.version, versionIn(reply)];
    needs(before !== undefined && after !== undefined, `a version; ${reply.seen}`);
    return [["the version", after, before + by]];
  };
}
