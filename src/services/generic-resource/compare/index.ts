/** The checks of `compare` that only the Generic Resource Service has. Each check is a row of data. */

import type { Contract } from "../../../contract/index.ts";
import type { ComparedService, OwnChecks, Row } from "../../../tools/compare/index.ts";
import { OutOfOrderPropertiesTestType } from "../schemas.ts";
import { doSomeThing, draft, images, newResource, sampleOf, versionOf } from "./drafts.ts";
import { otherRows } from "./other-rows.ts";
import { queryRows } from "./query-rows.ts";
import { resourceRows } from "./resource-rows.ts";

/** The rows of the contract that the interface does not state: its errors, and the required members. */
function assumed({ operations }: Contract): Record<string, Row | undefined> {
  const rows = operations.map(
    ({ id, body }): Record<string, Row | undefined> => ({
      [`${id}: errors have the documented form`]: undefined,
      [`${id}: an unknown id is 404`]: undefined,
      [`${id}: an unknown key is 404`]: undefined,
      ...(body?.schema && { [`${id}: a body that is not application/json is 415`]: { source: "errors" } }),
      ...Object.fromEntries(
        (body?.schema?.required ?? []).map((name) => [
          `${id}: a body without ${name} is 400`,
          { source: "required-fields" },
        ]),
      ),
    }),
  );
  return Object.assign({ "queryResources: shows a new resource": undefined }, ...rows);
}

async function overwritten(service: ComparedService) {
  return { item: await newResource(service), json: draft(service) };
}

export function ownChecks(contract: Contract): OwnChecks {
  return {
    rows: { ...assumed(contract), ...resourceRows, ...queryRows, ...otherRows },
    valid: {
      createResource: (service) => ({ json: draft(service) }),
      overwriteResource: overwritten,
      createOrOverwriteResource: overwritten,
      updateResource: async (service, { item }) => ({
        json: { version: await versionOf(item, service), actions: [doSomeThing] },
      }),
      runComplexOperation: () => ({ json: sampleOf(OutOfOrderPropertiesTestType) }),
      writeNamespaceAction: () => ({ json: undefined }),
      uploadImage: ({ newName }) => ({
        query: `filename=${newName()}.png`,
        body: images["image/png"],
        type: "image/png",
      }),
      // It succeeds in a project with a resource.
      async checkResourceExists({ contract: { types }, shared }) {
        if (types[0]) await shared(types[0]);
        return {};
      },
    },
    creates: { overwriteResource: "createResource", createOrOverwriteResource: "createResource" },
    // PUT and PATCH overwrite the last written resource, so that it has to be one of the run.
    inOrder: ["overwriteResource", "createOrOverwriteResource", "queryWithSortedParameters", "readNamespaceAction"],
  };
}
