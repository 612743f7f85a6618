import { documentOf, jsonResponse } from "../setup/documents.ts";

/** A document of a cluster's configuration maps: names in a scope, a version in the metadata, and three kinds of patches. */

const text = { type: "string" };
const integer = { type: "integer" };
const texts = { type: "object", additionalProperties: text };
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const list = (items: object) => ({ type: "array", items });
const object = (properties: object, required: readonly string[] = []) => ({ type: "object", required, properties });

const typed = { apiVersion: text, kind: text };

const schemas = {
  Metadata: object({
    name: text,
    namespace: text,
    uid: text,
    resourceVersion: text,
    generation: { ...integer, format: "int64" },
    creationTimestamp: { ...text, format: "date-time" },
    labels: texts,
    annotations: texts,
  }),
  ConfigMap: object({ ...typed, metadata: ref("Metadata"), data: texts, immutable: { type: "boolean" } }),
  ListMetadata: object({ continue: text, remainingItemCount: integer, resourceVersion: text }),
  ConfigMapList: object({ ...typed, metadata: ref("ListMetadata"), items: list(ref("ConfigMap")) }, ["items"]),
  Status: object({
    ...typed,
    metadata: ref("ListMetadata"),
    ...{ status: text, message: text, reason: text, code: integer },
    details: object({ name: text, kind: text, uid: text }),
  }),
  Patch: { type: "object" },
  DeleteOptions: object({ ...typed, gracePeriodSeconds: integer, propagationPolicy: text }),
};

const inPath = (name: string) => ({ in: "path", name, required: true, schema: text });
const inQuery = (name: string, schema: object = text) => ({ in: "query", name, schema });
const body = (name: string, ...types: readonly string[]) => ({
  requestBody: {
    required: name !== "DeleteOptions",
    content: Object.fromEntries((types.length > 0 ? types : ["*/*"]).map((type) => [type, { schema: ref(name) }])),
  },
});
const responses = (name: string, ...statuses: readonly number[]) => ({
  responses: {
    ...Object.fromEntries(statuses.map((status) => [status, jsonResponse(ref(name))])),
    401: { description: "Unauthorized" },
  },
});

const patches = ["json-patch", "merge-patch", "strategic-merge-patch"].map((kind) => `application/${kind}+json`);
const writing = [inQuery("dryRun"), inQuery("fieldManager"), inQuery("fieldValidation")];

const paths = {
  "/api/v1/namespaces/{namespace}/configmaps": {
    parameters: [inPath("namespace"), inQuery("pretty")],
    get: {
      operationId: "listNamespacedConfigMap",
      parameters: [
        inQuery("continue"),
        inQuery("limit", integer),
        inQuery("labelSelector"),
        inQuery("fieldSelector"),
        inQuery("resourceVersion"),
        inQuery("watch", { type: "boolean" }),
      ],
      ...responses("ConfigMapList", 200),
    },
    post: {
      operationId: "createNamespacedConfigMap",
      parameters: writing,
      ...body("ConfigMap"),
      ...responses("ConfigMap", 200, 201, 202),
    },
  },
  "/api/v1/namespaces/{namespace}/configmaps/{name}": {
    parameters: [inPath("namespace"), inPath("name"), inQuery("pretty")],
    get: { operationId: "readNamespacedConfigMap", ...responses("ConfigMap", 200) },
    put: {
      operationId: "replaceNamespacedConfigMap",
      parameters: writing,
      ...body("ConfigMap"),
      ...responses("ConfigMap", 200, 201),
    },
    patch: {
      operationId: "patchNamespacedConfigMap",
      parameters: [...writing, inQuery("force", { type: "boolean" })],
      ...body("Patch", ...patches),
      ...responses("ConfigMap", 200, 201),
    },
    delete: {
      operationId: "deleteNamespacedConfigMap",
      parameters: [inQuery("gracePeriodSeconds", integer), inQuery("propagationPolicy"), inQuery("dryRun")],
      ...body("DeleteOptions"),
      ...responses("Status", 200, 202),
    },
  },
};

export const configMaps = documentOf(paths, { components: { schemas } });
