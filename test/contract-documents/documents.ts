/** The parts of an OpenAPI document that the tests read. */
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

/** The paths of the two documents of the mock. */
export const documentPaths = { contract: "/__admin/contract.json", control: "/__admin/openapi.json" } as const;
export type DocumentName = keyof typeof documentPaths;

/** Returns the operations of a document with their paths and lower-case methods. */
export function operationsOf({ paths }: Document): { path: string; method: string; operation: OperationObject }[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
}
