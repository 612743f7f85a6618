/** An OpenAPI document, as far as tests look into it. */
export interface Document {
  openapi: string;
  info: { version: string };
  servers: { url: string; variables?: Record<string, unknown> }[];
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, object> };
}

export interface OperationObject {
  operationId: string;
  security: object[];
  parameters: ParameterObject[];
  responses: Record<string, { content?: Record<string, { schema: object }> }>;
}

export interface ParameterObject {
  name: string;
  in: string;
  example?: string;
  schema?: Record<string, unknown>;
  content?: Record<string, unknown>;
}

/** Where the mock serves its two documents. */
export const documentPaths = { contract: "/__admin/contract.json", control: "/__admin/openapi.json" } as const;
export type DocumentName = keyof typeof documentPaths;

/** The operations of a document with their paths and methods, which are in lower case. */
export function operationsOf({ paths }: Document): { path: string; method: string; operation: OperationObject }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}
