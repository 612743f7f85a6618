import { isDeepStrictEqual } from "node:util";
import type { Contract, OperationId } from "../../contract/contract.ts";
import type { Check } from "../check.ts";
import { claim, needs } from "../outcome.ts";
import { idIn, versionIn } from "../reply.ts";
import type { Service } from "../service.ts";
import { checksFor, nameOf } from "./define.ts";
import { bodyOf } from "./valid.ts";

const overwrites: readonly OperationId[] = ["overwriteResource", "createOrOverwriteResource"];

const location = "Location is the path of the overwritten resource";

/** PUT and PATCH, which overwrite the resource that was written last. */
export function overwriteChecks(contract: Contract): Check[] {
  return overwrites.flatMap((id) =>
    checksFor(contract, id, [
      {
        claim: location,
        row: "location",
        expected: "The response has `Location: /{projectKey}/resource/{id}` of the resource that was written last.",
        needs: [nameOf("createResource", "Location names the new resource")],
        async attempt(service) {
          const before = await written(service);
          needs(before.id !== undefined, "createResource to return an id");
          const reply = await service.send(id, { json: service.draft() });
          needs(reply.isOk, `an overwritten resource; ${reply.seen}`);
          const found = service.secrets.shown(reply.header("location"));
          claim(idIn(reply) === before.id, `Location ${found} for the resource ${service.secrets.shown(before.id)}`);
          return `Location ${found}`;
        },
      },
      {
        claim: "raises the version of the last written resource by 1",
        row: "written-resource",
        expected: "The resource that was written last gets the next version.",
        async attempt(service) {
          const { version: before } = await written(service);
          needs(!Number.isNaN(before), "the version of a resource");
          const reply = await service.send(id, { json: service.draft() });
          const after = versionIn(reply);
          needs(reply.isOk && !Number.isNaN(after), `an overwritten resource; ${reply.seen}`);
          claim(after === before + 1, `the version ${before}, and ${after} after it`);
          return `the version ${before}, and ${after} after it`;
        },
      },
      {
        claim: "returns the content of the draft",
        expected: "The response contains the objectTypeProperty of the draft.",
        needs: [bodyOf(contract, id)],
        async attempt(service) {
          await written(service);
          const draft = service.draft();
          const reply = await service.send(id, { json: draft });
          needs(reply.isOk && reply.json !== undefined, `an overwritten resource; ${reply.seen}`);
          claim(isDeepStrictEqual(reply.members.objectTypeProperty, draft.objectTypeProperty), "another content");
          return "the same content";
        },
      },
      {
        claim: "replaces the whole content",
        row: "written-resource",
        expected: "An array that the draft does not have is no longer part of the resource.",
        needs: [
          nameOf(id, "returns the content of the draft"),
          nameOf(id, location),
          nameOf("getResourceById", "returns the content of the draft"),
        ],
        async attempt(service) {
          const before = await written(service);
          needs(before.id !== undefined, "createResource to return an id");
          const objectTypeProperty = { arrayOfStringExample: [service.newName()] };
          const { isOk, seen } = await service.send(id, { json: { objectTypeProperty } });
          needs(isOk, `an overwritten resource; ${seen}`);
          const reply = await service.send("getResourceById", { path: { id: before.id } });
          needs(reply.isOk, `a resource; ${reply.seen}`);
          claim(isDeepStrictEqual(reply.members.objectTypeProperty, objectTypeProperty), "another content");
          return "the new content";
        },
      },
      {
        claim: "creates a resource if the last written one was deleted",
        row: "written-resource",
        expected: "After the deletion of the resource that was written last, a new one is created.",
        needs: [nameOf(id, location), nameOf("getResourceById", "a deleted resource is 404")],
        async attempt(service) {
          const before = await written(service);
          needs(before.id !== undefined, "createResource to return an id");
          const { isOk, seen } = await service.send("deleteResource", { path: { id: before.id } });
          needs(isOk, `a deleted resource; ${seen}`);
          const reply = await service.send(id, { json: service.draft() });
          claim(reply.isOk, reply.seen);
          const after = idIn(reply);
          needs(after !== undefined, "the response to have an id");
          claim(after !== before.id, "the deleted resource");
          return "another resource";
        },
      },
    ]),
  );
}

/** Creates the resource that was written last. */
async function written(service: Service): Promise<{ readonly id: string | undefined; readonly version: number }> {
  const reply = await service.send("createResource", { json: service.draft() });
  needs(reply.isOk, `a resource of its own to overwrite; ${reply.seen}`);
  return { id: idIn(reply), version: versionIn(reply) };
}
