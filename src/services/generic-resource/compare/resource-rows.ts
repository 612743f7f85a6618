import { isObject, MAX_ID } from "../../../contract/index.ts";
import {
  anotherThan,
  type ComparedService,
  type Exchange,
  type Judge,
  locatedPath,
  needs,
  type Row,
  type Rows,
  type Sent,
  sameBody,
} from "../../../tools/compare/index.ts";
import { type Draft, doSomeThing, draft, type Step, story, versionIn, versionOf } from "./drafts.ts";

const ownFields = { version: 41, id: "resource-mock-compare", createdAt: "2001-01-01T00:00:00Z" };
const unknownAction = { action: "resourceMockCompare" };
const change = (someProperty: string) => ({ action: "changeSomeProperty", someProperty });

const read: Step = ["getResourceById"];
const remove: Step = ["deleteResource"];

/** An update with the version of the new resource, or with another one. */
function update(actions: readonly unknown[], by = 0, more: Sent = {}): Step {
  return [
    "updateResource",
    async (item, service) => ({ json: { version: (await versionOf(item, service)) + by, actions }, ...more }),
  ];
}

const updates = (...actions: readonly unknown[]) => story(update(actions));

/** Updates a new resource with a version that is higher than the current one. */
export const updateStale = story(update([doSomeThing], 100));

/** Expects the content of the draft in the request, or else of the draft that created the resource. */
const hasContent: Judge = ({ json, item, reply }) => {
  const { objectTypeProperty } = { ...(item?.sent as Draft | undefined), ...(json as Partial<Draft> | undefined) };
  return [["objectTypeProperty", reply.members.objectTypeProperty, objectTypeProperty]];
};

function located({ reply }: Exchange, { contract }: ComparedService): string | undefined {
  return contract.types[0] && locatedPath(contract.types[0], reply);
}

const isOther: Judge = (exchange, service) => {
  const path = located(exchange, service);
  needs(path !== undefined, `the id of a resource; ${exchange.reply.seen}`);
  return [["the path of the resource", path, anotherThan(exchange.item?.path)]];
};

/** Expects the version of the resource before the request, raised by a number. */
function raises(by: number): Judge {
  return ({ reply, item }) => {
    const [before, after] = [item && versionIn(item.content), versionIn(reply.json)];
    needs(before !== undefined && after !== undefined, `a version; ${reply.seen}`);
    return [["the version", after, before + by]];
  };
}

/** The rows of the two operations that overwrite the last written resource. */
function overwrites(id: "overwriteResource" | "createOrOverwriteResource"): Rows {
  const locatesSame = `${id}: Location is the path of the overwritten resource`;
  const source = "written-resource";
  return {
    [locatesSame]: {
      source: "location",
      needs: ["createResource: the new resource can be read"],
      expects: (exchange, service) => [["the resource in Location", located(exchange, service), exchange.item?.path]],
    },
    [`${id}: raises the version of the last written resource by 1`]: { source, expects: raises(1) },
    [`${id}: replaces the whole content`]: {
      source,
      needs: [locatesSame],
      sends: story([id, (_item, { newName }) => ({ json: draftWith(newName()) })], read),
      expects: hasContent,
    },
    [`${id}: creates a resource if the last written one was deleted`]: {
      source,
      needs: [locatesSame, "getResourceById: a deleted resource is 404"],
      sends: story(remove, [id, (_item, service) => ({ json: draft(service) })]),
      expects: isOther,
    },
  };
}

/** Returns a draft with this text only. */
export function draftWith(text: string): object {
  return { objectTypeProperty: { arrayOfStringExample: [text] } };
}

/** Requests an id that no resource has, with at least this length. */
function unknown(length = 0): Row {
  return { source: "unknown-ids", sends: ({ newName }) => ({ path: { id: newName().padEnd(length, "x") } }) };
}

/** The life of a resource: create, overwrite, read, update, delete. */
export const resourceRows: Rows = {
  "createResource: Location is the path of the new resource": { source: "location" },
  "createResource: the new resource can be read": { source: "location", expects: hasContent },
  "createResource: the new resource has the version 1": { source: "written-resource" },
  "createResource: creates another resource each time": {
    source: "written-resource",
    sends: story(["createResource", ({ sent }) => ({ json: sent })]),
    expects: isOther,
  },
  "createResource: ignores the version, id and times in a draft": {
    source: "own-fields",
    needs: ["the new resource has the version 1"],
    sends: (service) => ({ json: { ...draft(service), ...ownFields } }),
    expects: (exchange, service) => [
      ["the version", versionIn(exchange.reply.json) ?? 1, 1],
      ["the path of the resource", located(exchange, service), anotherThan(`/resource/${ownFields.id}`)],
    ],
  },
  "createResource: keeps unknown fields of a draft": {
    source: "unknown-names",
    sends: (service) => ({ json: { ...draft(service), resourceMockCompare: "a text" } }),
    expects: { "/resourceMockCompare": "a text" },
  },
  ...overwrites("overwriteResource"),
  ...overwrites("createOrOverwriteResource"),
  "getResourceById: returns the new version after an update": {
    needs: ["updateResource: raises the version by 1"],
    sends: story(read, update([doSomeThing]), read),
    expects: raises(1),
  },
  "getResourceById: an unknown id is 404, or is created at its first use": {
    ...unknown(),
    expected: "An unknown id returns 404 (setting unknownIds: not-found), or 200 (setting unknownIds: fixture).",
    expects: "404 2xx",
  },
  [`getResourceById: an id of more than ${MAX_ID} characters is 404`]: unknown(300),
  "getResourceById: expand has no effect": {
    source: "expand",
    first: "",
    query: "expand=objectTypeProperty",
    expects: sameBody,
  },
  "getResourceByKey: the = before the key can be encoded": {
    source: "encoded-key",
    async sends({ valid }) {
      const { path } = await valid("getResourceByKey");
      return { to: `GET {project}/resource/key%3D${encodeURIComponent(path?.key ?? "")}` };
    },
  },
  "updateResource: raises the version by 1": { expects: raises(1) },
  "updateResource: keeps the other content": { expects: hasContent },
  "updateResource: 409 names the current version": {
    source: "errors",
    sends: updateStale,
    given: 409,
    async expects({ reply, item }, service) {
      const [error] = [reply.members.errors].flat().filter(isObject);
      return [["currentVersion", error?.currentVersion, await versionOf(item, service)]];
    },
  },
  "updateResource: changeSomeProperty stores someProperty": {
    source: "actions",
    sends: updates(change("a")),
    expects: { "/someProperty": "a" },
  },
  "updateResource: actions apply in the given order": {
    source: "contract",
    needs: ["changeSomeProperty stores someProperty"],
    sends: updates(change("first"), change("last")),
    expects: { "/someProperty": "last" },
  },
  "updateResource: several actions raise the version by 1": {
    source: "actions",
    needs: ["raises the version by 1"],
    sends: updates(doSomeThing, change("a")),
    expects: raises(1),
  },
  "updateResource: an empty list of actions changes nothing": {
    source: "actions",
    needs: ["raises the version by 1"],
    sends: updates(),
    expects: raises(0),
  },
  "updateResource: an unknown action is 400": { source: "actions", sends: updates(unknownAction) },
  "updateResource: applies all actions or none": {
    source: "actions",
    needs: ["an unknown action is 400"],
    sends: story(update([doSomeThing, unknownAction], 0, { isInvalid: true }), read),
    expects: raises(0),
  },
  "deleteResource: returns the deleted resource": {
    needs: ["the body is valid for ObjectTestType"],
    async expects({ reply, item }, service) {
      const { objectTypeProperty } = { ...(item?.sent as Draft | undefined) };
      return [
        ["objectTypeProperty", reply.members.objectTypeProperty, objectTypeProperty],
        ["version", reply.members.version, await versionOf(item, service)],
      ];
    },
  },
};
