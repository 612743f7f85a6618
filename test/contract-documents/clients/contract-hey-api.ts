import * as sdk from "./contract/index.ts";
import type { Calls } from "./reply.ts";
import { png } from "./reply.ts";

/** Calls the service with the client that `@hey-api/openapi-ts` generates. It uses the first server of the document. */
export function callsTo(_baseUrl: string): Calls<keyof typeof sdk> {
  const draft = { objectTypeProperty: { arrayOfIntExample: [1], arrayOfObjectType: [{ integerExampleInt32: 2 }] } };
  const id = "some-id";

  return {
    queryResources: async (projectKey) => {
      const query = {
        stringParameter: "linen",
        floatParameter: 1.5,
        integerParameter: 7,
        withMarkdownDescription: 2,
        arrayOfString: ["a", "b"],
        arrayOfStringWithDescription: ["c"],
      };
      const resource: sdk.ObjectTestType = { version: 1, ...draft };
      const objects = { objectParameter: { a: [1] }, unionParameter: resource };
      const asJson = await sdk.queryResources({ path: { projectKey }, query: objects, querySerializer: jsonQuery });
      if (asJson.error) return asJson;
      for (const unionParameter of [1.5, '"2024-05-17T09:30:00Z"', JSON.stringify(resource)]) {
        const reply = await sdk.queryResources({ path: { projectKey }, query: { ...query, unionParameter } });
        if (reply.error) return reply;
      }
      return sdk.queryResources({ path: { projectKey }, query: { ...query, unionParameter: "2024-05-17T09:30:00Z" } });
    },
    getResourceById: (projectKey) =>
      sdk.getResourceById({ path: { projectKey, id }, query: { optionalQueryParameter: "a" } }),
    getResourceByKey: (projectKey) => sdk.getResourceByKey({ path: { projectKey, key: "some key" } }),
    searchResources: (projectKey) =>
      sdk.searchResources({
        path: { projectKey },
        query: { fuzzy: true, fuzzyLevel: 2, "filter.query": "a", text: { "text.en": "linen" } },
      }),
    checkResourceExists: (projectKey) =>
      sdk.checkResourceExists({ path: { projectKey }, query: { integerParameter: 1 } }),
    createResource: (projectKey) => sdk.createResource({ path: { projectKey }, body: draft }),
    overwriteResource: (projectKey) => sdk.overwriteResource({ path: { projectKey }, body: draft }),
    createOrOverwriteResource: (projectKey) => sdk.createOrOverwriteResource({ path: { projectKey }, body: draft }),
    runComplexOperation: (projectKey) =>
      sdk.runComplexOperation({
        path: { projectKey, uriParameterOne: "a=b", uriParameterTwo: "c/d" },
        query: { queryParameterOne: 1.5, queryParameterTwo: "x" },
        body: { id: "1", version: "2", createdAt: "2024-05-17T09:30:00Z", createdBy: { firstName: "Ann" } },
      }),
    updateResource: async (projectKey) => {
      const { data } = await sdk.getResourceById({ path: { projectKey, id } });
      return sdk.updateResource({
        path: { projectKey, id },
        body: {
          version: data?.version ?? 0,
          actions: [{ action: "doSomeThing" }, { action: "changeSomeProperty", someProperty: "new" }],
        },
      });
    },
    deleteResource: (projectKey) => sdk.deleteResource({ path: { projectKey, id } }),
    queryWithSortedParameters: (projectKey) =>
      sdk.queryWithSortedParameters({
        path: { projectKey },
        query: {
          where: ["version >= :v"],
          sort: ["version desc", "id"],
          limit: 2,
          offset: 1,
          withTotal: true,
          expand: ["a"],
          var: { "var.v": "1" },
        },
      }),
    uploadImage: (projectKey) =>
      sdk.uploadImage({
        path: { projectKey },
        query: { filename: "front.png", variant: 1, sku: "A", staged: true },
        headers: { "Content-Type": png.type },
        body: png,
      }),
    writeNamespaceAction: (projectKey) => sdk.writeNamespaceAction({ path: { projectKey }, body: { points: 120 } }),
    readNamespaceAction: (projectKey) => sdk.readNamespaceAction({ path: { projectKey } }),
    getCart: (projectKey) => sdk.getCart({ path: { projectKey } }),
  };
}

/** Sends object parameters as JSON. Without this serializer, Hey API ignores the declared JSON encoding. */
function jsonQuery(query: Record<string, unknown>): string {
  const texts = Object.entries(query).map(([name, value]) => [name, JSON.stringify(value)]);
  return new URLSearchParams(texts).toString();
}
