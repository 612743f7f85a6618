import createClient from "openapi-fetch";
import type { operations, paths } from "./contract.ts";
import { type Calls, png } from "./reply.ts";

/** Calls the service with `openapi-fetch` and the types of `openapi-typescript`. */
export function callsTo(baseUrl: string): Calls<keyof operations> {
  // `openapi-fetch` does not read the document, so it needs the styles of the parameters here.
  const client = createClient<paths>({ baseUrl, querySerializer: { object: { style: "form", explode: true } } });
  const draft = { objectTypeProperty: { arrayOfIntExample: [1], arrayOfObjectType: [{ integerExampleInt32: 2 }] } };
  const resource = JSON.stringify({ version: 1, ...draft });
  const id = "some-id";

  return {
    queryResources: async (projectKey) => {
      const query = {
        stringParameter: "linen",
        floatParameter: 1.5,
        integerParameter: 7,
        withMarkdownDescription: 2,
        objectParameter: JSON.stringify({ a: [1] }),
        arrayOfString: ["a", "b"],
        arrayOfStringWithDescription: ["c"],
      };
      const send = (unionParameter: string) =>
        client.GET("/{projectKey}/resource", { params: { path: { projectKey }, query: { ...query, unionParameter } } });
      // Sends the members of the union as JSON, or a date-time without quotes.
      for (const value of ["1.5", '"2024-05-17T09:30:00Z"', resource]) {
        const reply = await send(value);
        if (reply.error) return reply;
      }
      return send("2024-05-17T09:30:00Z");
    },
    getResourceById: (projectKey) =>
      client.GET("/{projectKey}/resource/{id}", {
        params: { path: { projectKey, id }, query: { optionalQueryParameter: "a", secondOptionalQueryParameter: "b" } },
      }),
    getResourceByKey: (projectKey) =>
      client.GET("/{projectKey}/resource/key={key}", { params: { path: { projectKey, key: "some key" } } }),
    searchResources: (projectKey) => {
      const query = { fuzzy: true, fuzzyLevel: 2, staged: false, "filter.query": "a", text: { "text.en": "linen" } };
      return client.GET("/{projectKey}/resource/searchApiPattern", { params: { path: { projectKey }, query } });
    },
    checkResourceExists: (projectKey) =>
      client.HEAD("/{projectKey}/resource", { params: { path: { projectKey }, query: { integerParameter: 1 } } }),
    createResource: (projectKey) =>
      client.POST("/{projectKey}/resource", { params: { path: { projectKey } }, body: draft }),
    overwriteResource: (projectKey) =>
      client.PATCH("/{projectKey}/resource", { params: { path: { projectKey } }, body: draft }),
    createOrOverwriteResource: (projectKey) =>
      client.PUT("/{projectKey}/resource", { params: { path: { projectKey } }, body: draft }),
    runComplexOperation: (projectKey) =>
      client.POST(
        "/{projectKey}/resource/artificially-complex/path/uri-parameter-one={uriParameterOne}/{uriParameterTwo}",
        {
          params: {
            path: { projectKey, uriParameterOne: "a=b", uriParameterTwo: "c/d" },
            query: { queryParameterOne: 1.5, queryParameterTwo: "x" },
          },
          body: { id: "1", version: "2", createdAt: "2024-05-17T09:30:00Z", createdBy: { firstName: "Ann" } },
        },
      ),
    updateResource: async (projectKey) => {
      const params = { path: { projectKey, id } };
      const { data } = await client.GET("/{projectKey}/resource/{id}", { params });
      return client.POST("/{projectKey}/resource/{id}", {
        params,
        body: {
          version: data?.version ?? 0,
          actions: [{ action: "doSomeThing" }, { action: "changeSomeProperty", someProperty: "new" }],
        },
      });
    },
    deleteResource: (projectKey) =>
      client.DELETE("/{projectKey}/resource/{id}", { params: { path: { projectKey, id } } }),
    queryWithSortedParameters: (projectKey) => {
      const query = {
        where: ["version >= :v"],
        sort: ["version desc", "id"],
        limit: 2,
        offset: 1,
        withTotal: true,
        expand: ["a"],
        var: { "var.v": "1" },
      };
      return client.GET("/{projectKey}/resource/sorted-query-parameters", { params: { path: { projectKey }, query } });
    },
    uploadImage: (projectKey) =>
      client.POST("/{projectKey}/resource/images", {
        params: { path: { projectKey }, query: { filename: "front.png", variant: 1, sku: "A", staged: true } },
        headers: { "Content-Type": png.type },
        // `openapi-typescript` types bytes as text.
        body: "",
        bodySerializer: () => png,
      }),
    writeNamespaceAction: (projectKey) =>
      client.POST("/{projectKey}/resource/namespace-action", {
        params: { path: { projectKey } },
        body: { points: 120 },
      }),
    readNamespaceAction: (projectKey) =>
      client.GET("/{projectKey}/resource/namespace-action", { params: { path: { projectKey } } }),
    getCart: (projectKey) =>
      client.GET("/{projectKey}/resource/namespace-action-with-example", { params: { path: { projectKey } } }),
  };
}
