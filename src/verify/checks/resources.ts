import { isDeepStrictEqual } from "node:util";
import type { Contract } from "../../contract/contract.ts";
import type { Check } from "../check.ts";
import { claim, needs } from "../outcome.ts";
import { currentVersionIn, errorsIn, idIn, type Reply, versionIn } from "../reply.ts";
import type { Owned, Service } from "../service.ts";
import { checksFor, nameOf } from "./define.ts";
import { bodyOf, successOf } from "./valid.ts";

/** An id longer than the mock allows, so that it never creates a resource for it. */
const LONG = 300;

const locates = nameOf("createResource", "Location names the new resource");
const createsContent = nameOf("createResource", "returns the content of the draft");
const readsSame = nameOf("getResourceById", "reading does not change the version");
const readsBack = nameOf("getResourceById", "returns the content of the draft");
const raisesVersion = nameOf("updateResource", "raises the version by 1");
const deleted = nameOf("getResourceById", "a deleted resource is 404");

/** The life of a resource: create, read, update, delete. */
export function resourceChecks(contract: Contract): Check[] {
  const updates = successOf("updateResource");
  const deletes = successOf("deleteResource");
  const reads = successOf("getResourceById");
  return [
    ...checksFor(contract, "createResource", [
      {
        claim: "Location is the path of the new resource",
        row: "location",
        expected: "The response has `Location: /{projectKey}/resource/{id}`.",
        async attempt(service) {
          const reply = await service.send("createResource", { json: service.draft() });
          const location = reply.header("location");
          const seen = `${reply.seen} with Location ${service.secrets.shown(location)}`;
          needs(reply.isOk, `a created resource; ${reply.seen}`);
          claim(location !== undefined && isPathOfResource(service, location), seen);
          return seen;
        },
      },
      {
        claim: "Location names the new resource",
        row: "location",
        expected: "The id in Location reads or updates the new resource.",
        async attempt(service) {
          const draft = service.draft();
          const [name] = draft.objectTypeProperty.arrayOfStringExample;
          const reply = await service.send("createResource", { json: draft });
          const id = idIn(reply);
          needs(reply.isOk && id !== undefined, "createResource to return an id");
          const isNew = ({ json }: Reply) => JSON.stringify(json)?.includes(JSON.stringify(name)) ?? false;
          const read = await service.send("getResourceById", { path: { id } });
          if (isNew(read)) return read.seen;
          // If reads do not return the content, updates may do so.
          const json = { version: versionIn(reply), actions: [{ action: "doSomeThing" }] };
          const updated = await service.send("updateResource", { path: { id }, json });
          claim(isNew(updated), `${read.seen} without the content of the draft`);
          return updated.seen;
        },
      },
      {
        claim: "the new resource has the version 1",
        row: "written-resource",
        expected: "A new resource has the version 1.",
        async attempt(service) {
          const reply = await service.send("createResource", { json: service.draft() });
          const version = neededVersion(reply.isOk ? versionIn(reply) : Number.NaN, reply.seen);
          claim(version === 1, `the version ${version}`);
          return "the version 1";
        },
      },
      {
        claim: "returns the content of the draft",
        expected: "The response contains the objectTypeProperty of the draft.",
        needs: [bodyOf(contract, "createResource")],
        async attempt(service) {
          const draft = service.draft();
          const reply = await service.send("createResource", { json: draft });
          needs(reply.isOk && reply.json !== undefined, `a created resource; ${reply.seen}`);
          claim(isDeepStrictEqual(reply.members.objectTypeProperty, draft.objectTypeProperty), "another content");
          return "the same content";
        },
      },
      {
        claim: "creates another resource each time",
        row: "written-resource",
        expected: "Two requests with the same draft create two resources.",
        async attempt(service) {
          const draft = service.draft();
          const create = async () => {
            const reply = await service.send("createResource", { json: draft });
            const id = idIn(reply);
            needs(reply.isOk && id !== undefined, "createResource to return an id");
            return id;
          };
          const ids = [await create(), await create()];
          claim(ids[0] !== ids[1], "the same id for both");
          return "two ids";
        },
      },
      {
        claim: "ignores the version, id and times in a draft",
        row: "own-fields",
        expected:
          "The service sets id, key, version, createdAt and lastModifiedAt itself, and ignores them in a draft.",
        needs: [nameOf("createResource", "the new resource has the version 1")],
        async attempt(service) {
          const own = { version: 41, id: service.newName(), createdAt: "2001-01-01T00:00:00Z" };
          const reply = await service.send("createResource", { json: { ...service.draft(), ...own } });
          claim(reply.isOk, reply.seen);
          const version = neededVersion(versionIn(reply), reply.seen);
          claim(version === 1, `the version ${version}`);
          claim(idIn(reply) !== own.id, "the id of the draft");
          return "the version 1";
        },
      },
      {
        claim: "keeps unknown fields of a draft",
        row: "unknown-names",
        needs: [bodyOf(contract, "createResource")],
        expected: "The service accepts fields that the interface does not name, and returns them.",
        async attempt(service) {
          const resourceMockVerify = { note: service.newName() };
          const reply = await service.send("createResource", { json: { ...service.draft(), resourceMockVerify } });
          claim(reply.isOk, reply.seen);
          needs(reply.json !== undefined, `a created resource; ${reply.seen}`);
          const isKept = isDeepStrictEqual(reply.members.resourceMockVerify, resourceMockVerify);
          claim(isKept, "a response without the unknown field");
          return "a response with the unknown field";
        },
      },
    ]),
    ...checksFor(contract, "getResourceById", [
      {
        claim: "returns the content of the draft",
        writes: true,
        needs: [locates, createsContent, bodyOf(contract, "getResourceById")],
        expected: "The resource that Location names has the objectTypeProperty of the draft.",
        async attempt(service) {
          const { id, draft } = await created(service);
          const reply = await service.send("getResourceById", { path: { id } });
          claim(reply.isOk, `the id in the response to createResource: ${reply.seen}`);
          claim(
            isDeepStrictEqual(reply.members.objectTypeProperty, draft.objectTypeProperty),
            `${reply.seen} with another content`,
          );
          return "the same content";
        },
      },
      {
        claim: "reading does not change the version",
        writes: true,
        expected: "Two reads return the same version.",
        async attempt(service) {
          const { id } = await service.fresh();
          const [first, second] = [await service.readVersion(id), await service.readVersion(id)];
          const before = neededVersion(first, "the first read");
          claim(before === second, `the versions ${before} and ${second}`);
          return `the version ${before} twice`;
        },
      },
      {
        claim: "returns the new version after an update",
        writes: true,
        needs: [updates, raisesVersion, readsSame],
        expected: "After an update, the resource has the next version.",
        async attempt(service) {
          const resource = await service.fresh();
          const before = neededVersion(await service.readVersion(resource.id), "getResourceById");
          const reply = await service.update(resource, [{ action: "doSomeThing" }]);
          needs(reply.isOk, `an update; ${reply.seen}`);
          const after = await service.readVersion(resource.id);
          claim(after === before + 1, `the version ${before}, and ${after} after the update`);
          return `the version ${before}, and ${after} after the update`;
        },
      },
      {
        claim: "a deleted resource is 404",
        writes: true,
        needs: [deletes],
        expected: "The id of a deleted resource returns 404.",
        async attempt(service) {
          const id = await deletedId(service);
          const { status, seen } = await service.send("getResourceById", { path: { id } });
          claim(status === 404, seen);
          return seen;
        },
      },
      {
        claim: "an id of more than 256 characters is 404",
        row: "unknown-ids",
        expected: "An id of more than 256 characters is unknown, so the response is 404.",
        async attempt(service) {
          const id = service.newName().padEnd(LONG, "x");
          const { status, seen } = await service.send("getResourceById", { path: { id } });
          claim(status === 404, seen);
          return seen;
        },
      },
      {
        claim: "an unknown id is 404, or is created at its first use",
        row: "unknown-ids",
        writes: true,
        expected: "An unknown id returns 404 (setting unknownIds: not-found), or 200 (setting unknownIds: fixture).",
        async attempt(service) {
          const { status, isOk, seen } = await service.send("getResourceById", { path: { id: service.newName() } });
          claim(status === 404 || isOk, seen);
          return seen;
        },
      },
      {
        claim: "a literal path segment is not an id",
        kind: "contract",
        expected:
          "GET on the path of a custom action does not read a resource: POST on the path of images is an upload.",
        async attempt(service) {
          const reply = await service.send("readNamespaceAction");
          needs(reply.isOk && reply.json !== undefined, `the custom action; ${reply.seen}`);
          const problems = await service.problems(contract.schemas.ObjectTestType ?? {}, reply.json);
          claim(problems.length > 0, "a resource instead of the custom action");
          return "the custom action";
        },
      },
      {
        claim: "expand has no effect",
        row: "expand",
        needs: [readsSame],
        expected: "The query parameter expand is accepted, and the response is the same.",
        async attempt(service) {
          const path = { id: (await service.shared()).id };
          const [plain, expanded] = [
            await service.send("getResourceById", { path }),
            await service.send("getResourceById", { path, query: [["expand", "objectTypeProperty"]] }),
          ];
          needs(plain.isOk, `a resource; ${plain.seen}`);
          claim(expanded.isOk, expanded.seen);
          claim(isDeepStrictEqual(plain.json, expanded.json), "another body");
          return "the same body";
        },
      },
    ]),
    ...checksFor(contract, "getResourceByKey", [
      {
        claim: "the = before the key can be encoded",
        row: "encoded-key",
        expected: "The path segment key%3D{key} means the same as key={key}.",
        async attempt(service) {
          const key = encodeURIComponent(await service.knownKey());
          const { isOk, seen } = await service.sendTo("GET", `${service.project}/resource/key%3D${key}`);
          claim(isOk, seen);
          return seen;
        },
      },
      {
        claim: "a key of more than 256 characters is 404",
        row: "unknown-ids",
        expected: "A key of more than 256 characters is unknown, so the response is 404.",
        async attempt(service) {
          const key = service.newName().padEnd(LONG, "x");
          const { status, seen } = await service.send("getResourceByKey", { path: { key } });
          claim(status === 404, seen);
          return seen;
        },
      },
    ]),
    ...checksFor(contract, "updateResource", [
      {
        claim: "raises the version by 1",
        expected: "An update with an action raises the version by 1.",
        async attempt(service) {
          const { before, after, seen } = await updated(service, [{ action: "doSomeThing" }]);
          claim(after === before + 1, seen);
          return seen;
        },
      },
      {
        claim: "several actions raise the version by 1",
        row: "actions",
        needs: [raisesVersion],
        expected: "A request with several actions raises the version by 1.",
        async attempt(service) {
          const actions = [{ action: "doSomeThing" }, { action: "changeSomeProperty", someProperty: "a" }];
          const { before, after, seen } = await updated(service, actions);
          claim(after === before + 1, seen);
          return seen;
        },
      },
      {
        claim: "an empty list of actions changes nothing",
        row: "actions",
        needs: [raisesVersion],
        expected: "A request with an empty list of actions returns 200, and the version stays.",
        async attempt(service) {
          const { before, after, seen } = await updated(service, []);
          claim(after === before, seen);
          return seen;
        },
      },
      {
        claim: "a stale version is 409",
        kind: "contract",
        expected: "A version other than the current one returns 409.",
        async attempt(service) {
          const resource = await service.fresh();
          const current = neededVersion(
            Number.isNaN(resource.version) ? await service.readVersion(resource.id) : resource.version,
            "createResource",
          );
          for (const version of [current - 1, current + 100]) {
            const { status, seen } = await service.send("updateResource", {
              path: { id: resource.id },
              json: { version, actions: [{ action: "doSomeThing" }] },
            });
            claim(status === 409, `${seen} for the version ${version} instead of ${current}`);
          }
          return "409";
        },
      },
      {
        claim: "409 names the current version",
        row: "errors",
        expected: "The response to a stale version has currentVersion.",
        async attempt(service) {
          const resource = await service.fresh();
          const current = neededVersion(resource.version, "createResource");
          const reply = await service.send("updateResource", {
            path: { id: resource.id },
            json: { version: current + 100, actions: [{ action: "doSomeThing" }] },
          });
          needs(reply.status === 409, `409; ${reply.seen}`);
          needs(errorsIn(reply).length > 0, "an error body with errors");
          const named = currentVersionIn(reply);
          claim(named === current, `currentVersion ${named} of the version ${current}`);
          return `currentVersion ${named}`;
        },
      },
      {
        claim: "an unknown action is 400",
        row: "actions",
        expected: "An action name other than those of the interface returns 400.",
        async attempt(service) {
          const { status, seen } = await service.update(await service.fresh(), [{ action: "resourceMockVerify" }]);
          claim(status === 400, seen);
          return seen;
        },
      },
      {
        claim: "applies all actions or none",
        row: "actions",
        needs: [nameOf("updateResource", "an unknown action is 400"), reads, readsSame],
        expected: "If one action is invalid, the resource does not change.",
        async attempt(service) {
          const resource = await service.fresh();
          const before = neededVersion(await service.readVersion(resource.id), "getResourceById");
          const actions = [{ action: "doSomeThing" }, { action: "resourceMockVerify" }];
          const { isOk, seen } = await service.update(resource, actions);
          needs(!isOk, `a rejected update; ${seen}`);
          const after = await service.readVersion(resource.id);
          claim(after === before, `the version ${before}, and ${after} after the rejected update`);
          return `the version ${before} before and after`;
        },
      },
      {
        claim: "changeSomeProperty stores someProperty",
        row: "actions",
        needs: [bodyOf(contract, "updateResource")],
        expected: "The updated resource has the someProperty of the action.",
        async attempt(service) {
          const value = service.newName();
          const reply = await service.update(await service.fresh(), [
            { action: "changeSomeProperty", someProperty: value },
          ]);
          needs(reply.isOk && reply.json !== undefined, `an updated resource; ${reply.seen}`);
          const { someProperty } = reply.members;
          claim(someProperty === value, `someProperty is ${service.secrets.shown(someProperty)}`);
          return "the value of the action";
        },
      },
      {
        claim: "actions apply in the given order",
        kind: "contract",
        needs: [nameOf("updateResource", "changeSomeProperty stores someProperty")],
        expected: "Of two changeSomeProperty actions, the last one decides.",
        async attempt(service) {
          const reply = await service.update(await service.fresh(), [
            { action: "changeSomeProperty", someProperty: "first" },
            { action: "changeSomeProperty", someProperty: "last" },
          ]);
          needs(reply.isOk && reply.json !== undefined, `an updated resource; ${reply.seen}`);
          const { someProperty } = reply.members;
          claim(someProperty === "last", `someProperty is ${service.secrets.shown(someProperty)}`);
          return "the value of the last action";
        },
      },
      {
        claim: "keeps the other content",
        expected: "An update with doSomeThing keeps objectTypeProperty.",
        needs: [readsBack, bodyOf(contract, "updateResource")],
        async attempt(service) {
          const resource = await created(service);
          const reply = await service.update(resource, [{ action: "doSomeThing" }]);
          needs(reply.isOk && reply.json !== undefined, `an updated resource; ${reply.seen}`);
          const isKept = isDeepStrictEqual(reply.members.objectTypeProperty, resource.draft.objectTypeProperty);
          claim(isKept, "another objectTypeProperty");
          return "the same objectTypeProperty";
        },
      },
      {
        claim: "a deleted resource is 404",
        needs: [deletes],
        expected: "An update of a deleted resource returns 404.",
        async attempt(service) {
          const id = await deletedId(service);
          const json = { version: 1, actions: [{ action: "doSomeThing" }] };
          const { status, seen } = await service.send("updateResource", { path: { id }, json });
          claim(status === 404, seen);
          return seen;
        },
      },
    ]),
    ...checksFor(contract, "deleteResource", [
      {
        claim: "returns the deleted resource",
        needs: [readsBack, bodyOf(contract, "deleteResource")],
        expected: "The response contains the last state of the resource.",
        async attempt(service) {
          const { id, draft, version } = await created(service);
          const reply = await service.send("deleteResource", { path: { id } });
          needs(reply.isOk && reply.json !== undefined, `a deleted resource; ${reply.seen}`);
          claim(isDeepStrictEqual(reply.members.objectTypeProperty, draft.objectTypeProperty), "another content");
          const isLast = Number.isNaN(version) || versionIn(reply) === version;
          claim(isLast, `the version ${versionIn(reply)} instead of ${version}`);
          return "the content of the resource";
        },
      },
      {
        claim: "a deleted resource is 404",
        expected: "Another deletion of the same resource returns 404.",
        async attempt(service) {
          const id = await deletedId(service);
          const { status, seen } = await service.send("deleteResource", { path: { id } });
          claim(status === 404, seen);
          return seen;
        },
      },
      {
        claim: "the other resources stay",
        needs: [reads, deleted],
        expected: "The deletion of a resource does not delete another one.",
        async attempt(service) {
          const [stays, goes] = [await service.fresh(), await service.fresh()];
          await service.send("deleteResource", { path: { id: goes.id } });
          const { isOk, seen } = await service.send("getResourceById", { path: { id: stays.id } });
          claim(isOk, seen);
          return seen;
        },
      },
    ]),
  ];
}

/** Returns a new resource with the draft that created it. Throws Skip if createResource returned no id. */
async function created(service: Service): Promise<Owned & { readonly draft: NonNullable<Owned["draft"]> }> {
  const { draft, ...rest } = await service.fresh();
  needs(draft !== undefined, "createResource to return an id");
  return { ...rest, draft };
}

/** Creates and deletes a resource. Returns its id. */
async function deletedId(service: Service): Promise<string> {
  const { id } = await service.fresh();
  const { isOk, seen } = await service.send("deleteResource", { path: { id } });
  needs(isOk, `a deleted resource; ${seen}`);
  return id;
}

/** Updates a new resource. Returns the version that the request contained, and the one in the response. */
async function updated(service: Service, actions: readonly unknown[]) {
  const reply = await service.update(await service.fresh(), actions);
  needs(reply.isOk, `an update; ${reply.seen}`);
  const before = neededVersion(reply.sentVersion, "the request");
  const after = neededVersion(versionIn(reply), reply.seen);
  return { before, after, seen: `the version ${before}, and ${after} after the update` };
}

function neededVersion(version: number, seen: string): number {
  needs(!Number.isNaN(version), `a version; ${seen}`);
  return version;
}

function isPathOfResource({ basePath, project }: Service, location: string): boolean {
  const paths = [`${project}/resource/`, `${basePath}${project}/resource/`];
  return paths.some((path) => location.startsWith(path) && /^[^/?#]+$/.test(location.slice(path.length)));
}
