import type { Schema } from "./json-schema.ts";
import type { Operation } from "./operation-table.ts";
import { operations } from "./service-operations.ts";
import { namedSchemas } from "./service-schemas.ts";

/** The ids of the operations of the interface. */
export type OperationId = (typeof operations)[number]["id"];
export type ServiceOperation = Operation & { readonly id: OperationId };

/** The contract of the mocked service, as data. Code outside of `src/contract` receives it as a parameter. */
export interface Contract {
  /** In the order of the interface. */
  readonly operations: readonly ServiceOperation[];
  /** The ids of the operations, in the same order. */
  readonly ids: readonly OperationId[];
  /** The schemas that the OpenAPI document lists under `components/schemas`. */
  readonly schemas: Readonly<Record<string, Schema>>;
  /** Returns the operation with this id. */
  find(operationId: string): ServiceOperation | undefined;
  /** Returns the operation that reads one resource by its id or key. */
  readerBy(parameter: "id" | "key"): ServiceOperation | undefined;
}

/** Creates a contract from its operations and named schemas. */
export function createContract(operations: readonly ServiceOperation[], schemas: Contract["schemas"]): Contract {
  const byId = new Map<string, ServiceOperation>(operations.map((operation) => [operation.id, operation]));
  return {
    operations,
    ids: operations.map(({ id }) => id),
    schemas,
    find: (operationId) => byId.get(operationId),
    readerBy: (parameter) =>
      operations.find(({ resource }) => resource?.access === "read" && resource.parameter === parameter),
  };
}

/** The contract of the Generic Resource Service. */
export const serviceContract: Contract = createContract(operations, namedSchemas);
